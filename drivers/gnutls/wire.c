#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

static ssize_t pull(gnutls_transport_ptr_t pointer, void *data, size_t len) {
  struct wire *wire = pointer;
  if (wire->input.len == 0) {
    gnutls_transport_set_errno(wire->session, EAGAIN);
    return -1;
  }
  if (len > wire->input.len) len = wire->input.len;
  memcpy(data, wire->input.data, len);
  wire->input.data += len;
  wire->input.len -= len;
  return (ssize_t)len;
}

static ssize_t push(gnutls_transport_ptr_t pointer, const giovec_t *parts, int count) {
  struct wire *wire = pointer;
  tlslab_buffer *output = wire->output;
  size_t total = 0;
  for (int at = 0; at < count; at++) {
    size_t len = parts[at].iov_len;
    total += len;
    if (output == NULL) continue;
    if (len > output->capacity - output->len) {
      gnutls_transport_set_errno(wire->session, ENOBUFS);
      return -1;
    }
    memcpy(output->data + output->len, parts[at].iov_base, len);
    output->len += len;
  }
  if (output == NULL) wire->unsent += total;
  return (ssize_t)total;
}

void wire_attach(struct wire *wire) {
  gnutls_transport_set_ptr(wire->session, wire);
  gnutls_transport_set_pull_function(wire->session, pull);
  gnutls_transport_set_vec_push_function(wire->session, push);
}
