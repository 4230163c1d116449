#include "identity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "library.h"
#include "names.h"
#include "pin.h"
#include "primitive_claims.h"

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  char library[64];
  char version[64];
  uint16_t versions[2];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  const char *signatures[8];
  tlslab_limit limits[SUITES + GROUPS + 16];
} claims;
static char reasons[sizeof claims.limits / sizeof *claims.limits][256];

static const char *const details[] = {
    "The library's configuration file is not read; what a scenario does not pin is the library's built-in default.",
#if !HAS_SIGNATURE_SETTER
    "Signature schemes cannot be set: the client offers all it knows, and a server with a P-256 key has but one to use.",
#endif
#if DEFERS_TICKETS
    "The library keeps a server's tickets back until its first write; where a scenario has tickets, a write of no "
    "bytes sends them and counts as part of the handshake.",
#endif
#if EARLY_DATA_BY_CALLS
    "A server that accepts early data guards against replays, which is the library's default: its tickets name sessions "
    "that it keeps, and each is forgotten when it is taken up.",
#elif MOST_EARLY_DATA > 0
    "A server that accepts early data keeps nothing of it: the library leaves replays to the application.",
#endif
#if CAN_DO_WITHOUT_KEY_EXCHANGE
    "A client that offers a pre-shared key without a key exchange offers one with it, too, and makes a key share that is "
    "not used: the library has no option to change that.",
#endif
#if IMPORTS_PSK
    "An external PSK is imported as RFC 9258 has it, when the connection's first message is made or read: "
    "the library has no other way.",
#endif
};

#if !HAS_SUITE_SETTER
static const char *const notes[] = {
    "TLS 1.3 suites cannot be set: AES-256-GCM is had by a compliance policy that allows no other; for the rest the "
    "client offers all three, which makes its first message longer, and the server takes the one that is fast on the "
    "processor.",
};
static const char *const offers_more[] = {"suite"};
#elif CAN_DO_WITHOUT_KEY_EXCHANGE
static const char *const offers_more[] = {"psk_mode"};
#endif

/* "OpenSSL 3.5.5 27 Jan 2026": the first word that begins with a digit is the version, what stands before it the
 * name. */
static void report_library(const char *text) {
  const char *version = text;
  while (*version != '\0' && !(version > text && version[-1] == ' ' && isdigit((unsigned char)*version))) version++;
  size_t name_len = (size_t)(version - text);
  while (name_len > 0 && text[name_len - 1] == ' ') name_len--;
  snprintf(claims.library, sizeof claims.library, "%.*s", (int)name_len, text);
  if (*version != '\0') {
    snprintf(claims.version, sizeof claims.version, "%.*s", (int)strcspn(version, " "), version);
    return;
  }
#if defined(BORINGSSL_API_VERSION)
  snprintf(claims.version, sizeof claims.version, "unnumbered (API %d)", BORINGSSL_API_VERSION);
#else
  snprintf(claims.version, sizeof claims.version, "unnumbered");
#endif
}

static const char *reported_version(void) {
#if defined(OPENSSL_IS_AWSLC)
  return awslc_version_string();
#else
  return OpenSSL_version(OPENSSL_VERSION);
#endif
}

typedef int pin_call(SSL_CTX *ssl, uint16_t point);

static int can(pin_call *pin, uint16_t point) {
  SSL_CTX *ssl = SSL_CTX_new(TLS_server_method());
  int able = ssl != NULL && pin(ssl, point);
  SSL_CTX_free(ssl);
  ERR_clear_error();
  return able;
}

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *why) {
  size_t at = identity->limits_len++;
  snprintf(reasons[at], sizeof reasons[at], "%s %s %s", claims.library, claims.version, why);
  claims.limits[at] = (tlslab_limit){axis, value, reasons[at]};
}

static void report_versions(tlslab_identity *identity) {
  static const struct {
    uint16_t point;
    const char *scenario;
  } versions[] = {{TLS1_2_VERSION, "1.2"}, {TLS1_3_VERSION, "1.3"}};
  for (size_t at = 0; at < sizeof versions / sizeof *versions; at++) {
    if (can(pin_version, versions[at].point)) {
      claims.versions[identity->versions_len++] = versions[at].point;
    } else {
      limit(identity, "version", versions[at].scenario, "refuses the version");
    }
  }
}

static void report_suites(tlslab_identity *identity) {
  for (size_t at = 0; at < SUITES; at++) {
    if (can(pin_suite, suites[at].point)) {
      claims.suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario,
            HAS_SUITE_SETTER || suites[at].point >> 8 != 0x13
                ? "refuses the suite"
                             : "has no setter for TLS 1.3 suites and prefers another on this processor");
    }
  }
}

