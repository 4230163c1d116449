// One cryptographic operation by itself, called as the library's own TLS has it done.
#ifndef BOTAN_PRIMITIVE_HH
#define BOTAN_PRIMITIVE_HH

#include "tlslab_endpoint.h"

// Everything there is.
constexpr uint32_t OPERATIONS = 1u << TLSLAB_HASH | 1u << TLSLAB_HMAC | 1u << TLSLAB_AEAD_SEAL |
                                1u << TLSLAB_AEAD_OPEN | 1u << TLSLAB_SIGN | 1u << TLSLAB_VERIFY |
                                1u << TLSLAB_KEY_GENERATION | 1u << TLSLAB_KEY_AGREEMENT | 1u << TLSLAB_ENCAPSULATE |
                                1u << TLSLAB_DECAPSULATE;

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_free(void *object);
void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output);

#endif
