/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <limits.h>

#include "driver.h"

int connection_open(const struct context *context, void **handle, tlslab_error *error) {
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return tlslab_failed(error, "no memory");
  connection->context = context;
  PRFileDesc *bottom = wire_descriptor(&connection->wire);
  if (bottom != NULL) connection->ssl = SSL_ImportFD(context->model, bottom);
  if (connection->ssl == NULL) {
    connection->ssl = bottom; /* closed with the connection */
    return reason(error, TLSLAB_FAILED, "no connection");
  }
  SECStatus status = SSL_ResetHandshake(connection->ssl, context->side == TLSLAB_SERVER);
  return status == SECSuccess ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "no handshake");
}

int connection_new(void *shared, void **handle, tlslab_error *error) {
  const struct context *context = shared;
  int status = connection_open(context, handle, error);
  if (status == TLSLAB_OK && context->side == TLSLAB_CLIENT && context->resumption == TLSLAB_RESUME_SESSION_ID) {
    status = sessions_begin(*handle, error);
  }
  return status;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  connection->wire.output = NULL; /* closing writes a close_notify */
  if (connection->ssl != NULL) PR_Close(connection->ssl);
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
  return tlslab_wire_end(&connection->wire, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  if (plaintext.len > INT_MAX) {
    return tlslab_failed(error, "a write of %zu bytes; the library takes at most %d", plaintext.len, INT_MAX);
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
    if (room == 0) return tlslab_full(plaintext, error);
    if (room > INT_MAX) room = INT_MAX;
    PRInt32 count = PR_Read(connection->ssl, plaintext->data + plaintext->len, (PRInt32)room);
    if (count == 0) return tlslab_failed(error, "the peer closed the connection with close_notify");
    if (count < 0) {
      if (PR_GetError() == PR_WOULD_BLOCK_ERROR) break;
      return failed(connection, error, "receive");
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (connection->wire.input.len > 0 || SSL_DataPending(connection->ssl) > 0);
  return tlslab_wire_kept(&connection->wire, error);
}

/* The peer's alert is the end of its data. */
static int read_close(struct connection *connection, tlslab_error *error) {
  char data;
  PRInt32 count = PR_Read(connection->ssl, &data, 1);
  if (count == 0) return TLSLAB_OK;
  if (count > 0) return tlslab_failed(error, "application data where the peer's closing alert was due");
  return failed(connection, error, "receive");
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  if (input.len > 0) {
    int status = read_close(connection, error);
    if (status != TLSLAB_OK) return status;
  }
  /* The library sends its alert once. */
  if (PR_Shutdown(connection->ssl, PR_SHUTDOWN_SEND) != PR_SUCCESS) return failed(connection, error, "shutdown");
  return input.len > 0 ? tlslab_wire_end(&connection->wire, error) : TLSLAB_CONTINUES;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  SSLChannelInfo said;
  if (SSL_GetChannelInfo(connection->ssl, &said, sizeof said) == SECSuccess) {
    facts->version = said.protocolVersion;
    facts->suite = said.cipherSuite;
    facts->group = said.keaGroup == ssl_grp_none ? 0 : (uint16_t)said.keaGroup;
    facts->signature_scheme = (uint16_t)said.signatureScheme;
    facts->resumed = said.resumed != PR_FALSE;
    if (connection->context->has_early_data) facts->early_data_accepted = said.earlyDataAccepted != PR_FALSE;
  }
  /* In scenarios without tickets nothing counts them. */
  if (connection->context->counts_tickets) {
    facts->tickets_received = connection->tickets_received;
  }
  CERTCertificate *leaf = SSL_PeerCertificate(connection->ssl);
  if (leaf == NULL) return;
  tlslab_give_certificate(facts, leaf->derCert.data, leaf->derCert.len);
  CERT_DestroyCertificate(leaf);
}
