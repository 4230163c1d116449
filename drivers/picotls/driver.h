/* Declarations shared by the driver's files. */
#ifndef PICOTLS_DRIVER_H
#define PICOTLS_DRIVER_H

#include <picotls.h>
#include <picotls/openssl.h>

#include "tlslab_driver.h"

/* The library's check of a signature; it frees the key. */
typedef int verify_signature(void *key, uint16_t scheme, ptls_iovec_t data, ptls_iovec_t signature);

/* A private key that signs with one scheme alone. The library's list of schemes ends with UINT16_MAX. */
struct signer {
  ptls_openssl_sign_certificate_t library;
  ptls_openssl_signature_scheme_t schemes[2];
};

/* State shared by the connections of one side of one scenario. Lists end as the library wants it. */
struct context {
  ptls_context_t ptls;
  int is_server;
  tlslab_scenario pinned;
  const char *server_name;
  ptls_key_exchange_algorithm_t *groups[3];
  ptls_cipher_suite_t *suites[2];
  uint16_t schemes[2];
  ptls_iovec_t chain[8];
  struct signer signer;
  ptls_openssl_verify_certificate_t verifier; /* the library's, which `verify` calls in the scenario's way */
  ptls_verify_certificate_t verify;
  verify_signature *check;
};

/* A ticket as the library writes it down. */
struct session {
  size_t len;
  uint8_t data[];
};

struct connection {
  ptls_t *tls;
  const struct context *context;
  ptls_handshake_properties_t properties; /* of a client */
  size_t most_early_data;                 /* of a client, as its ticket allows */
  struct session *resumed, *latest;       /* of a client: taken up, and received */
  int tickets_received;
  int answered; /* the library's handshake call is done: the rest of the handshake is received as data is */
  int has_closed; /* its closing alert is sent */
  int verdict;  /* OpenSSL's on the peer's chain */
  X509 *peer;
};

static inline struct connection *connection_of(ptls_t *tls) { return *ptls_get_data_ptr(tls); }
static inline ptls_iovec_t iovec(tlslab_bytes bytes) { return ptls_iovec_init(bytes.data, bytes.len); }

/* The kit's buffer as one of the library's, and back: what outgrew it was moved, and is copied. 0 where it does not fit. */
static inline ptls_buffer_t room_in(const tlslab_buffer *output) {
  return (ptls_buffer_t){.base = output->data + output->len, .capacity = output->capacity - output->len};
}
static inline int give_back(ptls_buffer_t *from, tlslab_buffer *output) {
  int fits = from->is_allocated ? tlslab_append(output, from->base, from->off) : 1;
  if (!from->is_allocated) output->len += from->off;
  if (from->is_allocated) ptls_buffer_dispose(from); /* which clears the bytes, too */
  return fits;
}

ptls_key_exchange_algorithm_t *find_group(uint16_t point);
/* The library's check of signatures and the certificate's key for it; NULL where it refuses the certificate. */
verify_signature *find_check(tlslab_bytes certificate, void **key);
/* A code of the library, and what says what it means and returns TLSLAB_FAILED. */
int load_signer(struct signer *signer, tlslab_bytes der, uint16_t scheme);
void sessions_pin(struct context *context);
int reason(tlslab_error *error, const char *what, int code);

#endif
