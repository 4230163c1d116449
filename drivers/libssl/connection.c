#include "connection.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "reason.h"

static int set_up(struct connection *connection) {
  const struct context *context = connection->context;
  connection->ssl = SSL_new(context->ssl);
  if (connection->ssl == NULL) return 0;
  BIO *bio = wire_bio(&connection->wire);
  if (bio == NULL) return 0;
  /* One BIO for both directions; the connection takes the one reference. */
  SSL_set_bio(connection->ssl, bio, bio);
  if (context->side == TLSLAB_SERVER) {
    SSL_set_accept_state(connection->ssl);
    return 1;
  }
  SSL_set_connect_state(connection->ssl);
#if HAS_KEY_SHARE_SETTER
  if (context->first_key_share != 0 && !SSL_set1_client_key_shares(connection->ssl, &context->first_key_share, 1)) {
    return 0;
  }
#endif
  return SSL_set_tlsext_host_name(connection->ssl, context->server_name) &&
         (!context->checks_name || EXPECT_NAME(connection->ssl, context->server_name));
}

int connection_new(void *context, void **handle, tlslab_error *error) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_library(error, TLSLAB_FAILED, "no memory");
  connection->context = context;
  if (!set_up(connection)) {
    connection_free(connection);
    return reason_of_library(error, TLSLAB_FAILED, "no connection");
  }
  *handle = connection;
  return TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  SSL_SESSION_free(connection->session);
  /* A connection that was not closed takes its session with it. */
  if (connection->context->resumes) SSL_set_shutdown(connection->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(connection->ssl);
  free(connection);
}

/* A server that has accepted early data may send tickets right behind its Finished. */
static int read_tickets(struct connection *connection, tlslab_error *error) {
  char data;
  int count = SSL_read(connection->ssl, &data, 1);
  if (count > 0) {
    snprintf(error->text, sizeof error->text, "application data follows the handshake's end");
    return TLSLAB_FAILED;
  }
  if (SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) return TLSLAB_OK;
  return reason_of_connection(error, connection->ssl, count);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int result = SSL_do_handshake(connection->ssl);
  if (result != 1) {
    if (SSL_get_error(connection->ssl, result) == SSL_ERROR_WANT_READ) return TLSLAB_CONTINUES;
    return reason_of_connection(error, connection->ssl, result);
  }
  if (DEFERS_TICKETS && connection->context->sends_tickets_after) {
    /* Tickets belong to the server's handshake, and a write of nothing sends them. */
    result = SSL_write(connection->ssl, "", 0);
    if (result < 0) return reason_of_connection(error, connection->ssl, result);
  }
  if (connection->sent_early_data && connection->wire.input.len > 0) {
    int status = read_tickets(connection, error);
    if (status != TLSLAB_OK) return status;
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
  /* Without the option for partial writes, and with a wire that never blocks, this is all or nothing. */
  int written = SSL_write(connection->ssl, plaintext.data, (int)plaintext.len);
  return written == (int)plaintext.len ? TLSLAB_OK : reason_of_connection(error, connection->ssl, written);
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
    int count = SSL_read(connection->ssl, plaintext->data + plaintext->len, (int)room);
    if (count <= 0) {
      if (SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) break;
      return reason_of_connection(error, connection->ssl, count);
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->wire.input.len > 0 || SSL_pending(connection->ssl) > 0);
  if (connection->wire.unsent > 0) {
    snprintf(error->text, sizeof error->text, "the library answered by itself with %zu bytes, which would be lost",
             connection->wire.unsent);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}

struct connection *connection_of(const SSL *ssl) { return (struct connection *)wire_of(ssl); }
