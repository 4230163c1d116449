#include "connection.h"

#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "early.h"
#include "psk.h"
#include "reason.h"

static int count_ticket(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
                        const gnutls_datum_t *message) {
  (void)type, (void)when, (void)incoming, (void)message;
  struct connection *connection = gnutls_session_get_ptr(session);
  connection->tickets_received++;
  return 0;
}

/* Has the session verify its peer's chain, purpose and, if there is one, name. */
static void verify_peer(struct connection *connection, const char *purpose, char *name) {
  connection->verified[0] = (gnutls_typed_vdata_st){.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (void *)purpose};
  connection->verified[1] = (gnutls_typed_vdata_st){.type = GNUTLS_DT_DNS_HOSTNAME, .data = (void *)name};
  gnutls_session_set_verify_cert2(connection->wire.session, connection->verified, name != NULL ? 2 : 1, 0);
}

static int set_up_client(struct connection *connection) {
  const struct context *context = connection->context;
  gnutls_session_t session = connection->wire.session;
  if (context->verification != TLSLAB_VERIFY_NONE) {
    int by_name = context->verification == TLSLAB_VERIFY_CHAIN_AND_NAME;
    verify_peer(connection, GNUTLS_KP_TLS_WWW_SERVER, by_name ? context->server_name : NULL);
  }
  if (context->tickets > 0) {
    gnutls_session_set_ptr(session, connection);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_NEW_SESSION_TICKET, GNUTLS_HOOK_POST, count_ticket);
  }
  return gnutls_server_name_set(session, GNUTLS_NAME_DNS, context->server_name, strlen(context->server_name));
}

static int set_up_server(struct connection *connection) {
  const struct context *context = connection->context;
  gnutls_session_t session = connection->wire.session;
  if (context->mutual) {
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    verify_peer(connection, GNUTLS_KP_TLS_WWW_CLIENT, NULL);
  }
  if (context->store != NULL) store_attach(context->store, session);
  if (context->guard != NULL) {
    int code = guard_attach(context->guard, session, context->early_data);
    if (code < 0) return code;
  }
  return context->tickets > 0 ? gnutls_session_ticket_enable_server(session, &context->ticket_key) : 0;
}

static unsigned flags_of(const struct context *context) {
  unsigned flags = context->side == TLSLAB_CLIENT ? GNUTLS_CLIENT : GNUTLS_SERVER;
  /* By itself a server sends two tickets. */
  flags |= context->tickets > 0 ? GNUTLS_NO_AUTO_SEND_TICKET : GNUTLS_NO_TICKETS;
  /* Else the client goes by key types, and takes an RSA key for one that makes no RSA-PSS signature. */
  if (context->mutual && context->side == TLSLAB_CLIENT) flags |= GNUTLS_FORCE_CLIENT_CERT;
  if (context->retries && context->side == TLSLAB_CLIENT) flags |= GNUTLS_KEY_SHARE_TOP;
  if (context->early_data > 0) flags |= GNUTLS_ENABLE_EARLY_DATA;
  return flags | GNUTLS_NONBLOCK;
}

static int set_up(struct connection *connection) {
  const struct context *context = connection->context;
  int code = gnutls_init(&connection->wire.session, flags_of(context));
  if (code < 0) return code;
  gnutls_session_t session = connection->wire.session;
  wire_attach(&connection->wire);
  code = gnutls_priority_set(session, context->priority);
  if (code >= 0) {
    code = context->psk_identity != NULL
               ? psk_attach(context, session)
               : gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, context->credentials);
  }
  if (code < 0) return code;
  return context->side == TLSLAB_CLIENT ? set_up_client(connection) : set_up_server(connection);
}

int connection_new(void *context, void **handle, tlslab_error *error) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_library(error, "no connection", GNUTLS_E_MEMORY_ERROR);
  connection->context = context;
  int code = set_up(connection);
  if (code < 0) {
    connection_free(connection);
    return reason_of_library(error, "no connection", code);
  }
  *handle = connection;
  return TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  if (connection->wire.session != NULL) gnutls_deinit(connection->wire.session);
  free(connection);
}

static int waits(int code) { return code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED; }

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  const struct context *context = connection->context;
  gnutls_session_t session = connection->wire.session;
  connection->wire.input = input;
  connection->wire.output = output;
  int code = gnutls_handshake(session);
  if (waits(code)) return TLSLAB_CONTINUES;
  if (code >= 0 && context->sends_tickets_after) {
    code = gnutls_session_ticket_send(session, context->tickets, 0);
  }
  if (code < 0) return reason_of_connection(error, session, code);
  if (connection->wire.input.len > 0) {
    snprintf(error->text, sizeof error->text, "%zu bytes follow the handshake's end", connection->wire.input.len);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.output = output;
  /* The library takes one record's worth at a time. */
  while (plaintext.len > 0) {
    ssize_t taken = gnutls_record_send(connection->wire.session, plaintext.data, plaintext.len);
    if (taken < 0) return reason_of_connection(error, connection->wire.session, (int)taken);
    plaintext.data += taken;
    plaintext.len -= (size_t)taken;
  }
  return TLSLAB_OK;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  gnutls_session_t session = connection->wire.session;
  connection->wire.input = input;
  connection->wire.output = NULL;
  while (connection->wire.input.len > 0 || gnutls_record_check_pending(session) > 0) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) {
      snprintf(error->text, sizeof error->text, "more plaintext than the buffer of %zu bytes has room for",
               plaintext->capacity);
      return TLSLAB_FAILED;
    }
    ssize_t count = gnutls_record_recv(session, plaintext->data + plaintext->len, room);
    if (count == 0) {
      snprintf(error->text, sizeof error->text, "the peer closed the connection with close_notify");
      return TLSLAB_FAILED;
    }
    /* What carries no data, such as a ticket, makes the library ask to be called again. */
    if (waits((int)count)) continue;
    if (count < 0) return reason_of_connection(error, session, (int)count);
    plaintext->len += (size_t)count;
  }
  if (connection->wire.unsent > 0) {
    snprintf(error->text, sizeof error->text, "the library answered by itself with %zu bytes, which would be lost",
             connection->wire.unsent);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}
