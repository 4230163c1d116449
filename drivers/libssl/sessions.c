/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#include "driver.h"

int sessions_pin_server(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error) {
  if (scenario->tickets > MOST_TICKETS) {
    return tlslab_unsupported(error, "the server sends at most %d tickets, not %u", MOST_TICKETS,
                              (unsigned)scenario->tickets);
  }
#if HAS_TICKET_SETTER
  /* The number alone decides in TLS 1.3: the option that turns tickets off only changes what is in them. */
  if (!SSL_CTX_set_num_tickets(ssl, scenario->tickets)) {
    return reason_of_library(error, TLSLAB_FAILED, "cannot set the number of tickets");
  }
#endif
  if (scenario->version == TLS1_2_VERSION && scenario->tickets == 0) SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET);
  if (scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_SERVER);
    SSL_CTX_set_session_id_context(ssl, (const uint8_t *)"tlslab", 6);
  }
  return TLSLAB_OK;
}

static int keep(SSL *ssl, SSL_SESSION *session) {
  struct connection *connection = connection_of(ssl);
  connection->tickets_received++;
  SSL_SESSION_free(connection->session);
  connection->session = session;
  return 1; /* the reference is the connection's now */
}

void sessions_pin_client(SSL_CTX *ssl, const tlslab_scenario *scenario) {
  if (scenario->tickets > 0) {
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ssl, keep);
  } else if (scenario->version == TLS1_2_VERSION) {
    SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET);
  }
}

/* Called for each message; of TLS 1.3's tickets the first byte is 4, as of TLS 1.2's. */
static void count_ticket(int is_sent, int version, int type, const void *message, size_t len, SSL *ssl, void *argument) {
  (void)version, (void)argument;
  if (!is_sent && type == SSL3_RT_HANDSHAKE && len > 0 && ((const uint8_t *)message)[0] == SSL3_MT_NEWSESSION_TICKET) {
    connection_of(ssl)->tickets_received++;
  }
}

void sessions_count_tickets(SSL_CTX *ssl) { SSL_CTX_set_msg_callback(ssl, count_ticket); }

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  (void)error;
  *session = connection->session;
  connection->session = NULL;
  /* A session of TLS 1.2 is whole when the handshake is; one of TLS 1.3 comes with its ticket. */
  if (*session == NULL && SSL_version(connection->ssl) == TLS1_2_VERSION) *session = SSL_get1_session(connection->ssl);
  return TLSLAB_OK;
}

void session_free(void *session) { SSL_SESSION_free(session); }

int session_copy(void *session, void **copy, tlslab_error *error) {
#if SESSIONS_SERVE_ONCE
  *copy = SSL_SESSION_dup(session);
#else
  *copy = SSL_SESSION_up_ref(session) ? session : NULL;
#endif
  return *copy != NULL ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot copy the session");
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK && !SSL_set_session(((struct connection *)*handle)->ssl, session)) {
    status = reason_of_library(error, TLSLAB_FAILED, "cannot take up the session");
  }
  SSL_SESSION_free(session);
  return status;
}
