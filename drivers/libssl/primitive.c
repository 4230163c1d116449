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

int primitive_known(const tlslab_value *value) {
  static const uint8_t key[48];
  if (value->point == 0) return value->operation <= TLSLAB_DECAPSULATE;
  if (value->operation == TLSLAB_SIGN || value->operation == TLSLAB_VERIFY) return value->is_claimed;
  size_t key_len = value->point == TLSLAB_AES_128_GCM ? 16 : value->point == TLSLAB_SHA384 ? 48 : 32;
  tlslab_assignment trial = {.operation = value->operation, .algorithm = value->point, .key = {key, key_len}};
  struct primitive *primitive = make(&trial, NULL);
  if (primitive != NULL) primitive_free(primitive);
  ERR_clear_error();
  return primitive != NULL;
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  *object = make(assignment, material);
  if (*object == NULL) return reason_of_library(error, TLSLAB_FAILED, "the operation cannot be made ready");
  ERR_clear_error();
  return TLSLAB_OK;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  struct primitive *primitive = object;
  if (primitive->run(primitive, operation, sequence, input, output)) return TLSLAB_OK;
  return reason_of_library(error, TLSLAB_FAILED, "the library refuses");
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  primitive->free(primitive);
}
