/* Tickets, and how a session is taken up again. */
#include "driver.h"

static struct session *session_of(const void *bytes, size_t len) {
  struct session *session = malloc(sizeof *session + len);
  if (session == NULL) return NULL;
  session->len = len;
  memcpy(session->bytes, bytes, len);
  return session;
}

/* For SSL_SetResumptionTokenCallback: a ticket has come. */
static SECStatus take_token(PRFileDesc *fd, const PRUint8 *token, unsigned int len, void *unused) {
  (void)unused;
  struct connection *connection = (struct connection *)wire_of(fd);
  connection->tickets_received++;
  if (connection->context->resumption == TLSLAB_RESUME_NOTHING) return SECSuccess;
  free(connection->session);
  connection->session = session_of(token, len);
  return connection->session == NULL ? SECFailure : SECSuccess;
}

static SECStatus pin_client(PRFileDesc *model, const tlslab_scenario *scenario) {
  if (scenario->tickets == 0 && scenario->resumption != TLSLAB_RESUME_SESSION_ID) return SECSuccess;
  if (SSL_OptionSet(model, SSL_NO_CACHE, PR_FALSE) != SECSuccess) return SECFailure;
  /* Tickets are seen where there is a cache, and a callback takes the cache's place. */
  return scenario->tickets > 0 ? SSL_SetResumptionTokenCallback(model, take_token, NULL) : SECSuccess;
}

static SECStatus pin_server(PRFileDesc *model, const tlslab_scenario *scenario) {
  if (scenario->resumption != TLSLAB_RESUME_SESSION_ID) return SECSuccess;
  /* The process has one such cache, of the library's default size. It stays when it is there. */
  if (SSL_ConfigServerSessionIDCache(0, 0, 0, NULL) != SECSuccess) return SECFailure;
  return SSL_OptionSet(model, SSL_NO_CACHE, PR_FALSE);
}

SECStatus sessions_pin(PRFileDesc *model, int side, const tlslab_scenario *scenario) {
  /* In TLS 1.3 a server sends tickets when it is told to. */
  if (scenario->version == SSL_LIBRARY_VERSION_TLS_1_2 && scenario->tickets > 0 &&
      SSL_OptionSet(model, SSL_ENABLE_SESSION_TICKETS, PR_TRUE) != SECSuccess) {
    return SECFailure;
  }
  return side == TLSLAB_CLIENT ? pin_client(model, scenario) : pin_server(model, scenario);
}

SECStatus sessions_leave(PRFileDesc *model, int side) {
  return side == TLSLAB_CLIENT ? SSL_SetResumptionTokenCallback(model, take_token, NULL)
                               : SSL_ConfigServerSessionIDCache(0, 0, 0, NULL);
}

int sessions_begin(struct connection *connection, tlslab_error *error) {
  static unsigned long names;
  char name[32];
  int len = snprintf(name, sizeof name, "%lu", names++);
  connection->session = session_of(name, (size_t)len + 1);
  if (connection->session == NULL || SSL_SetSockPeerID(connection->ssl, name) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "no name for the session");
  }
  return TLSLAB_OK;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  (void)error;
  *session = connection->session;
  connection->session = NULL;
  return TLSLAB_OK;
}

/* A session in the library's cache stays there until its context ends. */
void session_free(void *session) { free(session); }

int session_copy(void *handle, void **copy, tlslab_error *error) {
  const struct session *session = handle;
  *copy = session_of(session->bytes, session->len);
  return *copy != NULL ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "cannot copy the session");
}

static SECStatus take_up(struct connection *connection, struct session *session) {
  if (connection->context->resumption == TLSLAB_RESUME_SESSION_ID) {
    return SSL_SetSockPeerID(connection->ssl, (const char *)session->bytes);
  }
  return SSL_SetResumptionToken(connection->ssl, session->bytes, (unsigned int)session->len);
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  int status = connection_open(context, handle, error);
  if (status == TLSLAB_OK && take_up(*handle, session) != SECSuccess) {
    status = reason(error, TLSLAB_FAILED, "cannot take up the session");
  }
  /* In TLS 1.2 it serves until the server renews it; in TLS 1.3 once. */
  if (status != TLSLAB_OK || ((const struct context *)context)->sessions_serve_once) {
    session_free(session);
  } else {
    ((struct connection *)*handle)->session = session;
  }
  return status;
}
