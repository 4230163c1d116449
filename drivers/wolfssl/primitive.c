/* One cryptographic operation alone: which file of the driver does it. */
#include "driver.h"

static int make(const tlslab_assignment *assignment, const tlslab_material *material, struct primitive **primitive) {
  switch (assignment->operation) {
    case TLSLAB_HASH:
    case TLSLAB_HMAC: return symmetric_new(assignment, primitive);
    case TLSLAB_AEAD_SEAL:
    case TLSLAB_AEAD_OPEN: return aead_new(assignment, primitive);
    case TLSLAB_SIGN:
    case TLSLAB_VERIFY:
      switch (assignment->algorithm) {
        case TLSLAB_ED25519:
        case TLSLAB_MLDSA44:
        case TLSLAB_MLDSA65: return pure_signer_new(assignment, material, primitive);
        default: return signer_new(assignment, material, primitive);
      }
    default: return exchange_new(assignment, primitive);
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  struct primitive *primitive = NULL;
  int code = make(assignment, material, &primitive);
  if (code != 0) return reason_of_code(error, "the operation cannot be made ready", code);
  *object = primitive;
  return TLSLAB_OK;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  struct primitive *primitive = object;
  int code = primitive->run(primitive, operation, sequence, input, output);
  return code == 0 ? TLSLAB_OK : reason_of_code(error, "the library refuses", code);
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  primitive->free(primitive);
}
