#include <openssl/bio.h>
#include <openssl/pem.h>

#include "libretls.h"

struct connection {
  struct tls *tls;
  int side;
  tlslab_wire wire;
};

static ssize_t wire_read(struct tls *tls, void *data, size_t len, void *connection) {
  size_t count = tlslab_wire_read(&((struct connection *)connection)->wire, data, len);
  return count == 0 ? TLS_WANT_POLLIN : (ssize_t)count;
}

/* Where there is no room, or nothing is to be sent, it asks to be called again; the call that led here then fails. */
static ssize_t wire_write(struct tls *tls, const void *data, size_t len, void *handle) {
  tlslab_wire *wire = &((struct connection *)handle)->wire;
  return wire->output != NULL && tlslab_wire_write(wire, data, len, 0) ? (ssize_t)len : TLS_WANT_POLLOUT;
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
  return reason(error, "connection", told == NULL ? NULL : tls_error(told));
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  tls_free(connection->tls);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int result = tls_handshake(connection->tls);
  if (result == TLS_WANT_POLLIN) return TLSLAB_CONTINUES;
  if (result != 0) return failed(connection, "handshake", result, error);
  return tlslab_wire_end(&connection->wire, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.output = output;
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
  connection->wire.input = input;
  connection->wire.output = NULL;
  /* A read ends with its record, also with one that holds no data. */
  while (connection->wire.input.len > 0) {
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
  uint8_t *der = NULL;
  int der_len = i2d_X509(leaf, &der);
  if (der_len > 0) tlslab_give_certificate(facts, der, (size_t)der_len);
  OPENSSL_free(der);
  X509_free(leaf);
  BIO_free(text);
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  static const tlslab_own_name none[] = {{0, NULL}};
  facts->version = tlslab_point(none, tlslab_versions, tls_conn_version(connection->tls));
  facts->suite = tlslab_point(none, tlslab_suites, tls_conn_cipher(connection->tls));
  facts->resumed = tls_conn_session_resumed(connection->tls);
  if (connection->side == TLSLAB_CLIENT) give_certificate(connection->tls, facts);
}
