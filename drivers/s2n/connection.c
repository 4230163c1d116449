/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <errno.h>

#include "driver.h"

static int wire_read(void *handle, uint8_t *data, uint32_t len) {
  size_t count = tlslab_wire_read(&((struct connection *)handle)->wire, data, len);
  if (count > 0) return (int)count;
  errno = EAGAIN;
  return -1;
}

static int wire_write(void *handle, const uint8_t *data, uint32_t len) {
  if (tlslab_wire_write(&((struct connection *)handle)->wire, data, len, 0)) return (int)len;
  errno = ENOBUFS;
  return -1;
}

static int set_up(struct connection *connection) {
  const struct context *context = connection->context;
  struct s2n_connection *ssl = s2n_connection_new(context->side == TLSLAB_CLIENT ? S2N_CLIENT : S2N_SERVER);
  connection->ssl = ssl;
  /* With the library's built-in blinding it would sleep for seconds when a peer misbehaves. */
  return ssl != NULL && s2n_connection_set_config(ssl, context->config) == S2N_SUCCESS &&
         s2n_connection_set_blinding(ssl, S2N_SELF_SERVICE_BLINDING) == S2N_SUCCESS &&
         (context->keeps_defaults || s2n_connection_prefer_throughput(ssl) == S2N_SUCCESS) &&
         s2n_connection_set_recv_cb(ssl, wire_read) == S2N_SUCCESS &&
         s2n_connection_set_recv_ctx(ssl, connection) == S2N_SUCCESS &&
         s2n_connection_set_send_cb(ssl, wire_write) == S2N_SUCCESS &&
         s2n_connection_set_send_ctx(ssl, connection) == S2N_SUCCESS &&
         s2n_connection_set_ctx(ssl, connection) == S2N_SUCCESS &&
         (context->psk == NULL || s2n_connection_append_psk(ssl, context->psk) == S2N_SUCCESS) &&
         (context->server_name == NULL || s2n_set_server_name(ssl, context->server_name) == S2N_SUCCESS);
}

int connection_new(void *context, void **handle, tlslab_error *error) {
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return tlslab_failed(error, "no memory");
  connection->context = context;
  return set_up(connection) ? TLSLAB_OK : reason(error, "no connection");
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  if (connection->ssl != NULL) s2n_connection_free(connection->ssl);
  free(connection);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  s2n_blocked_status blocked;
  if (s2n_negotiate(connection->ssl, &blocked) != S2N_SUCCESS) {
    return waits() ? TLSLAB_CONTINUES : reason(error, "handshake");
  }
  return tlslab_wire_end(&connection->wire, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.output = output;
  s2n_blocked_status blocked;
  /* With a wire that never blocks, this is all or nothing. */
  ssize_t sent = s2n_send(connection->ssl, plaintext.data, (ssize_t)plaintext.len, &blocked);
  return sent == (ssize_t)plaintext.len ? TLSLAB_OK : reason(error, "write");
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = NULL;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    s2n_blocked_status blocked;
    ssize_t count = s2n_recv(connection->ssl, plaintext->data + plaintext->len, (ssize_t)room, &blocked);
    if (count < 0 && waits()) break;
    if (count < 0) return reason(error, "read");
    if (count == 0) return tlslab_failed(error, "the peer closed the connection");
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->wire.input.len > 0 || s2n_peek(connection->ssl) > 0);
  return tlslab_wire_kept(&connection->wire, error);
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  s2n_blocked_status blocked;
  /* It sends this side's alert once, and reads until the peer's has come. */
  if (s2n_shutdown(connection->ssl, &blocked) != S2N_SUCCESS) return waits() ? TLSLAB_CONTINUES : reason(error, "shutdown");
  return tlslab_wire_end(&connection->wire, error);
}

static void give_certificate(struct s2n_connection *ssl, tlslab_facts *facts) {
  struct s2n_cert_chain_and_key *chain = s2n_cert_chain_and_key_new();
  struct s2n_cert *leaf = NULL;
  const uint8_t *der = NULL;
  uint32_t len = 0;
  if (chain != NULL && s2n_connection_get_peer_cert_chain(ssl, chain) == S2N_SUCCESS &&
      s2n_cert_chain_get_cert(chain, &leaf, 0) == S2N_SUCCESS && s2n_cert_get_der(leaf, &der, &len) == S2N_SUCCESS) {
    tlslab_give_certificate(facts, der, len);
  }
  if (chain != NULL) s2n_cert_chain_and_key_free(chain);
}

/* 1 where the connection's early data was accepted, 0 where it was rejected, -1 where there was none. */
static int early_data_of(struct s2n_connection *ssl) {
  s2n_early_data_status_t status;
  if (s2n_connection_get_early_data_status(ssl, &status) != S2N_SUCCESS) return -1;
  switch (status) {
    case S2N_EARLY_DATA_STATUS_OK:
    case S2N_EARLY_DATA_STATUS_END: return 1;
    case S2N_EARLY_DATA_STATUS_REJECTED: return 0;
    default: return -1;
  }
}

void connection_facts(void *handle, tlslab_facts *facts) {
  const struct connection *connection = handle;
  struct s2n_connection *ssl = connection->ssl;
  /* In TLS 1.2 a scheme of ECDSA names no curve, and the library calls it otherwise. */
  static const tlslab_own_name none[] = {{0, NULL}},
                               schemes[] = {{TLSLAB_ECDSA_SECP256R1_SHA256, "legacy_ecdsa_sha256"}, {0, NULL}};
  uint8_t high = 0, low = 0;
  const char *name = NULL;
  int version = s2n_connection_get_actual_protocol_version(ssl);
  if (version == S2N_TLS12) facts->version = TLSLAB_TLS12;
  if (version == S2N_TLS13) facts->version = TLSLAB_TLS13;
  if (s2n_connection_get_cipher_iana_value(ssl, &high, &low) == S2N_SUCCESS) {
    facts->suite = (uint16_t)(high << 8 | low);
  }
  if (s2n_connection_get_key_exchange_group(ssl, &name) == S2N_SUCCESS) {
    facts->group = tlslab_point(none, tlslab_groups, name);
  }
  facts->resumed = s2n_connection_is_session_resumed(ssl);
  /* In TLS 1.2 a server chooses a scheme before it takes up a session, which needs none. */
  if (!facts->resumed && s2n_connection_get_signature_scheme(ssl, &name) == S2N_SUCCESS) {
    facts->signature_scheme = tlslab_point(schemes, tlslab_schemes, name);
  }
  if (connection->context->counts_tickets) facts->tickets_received = connection->tickets_received;
  if (connection->context->has_early_data) facts->early_data_accepted = early_data_of(ssl);
  if (connection->context->sees_certificate) give_certificate(ssl, facts);
}
