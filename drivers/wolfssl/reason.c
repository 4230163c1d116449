#include "reason.h"

#include <stdio.h>

int reason_of_pin(tlslab_error *error, const char *what, uint16_t point) {
  snprintf(error->text, sizeof error->text, "the library cannot be held to %s 0x%04x", what, point);
  return TLSLAB_UNSUPPORTED;
}

int reason_unsupported(tlslab_error *error, const char *why) {
  snprintf(error->text, sizeof error->text, "%s", why);
  return TLSLAB_UNSUPPORTED;
}

int reason_of_code(tlslab_error *error, const char *what, int code) {
  if (code < 0) {
    const char *text = wolfSSL_ERR_reason_error_string((unsigned long)code);
    snprintf(error->text, sizeof error->text, "%s: %s (%d)", what, text, code);
  } else {
    snprintf(error->text, sizeof error->text, "%s", what);
  }
  return TLSLAB_FAILED;
}
