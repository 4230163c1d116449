#include "connection.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "reason.h"

int wire_read(WOLFSSL *ssl, char *data, int len, void *handle) {
  (void)ssl;
  struct connection *connection = handle;
  tlslab_bytes *input = &connection->input;
  if (input->len == 0) return WOLFSSL_CBIO_ERR_WANT_READ;
  size_t count = (size_t)len < input->len ? (size_t)len : input->len;
  memcpy(data, input->data, count);
  input->data += count;
  input->len -= count;
  return (int)count;
}

int wire_write(WOLFSSL *ssl, char *data, int len, void *handle) {
  (void)ssl;
  struct connection *connection = handle;
  tlslab_buffer *output = connection->output;
  if (output == NULL) {
    connection->unsent += (size_t)len;
    return len;
  }
  if ((size_t)len > output->capacity - output->len) {
    connection->overflowed = 1;
    return WOLFSSL_CBIO_ERR_GENERAL;
  }
  memcpy(output->data + output->len, data, (size_t)len);
  output->len += (size_t)len;
  tlslab_flush(output);
  return len;
}

static int count_ticket(WOLFSSL *ssl, const unsigned char *ticket, int len, void *handle) {
  (void)ssl, (void)ticket, (void)len;
  ((struct connection *)handle)->tickets_received++;
  return 0;
}

int connection_failed(struct connection *connection, const char *what, int result, tlslab_error *error) {
  if (connection->overflowed) return reason_of_code(error, "the library wrote more than the output buffer holds", 0);
  int code = wolfSSL_get_error(connection->ssl, result);
  if (code == WOLFSSL_ERROR_ZERO_RETURN) return reason_of_code(error, "the peer closed the connection", 0);
  return reason_of_code(error, what, code);
}

int connection_new(void *handle_of_context, void **handle, tlslab_error *error) {
  struct context *context = handle_of_context;
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_code(error, "no memory", 0);
  connection->context = context;
  connection->ssl = wolfSSL_new(context->ssl);
  if (connection->ssl == NULL) {
    free(connection);
    return reason_of_code(error, "no connection", 0);
  }
  wolfSSL_SetIOReadCtx(connection->ssl, connection);
  wolfSSL_SetIOWriteCtx(connection->ssl, connection);
  if (context->counts_tickets) wolfSSL_set_SessionTicket_cb(connection->ssl, count_ticket, connection);
  /* The client would make a key share all the same. */
  if (context->exchanges_no_key && wolfSSL_NoKeyShares(connection->ssl) != WOLFSSL_SUCCESS) {
    connection_free(connection);
    return reason_of_code(error, "cannot do without a key share", 0);
  }
  if (context->checked_name != NULL) {
    int result = wolfSSL_check_domain_name(connection->ssl, context->checked_name);
    if (result != WOLFSSL_SUCCESS) {
      connection_free(connection);
      return reason_of_code(error, "cannot expect the server's name", result);
    }
  }
  *handle = connection;
  return TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  wolfSSL_free(connection->ssl);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = input;
  connection->output = output;
  int result = connection->context->side == TLSLAB_CLIENT ? wolfSSL_connect(connection->ssl)
                                                          : wolfSSL_accept(connection->ssl);
  if (result != WOLFSSL_SUCCESS) {
    if (wolfSSL_get_error(connection->ssl, result) == WOLFSSL_ERROR_WANT_READ) return TLSLAB_CONTINUES;
    return connection_failed(connection, "handshake", result, error);
  }
  if (connection->input.len > 0) return reason_of_code(error, "bytes follow the handshake's end", 0);
  return TLSLAB_OK;
}

/* The library gives a server's key share to the client's first share of the same group. */
int connection_make_key_share(void *handle, tlslab_error *error) {
  struct connection *connection = handle;
  int result = wolfSSL_UseKeyShare(connection->ssl, connection->context->group);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : connection_failed(connection, "key share", result, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  if (plaintext.len > INT_MAX) return reason_of_code(error, "a write of more than the library's int holds", 0);
  connection->output = output;
  /* Without the option for partial writes, and with a wire that never blocks, this is all or nothing. */
  int written = wolfSSL_write(connection->ssl, plaintext.data, (int)plaintext.len);
  return written == (int)plaintext.len ? TLSLAB_OK : connection_failed(connection, "write", written, error);
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = input;
  connection->output = NULL;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return reason_of_code(error, "more plaintext than the buffer has room for", 0);
    if (room > INT_MAX) room = INT_MAX;
    int count = wolfSSL_read(connection->ssl, plaintext->data + plaintext->len, (int)room);
    if (count <= 0) {
      if (wolfSSL_get_error(connection->ssl, count) == WOLFSSL_ERROR_WANT_READ) break;
      return connection_failed(connection, "read", count, error);
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->input.len > 0 || wolfSSL_pending(connection->ssl) > 0);
  if (connection->unsent > 0) return reason_of_code(error, "the library answered by itself, which would be lost", 0);
  return TLSLAB_OK;
}
