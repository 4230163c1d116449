#include "wire.h"

#include <string.h>

static BIO_METHOD *method;

static int wire_read(BIO *bio, char *data, int len) {
  struct wire *wire = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (wire->input.len == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  size_t count = (size_t)len;
  if (count > wire->input.len) count = wire->input.len;
  memcpy(data, wire->input.data, count);
  wire->input.data += count;
  wire->input.len -= count;
  return (int)count;
}

static int wire_write(BIO *bio, const char *data, int len) {
  struct wire *wire = BIO_get_data(bio);
  tlslab_buffer *output = wire->output;
  BIO_clear_retry_flags(bio);
  if (output == NULL) {
    wire->unsent += (size_t)len;
    return len;
  }
  if ((size_t)len > output->capacity - output->len) {
    wire->overflowed = 1;
    return -1;
  }
  memcpy(output->data + output->len, data, (size_t)len);
  output->len += (size_t)len;
  tlslab_flush(output);
  return len;
}

static long wire_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  /* Nothing is held back, so a flush is always done. */
  return command == BIO_CTRL_FLUSH;
}

int wire_prepare(void) {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tlslab wire");
  return method != NULL && BIO_meth_set_read(method, wire_read) && BIO_meth_set_write(method, wire_write) &&
         BIO_meth_set_ctrl(method, wire_control);
}

BIO *wire_bio(struct wire *wire) {
  BIO *bio = BIO_new(method);
  if (bio == NULL) return NULL;
  BIO_set_data(bio, wire);
  BIO_set_init(bio, 1);
  return bio;
}

struct wire *wire_of(const SSL *ssl) { return BIO_get_data(SSL_get_rbio(ssl)); }
