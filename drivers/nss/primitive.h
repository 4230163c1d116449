/* One cryptographic operation by itself, called as the library's own TLS has it done. */
#ifndef NSS_PRIMITIVE_H
#define NSS_PRIMITIVE_H

#include <seccomon.h>

#include "tlslab_endpoint.h"

enum {
  OPERATIONS = 1 << TLSLAB_HASH | 1 << TLSLAB_HMAC | 1 << TLSLAB_AEAD_SEAL | 1 << TLSLAB_AEAD_OPEN | 1 << TLSLAB_SIGN |
               1 << TLSLAB_VERIFY | 1 << TLSLAB_KEY_GENERATION | 1 << TLSLAB_KEY_AGREEMENT | 1 << TLSLAB_ENCAPSULATE |
               1 << TLSLAB_DECAPSULATE
};

struct primitive;

/* The head of every kind of object. */
struct primitive {
  SECStatus (*run)(struct primitive *primitive, int operation, uint64_t sequence, tlslab_buffer *input,
                   tlslab_buffer *output);
  /* What the token keeps of the last operation; NULL where it keeps nothing. */
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

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output);
void primitive_free(void *object);

#endif
