#include "early.h"

#include "connection.h"

static int waits(void) { return s2n_error_get_type(s2n_errno) == S2N_ERR_T_BLOCKED; }

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->input = (tlslab_bytes){0};
  connection->output = output;
  s2n_blocked_status blocked;
  ssize_t sent = 0;
  int done = s2n_send_early_data(connection->ssl, plaintext.data, (ssize_t)plaintext.len, &sent, &blocked);
  if (done != S2N_SUCCESS && !waits()) return reason(error, "early data");
  if (sent != (ssize_t)plaintext.len) return reason_of_driver(error, "the library sends no early data in this session");
  return TLSLAB_OK;
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  if (connection->early_data_ended) return connection_handshake(handle, input, output, error);
  connection->input = input;
  connection->output = output;
  for (;;) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return reason_of_driver(error, "more early data than the buffer has room for");
    s2n_blocked_status blocked;
    ssize_t count = 0;
    int done = s2n_recv_early_data(connection->ssl, plaintext->data + plaintext->len, (ssize_t)room, &count, &blocked);
    plaintext->len += (size_t)count;
    if (done == S2N_SUCCESS) break;
    if (!waits()) return reason(error, "early data");
    if (count == 0) return TLSLAB_CONTINUES;
  }
  /* The early data has come to its end, and the handshake goes on with what is left of the input. */
  connection->early_data_ended = 1;
  return connection_handshake(handle, connection->input, output, error);
}

int early_data_of(struct s2n_connection *ssl) {
  s2n_early_data_status_t status;
  if (s2n_connection_get_early_data_status(ssl, &status) != S2N_SUCCESS) return -1;
  switch (status) {
    case S2N_EARLY_DATA_STATUS_OK:
    case S2N_EARLY_DATA_STATUS_END: return 1;
    case S2N_EARLY_DATA_STATUS_REJECTED: return 0;
    default: return -1;
  }
}
