#include "reason.h"

#include <stdio.h>

int reason_of_library(tlslab_error *error, const char *what, int code) {
  snprintf(error->text, sizeof error->text, "%s: %s (%s)", what, gnutls_strerror(code), gnutls_strerror_name(code));
  return TLSLAB_FAILED;
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
