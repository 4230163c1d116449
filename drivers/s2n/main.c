/* A driver for s2n-tls. Here: who the library is and what it can do, as far as it can be asked. */
#include <openssl/crypto.h>

#include "driver.h"

void library_identity(tlslab_identity *identity) {
  static char version[96];
  snprintf(version, sizeof version, "unnumbered, on %s", OpenSSL_version(OPENSSL_VERSION));
  *identity = (tlslab_identity){
      .driver = "s2n",
      .library = "s2n-tls",
      .library_version = version,
      .max_tickets = MOST_TICKETS,
      .max_early_data = MOST_EARLY_DATA,
      .threads = 1,
      .leaves_defaults = 1,
      .offers_more = {"suite", "group"},
      .notes = {
          "Algorithms are chosen by the library's built-in policies: the client offers several suites, groups and schemes, "
          "in TLS 1.3 with a key share for the scenario's group alone, and the server takes what the scenario says.",
      },
      .details = {
          "Records hold 16,384 bytes, as the library's preference for throughput has it; by default they hold 8,087.",
          "The driver turns off the locking of memory, which is on by default.",
          "X25519MLKEM768 is had by a built-in policy that is meant for tests: others send a second key share.",
          "The library leaves it to its user to keep a server's sessions, and encrypts them like tickets: here they are in a "
          "plain table without locks.",
          "A server that accepts early data keeps nothing against replays: the library leaves them to a callback, without which "
          "it accepts all.",
          "A client's session is a string of bytes, which the library parses when the session is taken up.",
      },
  };
}

/* Why no policies lead to a group or a suite, where none do. */
static const char *no_way(uint16_t point) {
  switch (point) {
    case TLSLAB_SECP384R1:
      return "the built-in policies that put P-384 first have no AES-128-GCM in TLS 1.3, and in TLS 1.2 sign with SHA-384";
    case TLSLAB_SECP256R1MLKEM768:
      return "no built-in policy of the library puts this group first, and others cannot be made";
    case TLSLAB_CHACHA20_POLY1305:
      return "no built-in policy of the library puts ChaCha20 first in TLS 1.3, and others cannot be made";
    case TLSLAB_ECDHE_ECDSA_CHACHA20_POLY1305:
      return "no built-in policy of the library puts ChaCha20 with ECDSA before AES, and others cannot be made";
    case TLSLAB_DHE_RSA_AES_256_GCM:
    case TLSLAB_DHE_RSA_CHACHA20_POLY1305:
      return "no built-in policy of the library puts this suite first, and others cannot be made";
    default: return "this library has not all that the built-in policies for it need";
  }
}

/* A version goes with its suites. */
static int can_version(uint16_t version, tlslab_error *why) {
  for (const tlslab_value *suite = tlslab_suites; suite->name != NULL; suite++) {
    if ((suite->exchange == NULL) == (version == TLSLAB_TLS13) && is_reached(0, suite->point)) return 1;
  }
  return tlslab_no(why, "%s", no_way(0));
}

static int can_sign(uint16_t scheme, tlslab_error *why) {
  switch (scheme) {
    case TLSLAB_ED25519: return tlslab_no(why, "the library has no such signatures");
    case TLSLAB_MLDSA44:
    case TLSLAB_MLDSA65:
      return tlslab_no(why, "the built-in policies with ML-DSA offer TLS 1.2 as well, or send two key shares, and others "
                            "cannot be made");
    default: return 1;
  }
}

static int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_EXTERNAL_PSK_12:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12: return tlslab_no(why, "the library has pre-shared keys in TLS 1.3 alone");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return tlslab_no(why, "the library uses a pre-shared key with a key exchange alone");
    default: return 1;
  }
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return can_version(value->point, why);
    case TLSLAB_SUITE: return is_reached(0, value->point) || tlslab_no(why, "%s", no_way(value->point));
    case TLSLAB_GROUP: return is_reached(value->point, 0) || tlslab_no(why, "%s", no_way(value->point));
    case TLSLAB_SIGNATURE: return can_sign(value->point, why);
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_WORK:
      return tlslab_no(why, "s2n-tls has no cryptography of its own; that of AWS-LC, which it calls, is measured with AWS-LC");
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {TLSLAB_CONNECTIONS, TLSLAB_CLOSE, TLSLAB_SESSIONS, TLSLAB_SESSION_COPIES,
                                         TLSLAB_EARLY};

int main(void) {
  if (setenv("S2N_DONT_MLOCK", "1", 1) != 0 || s2n_init() != S2N_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %s\n", s2n_strerror(s2n_errno, "EN"));
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
