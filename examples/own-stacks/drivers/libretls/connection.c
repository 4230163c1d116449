#include <openssl/bio.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "libretls.h"

struct connection {
  struct tls *tls;
  int side;
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
};

static ssize_t wire_read(struct tls *tls, void *data, size_t len, void *connection) {
  tlslab_bytes *input = &((struct connection *)connection)->input;
  if (input->len == 0) return TLS_WANT_POLLIN;
  size_t count = len < input->len ? len : input->len;
  memcpy(data, input->data, count);
  input->data += count;
  input->len -= count;
  return (ssize_t)count;
}

/* Where there is no room, or nothing is to be sent, it asks to be called again; the call that led here then fails. */
static ssize_t wire_write(struct tls *tls, const void *data, size_t len, void *connection) {
  tlslab_buffer *output = ((struct connection *)connection)->output;
  if (output == NULL || len > output->capacity - output->len) return TLS_WANT_POLLOUT;
  memcpy(output->data + output->len, data, len);
  output->len += len;
  return (ssize_t)len;
}

static int failed(const struct connection *connection, const char *what, ssize_t result, tlslab_error *error) {
  return reason(error, what, result == TLS_WANT_POLLOUT ? "no room for what it sends" : tls_error(connection->tls));
}

/* libtls has a client make its OpenSSL context here, once per connection. */
static int set_up(struct connection *connection, struct context *context) {
  if (context->side == TLSLAB_SERVER) {
    return tls_accept_cbs(context->server, &connection->tls, wire_read, wire_write, connection) == 0;
  }
  connection->tls = tls_client();
  return connection->tls != NULL && pin_use(context->pins) && tls_configure(connection->tls, context->config) == 0 &&
         tls_connect_cbs(connection->tls, wire_read, wire_write, connection, context->server_name) == 0;
}

int connection_new(void *handle, void **made, tlslab_error *error) {
  struct context *context = handle;
  struct connection *connection = *made = calloc(1, sizeof *connection);
  if (connection == NULL) return reason(error, "connection", "no memory");
  connection->side = context->side;
  if (set_up(connection, context)) return TLSLAB_OK;
  struct tls *told = context->side == TLSLAB_SERVER ? context->server : connection->tls;
  int status = reason(error, "connection", told == NULL ? NULL : tls_error(told));
  connection_free(connection);
  return status;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  tls_free(connection->tls);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = input;
  connection->output = output;
  int result = tls_handshake(connection->tls);
  if (result == TLS_WANT_POLLIN) return TLSLAB_CONTINUES;
  if (result != 0) return failed(connection, "handshake", result, error);
  return connection->input.len == 0 ? TLSLAB_OK : reason(error, "handshake", "bytes follow its end");
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->output = output;
  /* The library takes one record's worth at a time. */
  while (plaintext.len > 0) {
    ssize_t sent = tls_write(connection->tls, plaintext.data, plaintext.len);
    if (sent < 0) return failed(connection, "write", sent, error);
    plaintext.data += sent;
    plaintext.len -= (size_t)sent;
  }
  return TLSLAB_OK;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = input;
  connection->output = NULL;
  /* A read ends with its record, also with one that holds no data. */
  while (connection->input.len > 0) {
    size_t room = plaintext->capacity - plaintext->len;
    ssize_t count = tls_read(connection->tls, plaintext->data + plaintext->len, room);
    if (count == TLS_WANT_POLLIN) continue;
    if (count == 0) return reason(error, "read", "no room, or the peer closed the connection");
    if (count < 0) return failed(connection, "read", count, error);
    plaintext->len += (size_t)count;
  }
  return TLSLAB_OK;
}

static void give_certificate(struct tls *tls, tlslab_facts *facts) {
  size_t len = 0;
  const uint8_t *chain = tls_peer_cert_chain_pem(tls, &len);
  if (chain == NULL) return;
  BIO *text = BIO_new_mem_buf(chain, (int)len);
  X509 *leaf = PEM_read_bio_X509(text, NULL, NULL, NULL);
  int der_len = i2d_X509(leaf, NULL);
  uint8_t *at = facts->peer_certificate = der_len > 0 ? malloc((size_t)der_len) : NULL;
  if (at != NULL) facts->peer_certificate_len = (size_t)i2d_X509(leaf, &at);
  X509_free(leaf);
  BIO_free(text);
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  if (strcmp(tls_conn_version(connection->tls), "TLSv1.3") == 0) facts->version = 0x0304;
  for (size_t at = 0; at < SUITES; at++) {
    if (strcmp(tls_conn_cipher(connection->tls), suites[at].name) == 0) facts->suite = suites[at].point;
  }
  facts->resumed = tls_conn_session_resumed(connection->tls);
  if (connection->side == TLSLAB_CLIENT) give_certificate(connection->tls, facts);
}
