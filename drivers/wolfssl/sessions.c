/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#include "driver.h"

enum {
  /* A server of TLS 1.2 keeps a session for 500 s by default, however often it is taken up. */
  RENEWED_AFTER_S = 60,
  /* A ticket of TLS 1.3 has a counter of one byte. The server that it is shown to goes on from there, and fails at
   * the counter's end. */
  RENEWED_AFTER_TICKETS = 200
};

int sessions_pin_server(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error) {
  /* Early data is accepted with the ticket of a session that the server has kept, and takes it out of its cache. */
  if (scenario->resumption != TLSLAB_RESUME_SESSION_ID && scenario->early_data == 0) {
    wolfSSL_CTX_set_session_cache_mode(ssl, WOLFSSL_SESS_CACHE_OFF);
  }
  int result = WOLFSSL_SUCCESS;
  if (scenario->version == TLSLAB_TLS13) {
    result = wolfSSL_CTX_set_num_tickets(ssl, scenario->tickets);
  } else if (scenario->tickets == 0) {
    result = wolfSSL_CTX_NoTicketTLSv12(ssl);
  }
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot set the number of tickets", result);
}

int sessions_pin_client(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error) {
  /* Of no use to sessions that are handed over. */
  wolfSSL_CTX_set_session_cache_mode(ssl, WOLFSSL_SESS_CACHE_OFF);
  if (scenario->version == TLSLAB_TLS13) {
    /* Else the client offers to do without the fresh key exchange, too. */
    if (scenario->resumption == TLSLAB_RESUME_TICKET && wolfSSL_CTX_only_dhe_psk(ssl) != 0) {
      return reason_of_code(error, "cannot ask for a fresh key exchange", 0);
    }
    return TLSLAB_OK;
  }
  int result = scenario->tickets > 0 ? wolfSSL_CTX_UseSessionTicket(ssl) : WOLFSSL_SUCCESS;
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot ask for tickets", result);
}

/* Whether the connection's session can be taken up for a while yet; else the next one is to come from nothing. */
static int is_fresh(struct connection *connection) {
  struct context *context = connection->context;
  if (wolfSSL_session_reused(connection->ssl)) {
    context->sessions_taken_up++;
  } else {
    context->sessions_since = time(NULL);
    context->sessions_taken_up = 0;
  }
  if (wolfSSL_version(connection->ssl) == TLSLAB_TLS13) {
    return connection->tickets_received > 0 && context->sessions_taken_up < RENEWED_AFTER_TICKETS;
  }
  return connection->tickets_received > 0 || time(NULL) - context->sessions_since < RENEWED_AFTER_S;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  (void)error;
  *session = is_fresh(connection) ? wolfSSL_get1_session(connection->ssl) : NULL;
  return TLSLAB_OK;
}

void session_free(void *session) { wolfSSL_SESSION_free(session); }

int session_copy(void *session, void **copy, tlslab_error *error) {
  *copy = wolfSSL_SESSION_dup(session);
  return *copy != NULL ? TLSLAB_OK : reason_of_code(error, "cannot copy the session", 0);
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK) {
    int result = wolfSSL_set_session(((struct connection *)*handle)->ssl, session);
    if (result != WOLFSSL_SUCCESS) status = reason_of_code(error, "cannot take up the session", result);
  }
  wolfSSL_SESSION_free(session);
  return status;
}
