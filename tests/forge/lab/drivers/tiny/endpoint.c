/* A driver for libtiny, which has no TLS: two primitives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiny.h>

#include "tlslab_endpoint.h"

enum { MOST_KEY = 64 };

struct primitive {
  uint8_t key[MOST_KEY];
  size_t key_len;
};

static const char *const primitives[] = {"hash/sha-256", "hmac/sha-256"};
static const char *const details[] = {"The library is portable C: it uses no instructions for SHA-256."};

static void identity(tlslab_identity *identity) {
  static const tlslab_limit limits[] = {{"primitive", "any", "the library has SHA-256 and its HMAC only"}};
  *identity = (tlslab_identity){
      .driver = "tiny",
      .library = "libtiny",
      .library_version = tiny_version(),
      .limits = limits,
      .limits_len = sizeof limits / sizeof *limits,
      .details = details,
      .details_len = sizeof details / sizeof *details,
      .primitives = primitives,
      .primitives_len = sizeof primitives / sizeof *primitives,
  };
}

static int context(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                   tlslab_error *error) {
  (void)side, (void)scenario, (void)material, (void)context;
  snprintf(error->text, sizeof error->text, "the library has no TLS");
  return TLSLAB_UNSUPPORTED;
}

static void context_free(void *context) { (void)context; }

static int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                         tlslab_error *error) {
  (void)material;
  if (assignment->key.len > MOST_KEY) {
    snprintf(error->text, sizeof error->text, "the key is longer than %d bytes", MOST_KEY);
    return TLSLAB_UNSUPPORTED;
  }
  struct primitive *p = calloc(1, sizeof *p);
  if (p == NULL) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return TLSLAB_FAILED;
  }
  p->key_len = assignment->key.len;
  if (p->key_len > 0) memcpy(p->key, assignment->key.data, p->key_len);
  *object = p;
  return TLSLAB_OK;
}

static int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                         tlslab_error *error) {
  struct primitive *p = object;
  uint8_t *to = output->data + output->len;
  (void)sequence, (void)error;
  if (operation == TLSLAB_HMAC) {
    tiny_hmac mac;
    tiny_hmac_begin(&mac, p->key, p->key_len);
    tiny_hmac_update(&mac, input->data, input->len);
    tiny_hmac_finish(&mac, to);
  } else {
    tiny_sha256 hash;
    tiny_sha256_begin(&hash);
    tiny_sha256_update(&hash, input->data, input->len);
    tiny_sha256_finish(&hash, to);
  }
  output->len += TINY_SHA256_DIGEST;
  return TLSLAB_OK;
}

static void primitive_free(void *object) { free(object); }

static const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context,
    .context_free = context_free,
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
};

int main(void) { return tlslab_driver_main(&endpoint); }
