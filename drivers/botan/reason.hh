// Why a call failed, in the library's own words.
#ifndef BOTAN_REASON_HH
#define BOTAN_REASON_HH

#include <cstdio>

#include <botan/exceptn.h>

#include "tlslab_endpoint.h"

// Runs what may throw. The library's codes tell the kind of exception and, for those of TLS, the alert.
template <typename Call>
int guarded(tlslab_error *error, Call call) {
  try {
    return call();
  } catch (const Botan::Exception &thrown) {
    snprintf(error->text, sizeof error->text, "%s (%s, code %d)", thrown.what(),
             Botan::to_string(thrown.error_type()).c_str(), thrown.error_code());
  } catch (const std::exception &thrown) {
    snprintf(error->text, sizeof error->text, "%s", thrown.what());
  }
  return TLSLAB_FAILED;
}

#endif
