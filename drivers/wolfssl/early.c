/* Early data: what a client sends with its first flight. */
#include "driver.h"

#if HAS_EARLY_DATA

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = (tlslab_bytes){0};
  connection->wire.output = output;
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
  connection->wire.input = input;
  connection->wire.output = output;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    int count = 0;
    int result = wolfSSL_read_early_data(connection->ssl, plaintext->data + plaintext->len, (int)room, &count);
    if (result < 0) {
      if (wolfSSL_get_error(connection->ssl, result) == WOLFSSL_ERROR_WANT_READ) break;
      return connection_failed(connection, "early data", result, error);
    }
    if (count == 0) break;
    plaintext->len += (size_t)count;
  } while (connection->wire.input.len > 0 || wolfSSL_pending(connection->ssl) > 0);
  return TLSLAB_CONTINUES;
}

#endif
