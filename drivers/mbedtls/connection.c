/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <mbedtls/error.h>

#include "driver.h"

static int wire_read(void *handle, unsigned char *data, size_t len) {
  size_t count = tlslab_wire_read(&((struct connection *)handle)->wire, data, len);
  return count == 0 ? MBEDTLS_ERR_SSL_WANT_READ : (int)count;
}

static int wire_write(void *handle, const unsigned char *data, size_t len) {
  int done = tlslab_wire_write(&((struct connection *)handle)->wire, data, len, 0);
  return done ? (int)len : MBEDTLS_ERR_SSL_BUFFER_TOO_SMALL;
}

int reason(tlslab_error *error, const char *what, int code) {
  char cause[256];
  if (code == 0) return tlslab_failed(error, "%s", what);
  mbedtls_strerror(code, cause, sizeof cause);
  return tlslab_failed(error, "%s: %s (-0x%04x)", what, cause, (unsigned)-code);
}

static int failed(const struct connection *connection, const char *what, int code, tlslab_error *error) {
  if (code != MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) return reason(error, what, code);
  char verdict[256] = "";
  mbedtls_x509_crt_verify_info(verdict, sizeof verdict, "", mbedtls_ssl_get_verify_result(&connection->ssl));
  verdict[strcspn(verdict, "\n")] = '\0';
  reason(error, what, code);
  size_t len = strlen(error->text);
  snprintf(error->text + len, sizeof error->text - len, ": %s", verdict);
  return TLSLAB_FAILED;
}

int connection_new(void *handle_of_context, void **handle, tlslab_error *error) {
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return reason(error, "no memory", 0);
  connection->context = handle_of_context;
  connection->context->users++;
  mbedtls_ssl_init(&connection->ssl);
  int code = mbedtls_ssl_setup(&connection->ssl, &connection->context->config);
  if (code == 0 && connection->context->side == TLSLAB_CLIENT) {
    code = mbedtls_ssl_set_hostname(&connection->ssl, connection->context->server_name);
  }
  if (code != 0) return reason(error, "no connection", code);
  mbedtls_ssl_set_bio(&connection->ssl, connection, wire_write, wire_read, NULL);
  return TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  mbedtls_ssl_free(&connection->ssl);
  context_free(connection->context);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int code = mbedtls_ssl_handshake(&connection->ssl);
  if (code == MBEDTLS_ERR_SSL_WANT_READ) return TLSLAB_CONTINUES;
  if (code != 0) return failed(connection, "handshake", code, error);
  return tlslab_wire_end(&connection->wire, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.output = output;
  /* The library makes one record per call. */
  do {
    int count = mbedtls_ssl_write(&connection->ssl, plaintext.data, plaintext.len);
    if (count < 0) return failed(connection, "write", count, error);
    plaintext.data += count;
    plaintext.len -= (size_t)count;
  } while (plaintext.len > 0);
  return TLSLAB_OK;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = NULL;
  /* A read takes one record. What did not fit is pending, and so is a ticket that the next read is to look at. */
  while (connection->wire.input.len > 0 || mbedtls_ssl_check_pending(&connection->ssl)) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    int count = mbedtls_ssl_read(&connection->ssl, plaintext->data + plaintext->len, room);
    if (count == MBEDTLS_ERR_SSL_WANT_READ) continue;
    if (count == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
      connection->tickets_received++;
      continue;
    }
    if (count == 0) return reason(error, "the peer closed the connection", 0);
    if (count < 0) return failed(connection, "read", count, error);
    plaintext->len += (size_t)count;
  }
  return tlslab_wire_kept(&connection->wire, error);
}

/* The peer's alert is the error of a read. */
static int read_close(struct connection *connection, tlslab_error *error) {
  unsigned char data;
  int code = mbedtls_ssl_read(&connection->ssl, &data, 1);
  if (code == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) return TLSLAB_OK;
  if (code >= 0) return tlslab_failed(error, "no closing alert of the peer where one was due");
  return failed(connection, "read", code, error);
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  if (input.len > 0) {
    int status = read_close(connection, error);
    if (status != TLSLAB_OK) return status;
  }
  if (!connection->has_closed) {
    int code = mbedtls_ssl_close_notify(&connection->ssl);
    if (code != 0) return failed(connection, "close_notify", code, error);
    connection->has_closed = 1;
  }
  return input.len > 0 ? tlslab_wire_end(&connection->wire, error) : TLSLAB_CONTINUES;
}

/* Group, scheme and resumption are not to be had from the library once a handshake is over. */
void connection_facts(void *handle, tlslab_facts *facts) {
  const struct connection *connection = handle;
  facts->version = (uint16_t)mbedtls_ssl_get_version_number(&connection->ssl);
  facts->suite = (uint16_t)mbedtls_ssl_get_ciphersuite_id_from_ssl(&connection->ssl);
  if (connection->context->counts_tickets) facts->tickets_received = connection->tickets_received;
  const mbedtls_x509_crt *peer = mbedtls_ssl_get_peer_cert(&connection->ssl);
  if (peer != NULL) tlslab_give_certificate(facts, peer->raw.p, peer->raw.len);
}
