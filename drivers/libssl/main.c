/* A driver for the libraries that share OpenSSL's interface. Here: who the library is and what it can do. Every claim
 * is found out by trying it on a context that is thrown away. */
#include <ctype.h>

#include "driver.h"

static char library[64], version[64];

/* "OpenSSL 3.5.5 27 Jan 2026": the first word that begins with a digit is the version, what stands before it the
 * name. */
static void report_library(const char *text) {
  const char *number = text;
  while (*number != '\0' && !(number > text && number[-1] == ' ' && isdigit((unsigned char)*number))) number++;
  size_t name_len = (size_t)(number - text);
  while (name_len > 0 && text[name_len - 1] == ' ') name_len--;
  snprintf(library, sizeof library, "%.*s", (int)name_len, text);
  if (*number != '\0') {
    snprintf(version, sizeof version, "%.*s", (int)strcspn(number, " "), number);
    return;
  }
#if defined(BORINGSSL_API_VERSION)
  snprintf(version, sizeof version, "unnumbered (API %d)", BORINGSSL_API_VERSION);
#else
  snprintf(version, sizeof version, "unnumbered");
#endif
}

static const char *reported_version(void) {
#if defined(OPENSSL_IS_AWSLC)
  return awslc_version_string();
#else
  return OpenSSL_version(OPENSSL_VERSION);
#endif
}

void library_identity(tlslab_identity *identity) {
  report_library(reported_version());
  *identity = (tlslab_identity){
      .driver = "libssl",
      .library = library,
      .library_version = version,
      .max_tickets = MOST_TICKETS,
      .max_early_data = MOST_EARLY_DATA,
      .has_psk_suites = 1,
      .threads = 1,
      .reads_roots = 1,
      .leaves_defaults = 1,
      .flushes = 1,
#if CHOOSES_SUITES
      .offers_more = {"suite"},
      .notes = {"TLS 1.3 suites cannot be set: AES-256-GCM is had by a compliance policy that allows no other; for the rest "
                "the client offers all three, which makes its first message longer, and the server takes the one that is "
                "fast on the processor."},
#elif CAN_DO_WITHOUT_KEY_EXCHANGE
      .offers_more = {"psk_mode"},
#endif
      .details = {
            "The library's configuration file is not read; what a scenario does not pin is the library's built-in default.",
#if !HAS_SIGNATURE_SETTER
            "Signature schemes cannot be set: the client offers all it knows, and a server of TLS 1.3 with a key on a curve has "
            "but one to use.",
#endif
#if DEFERS_TICKETS
            "The library keeps a server's tickets back until its first write; where a scenario has tickets, a write of no "
            "bytes sends them and counts as part of the handshake.",
#endif
#if EARLY_DATA_BY_CALLS
            "A server that accepts early data guards against replays, which is the library's default and can be set by "
            "SSL_OP_NO_ANTI_REPLAY: its tickets name sessions that it keeps, and each is forgotten when it is taken up.",
#elif MOST_EARLY_DATA > 0
            "A server that accepts early data keeps nothing of it: the library leaves replays to the application.",
#endif
#if CAN_DO_WITHOUT_KEY_EXCHANGE
            "A client that offers a pre-shared key without a key exchange offers one with it, too, and makes a key share "
            "that is not used: the library has no option to change that.",
#endif
#if IMPORTS_PSK
            "An external PSK is imported as RFC 9258 has it, when the connection's first message is made or read: "
            "the library has no other way.",
#endif
      },
  };
  settings_describe(identity);
}

static int no(tlslab_error *why, const char *what) { return tlslab_no(why, "%s %s %s", library, version, what); }

#define WHY_NOT_TLS12 "has no setter for signature schemes, and signs with the longest digest in TLS 1.2"

static int can_resume(uint16_t way, tlslab_error *why) {
  if (!PINS_SIGNATURES_OF_TLS12 && way <= TLSLAB_CAN_EXTERNAL_PSK_ONLY_12) return no(why, WHY_NOT_TLS12);
  switch (way) {
    case TLSLAB_CAN_TICKET_13:
    case TLSLAB_CAN_TICKET_REUSED_13: return MOST_TICKETS > 0 || no(why, "sends no tickets in TLS 1.3");
    case TLSLAB_CAN_EXTERNAL_PSK_12: return no(why, "has no suite of TLS 1.2 with an AEAD and a pre-shared key");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12:
      return no(why, "has no suite of TLS 1.2 with an AEAD and a pre-shared key without a key exchange");
    case TLSLAB_CAN_EXTERNAL_PSK_13:
      return HAS_PSK_SESSIONS || IMPORTS_PSK || no(why, HAS_PSK_SUITES ? "has external PSKs in TLS 1.2 alone" : "has no external PSKs");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return CAN_DO_WITHOUT_KEY_EXCHANGE ||
             no(why, HAS_PSK_SESSIONS ? "has no server that prefers a pre-shared key without a key exchange"
                                      : "has no pre-shared keys without a key exchange in TLS 1.3");
    default: return 1;
  }
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION:
      if (!PINS_SIGNATURES_OF_TLS12 && value->point == TLS1_2_VERSION) return no(why, WHY_NOT_TLS12);
      return can_pin(pin_version, value->point) || no(why, "refuses the version");
    case TLSLAB_SUITE:
      return can_pin(pin_suite, value->point) ||
             no(why, !CHOOSES_SUITES || value->exchange != NULL
                         ? "refuses the suite"
                         : "has no setter for TLS 1.3 suites and prefers another on this processor");
    case TLSLAB_GROUP:
      return can_pin(pin_group, value->point) || can_pin(pin_field, value->point) || no(why, "does not know the group");
    case TLSLAB_SIGNATURE:
      return can_pin(pin_scheme, value->point) ||
             no(why, HAS_SIGNATURE_SETTER ? "refuses the signature scheme"
                                          : "has no setter for signature schemes and prefers a longer digest");
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_TICKETS: return no(why, "sends no tickets in TLS 1.3");
    case TLSLAB_HELLO_RETRY: return !MAKES_ALL_KEY_SHARES || no(why, "makes a client's key share for each of two groups");
    case TLSLAB_EARLY_DATA:
      if (MOST_EARLY_DATA == 0) return no(why, "has no early data");
      return tlslab_no(why, "%s %s accepts at most %d bytes of early data", library, version, MOST_EARLY_DATA);
    case TLSLAB_SERVER_KEY_SHARE:
      return no(why, "makes a server's key share in the handshake, and has no call to be given one");
    case TLSLAB_PRIMITIVE:
      return primitive_known(value) ||
             (value->point == TLSLAB_FFDHE2048 && value->is_claimed &&
              tlslab_no(why, "the library has no encoding for a share of a finite field outside its TLS"));
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS,
    TLSLAB_CLOSE,
    TLSLAB_SESSIONS,
    TLSLAB_SESSION_COPIES,
#if MOST_EARLY_DATA > 0
    TLSLAB_EARLY,
#endif
    TLSLAB_PRIMITIVES,
};

int main(void) {
  /* A configuration file belongs to a machine; what is measured is the library as it was built. */
  if (!OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) || !wire_prepare()) {
    fprintf(stderr, "the library cannot be initialised\n");
    return 1;
  }
  char why[256];
  if (!settings_read(why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
