/* A driver for libtiny, which has no TLS: two primitives. */
#include <tiny.h>

#include "tlslab_driver.h"

enum { MOST_KEY = 64 };

struct primitive {
  uint8_t key[MOST_KEY];
  size_t key_len;
};

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "tiny",
      .library = "libtiny",
      .library_version = tiny_version(),
      .details = {"The library is portable C: it uses no instructions for SHA-256."},
  };
}

static int has_primitive(const tlslab_value *value) {
  if (value->operation != TLSLAB_HASH && value->operation != TLSLAB_HMAC) return 0;
  return value->point == 0 || value->point == TLSLAB_SHA256;
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_PRIMITIVE: return has_primitive(value) || tlslab_no(why, "the library has SHA-256 and its HMAC only");
    case TLSLAB_METRIC: return 1;
    case TLSLAB_VERSION: return tlslab_no(why, "the library has no TLS");
    default: return 0;
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  (void)material;
  if (assignment->key.len > MOST_KEY) return tlslab_unsupported(error, "the key is longer than %d bytes", MOST_KEY);
  struct primitive *p = calloc(1, sizeof *p);
  if (p == NULL) return tlslab_failed(error, "out of memory");
  p->key_len = assignment->key.len;
  if (p->key_len > 0) memcpy(p->key, assignment->key.data, p->key_len);
  *object = p;
  return TLSLAB_OK;
}

int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
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

void primitive_free(void *object) { free(object); }

/* The contract requires the calls of a connection; no context is ever made for one. */
int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error) {
  (void)side, (void)scenario, (void)material, (void)context;
  return tlslab_unsupported(error, "the library has no TLS");
}

void context_free(void *context) { (void)context; }

int connection_new(void *context, void **connection, tlslab_error *error) {
  (void)context, (void)connection;
  return tlslab_failed(error, "the library has no TLS");
}

void connection_free(void *connection) { (void)connection; }

static int no_data(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  (void)connection, (void)input, (void)output;
  return tlslab_failed(error, "the library has no TLS");
}

int connection_handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  return no_data(connection, input, output, error);
}

int connection_send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  return no_data(connection, plaintext, output, error);
}

int connection_receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  return no_data(connection, input, plaintext, error);
}

void connection_facts(void *connection, tlslab_facts *facts) { (void)connection, (void)facts; }

static const tlslab_endpoint endpoint = {TLSLAB_CONNECTIONS, TLSLAB_PRIMITIVES};

int main(void) { return tlslab_driver_main(&endpoint); }
