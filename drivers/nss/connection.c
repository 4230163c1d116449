#include "connection.h"

#include <limits.h>
#include <ssl.h>
#include <sslexp.h>
#include <stdlib.h>

#include "reason.h"

int connection_open(const struct context *context, struct connection **opened, tlslab_error *error) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) {
    snprintf(error->text, sizeof error->text, "no memory");
    return TLSLAB_FAILED;
  }
  connection->context = context;
  PRFileDesc *bottom = wire_descriptor(&connection->wire);
  if (bottom != NULL) connection->ssl = SSL_ImportFD(context->model, bottom);
  if (connection->ssl == NULL) {
    reason(error, TLSLAB_FAILED, "no connection");
    if (bottom != NULL) PR_Close(bottom);
    free(connection);
    return TLSLAB_FAILED;
  }
  if (SSL_ResetHandshake(connection->ssl, context->side == TLSLAB_SERVER) != SECSuccess) {
    reason(error, TLSLAB_FAILED, "no handshake");
    connection_free(connection);
    return TLSLAB_FAILED;
  }
  *opened = connection;
  return TLSLAB_OK;
}

int connection_new(void *shared, void **handle, tlslab_error *error) {
  const struct context *context = shared;
  struct connection *connection;
  int status = connection_open(context, &connection, error);
  if (status != TLSLAB_OK) return status;
  if (context->side == TLSLAB_CLIENT && context->resumption == TLSLAB_RESUME_SESSION_ID) {
    status = sessions_begin(connection, error);
  }
  if (status == TLSLAB_OK) {
    *handle = connection;
  } else {
    connection_free(connection);
  }
  return status;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  connection->wire.output = NULL; /* closing writes a close_notify */
  PR_Close(connection->ssl);
  session_free(connection->session);
  free(connection);
}

static int failed(const struct connection *connection, tlslab_error *error, const char *what) {
  if (connection->wire.overflowed) what = "the library wrote more than the output buffer has room for";
  return reason(error, TLSLAB_FAILED, what);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  if (SSL_ForceHandshake(connection->ssl) != SECSuccess) {
    return PR_GetError() == PR_WOULD_BLOCK_ERROR ? TLSLAB_CONTINUES : failed(connection, error, "handshake");
  }
  for (uint32_t sent = 0; sent < connection->context->tickets_after; sent++) {
    if (SSL_SendSessionTicket(connection->ssl, NULL, 0) != SECSuccess) return failed(connection, error, "ticket");
  }
  if (connection->wire.input.len > 0) {
    snprintf(error->text, sizeof error->text, "%zu bytes follow the handshake's end", connection->wire.input.len);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  if (plaintext.len > INT_MAX) {
    snprintf(error->text, sizeof error->text, "a write of %zu bytes; the library takes at most %d", plaintext.len,
             INT_MAX);
    return TLSLAB_FAILED;
  }
  connection->wire.output = output;
  /* With a wire that never blocks, this is all or nothing. */
  PRInt32 written = PR_Write(connection->ssl, plaintext.data, (PRInt32)plaintext.len);
  return written == (PRInt32)plaintext.len ? TLSLAB_OK : failed(connection, error, "send");
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = NULL;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) {
      snprintf(error->text, sizeof error->text, "more plaintext than the buffer of %zu bytes has room for",
               plaintext->capacity);
      return TLSLAB_FAILED;
    }
    if (room > INT_MAX) room = INT_MAX;
    PRInt32 count = PR_Read(connection->ssl, plaintext->data + plaintext->len, (PRInt32)room);
    if (count == 0) {
      snprintf(error->text, sizeof error->text, "the peer closed the connection with close_notify");
      return TLSLAB_FAILED;
    }
    if (count < 0) {
      if (PR_GetError() == PR_WOULD_BLOCK_ERROR) break;
      return failed(connection, error, "receive");
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->wire.input.len > 0 || SSL_DataPending(connection->ssl) > 0);
  if (connection->wire.unsent > 0) {
    snprintf(error->text, sizeof error->text, "the library answered by itself with %zu bytes, which would be lost",
             connection->wire.unsent);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}
