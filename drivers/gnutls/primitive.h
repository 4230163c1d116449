/* One cryptographic operation by itself, by the library's public interface. */
#ifndef GNUTLS_PRIMITIVE_H
#define GNUTLS_PRIMITIVE_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

/* gnutls_privkey_derive_secret. What is older has key exchange inside its TLS alone. */
#if GNUTLS_VERSION_NUMBER >= 0x030802
#define DERIVES_SECRETS 1
#else
#define DERIVES_SECRETS 0
#endif

enum {
  OPERATIONS = 1 << TLSLAB_HASH | 1 << TLSLAB_HMAC | 1 << TLSLAB_AEAD_SEAL | 1 << TLSLAB_AEAD_OPEN | 1 << TLSLAB_SIGN |
               1 << TLSLAB_VERIFY | DERIVES_SECRETS << TLSLAB_KEY_GENERATION | DERIVES_SECRETS << TLSLAB_KEY_AGREEMENT
};

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_free(void *object);

#endif
