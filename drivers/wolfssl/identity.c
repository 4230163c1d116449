#include "identity.h"

#include "pin.h"
#include "primitive.h"

enum { MOST_TICKETS = 16, LIMITS = SUITES + GROUPS + 24, MOST_EARLY_DATA = 65536 };

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  uint16_t versions[2];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  const char *signatures[8];
  tlslab_limit limits[LIMITS];
} claims;

static const char *const notes[] = {
    "In TLS 1.2 the server sends a new ticket in every connection that takes one up.",
#if HAS_SIGNATURE_SETTER
    "Built with its OpenSSL compatibility layer, through which alone signature schemes can be set; the layer makes a "
    "client do more per handshake.",
#endif
};

static const char *const details[] = {
    "With certificates of ML-DSA the client offers the other signature schemes, too: the setter has no names for these.",
    "Every connection seeds a random number generator of its own from the operating system when it is made.",
    "The first connection that verifies an intermediate certificate adds it to the context's trusted ones; its "
    "signature is still verified in every connection.",
    "In TLS 1.3 the client does not offer middlebox compatibility: no session id and no ChangeCipherSpec.",
    "The server sends every handshake message in a record of its own.",
    "A chain of connections that each take up the ticket of the one before ends after 255 in TLS 1.3, where the server "
    "runs out of numbers for its tickets; every 200 a full handshake off the clock starts a new chain.",
#if HAS_EARLY_DATA
    "A server that accepts early data keeps its sessions beside their tickets, and forgets each when its early data comes: "
    "the library's guard against replays.",
#endif
};

typedef int pin_call(WOLFSSL_CTX *ssl, uint16_t point);

static int can(pin_call *pin, uint16_t version, uint16_t point) {
  WOLFSSL_CTX *ssl = pin_version(TLSLAB_CLIENT, version);
  int able = ssl != NULL && pin(ssl, point);
  wolfSSL_CTX_free(ssl);
  return able;
}

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *reason) {
  claims.limits[identity->limits_len++] = (tlslab_limit){axis, value, reason};
}

static void report_versions(tlslab_identity *identity) {
  static const struct {
    uint16_t point;
    const char *scenario;
  } versions[] = {{TLS12, "1.2"}, {TLS13, "1.3"}};
  for (size_t at = 0; at < sizeof versions / sizeof *versions; at++) {
    WOLFSSL_CTX *ssl = pin_version(TLSLAB_SERVER, versions[at].point);
    if (ssl != NULL) {
      claims.versions[identity->versions_len++] = versions[at].point;
    } else {
      limit(identity, "version", versions[at].scenario, "this build of the library lacks the version");
    }
    wolfSSL_CTX_free(ssl);
  }
}

static void report_suites(tlslab_identity *identity) {
  for (size_t at = 0; at < SUITES; at++) {
    if (can(pin_suite, suites[at].point >> 8 == 0x13 ? TLS13 : TLS12, suites[at].point)) {
      claims.suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario, "this build of the library refuses the suite");
    }
  }
}

static void report_groups(tlslab_identity *identity) {
  for (size_t at = 0; at < GROUPS; at++) {
    if (can(pin_group, TLS13, groups[at].point)) {
      claims.groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario, "this build of the library refuses the group");
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
    if (can(pin_scheme, TLS13, keys[at].scheme)) {
      claims.signatures[identity->signatures_len++] = keys[at].key_type;
    } else {
      limit(identity, "signature", keys[at].key_type,
            "the library has a setter for signature schemes in its compatibility layer alone, which is not built in");
    }
  }
}

static void report_resumptions(tlslab_identity *identity) {
  static const struct {
    uint16_t version;
    uint32_t bit;
    const char *scenario;
  } ways[] = {{TLS12, TLSLAB_CAN_TICKET_12, "1.2/ticket"}, {TLS13, TLSLAB_CAN_TICKET_13, "1.3/ticket"}};
  for (size_t at = 0; at < sizeof ways / sizeof *ways; at++) {
    WOLFSSL_CTX *ssl = pin_version(TLSLAB_SERVER, ways[at].version);
    if (ssl != NULL && wolfSSL_CTX_get_TicketEncCtx(ssl) != NULL) {
      identity->resumptions |= ways[at].bit;
      if (ways[at].version == TLS13) identity->resumptions |= TLSLAB_CAN_TICKET_REUSED_13;
    } else if (ssl != NULL) {
      limit(identity, "resumption", ways[at].scenario, "this build of the library has no keys for tickets");
      if (ways[at].version == TLS13) {
        limit(identity, "resumption", "1.3/ticket-reused", "this build of the library has no keys for tickets");
      }
    }
    wolfSSL_CTX_free(ssl);
  }
  if (HAS_TLS12) identity->resumptions |= TLSLAB_CAN_SESSION_ID_12;
  if (!HAS_EARLY_DATA) limit(identity, "early_data", "any", "this build of the library has no early data");
}

static void report_external_psk(tlslab_identity *identity) {
  static const struct {
    uint32_t bit;
    const char *scenario;
  } ways[] = {{TLSLAB_CAN_EXTERNAL_PSK_12, "1.2/external-psk"},
              {TLSLAB_CAN_EXTERNAL_PSK_ONLY_12, "1.2/external-psk-only"},
              {TLSLAB_CAN_EXTERNAL_PSK_13, "1.3/external-psk"},
              {TLSLAB_CAN_EXTERNAL_PSK_ONLY_13, "1.3/external-psk-only"}};
  if (HAS_PSK) {
    identity->resumptions |= TLSLAB_CAN_EXTERNAL_PSK_13 | TLSLAB_CAN_EXTERNAL_PSK_ONLY_13 |
                             tlslab_psk_ways(identity->suites, identity->suites_len);
  }
  for (size_t at = 0; at < sizeof ways / sizeof *ways; at++) {
    if (identity->resumptions & ways[at].bit) continue;
    limit(identity, "resumption", ways[at].scenario,
          HAS_PSK ? "this build of the library has no suites for pre-shared keys in TLS 1.2"
                  : "this build of the library has no external PSKs");
  }
}

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "wolfssl",
      .library = "wolfSSL",
      .library_version = wolfSSL_lib_version(),
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = claims.signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .mutual = HAS_CLIENT_AUTH,
      .hello_retry = 1,
      .max_early_data = HAS_EARLY_DATA ? MOST_EARLY_DATA : 0,
      .pregenerated = 1,
      .threads = 1,
      .flushes = 1,
      .operations = OPERATIONS,
      .limits = claims.limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
  };
  report_versions(identity);
  report_suites(identity);
  report_groups(identity);
  report_signatures(identity);
  report_resumptions(identity);
  report_external_psk(identity);
  if (!HAS_CLIENT_AUTH) {
    limit(identity, "authentication", "mutual", "this build of the library cannot verify a client's certificate");
  }
}
