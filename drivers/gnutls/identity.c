#include "identity.h"

#include <stdio.h>

#include "context.h"
#include "names.h"
#include "pin.h"

enum { KEYS = 3 };

static const struct {
  const char *key_type;
  uint16_t scheme;
} keys[KEYS] = {{"ecdsa-p256", 0x0403}, {"rsa-2048", 0x0804}, {"rsa-4096", 0x0804}};

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  uint16_t versions[1];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  const char *signatures[KEYS];
  tlslab_limit limits[1 + SUITES + GROUPS + KEYS];
} said;
static char reasons[sizeof said.limits / sizeof *said.limits][128];

static const char *const details[] = {
    "Both sides offer the library's default extensions; the client's are status_request and record_size_limit among "
    "others.",
    "Of a certificate's purposes only the right to sign others is checked: verification asks for no key purpose.",
};

/* Whether the library takes priorities with these values in place of those that every build has. */
static int can(tlslab_scenario scenario) {
  gnutls_priority_t priority = NULL;
  tlslab_error ignored;
  if (pin(&scenario, &priority, &ignored) != TLSLAB_OK) return 0;
  gnutls_priority_deinit(priority);
  return 1;
}

static void limit(tlslab_identity *identity, const char *axis, const char *value) {
  size_t at = identity->limits_len++;
  snprintf(reasons[at], sizeof reasons[at], "GnuTLS %s as built here does not know the %s", identity->library_version,
           axis);
  said.limits[at] = (tlslab_limit){axis, value, reasons[at]};
}

void library_identity(tlslab_identity *identity) {
  const tlslab_scenario usual = {.version = 0x0304, .suite = 0x1301, .group = 0x0017, .signature_scheme = 0x0403};
  *identity = (tlslab_identity){
      .driver = "gnutls",
      .library = "GnuTLS",
      .library_version = gnutls_check_version(NULL),
      .versions = said.versions,
      .suites = said.suites,
      .groups = said.groups,
      .signatures = said.signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .limits = said.limits,
      .details = details,
      .details_len = sizeof details / sizeof *details,
  };
  if (can(usual)) {
    said.versions[identity->versions_len++] = usual.version;
  } else {
    limit(identity, "version", "1.3");
  }
  for (size_t at = 0; at < SUITES; at++) {
    tlslab_scenario scenario = usual;
    scenario.suite = suites[at].point;
    if (can(scenario)) {
      said.suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario);
    }
  }
  for (size_t at = 0; at < GROUPS; at++) {
    tlslab_scenario scenario = usual;
    scenario.group = groups[at].point;
    if (can(scenario)) {
      said.groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario);
    }
  }
  for (size_t at = 0; at < KEYS; at++) {
    tlslab_scenario scenario = usual;
    scenario.signature_scheme = keys[at].scheme;
    if (can(scenario)) {
      said.signatures[identity->signatures_len++] = keys[at].key_type;
    } else {
      limit(identity, "signature", keys[at].key_type);
    }
  }
}
