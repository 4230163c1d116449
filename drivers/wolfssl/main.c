/* A driver for wolfSSL by its own interface. Here: who the library is and what it can do. Suites, groups and schemes
 * are found out by trying them on a context that is thrown away. */
#include "driver.h"

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "wolfssl",
      .library = "wolfSSL",
      .library_version = wolfSSL_lib_version(),
      .max_tickets = 16,
      .max_early_data = HAS_EARLY_DATA ? 65536 : 0,
      .has_psk_suites = 1,
      .threads = 1,
      .reads_roots = 1,
      .leaves_defaults = 1,
      .flushes = 1,
      .notes = {
          "In TLS 1.2 the server sends a new ticket in every connection that takes one up.",
#if HAS_SIGNATURE_SETTER
          "Built with its OpenSSL compatibility layer, through which alone signature schemes can be set; the layer makes a "
          "client do more per handshake.",
#endif
      },
      .details = {
          "With certificates of ML-DSA the client offers the other signature schemes, too: the setter has no names for these.",
          "Every connection seeds a random number generator of its own from the operating system when it is made.",
          "The first connection that verifies an intermediate certificate adds it to the context's trusted ones; its "
          "signature is still verified in every connection.",
          "In TLS 1.3 the client does not offer middlebox compatibility: no session id and no ChangeCipherSpec.",
          "The server sends every handshake message in a record of its own.",
          "A chain of connections that each take up the ticket of the one before ends after 255 in TLS 1.3, where the server "
          "runs out of numbers for its tickets; every 200 a full handshake off the clock starts a new chain.",
#if HAS_EARLY_DATA
          "A server that accepts early data keeps sessions as well as tickets, and forgets each when its early data comes: "
          "the library's guard against replays.",
#endif
      },
  };
}

static int can(int (*pin)(WOLFSSL_CTX *ssl, uint16_t point), uint16_t version, uint16_t point) {
  WOLFSSL_CTX *ssl = pin_version(TLSLAB_CLIENT, version);
  int able = ssl != NULL && pin(ssl, point);
  wolfSSL_CTX_free(ssl);
  return able;
}

static int has_ticket_keys(WOLFSSL_CTX *ssl, uint16_t ignored) {
  (void)ignored;
  return wolfSSL_CTX_get_TicketEncCtx(ssl) != NULL;
}

static int any(WOLFSSL_CTX *ssl, uint16_t ignored) {
  (void)ssl, (void)ignored;
  return 1;
}

static int can_resume(uint16_t way, tlslab_error *why) {
  uint16_t version = way == TLSLAB_CAN_TICKET_12 ? TLSLAB_TLS12 : TLSLAB_TLS13;
  switch (way) {
    case TLSLAB_CAN_SESSION_ID_12: return HAS_TLS12;
    case TLSLAB_CAN_TICKET_12:
    case TLSLAB_CAN_TICKET_13:
    case TLSLAB_CAN_TICKET_REUSED_13:
      /* Without the version there is no more to say. */
      if (!can(any, version, 0)) return 0;
      return can(has_ticket_keys, version, 0) || tlslab_no(why, "this build of the library has no keys for tickets");
    case TLSLAB_CAN_EXTERNAL_PSK_13:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return HAS_PSK || tlslab_no(why, "this build of the library has no external PSKs");
    default:
      return tlslab_no(why, HAS_PSK ? "this build of the library has no suites for pre-shared keys in TLS 1.2"
                                    : "this build of the library has no external PSKs");
  }
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  uint16_t point = value->point;
  switch (axis) {
    case TLSLAB_VERSION: return can(any, point, 0) || tlslab_no(why, "this build of the library lacks the version");
    case TLSLAB_SUITE:
      return can(pin_suite, value->exchange == NULL ? TLSLAB_TLS13 : TLSLAB_TLS12, point) ||
             tlslab_no(why, "this build of the library refuses the suite");
    case TLSLAB_GROUP:
      return can(pin_group, TLSLAB_TLS13, point) || tlslab_no(why, "this build of the library refuses the group");
    case TLSLAB_SIGNATURE:
      return can(pin_scheme, TLSLAB_TLS13, point) ||
             tlslab_no(why, "the library has a setter for signature schemes in its compatibility layer alone, which is not "
                            "built in");
    case TLSLAB_RESUMPTION: return can_resume(point, why);
    case TLSLAB_AUTHENTICATION:
      return HAS_CLIENT_AUTH || tlslab_no(why, "this build of the library cannot verify a client's certificate");
    case TLSLAB_EARLY_DATA: return HAS_EARLY_DATA || tlslab_no(why, "this build of the library has no early data");
    case TLSLAB_PRIMITIVE: return value->is_claimed && value->operation <= TLSLAB_DECAPSULATE;
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS,
    TLSLAB_CLOSE,
    TLSLAB_SESSIONS,
    TLSLAB_SESSION_COPIES,
    TLSLAB_KEY_SHARES,
#if HAS_EARLY_DATA
    TLSLAB_EARLY,
#endif
    TLSLAB_PRIMITIVES,
};

int main(void) {
  if (wolfSSL_Init() != WOLFSSL_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised\n");
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
