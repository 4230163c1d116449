/* A driver for LibreTLS: the libtls interface on OpenSSL. */
#include <openssl/crypto.h>
#include <stdio.h>

#include "libretls.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define NO_HYBRID "libtls takes groups by OpenSSL's object identifiers, and the hybrid groups have none"
#define NO_TICKETS "libtls's callback for ticket keys returns what OpenSSL in TLS 1.3 takes for no ticket"

static const uint16_t versions[] = {0x0304};
static const char *const signatures[] = {"ecdsa-p256", "rsa-2048", "rsa-4096"};
static const tlslab_limit limits[] = {
    {"group", "x25519mlkem768", NO_HYBRID}, {"group", "p-256mlkem768", NO_HYBRID},
    {"tickets", "1", NO_TICKETS},           {"tickets", "2", NO_TICKETS},
    {"tickets", "4", NO_TICKETS},           {"tickets", "16", NO_TICKETS},
};
static const char *const notes[] = {
    "The client makes an OpenSSL context, and reads the root where it checks the chain, anew for each connection: libtls "
    "has nothing that connections could share.",
};
static const char *const details[] = {
    "libtls has no setter for TLS 1.3 suites, signature schemes and the number of tickets: these are pinned by OpenSSL's "
    "configuration, from memory.",
    "The client always asks for the state of the certificate (OCSP), which the server does not have.",
};

int reason(tlslab_error *error, const char *what, const char *why) {
  snprintf(error->text, sizeof error->text, "%s: %s", what, why == NULL ? "the library gave no reason" : why);
  return TLSLAB_FAILED;
}

static void identity(tlslab_identity *identity) {
  static char version[96];
  static uint16_t claimed_suites[SUITES], claimed_groups[GROUPS];
  for (size_t at = 0; at < SUITES; at++) claimed_suites[at] = suites[at].point;
  for (size_t at = 0; at < GROUPS; at++) claimed_groups[at] = groups[at].point;
  snprintf(version, sizeof version, LIBRETLS_VERSION ", on %s", OpenSSL_version(OPENSSL_VERSION));
  *identity = (tlslab_identity){
      .driver = "libretls", .library = "LibreTLS", .library_version = version,
      .versions = versions, .versions_len = COUNT(versions),
      .suites = claimed_suites, .suites_len = SUITES,
      .groups = claimed_groups, .groups_len = GROUPS,
      .signatures = signatures, .signatures_len = COUNT(signatures),
      .verification_levels = 1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .limits = limits, .limits_len = COUNT(limits),
      .notes = notes, .notes_len = COUNT(notes),
      .details = details, .details_len = COUNT(details),
  };
}

static const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context_new, .context_free = context_free,
    .create = connection_new, .connection_free = connection_free,
    .handshake = connection_handshake, .send = connection_send, .receive = connection_receive,
    .facts = connection_facts,
};

int main(void) { return tls_init() == 0 ? tlslab_driver_main(&endpoint) : 1; }
