/* A driver for s2n-tls. */

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#include "connection.h"

enum { MOST_TICKETS = 16 };

static const uint16_t versions[] = {0x0304};
static const uint16_t claimed_suites[] = {0x1301, 0x1302};
static const uint16_t claimed_groups[] = {0x001d, 0x0017, 0x11ec};
static const char *const signatures[] = {"ecdsa-p256", "rsa-2048", "rsa-4096"};
static const tlslab_limit limits[] = {
    {"suite", "chacha20-poly1305", "no built-in policy of the library puts ChaCha20 first, and others cannot be made"},
    {"group", "p-384", "the built-in policies of TLS 1.3 alone that put P-384 first have no AES-128-GCM"},
    {"group", "p-256mlkem768", "no built-in policy of the library puts this group first, and others cannot be made"},
};
static const char *const offers_more[] = {"suite", "group"};
static const char *const notes[] = {
    "Algorithms are chosen by the library's built-in policies: the client offers several suites, groups and schemes, "
    "with a key share for the scenario's group alone, and the server takes what the scenario says.",
};
static const char *const details[] = {
    "Records hold 16,384 bytes, as the library's preference for throughput has it; by default they hold 8,087.",
    "The library is told not to lock its memory, which it does otherwise.",
    "X25519MLKEM768 is had by a built-in policy that is meant for tests: others send a second key share.",
};

static void identity(tlslab_identity *identity) {
  static char version[96];
  snprintf(version, sizeof version, "unnumbered, on %s", OpenSSL_version(OPENSSL_VERSION));
  *identity = (tlslab_identity){
      .driver = "s2n",
      .library = "s2n-tls",
      .library_version = version,
      .versions = versions,
      .versions_len = sizeof versions / sizeof *versions,
      .suites = claimed_suites,
      .suites_len = sizeof claimed_suites / sizeof *claimed_suites,
      .groups = claimed_groups,
      .groups_len = sizeof claimed_groups / sizeof *claimed_groups,
      .signatures = signatures,
      .signatures_len = sizeof signatures / sizeof *signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
      .limits = limits,
      .limits_len = sizeof limits / sizeof *limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
      .offers_more = offers_more,
      .offers_more_len = sizeof offers_more / sizeof *offers_more,
  };
}

static const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context_new,
    .context_free = context_free,
    .create = connection_new,
    .connection_free = connection_free,
    .handshake = connection_handshake,
    .send = connection_send,
    .receive = connection_receive,
    .facts = connection_facts,
};

int main(void) {
  if (setenv("S2N_DONT_MLOCK", "1", 1) != 0 || s2n_init() != S2N_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %s\n", s2n_strerror(s2n_errno, "EN"));
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
