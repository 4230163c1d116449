#include "pin.h"

#include <stdio.h>

#include "names.h"

int pin(const tlslab_scenario *scenario, gnutls_priority_t *priority, tlslab_error *error) {
  const struct algorithm *suite = algorithm_by_point(suites, SUITES, scenario->suite);
  const struct algorithm *group = algorithm_by_point(groups, GROUPS, scenario->group);
  const struct algorithm *version = algorithm_by_point(versions, VERSIONS, scenario->version);
  const struct algorithm *scheme =
      version == NULL ? NULL : algorithm_by_point(schemes[version - versions], SCHEMES, scenario->signature_scheme);
  if (scheme == NULL || suite == NULL || group == NULL) {
    snprintf(error->text, sizeof error->text,
             "this driver cannot hold the library to version 0x%04x, suite 0x%04x, group 0x%04x, scheme 0x%04x",
             scenario->version, scenario->suite, scenario->group, scenario->signature_scheme);
    return TLSLAB_UNSUPPORTED;
  }
  char text[160];
  snprintf(text, sizeof text, "NONE:+VERS-%s:+AEAD:+%s:+GROUP-%s:+SIGN-%s", version->library, suite->library,
           group->library, scheme->library);
  const char *stumbled = text;
  int code = gnutls_priority_init(priority, text, &stumbled);
  if (code == GNUTLS_E_SUCCESS) return TLSLAB_OK;
  snprintf(error->text, sizeof error->text, "the library refuses the priorities %s at \"%s\": %s (%s)", text, stumbled,
           gnutls_strerror(code), gnutls_strerror_name(code));
  return TLSLAB_UNSUPPORTED;
}
