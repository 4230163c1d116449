/* Declarations shared by the driver's files: contexts, connections, and their pins. */
#ifndef LIBSSL_DRIVER_H
#define LIBSSL_DRIVER_H

#include "settings.h"
#include "shared.h"

/* State shared by the connections of one side of one scenario. */
struct context {
  SSL_CTX *ssl;
  int side;
  uint32_t tickets;
  int resumes;             /* whether sessions outlive their connections */
  int sends_tickets_after; /* of a server: the handshake, as TLS 1.3 does */
  int counts_tickets;      /* of a client with the library's defaults */
  int checks_name;         /* of a client */
  const char *server_name; /* of a client */
  uint16_t first_key_share; /* of a client that makes its first one for a group that the server does not take, else 0 */
  const char *psk_identity; /* where there is a key that both sides were given */
  tlslab_bytes psk_key;     /* it, */
  SSL_SESSION *psk;         /* and what stands for it in TLS 1.3 */
  int reads_ahead;          /* whether input may wait in the library */
  int writes_parts;         /* whether a write may be done in parts, */
  size_t write_at_most;     /* each of at most so many bytes, or of any size: 0 */
};

struct connection {
  tlslab_wire wire; /* first, so that the wire's address is the connection's */
  SSL *ssl;
  const struct context *context;
  int tickets_received; /* by a client of a scenario with tickets */
  SSL_SESSION *session; /* of such a client: the latest, NULL before there is one */
  int sent_early_data;  /* of a client */
  int early_data_ended; /* of a server: what comes now is the handshake */
};

/* The connection that a library's object belongs to. */
struct connection *connection_of(const SSL *ssl);

/* Whether there is input that the library has not passed on. */
int has_input(const struct connection *connection);

/* Makes what all connections share. Called once, before any context; 0 when the library refuses. */
int wire_prepare(void);

/* Make a side remember sessions in the scenario's way, and in no other. */
int sessions_pin_server(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error);
void sessions_pin_client(SSL_CTX *ssl, const tlslab_scenario *scenario);

/* Has a client with the library's defaults count tickets, without keeping their sessions. */
void sessions_count_tickets(SSL_CTX *ssl);

/* Makes a context's connections use the context's pre-shared key and nothing else. */
int psk_pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error);

/* Lets a context's connections carry as much early data as the scenario has. */
int early_pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

/* 1 where the connection's early data was accepted, 0 where it was rejected, -1 where there was none. */
int early_data_of(const SSL *ssl);

/* Why a call on a connection failed that returned `result`. */
int reason_of_connection(tlslab_error *error, SSL *ssl, int result);

/* One cryptographic operation alone, called as the library's own TLS calls it. */
struct primitive;

/* Does an operation of the object's algorithm. */
typedef int primitive_call(struct primitive *primitive, int operation, uint64_t sequence, tlslab_buffer *input,
                           tlslab_buffer *output);

/* The head of every kind of object. A call returns 1, or 0 with the cause in the library's error queue. */
struct primitive {
  primitive_call *run;
  void (*free)(struct primitive *primitive);
};

/* Each makes an object of its kind, or returns NULL with the cause in the library's error queue. */
struct primitive *digest_new(const tlslab_assignment *assignment);
struct primitive *code_new(const tlslab_assignment *assignment);
struct primitive *aead_new(const tlslab_assignment *assignment);
struct primitive *signer_new(const tlslab_assignment *assignment, const tlslab_material *material);
struct primitive *exchange_new(const tlslab_assignment *assignment);

/* Whether the library can do an operation with an algorithm: what can be found out without keys. */
int primitive_known(const tlslab_value *value);

#endif
