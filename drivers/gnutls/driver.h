/* Declarations shared by the driver's files. */
#ifndef GNUTLS_DRIVER_H
#define GNUTLS_DRIVER_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "tlslab_driver.h"

enum { MOST_TICKETS = 16, MOST_EARLY_DATA = 65536 };

/* gnutls_privkey_derive_secret. What is older has key exchange inside its TLS alone. */
#define DERIVES_SECRETS (GNUTLS_VERSION_NUMBER >= 0x030802)

/* State shared by the connections of one side of one scenario. */
struct context {
  int side;
  tlslab_scenario pinned;
  int sends_tickets_after; /* of a server: the handshake, as TLS 1.3 does */
  gnutls_priority_t priority;
  gnutls_certificate_credentials_t credentials;
  gnutls_datum_t ticket_key; /* of a server whose scenario has tickets */
  struct store *store;       /* of a server that keeps sessions */
  const char *server_name;   /* of a client */
  struct guard *guard; /* of a server that accepts early data */
  /* An external PSK of both sides. */
  const char *psk_identity;
  gnutls_datum_t psk;
  gnutls_psk_client_credentials_t client_psk;
  gnutls_psk_server_credentials_t server_psk;
};

struct connection {
  tlslab_wire wire;
  gnutls_session_t session;
  const struct context *context;
  gnutls_typed_vdata_st verified[2]; /* what a certificate must be for, and its name; the session points to it */
  int tickets_received; /* by a client of a scenario with tickets */
};

/* Priorities name the parts of a suite; that two of them with ECDHE_PSK form no suite is not in them. */
#define IS_NO_SUITE(point) ((point) == TLSLAB_ECDHE_PSK_AES_128_GCM || (point) == TLSLAB_ECDHE_PSK_AES_256_GCM)
#define WHY_NO_SUITE "the library has ECDHE_PSK with AES in CBC mode and with ChaCha20-Poly1305 alone"

/* The priorities that allow what a scenario names and nothing else; TLSLAB_UNSUPPORTED with the reason where they cannot be
 * had. */
int pin(int side, const tlslab_scenario *scenario, gnutls_priority_t *priority, tlslab_error *error);

/* The names of signature schemes in a version: one code point is called differently in either. */
const tlslab_own_name *scheme_names(uint16_t version);

/* The library's names for groups. */
extern const tlslab_own_name group_names[];

/* Gives a context its key, a connection its context's key, and frees what holds it. All return a code of the library. */
int psk_pin(struct context *context);
int psk_attach(const struct context *context, gnutls_session_t session);
void psk_free(struct context *context);

/* The sessions that a server of TLS 1.2 keeps. The library asks for them by name and leaves the keeping to its user. NULL
 * when there is no memory; it must outlive the sessions that use it. */
struct store *store_new(void);
void store_free(struct store *store);
void store_attach(struct store *store, gnutls_session_t session);

/* A server's guard against replays of early data. It makes a session accept so much, each once, and must outlive it. */
struct guard *guard_new(void);
void guard_free(struct guard *guard);
int guard_attach(struct guard *guard, gnutls_session_t session, uint32_t most_bytes);

/* Says what failed and what the library's code for it means. Returns TLSLAB_FAILED. */
static inline int reason_of_library(tlslab_error *error, const char *what, int code) {
  return tlslab_failed(error, "%s: %s (%s)", what, gnutls_strerror(code), gnutls_strerror_name(code));
}

/* The same for a call on a connection, with the verdict on the peer's certificate or the peer's alert. */
int reason_of_connection(tlslab_error *error, gnutls_session_t session, int code);

#endif
