/* Early data: what a client sends with its first flight. */
#include <limits.h>

#include "driver.h"

/* The guard against replays is two Bloom filters that take turns. So many bits keep a second's connections apart. */
enum { WINDOW_US = 1000000, HASHES = 7, LOG2_BITS = 22 };

int early_data_is_there(void) {
  return SSL_GetExperimentalAPI("SSL_CreateAntiReplayContext") != NULL &&
         SSL_GetExperimentalAPI("SSL_SetAntiReplayContext") != NULL &&
         SSL_GetExperimentalAPI("SSL_ReleaseAntiReplayContext") != NULL &&
         SSL_GetExperimentalAPI("SSL_SetMaxEarlyDataSize") != NULL;
}

static SECStatus guard(struct context *context) {
  SSLAntiReplayContext *replays = NULL;
  /* A server accepts no early data in its first window, as one that was there before may have. Here none was, so the
   * first window has passed. */
  if (SSL_CreateAntiReplayContext(PR_Now() - WINDOW_US, WINDOW_US, HASHES, LOG2_BITS, &replays) != SECSuccess) {
    return SECFailure;
  }
  SECStatus status = SSL_SetAntiReplayContext(context->model, replays);
  SSL_ReleaseAntiReplayContext(replays);
  return status;
}

SECStatus early_pin(struct context *context, const tlslab_scenario *scenario) {
  if (scenario->early_data == 0) return SECSuccess;
  context->has_early_data = 1;
  if (SSL_OptionSet(context->model, SSL_ENABLE_0RTT_DATA, PR_TRUE) != SECSuccess) return SECFailure;
  return context->side == TLSLAB_CLIENT ? SECSuccess : guard(context);
}

static int failed(tlslab_error *error, const char *what) { return reason(error, TLSLAB_FAILED, what); }

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  int status = connection_handshake(handle, (tlslab_bytes){0}, output, error);
  if (status != TLSLAB_CONTINUES) return status == TLSLAB_OK ? failed(error, "no early data") : status;
  if (plaintext.len > INT_MAX) return failed(error, "a write of more than the library's int holds");
  PRInt32 written = PR_Write(connection->ssl, plaintext.data, (PRInt32)plaintext.len);
  return written == (PRInt32)plaintext.len ? TLSLAB_OK : failed(error, "early data");
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  int status = connection_handshake(handle, input, output, error);
  if (status != TLSLAB_CONTINUES || connection->early_data_ended) return status;
  /* All of it comes with the client's first flight. */
  connection->early_data_ended = 1;
  for (;;) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room > INT_MAX) room = INT_MAX;
    PRInt32 count = PR_Read(connection->ssl, plaintext->data + plaintext->len, (PRInt32)room);
    if (count < 0) return PR_GetError() == PR_WOULD_BLOCK_ERROR ? TLSLAB_CONTINUES : failed(error, "early data");
    if (count == 0) return TLSLAB_CONTINUES;
    plaintext->len += (size_t)count;
  }
}
