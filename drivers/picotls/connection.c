/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include "driver.h"

int connection_new(void *handle_of_context, void **handle, tlslab_error *error) {
  struct context *context = handle_of_context;
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return tlslab_failed(error, "no memory");
  connection->context = context;
  connection->tls = ptls_new(&context->ptls, context->is_server);
  if (connection->tls == NULL) return tlslab_failed(error, "no connection");
  *ptls_get_data_ptr(connection->tls) = connection;
  int code = context->is_server ? 0 : ptls_set_server_name(connection->tls, context->server_name, 0);
  return code == 0 ? TLSLAB_OK : reason(error, "cannot set the server's name", code);
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  if (connection->tls != NULL) ptls_free(connection->tls);
  X509_free(connection->peer);
  session_free(connection->resumed);
  session_free(connection->latest);
  free(connection);
}

static int failed(const struct connection *connection, const char *what, int code, tlslab_error *error) {
  return reason(error, connection->verdict == 0 ? what : X509_verify_cert_error_string(connection->verdict), code);
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  ptls_buffer_t received = room_in(plaintext);
  int code = 0;
  while (input.len > 0 && code == 0) {
    size_t taken = input.len;
    code = ptls_receive(connection->tls, &received, input.data, &taken);
    input = (tlslab_bytes){input.data + taken, input.len - taken};
  }
  if (!give_back(&received, plaintext)) return tlslab_full(plaintext, error);
  return code == 0 ? TLSLAB_OK : failed(connection, "read", code, error);
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  if (!connection->answered) {
    ptls_buffer_t flight = room_in(output);
    size_t taken = input.len;
    int code = ptls_handshake(connection->tls, &flight, input.data, &taken, &connection->properties);
    if (!give_back(&flight, output)) return tlslab_failed(error, "the flight does not fit the output buffer");
    if (code != 0 && code != PTLS_ERROR_IN_PROGRESS) return failed(connection, "handshake", code, error);
    connection->answered = code == 0;
    input = (tlslab_bytes){input.data + taken, input.len - taken};
  }
  /* The rest: a server's early data and the client's Finished, or a client's tickets. */
  int status = connection_receive(handle, input, plaintext, error);
  return status != TLSLAB_OK || ptls_handshake_is_complete(connection->tls) ? status : TLSLAB_CONTINUES;
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  uint8_t room[1];
  tlslab_buffer nothing = {.data = room};
  return connection_handshake_early(handle, input, output, &nothing, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  ptls_buffer_t records = room_in(output);
  int code = ptls_send(connection->tls, &records, plaintext.data, plaintext.len);
  if (!give_back(&records, output)) return tlslab_failed(error, "the records do not fit the output buffer");
  return code == 0 ? TLSLAB_OK : failed(connection, "write", code, error);
}

/* The peer's alert is the error of a read. */
static int read_close(struct connection *connection, tlslab_bytes input, tlslab_error *error) {
  uint8_t room[1];
  tlslab_buffer nothing = {.data = room};
  ptls_buffer_t received = room_in(&nothing);
  size_t taken = input.len;
  int code = ptls_receive(connection->tls, &received, input.data, &taken);
  int is_empty = give_back(&received, &nothing);
  if (code == 0 || !is_empty) return tlslab_failed(error, "no closing alert of the peer where one was due");
  if (code != PTLS_ALERT_TO_PEER_ERROR(PTLS_ALERT_CLOSE_NOTIFY)) return failed(connection, "read", code, error);
  return TLSLAB_OK;
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  if (input.len > 0) {
    int status = read_close(connection, input, error);
    if (status != TLSLAB_OK) return status;
  }
  if (!connection->has_closed) {
    ptls_buffer_t alert = room_in(output);
    int code = ptls_send_alert(connection->tls, &alert, PTLS_ALERT_LEVEL_WARNING, PTLS_ALERT_CLOSE_NOTIFY);
    if (!give_back(&alert, output)) return tlslab_failed(error, "the alert does not fit the output buffer");
    if (code != 0) return failed(connection, "alert", code, error);
    connection->has_closed = 1;
  }
  return input.len > 0 ? TLSLAB_OK : TLSLAB_CONTINUES;
}

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->properties.client.max_early_data_size = &connection->most_early_data;
  int status = connection_handshake(handle, (tlslab_bytes){NULL, 0}, output, error);
  if (status < 0) return status;
  if (connection->most_early_data < plaintext.len) return tlslab_failed(error, "the ticket allows less early data");
  int sent = connection_send(handle, plaintext, output, error);
  return sent == TLSLAB_OK ? status : sent;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  facts->version = ptls_get_protocol_version(connection->tls);
  facts->suite = ptls_get_cipher(connection->tls)->id;
  facts->resumed = ptls_is_psk_handshake(connection->tls) != 0;
  if (connection->context->ptls.save_ticket != NULL) facts->tickets_received = connection->tickets_received;
  if (!connection->context->is_server && connection->context->pinned.early_data > 0) {
    facts->early_data_accepted = connection->properties.client.early_data_acceptance == PTLS_EARLY_DATA_ACCEPTED;
  }
  uint8_t *der = NULL;
  int len = connection->peer == NULL ? 0 : i2d_X509(connection->peer, &der);
  if (len > 0) tlslab_give_certificate(facts, der, (size_t)len);
  OPENSSL_free(der);
}
