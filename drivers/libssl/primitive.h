/* One cryptographic operation by itself, called as the library's own TLS has it done. */
#ifndef LIBSSL_PRIMITIVE_H
#define LIBSSL_PRIMITIVE_H

#include "library.h"
#include "tlslab_endpoint.h"

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
int primitive_known(uint32_t operation, uint16_t algorithm);

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_free(void *object);

#endif
