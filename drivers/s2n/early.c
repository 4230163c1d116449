/* Early data: what a client sends with its first flight. */
#include "driver.h"

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = (tlslab_bytes){0};
  connection->wire.output = output;
  s2n_blocked_status blocked;
  ssize_t sent = 0;
  int done = s2n_send_early_data(connection->ssl, plaintext.data, (ssize_t)plaintext.len, &sent, &blocked);
  if (done != S2N_SUCCESS && !waits()) return reason(error, "early data");
  if (sent == (ssize_t)plaintext.len) return TLSLAB_OK;
  return tlslab_failed(error, "the library sends no early data in this session");
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  if (connection->early_data_ended) return connection_handshake(handle, input, output, error);
  connection->wire.input = input;
  connection->wire.output = output;
  for (;;) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    s2n_blocked_status blocked;
    ssize_t count = 0;
    int done = s2n_recv_early_data(connection->ssl, plaintext->data + plaintext->len, (ssize_t)room, &count, &blocked);
    plaintext->len += (size_t)count;
    if (done == S2N_SUCCESS) break;
    if (!waits()) return reason(error, "early data");
    if (count == 0) return TLSLAB_CONTINUES;
  }
  /* The early data has ended, and the handshake continues with the rest of the input. */
  connection->early_data_ended = 1;
  return connection_handshake(handle, connection->wire.input, output, error);
}
