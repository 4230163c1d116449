/* wolfSSL's own interface, what is optional in it, and what the driver's parts share. */
#ifndef WOLFSSL_DRIVER_H
#define WOLFSSL_DRIVER_H

#include <wolfssl/options.h> /* the library's build options, before anything else of it */

#include <wolfssl/ssl.h>

#include <time.h>

#include "tlslab_driver.h"

/* wolfSSL_CTX_set1_sigalgs_list and the reports of the scheme come with the compatibility layer alone. */
#if defined(OPENSSL_EXTRA)
#define HAS_SIGNATURE_SETTER 1
#else
#define HAS_SIGNATURE_SETTER 0
#endif

#if defined(WOLFSSL_NO_TLS12)
#define HAS_TLS12 0
#else
#define HAS_TLS12 1
#endif

#if defined(WOLFSSL_NO_CLIENT_AUTH)
#define HAS_CLIENT_AUTH 0
#else
#define HAS_CLIENT_AUTH 1
#endif

#if defined(HAVE_DILITHIUM) || defined(WOLFSSL_HAVE_MLDSA)
#define HAS_ML_DSA 1
#else
#define HAS_ML_DSA 0
#endif

#if defined(HAVE_ED25519)
#define HAS_ED25519 1
#else
#define HAS_ED25519 0
#endif

/* External PSKs. */
#if defined(NO_PSK)
#define HAS_PSK 0
#else
#define HAS_PSK 1
#endif

#if defined(WOLFSSL_EARLY_DATA)
#define HAS_EARLY_DATA 1
#else
#define HAS_EARLY_DATA 0
#endif

/* State shared by the connections of one side of one scenario. */
struct context {
  WOLFSSL_CTX *ssl;
  int side;
  int counts_tickets; /* of a client */
  const char *checked_name; /* of a client that checks it, else NULL */
  time_t sessions_since; /* of a client that takes up sessions: the last connection without one */
  int sessions_taken_up; /* since then */
  uint16_t group;
  int exchanges_no_key; /* of a client whose pre-shared key is used without key exchange */
  const char *psk_identity; /* where there is a key that both sides were given, else NULL */
  const char *psk_suite;
  tlslab_bytes psk;
};

struct connection {
  WOLFSSL *ssl;
  struct context *context;
  tlslab_wire wire;
  int tickets_received;  /* by a client that counts them */
  int early_data_ended;  /* of a server: what comes now is the handshake */
  int has_closed;        /* its closing alert is sent */
};

/* The library's reads and writes. */
int wire_read(WOLFSSL *ssl, char *data, int len, void *handle);
int wire_write(WOLFSSL *ssl, char *data, int len, void *handle);

/* A context of this version alone, or NULL. */
WOLFSSL_CTX *pin_version(int side, uint16_t version);

/* Each returns whether the library can be held to it. */
int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite);
int pin_group(WOLFSSL_CTX *ssl, uint16_t group);
int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme);

/* All but the version; TLSLAB_UNSUPPORTED with the reason where one of them cannot be had. */
int pin_scenario(WOLFSSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

/* The library's name for a suite; NULL for an unknown one. */
const char *suite_name(uint16_t suite);

/* The library's names for groups. */
extern const tlslab_own_name group_names[];

/* Make a side remember sessions in the scenario's way, and in no other. */
int sessions_pin_server(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);
int sessions_pin_client(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);

/* Makes a context's connections use its pre-shared key, with a key exchange or without. */
int psk_pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Why a call on a connection failed. */
int connection_failed(struct connection *connection, const char *what, int result, tlslab_error *error);

/* `what` failed; a negative code is one of the library's. */
static inline int reason_of_code(tlslab_error *error, const char *what, int code) {
  if (code >= 0) return tlslab_failed(error, "%s", what);
  return tlslab_failed(error, "%s: %s (%d)", what, wolfSSL_ERR_reason_error_string((unsigned long)code), code);
}

/* The library cannot be held to this code point. */
static inline int reason_of_pin(tlslab_error *error, const char *what, uint16_t point) {
  return tlslab_unsupported(error, "the library cannot be held to %s 0x%04x", what, point);
}

/* One cryptographic operation alone, by the library's wolfCrypt, as its TLS calls it. */
struct primitive;

/* Does an operation. A call returns 0, or one of the library's codes. */
typedef int primitive_call(struct primitive *primitive, int operation, uint64_t sequence, tlslab_buffer *input,
                           tlslab_buffer *output);

/* The head of every kind of object. */
struct primitive {
  primitive_call *run;
  void (*free)(struct primitive *primitive);
};

/* Each makes an object of its kind and returns 0, or one of the library's codes. */
int symmetric_new(const tlslab_assignment *assignment, struct primitive **primitive);
int aead_new(const tlslab_assignment *assignment, struct primitive **primitive);
int signer_new(const tlslab_assignment *assignment, const tlslab_material *material, struct primitive **primitive);
int pure_signer_new(const tlslab_assignment *assignment, const tlslab_material *material, struct primitive **primitive);
int exchange_new(const tlslab_assignment *assignment, struct primitive **primitive);

#endif
