/* How a client keeps a session, and takes it up. */
#include "driver.h"

/* Without a ticket the library makes up a session of TLS 1.3 that cannot be taken up. */
static int has_session(gnutls_session_t session) {
  return gnutls_protocol_get_version(session) != GNUTLS_TLS1_3 ||
         (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_SESSION_TICKET) != 0;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  *session = NULL;
  if (!has_session(connection->session)) return TLSLAB_OK;
  gnutls_datum_t *kept = calloc(1, sizeof *kept);
  int code = kept == NULL ? GNUTLS_E_MEMORY_ERROR : gnutls_session_get_data2(connection->session, kept);
  if (code < 0) {
    free(kept);
    return reason_of_library(error, "no session", code);
  }
  *session = kept;
  return TLSLAB_OK;
}

void session_free(void *session) {
  gnutls_datum_t *kept = session;
  gnutls_free(kept->data);
  free(kept);
}

int session_copy(void *session, void **copy, tlslab_error *error) {
  const gnutls_datum_t *kept = session;
  gnutls_datum_t *other = calloc(1, sizeof *other);
  if (other != NULL) other->data = gnutls_malloc(kept->size);
  if (other == NULL || other->data == NULL) {
    free(other);
    return reason_of_library(error, "no copy of the session", GNUTLS_E_MEMORY_ERROR);
  }
  memcpy(other->data, kept->data, kept->size);
  other->size = kept->size;
  *copy = other;
  return TLSLAB_OK;
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  const gnutls_datum_t *kept = session;
  int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK) {
    int code = gnutls_session_set_data(((struct connection *)*handle)->session, kept->data, kept->size);
    if (code < 0) status = reason_of_library(error, "cannot take up the session", code);
  }
  session_free(session);
  return status;
}
