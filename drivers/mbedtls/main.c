/* A driver for Mbed TLS. */

#include <mbedtls/version.h>
#include <psa/crypto.h>
#include <stdio.h>

#include "connection.h"
#include "sessions.h"

enum { MOST_TICKETS = 16 };

static const uint16_t versions[] = {MBEDTLS_SSL_VERSION_TLS1_2, MBEDTLS_SSL_VERSION_TLS1_3};
static const char *const signatures[] = {"ecdsa-p256", "rsa-2048", "rsa-4096"};
static const char *const details[] = {
    "The configuration is the library's own, with AES-NI chosen at run time.",
    "Connections draw from the one random number generator of the library's PSA part.",
    "A session is copied when it is put into a connection, on the clock, and when it is taken out of one, off the clock.",
    "A client that asks for a name always checks it; at verification level chain a callback forgives the outcome.",
};

static const char *const notes[] = {
#if HAS_FULL_RECORDS
    "The library is changed in one place and configured not to pad, so that records hold 16,384 bytes as others' do; by "
    "itself it counts the content type in, sends at most 16,383 and pads to multiples of 16.",
#else
    "TLS 1.3 records, those of the handshake too, are padded to multiples of 16 bytes and hold at most 16,383 bytes, the "
    "library's default: a write of 16,384 bytes makes two.",
#endif
};

static uint16_t known_suites[SUITES];
static uint16_t known_groups[GROUPS];
static tlslab_limit limits[SUITES + GROUPS];
static char version[32];

static void identity(tlslab_identity *identity) {
  mbedtls_version_get_string(version);
  *identity = (tlslab_identity){
      .driver = "mbedtls",
      .library = "Mbed TLS",
      .library_version = version,
      .versions = versions,
      .versions_len = sizeof versions / sizeof *versions,
      .resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | TLSLAB_CAN_TICKET_13,
      .mutual = 1,
      .suites = known_suites,
      .groups = known_groups,
      .signatures = signatures,
      .signatures_len = sizeof signatures / sizeof *signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = MOST_TICKETS,
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
  for (size_t at = 0; at < SUITES; at++) {
    if (library_knows_suite(suites[at].point)) {
      known_suites[identity->suites_len++] = suites[at].point;
    } else {
      limits[identity->limits_len++] = (tlslab_limit){"suite", suites[at].scenario, "this build has no such suite"};
    }
  }
  for (size_t at = 0; at < GROUPS; at++) {
    if (library_knows_group(groups[at].point)) {
      known_groups[identity->groups_len++] = groups[at].point;
    } else {
      limits[identity->limits_len++] =
          (tlslab_limit){"group", groups[at].scenario, "the library does not know the group"};
    }
  }
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
    .session = connection_session,
    .session_free = session_free,
    .resume = connection_resume,
};

int main(void) {
  psa_status_t status = psa_crypto_init();
  if (status != PSA_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %d\n", (int)status);
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
