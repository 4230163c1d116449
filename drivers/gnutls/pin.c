#include "pin.h"

#include <stdio.h>

#include "names.h"

/* How an external PSK is used in TLS 1.3; nothing where there is none. A resumed session needs no such
 * word, and in TLS 1.2 it is a part of the suite. */
static const char *key_exchange(const tlslab_scenario *scenario) {
  if (scenario->version != 0x0304) return "";
  switch (scenario->resumption) {
    case TLSLAB_RESUME_EXTERNAL_PSK: return ":+ECDHE-PSK";
    case TLSLAB_RESUME_EXTERNAL_PSK_ONLY: return ":+PSK";
    default: return "";
  }
}

int pin(int side, const tlslab_scenario *scenario, gnutls_priority_t *priority, tlslab_error *error) {
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
  int is_psk = *key_exchange(scenario) != '\0';
  if (is_psk && scenario->suite == 0x1302) {
    snprintf(error->text, sizeof error->text,
             "the library takes an external PSK for one of SHA-256, and has no option to change that");
    return TLSLAB_UNSUPPORTED;
  }
  const struct algorithm *first = algorithm_by_point(groups, GROUPS, (uint16_t)scenario->retry_group);
  int offers_another = side == TLSLAB_CLIENT && first != NULL;
  /* With any group the client makes a key share. */
  int has_group = scenario->resumption != TLSLAB_RESUME_EXTERNAL_PSK_ONLY;
  char text[192];
  snprintf(text, sizeof text, "NONE:+VERS-%s:+AEAD:+%s%s%s%s%s:+SIGN-%s%s", version->library, suite->library,
           offers_another ? ":+GROUP-" : "", offers_another ? first->library : "", has_group ? ":+GROUP-" : "",
           has_group ? group->library : "", scheme->library, key_exchange(scenario));
  const char *stumbled = text;
  int code = gnutls_priority_init(priority, text, &stumbled);
  if (code == GNUTLS_E_SUCCESS) return TLSLAB_OK;
  snprintf(error->text, sizeof error->text, "the library refuses the priorities %s at \"%s\": %s (%s)", text, stumbled,
           gnutls_strerror(code), gnutls_strerror_name(code));
  return TLSLAB_UNSUPPORTED;
}
