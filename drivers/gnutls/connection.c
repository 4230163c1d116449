/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <errno.h>
#include <sys/uio.h>

#include "driver.h"

static ssize_t pull(gnutls_transport_ptr_t pointer, void *data, size_t len) {
  struct connection *connection = pointer;
  size_t count = tlslab_wire_read(&connection->wire, data, len);
  if (count > 0) return (ssize_t)count;
  gnutls_transport_set_errno(connection->session, EAGAIN);
  return -1;
}

static ssize_t push(gnutls_transport_ptr_t pointer, const giovec_t *parts, int count) {
  struct connection *connection = pointer;
  size_t total = 0;
  for (int at = 0; at < count; at++) {
    if (!tlslab_wire_write(&connection->wire, parts[at].iov_base, parts[at].iov_len, 0)) {
      gnutls_transport_set_errno(connection->session, ENOBUFS);
      return -1;
    }
    total += parts[at].iov_len;
  }
  return (ssize_t)total;
}

static int count_ticket(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
                        const gnutls_datum_t *message) {
  (void)type, (void)when, (void)incoming, (void)message;
  struct connection *connection = gnutls_session_get_ptr(session);
  connection->tickets_received++;
  return 0;
}

/* Has the session verify its peer's chain, purpose and, if there is one, name. */
static void verify_peer(struct connection *connection, const char *purpose, const char *name) {
  connection->verified[0] = (gnutls_typed_vdata_st){.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (void *)purpose};
  connection->verified[1] = (gnutls_typed_vdata_st){.type = GNUTLS_DT_DNS_HOSTNAME, .data = (void *)name};
  gnutls_session_set_verify_cert2(connection->session, connection->verified, name != NULL ? 2 : 1, 0);
}

static int set_up_client(struct connection *connection) {
  const struct context *context = connection->context;
  gnutls_session_t session = connection->session;
  if (context->pinned.verification != TLSLAB_VERIFY_NONE) {
    int by_name = context->pinned.verification == TLSLAB_VERIFY_CHAIN_AND_NAME;
    verify_peer(connection, GNUTLS_KP_TLS_WWW_SERVER, by_name ? context->server_name : NULL);
  }
  if (context->pinned.tickets > 0 || context->pinned.defaults) {
    gnutls_session_set_ptr(session, connection);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_NEW_SESSION_TICKET, GNUTLS_HOOK_POST, count_ticket);
  }
  return gnutls_server_name_set(session, GNUTLS_NAME_DNS, context->server_name, strlen(context->server_name));
}

static int set_up_server(struct connection *connection) {
  const struct context *context = connection->context;
  gnutls_session_t session = connection->session;
  if (context->pinned.mutual) {
    gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    verify_peer(connection, GNUTLS_KP_TLS_WWW_CLIENT, NULL);
  }
  if (context->store != NULL) store_attach(context->store, session);
  if (context->guard != NULL) {
    int code = guard_attach(context->guard, session, context->pinned.early_data);
    if (code < 0) return code;
  }
  return context->pinned.tickets > 0 ? gnutls_session_ticket_enable_server(session, &context->ticket_key) : 0;
}

static unsigned flags_of(const struct context *context) {
  unsigned flags = context->side == TLSLAB_CLIENT ? GNUTLS_CLIENT : GNUTLS_SERVER;
  if (context->pinned.defaults) return flags | GNUTLS_NONBLOCK;
  /* By default a server sends two tickets. */
  flags |= context->pinned.tickets > 0 ? GNUTLS_NO_AUTO_SEND_TICKET : GNUTLS_NO_TICKETS;
  /* Else the client goes by key types, and takes an RSA key for one that makes no RSA-PSS signature. */
  if (context->pinned.mutual && context->side == TLSLAB_CLIENT) flags |= GNUTLS_FORCE_CLIENT_CERT;
  if (context->pinned.retry_group != 0 && context->side == TLSLAB_CLIENT) flags |= GNUTLS_KEY_SHARE_TOP;
  if (context->pinned.early_data > 0) flags |= GNUTLS_ENABLE_EARLY_DATA;
  return flags | GNUTLS_NONBLOCK;
}