static void report_groups(tlslab_identity *identity) {
  for (size_t at = 0; at < GROUPS; at++) {
    if (can(pin_group, groups[at].point) || (groups[at].point == FFDHE2048 && can(pin_field, FFDHE2048))) {
      claims.groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario, "does not know the group");
    }
  }
}

static void report_signatures(tlslab_identity *identity) {
  static const struct {
    const char *key_type;
    uint16_t scheme;
  } keys[] = {{"ecdsa-p256", 0x0403}, {"ecdsa-p384", 0x0503}, {"ed25519", 0x0807},   {"rsa-2048", 0x0804},
              {"rsa-3072", 0x0804},   {"rsa-4096", 0x0804},   {"ml-dsa-44", 0x0904}, {"ml-dsa-65", 0x0905}};
  for (size_t at = 0; at < sizeof keys / sizeof *keys; at++) {
    if (can(pin_scheme, keys[at].scheme)) {
      claims.signatures[identity->signatures_len++] = keys[at].key_type;
    } else {
      limit(identity, "signature", keys[at].key_type,
            HAS_SIGNATURE_SETTER ? "refuses the signature scheme"
                                 : "has no setter for signature schemes and prefers a longer digest");
    }
  }
}

static void report_tickets(tlslab_identity *identity) {
  identity->max_tickets = MOST_TICKETS;
  identity->resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12;
  if (MOST_TICKETS > 0) {
    identity->resumptions |= TLSLAB_CAN_TICKET_13 | TLSLAB_CAN_TICKET_REUSED_13;
    return;
  }
  limit(identity, "resumption", "1.3/ticket", "sends no tickets in TLS 1.3");
  limit(identity, "resumption", "1.3/ticket-reused", "sends no tickets in TLS 1.3");
  limit(identity, "tickets", "1", "sends no tickets in TLS 1.3");
  limit(identity, "tickets", "2", "sends no tickets in TLS 1.3");
}

/* In TLS 1.2 the suites decide. */
static void report_external_psk(tlslab_identity *identity) {
  if (HAS_PSK_SUITES) identity->resumptions |= tlslab_psk_ways(identity->suites, identity->suites_len);
  if (!(identity->resumptions & TLSLAB_CAN_EXTERNAL_PSK_12)) {
    limit(identity, "resumption", "1.2/external-psk", "has no suite of TLS 1.2 with an AEAD and a pre-shared key");
  }
  if (!(identity->resumptions & TLSLAB_CAN_EXTERNAL_PSK_ONLY_12)) {
    limit(identity, "resumption", "1.2/external-psk-only",
          "has no suite of TLS 1.2 with an AEAD and a pre-shared key without a key exchange");
  }
  if (HAS_PSK_SESSIONS || IMPORTS_PSK) {
    identity->resumptions |= TLSLAB_CAN_EXTERNAL_PSK_13;
  } else {
    limit(identity, "resumption", "1.3/external-psk", "has external PSKs in TLS 1.2 alone");
  }
  if (CAN_DO_WITHOUT_KEY_EXCHANGE) {
    identity->resumptions |= TLSLAB_CAN_EXTERNAL_PSK_ONLY_13;
  } else if (HAS_PSK_SESSIONS) {
    limit(identity, "resumption", "1.3/external-psk-only",
          "has no server that prefers a pre-shared key without a key exchange");
  } else {
    limit(identity, "resumption", "1.3/external-psk-only",
          "has no pre-shared keys without a key exchange in TLS 1.3");
  }
}

static void report_handshakes(tlslab_identity *identity) {
  identity->hello_retry = 1;
  identity->max_early_data = MOST_EARLY_DATA;
  if (MOST_EARLY_DATA == 0) {
    limit(identity, "early_data", "any", "has no early data");
  } else {
    char most[96];
    snprintf(most, sizeof most, "accepts at most %d bytes of early data", MOST_EARLY_DATA);
    limit(identity, "early_data", "any", most);
  }
  limit(identity, "server_key_share", "any", "makes a server's key share in the handshake, and has no call to be given one");
}

void library_identity(tlslab_identity *identity) {
  report_library(reported_version());
  *identity = (tlslab_identity){
      .driver = "libssl",
      .library = claims.library,
      .library_version = claims.version,
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = claims.signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .mutual = 1,
      .threads = 1,
      .flushes = 1,
      .limits = claims.limits,
      .details = details,
      .details_len = sizeof details / sizeof *details,
#if !HAS_SUITE_SETTER
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
#endif
#if !HAS_SUITE_SETTER || CAN_DO_WITHOUT_KEY_EXCHANGE
      .offers_more = offers_more,
      .offers_more_len = sizeof offers_more / sizeof *offers_more,
#endif
  };
  report_versions(identity);
  report_suites(identity);
  report_groups(identity);
  report_signatures(identity);
  report_tickets(identity);
  report_handshakes(identity);
  report_external_psk(identity);
  primitives_tell(identity);
}
