/* Early data: what a client sends with its first flight. */
#include <limits.h>

#include "driver.h"

#if MOST_EARLY_DATA > 0

#if EARLY_DATA_BY_CALLS

int early_pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (scenario->early_data == 0 || side == TLSLAB_CLIENT) return TLSLAB_OK;
  /* Unless told otherwise the library guards against replays: it keeps the sessions of all tickets that it has given,
   * and forgets each when it is taken up. */
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_SERVER);
  SSL_CTX_set_session_id_context(ssl, (const uint8_t *)"tlslab", 6);
  if (!SSL_CTX_set_max_early_data(ssl, scenario->early_data) ||
      !SSL_CTX_set_recv_max_early_data(ssl, scenario->early_data)) {
    return reason_of_library(error, TLSLAB_FAILED, "cannot allow early data");
  }
  return TLSLAB_OK;
}

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = (tlslab_bytes){0};
  connection->wire.output = output;
  connection->sent_early_data = 1;
  size_t written = 0;
  int result = SSL_write_early_data(connection->ssl, plaintext.data, plaintext.len, &written);
  return result == 1 && written == plaintext.len ? TLSLAB_OK
                                                 : reason_of_connection(error, connection->ssl, result);
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  if (connection->early_data_ended) return connection_handshake(handle, input, output, error);
  connection->wire.input = input;
  connection->wire.output = output;
  for (;;) {
    size_t room = plaintext->capacity - plaintext->len, count = 0;
    if (room == 0) return tlslab_full(plaintext, error);
    switch (SSL_read_early_data(connection->ssl, plaintext->data + plaintext->len, room, &count)) {
      case SSL_READ_EARLY_DATA_SUCCESS: plaintext->len += count; break;
      case SSL_READ_EARLY_DATA_FINISH:
        connection->early_data_ended = 1;
        return connection_handshake(handle, connection->wire.input, output, error);
      default:
        if (SSL_get_error(connection->ssl, -1) == SSL_ERROR_WANT_READ) return TLSLAB_CONTINUES;
        return reason_of_connection(error, connection->ssl, -1);
    }
  }
}

int early_data_of(const SSL *ssl) {
  switch (SSL_get_early_data_status(ssl)) {
    case SSL_EARLY_DATA_ACCEPTED: return 1;
    case SSL_EARLY_DATA_REJECTED: return 0;
    default: return -1;
  }
}

#else

int early_pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  (void)side, (void)error;
  SSL_CTX_set_early_data_enabled(ssl, scenario->early_data > 0);
  return TLSLAB_OK;
}

/* The library's handshake is done for the time being when early data can flow. */
static int reach_early_data(struct connection *connection, tlslab_error *error) {
  int result = SSL_do_handshake(connection->ssl);
  if (result != 1) return reason_of_connection(error, connection->ssl, result);
  if (SSL_in_early_data(connection->ssl)) return TLSLAB_OK;
  return tlslab_failed(error, "the library takes no early data with this session");
}

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = (tlslab_bytes){0};
  connection->wire.output = output;
  connection->sent_early_data = 1;
  int status = reach_early_data(connection, error);
  return status == TLSLAB_OK ? connection_send(handle, plaintext, output, error) : status;
}

/* While a server reads early data it is the reads that take the handshake further. */
static int read_on(struct connection *connection, tlslab_buffer *plaintext, tlslab_error *error) {
  while (has_input(connection)) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    if (room > INT_MAX) room = INT_MAX;
    int count = SSL_read(connection->ssl, plaintext->data + plaintext->len, (int)room);
    if (count <= 0) {
      if (SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) break;
      return reason_of_connection(error, connection->ssl, count);
    }
    plaintext->len += (size_t)count;
  }
  return TLSLAB_OK;
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int begins = !connection->early_data_ended;
  connection->early_data_ended = 1;
  int status = begins ? reach_early_data(connection, error) : TLSLAB_OK;
  if (status == TLSLAB_OK) status = read_on(connection, plaintext, error);
  if (status != TLSLAB_OK) return status;
  return begins ? TLSLAB_CONTINUES : connection_handshake(handle, connection->wire.input, output, error);
}

int early_data_of(const SSL *ssl) {
  return SSL_early_data_accepted(ssl) ? 1 : -1;
}

#endif

#endif
