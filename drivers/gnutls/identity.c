#include "identity.h"

#include <stdio.h>

#include "context.h"
#include "names.h"
#include "pin.h"
#include "primitive.h"

enum { KEYS = 8, MOST_EARLY_DATA = 65536 };

static const struct {
  const char *key_type;
  uint16_t scheme;
} keys[KEYS] = {{"ecdsa-p256", 0x0403}, {"ecdsa-p384", 0x0503}, {"ed25519", 0x0807},   {"rsa-2048", 0x0804},
              {"rsa-3072", 0x0804},   {"rsa-4096", 0x0804},   {"ml-dsa-44", 0x0904}, {"ml-dsa-65", 0x0905}};

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  uint16_t versions[VERSIONS];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  const char *signatures[KEYS];
  tlslab_limit limits[VERSIONS + SUITES + GROUPS + KEYS + 5];
} claims;
static char reasons[sizeof claims.limits / sizeof *claims.limits][128];

static const char *const notes[] = {
    "RSA and elliptic curves rest on GMP, whose assembly is chosen when it is built: for the architecture in general, "
    "unless a variant says otherwise.",
};
static const char *const details[] = {
    "The client sends the library's default extensions, status_request and record_size_limit among them.",
    "Verification is gnutls_session_set_verify_cert2 without flags, with the extended key usage that the leaf must have.",
    "Sessions are handed over as bytes: a client that takes one up reads them again as part of create, a server as "
    "part of the handshake.",
    "A server accepts early data only with a guard against replays: the library asks, once per connection, whether a "
    "client's binder was seen before, and the driver answers from a plain table, which a server's figures include.",
    "The library keeps no sessions. For session ids the driver gives it a table, which a server's figures include.",
    "In TLS 1.2 a server that sends no ticket makes those bytes after every full handshake, even where nothing keeps "
    "them.",
    "With certificates on both sides the server sends the names of the authorities that it trusts, as is the library's "
    "default, and the client shows its chain without a look at them (GNUTLS_FORCE_CLIENT_CERT). If it went by them, it "
    "would show no RSA chain where RSA-PSS is the only scheme on offer, as it is in TLS 1.3.",
};

/* What every build has of a version; one value is replaced by one that is asked about. */
static tlslab_scenario usual(uint16_t version) {
  uint16_t suite = version == 0x0304 ? 0x1301 : 0xc02b;
  return (tlslab_scenario){.version = version, .suite = suite, .group = 0x0017, .signature_scheme = 0x0403};
}

static int can(tlslab_scenario scenario) {
  gnutls_priority_t priority = NULL;
  tlslab_error ignored;
  int able = pin(TLSLAB_CLIENT, &scenario, &priority, &ignored) == TLSLAB_OK;
  if (able) gnutls_priority_deinit(priority);
  return able;
}

static int can_version(uint16_t version) { return can(usual(version)); }

static int can_suite(uint16_t suite) {
  tlslab_scenario scenario = usual(suite >> 8 == 0x13 ? 0x0304 : 0x0303);
  scenario.suite = suite;
  return can(scenario);
}

static int can_group(uint16_t group) {
  tlslab_scenario scenario = usual(0x0304);
  scenario.group = group;
  return can(scenario);
}

static int can_scheme(uint16_t scheme) {
  tlslab_scenario scenario = usual(0x0304);
  scenario.signature_scheme = scheme;
  return can(scenario);
}

static void limit(tlslab_identity *identity, const char *axis, const char *value) {
  size_t at = identity->limits_len++;
  snprintf(reasons[at], sizeof reasons[at], "GnuTLS %s as built here does not know the %s", identity->library_version,
           axis);
  claims.limits[at] = (tlslab_limit){axis, value, reasons[at]};
}

/* Writes those of the list that the library knows and returns how many they are. */
static size_t claim(tlslab_identity *identity, const char *axis, int (*can_do)(uint16_t point),
                   const struct algorithm *list, size_t len, uint16_t *known) {
  size_t count = 0;
  for (size_t at = 0; at < len; at++) {
    if (can_do(list[at].point)) {
      known[count++] = list[at].point;
    } else {
      limit(identity, axis, list[at].scenario);
    }
  }
  return count;
}

static size_t report_signatures(tlslab_identity *identity) {
  size_t count = 0;
  for (size_t at = 0; at < KEYS; at++) {
    if (can_scheme(keys[at].scheme)) {
      claims.signatures[count++] = keys[at].key_type;
    } else {
      limit(identity, "signature", keys[at].key_type);
    }
  }
  return count;
}

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "gnutls",
      .library = "GnuTLS",
      .library_version = gnutls_check_version(NULL),
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = claims.signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | TLSLAB_CAN_TICKET_13 |
                     TLSLAB_CAN_TICKET_REUSED_13 | TLSLAB_CAN_EXTERNAL_PSK_13 | TLSLAB_CAN_EXTERNAL_PSK_ONLY_13,
      .mutual = 1,
      .hello_retry = 1,
      .max_early_data = MOST_EARLY_DATA,
      .threads = 1,
      .operations = OPERATIONS,
      .limits = claims.limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
  };
  identity->versions_len = claim(identity, "version", can_version, versions, VERSIONS, claims.versions);
  identity->suites_len = claim(identity, "suite", can_suite, suites, SUITES, claims.suites);
  identity->resumptions |= tlslab_psk_ways(identity->suites, identity->suites_len);
  /* Its priorities name the parts of a suite, and do not say that these two are none. */
  static const char *const no_suite = "the library has ECDHE_PSK with AES in CBC mode and with ChaCha20-Poly1305 alone";
  claims.limits[identity->limits_len++] = (tlslab_limit){"suite", "ecdhe-psk-aes-128-gcm", no_suite};
  claims.limits[identity->limits_len++] = (tlslab_limit){"suite", "ecdhe-psk-aes-256-gcm", no_suite};
  identity->groups_len = claim(identity, "group", can_group, groups, GROUPS, claims.groups);
  identity->signatures_len = report_signatures(identity);
  claims.limits[identity->limits_len++] = (tlslab_limit){
      "server_key_share", "any",
      "the library makes a server's key share in the handshake, and has no call to be given one"};
#if !DERIVES_SECRETS
  static const char *const lacking[] = {"key-generation", "key-agreement"};
  for (size_t at = 0; at < 2; at++) {
    claims.limits[identity->limits_len++] =
        (tlslab_limit){"primitive", lacking[at], "this version of the library exchanges keys inside its TLS alone"};
  }
#endif
}
