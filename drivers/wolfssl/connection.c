/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <limits.h>

#include "driver.h"

int wire_read(WOLFSSL *ssl, char *data, int len, void *handle) {
  (void)ssl;
  size_t count = tlslab_wire_read(&((struct connection *)handle)->wire, data, (size_t)len);
  return count == 0 ? WOLFSSL_CBIO_ERR_WANT_READ : (int)count;
}

int wire_write(WOLFSSL *ssl, char *data, int len, void *handle) {
  (void)ssl;
  int done = tlslab_wire_write(&((struct connection *)handle)->wire, data, (size_t)len, 1);
  return done ? len : WOLFSSL_CBIO_ERR_GENERAL;
}

static int count_ticket(WOLFSSL *ssl, const unsigned char *ticket, int len, void *handle) {
  (void)ssl, (void)ticket, (void)len;
  ((struct connection *)handle)->tickets_received++;
  return 0;
}

int connection_failed(struct connection *connection, const char *what, int result, tlslab_error *error) {
  if (connection->wire.overflowed) return reason_of_code(error, "the library wrote more than the output buffer holds", 0);
  int code = wolfSSL_get_error(connection->ssl, result);
  if (code == WOLFSSL_ERROR_ZERO_RETURN) return reason_of_code(error, "the peer closed the connection", 0);
  return reason_of_code(error, what, code);
}

int connection_new(void *handle_of_context, void **handle, tlslab_error *error) {
  struct context *context = handle_of_context;
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_code(error, "no memory", 0);
  connection->context = context;
  connection->ssl = wolfSSL_new(context->ssl);
  if (connection->ssl == NULL) return reason_of_code(error, "no connection", 0);
  wolfSSL_SetIOReadCtx(connection->ssl, connection);
  wolfSSL_SetIOWriteCtx(connection->ssl, connection);
  if (context->counts_tickets) wolfSSL_set_SessionTicket_cb(connection->ssl, count_ticket, connection);
  /* The client would make a key share all the same. */
  if (context->exchanges_no_key && wolfSSL_NoKeyShares(connection->ssl) != WOLFSSL_SUCCESS) {
    return reason_of_code(error, "cannot do without a key share", 0);
  }
  if (context->checked_name != NULL) {
    int result = wolfSSL_check_domain_name(connection->ssl, context->checked_name);
    if (result != WOLFSSL_SUCCESS) return reason_of_code(error, "cannot expect the server's name", result);
  }
  return TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  wolfSSL_free(connection->ssl);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int result = connection->context->side == TLSLAB_CLIENT ? wolfSSL_connect(connection->ssl)
                                                          : wolfSSL_accept(connection->ssl);
  if (result != WOLFSSL_SUCCESS) {
    if (wolfSSL_get_error(connection->ssl, result) == WOLFSSL_ERROR_WANT_READ) return TLSLAB_CONTINUES;
    return connection_failed(connection, "handshake", result, error);
  }
  return tlslab_wire_end(&connection->wire, error);
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
  connection->wire.output = output;
  /* Without the option for partial writes, and with a wire that never blocks, this is all or nothing. */
  int written = wolfSSL_write(connection->ssl, plaintext.data, (int)plaintext.len);
  return written == (int)plaintext.len ? TLSLAB_OK : connection_failed(connection, "write", written, error);
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = NULL;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    if (room > INT_MAX) room = INT_MAX;
    int count = wolfSSL_read(connection->ssl, plaintext->data + plaintext->len, (int)room);
    if (count <= 0) {
      if (wolfSSL_get_error(connection->ssl, count) == WOLFSSL_ERROR_WANT_READ) break;
      return connection_failed(connection, "read", count, error);
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->wire.input.len > 0 || wolfSSL_pending(connection->ssl) > 0);
  return tlslab_wire_kept(&connection->wire, error);
}

/* The peer's alert is read as its data are. */
static int read_close(struct connection *connection, tlslab_error *error) {
  char data;
  int count = wolfSSL_read(connection->ssl, &data, 1);
  if (count > 0) return tlslab_failed(error, "application data where the peer's closing alert was due");
  if (wolfSSL_get_error(connection->ssl, count) == WOLFSSL_ERROR_ZERO_RETURN) return TLSLAB_OK;
  return connection_failed(connection, "read", count, error);
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  /* Once this side's alert is sent, the library's shutdown reads the peer's. */
  if (input.len > 0 && !connection->has_closed) {
    int status = read_close(connection, error);
    if (status != TLSLAB_OK) return status;
  }
  connection->has_closed = 1;
  int result = wolfSSL_shutdown(connection->ssl);
  if (result == WOLFSSL_SHUTDOWN_NOT_DONE) return TLSLAB_CONTINUES;
  if (result != WOLFSSL_SUCCESS) return connection_failed(connection, "shutdown", result, error);
  return tlslab_wire_end(&connection->wire, error);
}

static void give_certificate(WOLFSSL *ssl, tlslab_facts *facts) {
#if defined(KEEP_PEER_CERT)
  WOLFSSL_X509 *peer = wolfSSL_get_peer_certificate(ssl);
  int len = 0;
  const unsigned char *der = peer == NULL ? NULL : wolfSSL_X509_get_der(peer, &len);
  if (der != NULL) tlslab_give_certificate(facts, der, (size_t)len);
  wolfSSL_X509_free(peer);
#else
  (void)ssl, (void)facts;
#endif
}

#if HAS_EARLY_DATA
/* 1 where the connection's early data was accepted, 0 where it was rejected, -1 where there was none. */
static int early_data_of(const WOLFSSL *ssl) {
  switch (wolfSSL_get_early_data_status(ssl)) {
    case WOLFSSL_EARLY_DATA_ACCEPTED: return 1;
    case WOLFSSL_EARLY_DATA_REJECTED: return 0;
    default: return -1;
  }
}

#endif

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  WOLFSSL *ssl = connection->ssl;
  facts->version = (uint16_t)wolfSSL_version(ssl);
  facts->suite = (uint16_t)wolfSSL_get_current_cipher_suite(ssl);
  facts->group = tlslab_point(group_names, tlslab_groups, wolfSSL_get_curve_name(ssl));
  facts->resumed = wolfSSL_session_reused(ssl);
  if (connection->context->counts_tickets) facts->tickets_received = connection->tickets_received;
#if HAS_EARLY_DATA
  facts->early_data_accepted = early_data_of(ssl);
#endif
  give_certificate(ssl, facts);
}
