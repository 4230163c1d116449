#include "reason.h"

#include <stdio.h>

#include "wire.h"

/* Whether the queue ends with the verdict on the peer's chain. What the verdict was is asked of the connection, which
 * may know one from before any verification, too. */
static int refused_chain(void) {
  unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

/* The first entry of the error queue as "library: reason". */
static void first_cause(char *text, size_t room) {
  unsigned long code = ERR_peek_error();
  const char *library = ERR_lib_error_string(code);
  const char *reason = ERR_reason_error_string(code);
  if (code == 0) {
    snprintf(text, room, "the library gave no reason");
  } else if (library != NULL && reason != NULL) {
    snprintf(text, room, "%s: %s", library, reason);
  } else {
    ERR_error_string_n(code, text, room);
  }
}

int reason_of_library(tlslab_error *error, int status, const char *what) {
  char cause[256];
  if (ERR_peek_error() == 0) {
    snprintf(error->text, sizeof error->text, "%s", what);
    return status;
  }
  first_cause(cause, sizeof cause);
  ERR_clear_error();
  snprintf(error->text, sizeof error->text, "%s: %s", what, cause);
  return status;
}

int reason_of_connection(tlslab_error *error, SSL *ssl, int result) {
  int kind = SSL_get_error(ssl, result);
  int refused = refused_chain();
  char cause[256];
  first_cause(cause, sizeof cause);
  ERR_clear_error();
  if (wire_of(ssl)->overflowed) {
    snprintf(error->text, sizeof error->text, "the library wrote more than the output buffer has room for");
  } else if (kind == SSL_ERROR_ZERO_RETURN) {
    snprintf(error->text, sizeof error->text, "the peer closed the connection with close_notify");
  } else if (refused) {
    const char *verdict = X509_verify_cert_error_string(SSL_get_verify_result(ssl));
    snprintf(error->text, sizeof error->text, "%s (%s)", cause, verdict);
  } else {
    snprintf(error->text, sizeof error->text, "%s", cause);
  }
  return TLSLAB_FAILED;
}
