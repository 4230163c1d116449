/* One cryptographic operation by itself: a Primitive in Java. */
#ifndef JAVA_PRIMITIVE_H
#define JAVA_PRIMITIVE_H

#include "tlslab_endpoint.h"

enum {
  OPERATIONS = 1 << TLSLAB_HASH | 1 << TLSLAB_HMAC | 1 << TLSLAB_AEAD_SEAL | 1 << TLSLAB_AEAD_OPEN | 1 << TLSLAB_SIGN |
               1 << TLSLAB_VERIFY | 1 << TLSLAB_KEY_GENERATION | 1 << TLSLAB_KEY_AGREEMENT
};

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output);
void primitive_free(void *object);

#endif
