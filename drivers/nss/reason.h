/* Why a call failed: the library's name for the error, and its text. */
#ifndef NSS_REASON_H
#define NSS_REASON_H

#include <prerror.h>
#include <stdio.h>

#include "tlslab_endpoint.h"

static inline int reason(tlslab_error *error, int status, const char *what) {
  PRErrorCode code = PR_GetError();
  const char *name = PR_ErrorToName(code);
  snprintf(error->text, sizeof error->text, "%s: %s (%s, %d)", what, PR_ErrorToString(code, PR_LANGUAGE_I_DEFAULT),
           name == NULL ? "no name" : name, (int)code);
  return status;
}

#endif
