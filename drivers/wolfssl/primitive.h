/* One cryptographic operation by itself, by the library's wolfCrypt, which is what its TLS calls. */
#ifndef WOLFSSL_DRIVER_PRIMITIVE_H
#define WOLFSSL_DRIVER_PRIMITIVE_H

#include "library.h"

enum {
  OPERATIONS = 1 << TLSLAB_HASH | 1 << TLSLAB_HMAC | 1 << TLSLAB_AEAD_SEAL | 1 << TLSLAB_AEAD_OPEN | 1 << TLSLAB_SIGN |
               1 << TLSLAB_VERIFY | 1 << TLSLAB_KEY_GENERATION | 1 << TLSLAB_KEY_AGREEMENT | 1 << TLSLAB_ENCAPSULATE |
               1 << TLSLAB_DECAPSULATE
};

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

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_free(void *object);

#endif
