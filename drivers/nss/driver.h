/* Declarations shared by the driver's files. */
#ifndef NSS_DRIVER_H
#define NSS_DRIVER_H

#include <cert.h>
#include <certdb.h>
#include <keyhi.h>
#include <prerror.h>
#include <prio.h>
#include <ssl.h>
#include <sslexp.h>
#include <sslproto.h>

#include "tlslab_driver.h"

enum { MOST_LINKS = 8, MOST_EARLY_DATA = 65536 };

/* A client's certificates and key. */
struct credentials {
  CERTCertificate *chain[MOST_LINKS]; /* the leaf first */
  SECKEYPrivateKey *key;
};

/* State shared by the connections of one side of one scenario. */
struct context {
  PRFileDesc *model; /* every connection begins as its copy */
  tlslab_wire wire;  /* under the model, never used */
  int side;
  uint32_t verification; /* of the peer's chain */
  uint32_t tickets;
  int counts_tickets; /* of a client */
  uint32_t tickets_after; /* those that a server is told to send */
  uint32_t resumption;
  int sessions_serve_once;
  int has_early_data;
  CERTCertificate *root;   /* of a side that verifies */
  const char *server_name; /* of a client */
  struct credentials credentials; /* of a client */
};

/* A client's stored session: the library's token, which has a ticket in it, or for a session that the server
 * keeps, the terminated name under which it is in the library's own cache. */
struct session {
  size_t len;
  uint8_t bytes[];
};

struct connection {
  tlslab_wire wire; /* first, so that the wire's address is the connection's */
  PRFileDesc *ssl;
  const struct context *context;
  struct session *session; /* what the next connection is to take up; NULL if nothing */
  int tickets_received;
  int early_data_ended; /* of a server: what comes now is the handshake */
};

/* A connection without a session yet. */
int connection_open(const struct context *context, void **connection, tlslab_error *error);

/* The lowest layer of a connection's stack of file descriptors, over `wire`, which must outlive it. NULL when the library
 * refuses. What all of them share is prepared once, before any. */
PRFileDesc *wire_descriptor(tlslab_wire *wire);
void wire_prepare(void);

/* The wire below a connection's descriptor. */
tlslab_wire *wire_of(PRFileDesc *ssl);

/* Hold a descriptor to exactly what a scenario names. Each returns whether the library can do it. */
int pin_suite(PRFileDesc *fd, uint16_t suite);
int pin_group(PRFileDesc *fd, uint16_t group);
int pin_scheme(PRFileDesc *fd, uint16_t scheme);
int pin_version(PRFileDesc *fd, uint16_t version);

/* All four; TLSLAB_UNSUPPORTED with the reason if one of them fails. */
int pin_scenario(PRFileDesc *fd, int side, const tlslab_scenario *scenario, tlslab_error *error);

SECItem credentials_item(tlslab_bytes bytes);

/* A private key in the software token, of PKCS#8; NULL where it cannot be loaded. */
SECKEYPrivateKey *credentials_key(tlslab_bytes bytes);

/* A certificate that is decoded, and not entered in the process's store of certificates, where clients would find it;
 * NULL where it cannot be decoded. */
CERTCertificate *credentials_certificate(tlslab_bytes bytes);

SECStatus credentials_show_server(PRFileDesc *model, const tlslab_material *material);

/* `credentials` must outlive the model's connections. */
SECStatus credentials_show_client(PRFileDesc *model, const tlslab_material *material, struct credentials *credentials);
void credentials_free(struct credentials *credentials);

/* How a side looks at its peer's certificates: for SSL_AuthCertificateHook, with a context as its argument. */
SECStatus verify(void *context, PRFileDesc *fd, PRBool check_signatures, PRBool is_server);

/* The root is no longer trusted. Call it before a context releases the root. */
void verify_forget(CERTCertificate *root);

/* Sets how either side of a scenario remembers sessions. */
/* Leaves sessions as they are by default; a client counts tickets and keeps none. */
SECStatus sessions_leave(PRFileDesc *model, int side);
SECStatus sessions_pin(PRFileDesc *model, int side, const tlslab_scenario *scenario);

/* Gives a connection a new name in the client's cache, under which the cache has no session. */
int sessions_begin(struct connection *connection, tlslab_error *error);

/* Whether the library, which is asked by name, has what early data takes. */
int early_data_is_there(void);

/* Lets a model's connections carry as much early data as the scenario has. */
SECStatus early_pin(struct context *context, const tlslab_scenario *scenario);

/* Why a call failed: the library's name for the error, and its text. */
static inline int reason(tlslab_error *error, int status, const char *what) {
  PRErrorCode code = PR_GetError();
  const char *name = PR_ErrorToName(code);
  return tlslab_say(error, status, "%s: %s (%s, %d)", what, PR_ErrorToString(code, PR_LANGUAGE_I_DEFAULT),
                    name == NULL ? "no name" : name, (int)code);
}

/* One cryptographic operation alone, called as the library's own TLS calls it. */
struct primitive;

/* The head of every kind of object. */
struct primitive {
  SECStatus (*run)(struct primitive *primitive, int operation, uint64_t sequence, tlslab_buffer *input,
                   tlslab_buffer *output);
  /* The token's object of the last operation; NULL if there is none. */
  void (*collect)(struct primitive *primitive, tlslab_buffer *output);
  void (*free)(struct primitive *primitive);
};

/* Each makes an object of its kind, or returns NULL with the cause as the library's error. */
struct primitive *digest_new(const tlslab_assignment *assignment);
struct primitive *code_new(const tlslab_assignment *assignment);
struct primitive *aead_new(const tlslab_assignment *assignment);
struct primitive *signer_new(const tlslab_assignment *assignment, const tlslab_material *material);
struct primitive *exchange_new(const tlslab_assignment *assignment);

/* Whether signer_new knows the scheme. */
int signer_knows(uint16_t scheme);

#endif
