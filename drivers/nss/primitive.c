/* One cryptographic operation alone: which file of the driver does it. */
#include "driver.h"

static struct primitive *make(const tlslab_assignment *assignment, const tlslab_material *material) {
  switch (assignment->operation) {
    case TLSLAB_HASH: return digest_new(assignment);
    case TLSLAB_HMAC: return code_new(assignment);
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: return aead_new(assignment);
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY: return signer_new(assignment, material);
    default: return exchange_new(assignment);
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  *object = make(assignment, material);
  return *object == NULL ? reason(error, TLSLAB_FAILED, "the operation cannot be made ready") : TLSLAB_OK;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  struct primitive *primitive = object;
  if (primitive->run(primitive, operation, sequence, input, output) == SECSuccess) return TLSLAB_OK;
  return reason(error, TLSLAB_FAILED, "the library refuses");
}

void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output) {
  (void)input;
  struct primitive *primitive = object;
  if (primitive->collect != NULL) primitive->collect(primitive, output);
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  primitive->free(primitive);
}
