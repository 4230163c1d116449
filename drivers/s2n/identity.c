#include "identity.h"

#include <openssl/crypto.h>
#include <stdio.h>

#include "policies.h"
#include "sessions.h"

struct algorithm {
  uint16_t point;
  const char *scenario; /* as scenario files write it */
  const char *no_way;   /* why no policies lead there, where none do */
};

enum { GROUPS = 6, SUITES = 12, NO_SIGNATURES = 3, MOST_EARLY_DATA = 65536 };

#define NO_ML_DSA_ALONE \
  "the built-in policies with ML-DSA offer TLS 1.2 as well, or send two key shares, and others cannot be made"
#define NO_FIELD_FIRST "no built-in policy of the library puts this suite first, and others cannot be made"

static const struct algorithm groups[GROUPS] = {
    {0x001d, "x25519", NULL},
    {0x0017, "p-256", NULL},
    {0x0018, "p-384",
     "the built-in policies that put P-384 first have no AES-128-GCM in TLS 1.3, and in TLS 1.2 sign with SHA-384"},
    {0x11ec, "x25519mlkem768", NULL},
    {0x11eb, "p-256mlkem768", "no built-in policy of the library puts this group first, and others cannot be made"},
    {0x0100, "ffdhe2048", NULL},
};

static const struct algorithm suites[SUITES] = {
    {0x1301, "aes-128-gcm", NULL},
    {0x1302, "aes-256-gcm", NULL},
    {0x1303, "chacha20-poly1305",
     "no built-in policy of the library puts ChaCha20 first in TLS 1.3, and others cannot be made"},
    {0xc02b, "ecdhe-ecdsa-aes-128-gcm", NULL},
    {0xc02c, "ecdhe-ecdsa-aes-256-gcm", NULL},
    {0xcca9, "ecdhe-ecdsa-chacha20-poly1305",
     "no built-in policy of the library puts ChaCha20 with ECDSA before AES, and others cannot be made"},
    {0xc02f, "ecdhe-rsa-aes-128-gcm", NULL},
    {0xc030, "ecdhe-rsa-aes-256-gcm", NULL},
    {0xcca8, "ecdhe-rsa-chacha20-poly1305", NULL},
    {0x009e, "dhe-rsa-aes-128-gcm", NULL},
    {0x009f, "dhe-rsa-aes-256-gcm", NO_FIELD_FIRST},
    {0xccaa, "dhe-rsa-chacha20-poly1305", NO_FIELD_FIRST},
};

static const char *const signatures[] = {"ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-3072", "rsa-4096"};
static const char *const offers_more[] = {"suite", "group"};
static const char *const notes[] = {
    "Algorithms are chosen by the library's built-in policies: the client offers several suites, groups and schemes, "
    "in TLS 1.3 with a key share for the scenario's group alone, and the server takes what the scenario says.",
};
static const char *const details[] = {
    "Records hold 16,384 bytes, as the library's preference for throughput has it; by default they hold 8,087.",
    "The driver turns off the locking of memory, which is on by default.",
    "X25519MLKEM768 is had by a built-in policy that is meant for tests: others send a second key share.",
    "The library leaves it to its user to keep a server's sessions, and encrypts them like tickets: here they are in a "
    "plain table without locks.",
    "A server that accepts early data keeps nothing against replays: the library leaves them to a callback, without which "
    "it accepts all.",
    "A client's session is a string of bytes, which the library parses when the session is taken up.",
};

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  char version[96];
  uint16_t versions[2];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  tlslab_limit limits[2 + SUITES + GROUPS + NO_SIGNATURES + 7];
} claims;

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *no_way) {
  const char *why = no_way != NULL ? no_way : "this library has not all that the built-in policies for it need";
  claims.limits[identity->limits_len++] = (tlslab_limit){axis, value, why};
}

static void report_groups(tlslab_identity *identity) {
  for (size_t at = 0; at < GROUPS; at++) {
    if (reach_of_group(groups[at].point) == REACH_GIVEN) {
      claims.groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario, groups[at].no_way);
    }
  }
}

/* A version goes with its suites. */
static void report_suites(tlslab_identity *identity) {
  int in_12 = 0, in_13 = 0;
  for (size_t at = 0; at < SUITES; at++) {
    if (reach_of_suite(suites[at].point) == REACH_GIVEN) {
      *(suites[at].point >> 8 == 0x13 ? &in_13 : &in_12) = 1;
      claims.suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario, suites[at].no_way);
    }
  }
  if (in_12) claims.versions[identity->versions_len++] = VERSION_12;
  if (in_13) claims.versions[identity->versions_len++] = VERSION_13;
  if (!in_12) limit(identity, "version", "1.2", NULL);
  if (!in_13) limit(identity, "version", "1.3", NULL);
}

void library_identity(tlslab_identity *identity) {
  snprintf(claims.version, sizeof claims.version, "unnumbered, on %s", OpenSSL_version(OPENSSL_VERSION));
  *identity = (tlslab_identity){
      .driver = "s2n",
      .library = "s2n-tls",
      .library_version = claims.version,
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = signatures,
      .signatures_len = sizeof signatures / sizeof *signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | TLSLAB_CAN_TICKET_13 |
                     TLSLAB_CAN_TICKET_REUSED_13 | TLSLAB_CAN_EXTERNAL_PSK_13,
      .mutual = 1,
      .hello_retry = 1,
      .max_early_data = MOST_EARLY_DATA,
      .threads = 1,
      .limits = claims.limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
      .offers_more = offers_more,
      .offers_more_len = sizeof offers_more / sizeof *offers_more,
  };
  report_groups(identity);
  report_suites(identity);
  limit(identity, "signature", "ed25519", "the library has no such signatures");
  limit(identity, "signature", "ml-dsa-44", NO_ML_DSA_ALONE);
  limit(identity, "signature", "ml-dsa-65", NO_ML_DSA_ALONE);
  limit(identity, "resumption", "1.2/external-psk", "the library has pre-shared keys in TLS 1.3 alone");
  limit(identity, "resumption", "1.2/external-psk-only", "the library has pre-shared keys in TLS 1.3 alone");
  limit(identity, "resumption", "1.3/external-psk-only", "the library uses a pre-shared key with a key exchange alone");
  limit(identity, "server_key_share", "any",
        "the library makes a server's key share in the handshake, and has no call to be given one");
  limit(identity, "work", "primitive",
        "s2n-tls has no cryptography of its own; that of AWS-LC, which it calls, is measured with AWS-LC");
}