static int set_up(struct connection *connection) {
  const struct context *context = connection->context;
  int code = gnutls_init(&connection->session, flags_of(context));
  if (code < 0) return code;
  gnutls_session_t session = connection->session;
  gnutls_transport_set_ptr(session, connection);
  gnutls_transport_set_pull_function(session, pull);
  gnutls_transport_set_vec_push_function(session, push);
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
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_library(error, "no connection", GNUTLS_E_MEMORY_ERROR);
  connection->context = context;
  int code = set_up(connection);
  return code < 0 ? reason_of_library(error, "no connection", code) : TLSLAB_OK;
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  if (connection->session != NULL) gnutls_deinit(connection->session);
  free(connection);
}

static int waits(int code) { return code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED; }

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  const struct context *context = connection->context;
  gnutls_session_t session = connection->session;
  connection->wire.input = input;
  connection->wire.output = output;
  int code = gnutls_handshake(session);
  if (waits(code)) return TLSLAB_CONTINUES;
  if (code >= 0 && context->sends_tickets_after) {
    code = gnutls_session_ticket_send(session, context->pinned.tickets, 0);
  }
  if (code < 0) return reason_of_connection(error, session, code);
  return tlslab_wire_end(&connection->wire, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.output = output;
  /* The library takes one record's worth at a time. */
  while (plaintext.len > 0) {
    ssize_t taken = gnutls_record_send(connection->session, plaintext.data, plaintext.len);
    if (taken < 0) return reason_of_connection(error, connection->session, (int)taken);
    plaintext.data += taken;
    plaintext.len -= (size_t)taken;
  }
  return TLSLAB_OK;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  gnutls_session_t session = connection->session;
  connection->wire.input = input;
  connection->wire.output = NULL;
  while (connection->wire.input.len > 0 || gnutls_record_check_pending(session) > 0) {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    ssize_t count = gnutls_record_recv(session, plaintext->data + plaintext->len, room);
    if (count == 0) return tlslab_failed(error, "the peer closed the connection with close_notify");
    /* After a message without data, such as a ticket, the library asks to be called again. */
    if (waits((int)count)) continue;
    if (count < 0) return reason_of_connection(error, session, (int)count);
    plaintext->len += (size_t)count;
  }
  return tlslab_wire_kept(&connection->wire, error);
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  /* It sends this side's alert once, and reads until the peer's has come. */
  int code = gnutls_bye(connection->session, GNUTLS_SHUT_RDWR);
  if (waits(code)) return TLSLAB_CONTINUES;
  if (code < 0) return reason_of_connection(error, connection->session, code);
  return tlslab_wire_end(&connection->wire, error);
}

int reason_of_connection(tlslab_error *error, gnutls_session_t session, int code) {
  gnutls_datum_t verdict = {NULL, 0};
  const char *more = NULL;
  if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
    unsigned status = gnutls_session_get_verify_cert_status(session);
    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &verdict, 0) == 0) {
      more = (const char *)verdict.data;
    }
  } else if (code == GNUTLS_E_FATAL_ALERT_RECEIVED || code == GNUTLS_E_WARNING_ALERT_RECEIVED) {
    more = gnutls_alert_get_name(gnutls_alert_get(session));
  }
  int status = reason_of_library(error, more == NULL ? "the library" : more, code);
  gnutls_free(verdict.data);
  return status;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  const struct context *context = connection->context;
  gnutls_session_t session = connection->session;
  static const tlslab_own_name none[] = {{0, NULL}};
  unsigned count = 0;
  facts->version = gnutls_protocol_get_version(session) == GNUTLS_TLS1_3 ? TLSLAB_TLS13 : TLSLAB_TLS12;
  facts->suite = tlslab_point(none, tlslab_suites, gnutls_ciphersuite_get(session));
  facts->group = tlslab_point(group_names, tlslab_groups, gnutls_group_get_name(gnutls_group_get(session)));
  /* The scheme of the server's signature. */
  const char *scheme = gnutls_sign_get_name(gnutls_sign_algorithm_get(session));
  facts->signature_scheme = tlslab_point(scheme_names(facts->version), tlslab_schemes, scheme);
  facts->resumed = gnutls_session_is_resumed(session) != 0;
  if (context->pinned.early_data > 0) {
    facts->early_data_accepted = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_EARLY_DATA) != 0;
  }
  const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
  if (chain != NULL && count > 0) tlslab_give_certificate(facts, chain[0].data, chain[0].size);
  if (context->side != TLSLAB_CLIENT) return;
  /* In scenarios without tickets nothing counts them, but the library remembers having seen one. */
  int seen = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_SESSION_TICKET) != 0;
  int counts = context->pinned.tickets > 0 || context->pinned.defaults;
  facts->tickets_received = counts ? connection->tickets_received : seen ? -1 : 0;
}
