#include "early.h"

#include "connection.h"
#include "reason.h"

#if HAS_EARLY_DATA

void early_pin_server(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario) {
  /* Of a server it is never refused, and what it returns depends on the build. */
  wolfSSL_CTX_set_max_early_data(ssl, scenario->early_data);
}

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = (tlslab_bytes){0};
  connection->output = output;
  int written = 0;
  int result = wolfSSL_write_early_data(connection->ssl, plaintext.data, (int)plaintext.len, &written);
  return written == (int)plaintext.len ? TLSLAB_OK : connection_failed(connection, "early data", result, error);
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  if (connection->early_data_ended) return connection_handshake(handle, input, output, error);
  /* All of it comes with the client's first flight. */
  connection->early_data_ended = 1;
  connection->input = input;
  connection->output = output;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return reason_of_code(error, "more early data than the buffer has room for", 0);
    int count = 0;
    int result = wolfSSL_read_early_data(connection->ssl, plaintext->data + plaintext->len, (int)room, &count);
    if (result < 0) {
      if (wolfSSL_get_error(connection->ssl, result) == WOLFSSL_ERROR_WANT_READ) break;
      return connection_failed(connection, "early data", result, error);
    }
    if (count == 0) break;
    plaintext->len += (size_t)count;
  } while (connection->input.len > 0 || wolfSSL_pending(connection->ssl) > 0);
  return TLSLAB_CONTINUES;
}

int early_data_of(const WOLFSSL *ssl) {
  switch (wolfSSL_get_early_data_status(ssl)) {
    case WOLFSSL_EARLY_DATA_ACCEPTED: return 1;
    case WOLFSSL_EARLY_DATA_REJECTED: return 0;
    default: return -1;
  }
}

#endif
