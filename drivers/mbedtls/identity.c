#include "identity.h"

#include <mbedtls/version.h>

#include "library.h"
#include "primitive.h"

enum { MOST_TICKETS = 16 };

static const char *const signatures[] = {"ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-3072", "rsa-4096"};
static const char *const no_signatures[] = {"ed25519", "ml-dsa-44", "ml-dsa-65"};
enum { NO_SIGNATURES = sizeof no_signatures / sizeof *no_signatures };
static const char *const details[] = {
    "The configuration is the library's own, with AES-NI chosen at run time.",
    "Connections draw from the one random number generator of the library's PSA part.",
    "A client that asks for a name always checks it; at verification level chain a callback forgives the outcome.",
    "A client's session holds the server's certificate, which is parsed again when the session is taken up.",
    "Sessions of TLS 1.3 are taken up with a key exchange of their own only; by itself the library offers both ways.",
};

static const char *const notes[] = {
#if HAS_FULL_RECORDS
    "The library is changed in one place and configured not to pad, so that TLS 1.3 records hold 16,384 bytes as "
    "others' do; by itself it counts the content type in, sends at most 16,383 and pads to multiples of 16.",
#else
    "TLS 1.3 records, those of the handshake too, are padded to multiples of 16 bytes and hold at most 16,383 bytes, the "
    "library's default: a write of 16,384 bytes makes two.",
#endif
    "A server of TLS 1.2 that takes a ticket gives no new one, so the same ticket serves every connection.",
};

static const struct {
  uint32_t point;
  const char *scenario;
  const char *option; /* that the library must be built with */
} resumptions[] = {
    {TLSLAB_CAN_SESSION_ID_12, "1.2/session-id", "MBEDTLS_SSL_CACHE_C"},
    {TLSLAB_CAN_TICKET_12, "1.2/ticket", "MBEDTLS_SSL_SESSION_TICKETS"},
    {TLSLAB_CAN_TICKET_13, "1.3/ticket", "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED"},
    {TLSLAB_CAN_TICKET_REUSED_13, "1.3/ticket-reused", "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED"},
    {TLSLAB_CAN_EXTERNAL_PSK_13, "1.3/external-psk", "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED"},
    {TLSLAB_CAN_EXTERNAL_PSK_ONLY_13, "1.3/external-psk-only", "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_ENABLED"},
};
enum { RESUMPTIONS = sizeof resumptions / sizeof *resumptions };

static uint16_t known_versions[VERSIONS];
static uint16_t known_suites[SUITES];
static uint16_t known_groups[GROUPS];
static tlslab_limit limits[VERSIONS + SUITES + GROUPS + RESUMPTIONS + NO_SIGNATURES + 4];
static char version[32];

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *why) {
  limits[identity->limits_len++] = (tlslab_limit){axis, value, why};
}

static void report_versions(tlslab_identity *identity) {
  for (size_t at = 0; at < VERSIONS; at++) {
    if (library_knows_version(versions[at].point)) {
      known_versions[identity->versions_len++] = versions[at].point;
    } else {
      limit(identity, "version", versions[at].scenario, "this build has no such version");
    }
  }
}

static void report_suites(tlslab_identity *identity) {
  for (size_t at = 0; at < SUITES; at++) {
    if (library_knows_suite(suites[at].point)) {
      known_suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario, "this build has no such suite");
    }
  }
}

static void report_groups(tlslab_identity *identity) {
  for (size_t at = 0; at < GROUPS; at++) {
    if (library_knows_group(groups[at].point)) {
      known_groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario, "the library does not know the group");
    }
  }
}

/* In TLS 1.2 the suites decide. */
static void report_external_psk(tlslab_identity *identity) {
  uint32_t ways = tlslab_psk_ways(identity->suites, identity->suites_len);
  identity->resumptions |= ways;
  const char *why = "this build has no suite of TLS 1.2 for such a key";
  if (!(ways & TLSLAB_CAN_EXTERNAL_PSK_12)) limit(identity, "resumption", "1.2/external-psk", why);
  if (!(ways & TLSLAB_CAN_EXTERNAL_PSK_ONLY_12)) limit(identity, "resumption", "1.2/external-psk-only", why);
}

static void report_resumptions(tlslab_identity *identity) {
  for (size_t at = 0; at < RESUMPTIONS; at++) {
    if (library_has(resumptions[at].option)) {
      identity->resumptions |= resumptions[at].point;
    } else {
      limit(identity, "resumption", resumptions[at].scenario, "this build has no such way to take up a session");
    }
  }
}

void library_identity(tlslab_identity *identity) {
  mbedtls_version_get_string(version);
  *identity = (tlslab_identity){
      .driver = "mbedtls",
      .library = "Mbed TLS",
      .library_version = version,
      .versions = known_versions,
      .suites = known_suites,
      .groups = known_groups,
      .signatures = signatures,
      .signatures_len = sizeof signatures / sizeof *signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .mutual = 1,
      .hello_retry = 1,
      .operations = OPERATIONS,
      .limits = limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
#if !HAS_FULL_RECORDS
      .record_plaintext_bytes = 16383,
      .record_filled_to_bytes = 16,
#endif
  };
  report_versions(identity);
  report_suites(identity);
  report_groups(identity);
  report_resumptions(identity);
  report_external_psk(identity);
  for (size_t at = 0; at < NO_SIGNATURES; at++) {
    limit(identity, "signature", no_signatures[at], "the library has no such signatures");
  }
  limit(identity, "early_data", "any",
        "its maintainers' configuration builds the library without early data (MBEDTLS_SSL_EARLY_DATA)");
  limit(identity, "server_key_share", "any",
        "the library makes a server's key share in the handshake, and has no call to be given one");
}
