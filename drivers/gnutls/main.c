/* A driver for GnuTLS. Here: who the library is and what it can do. */
#include "driver.h"

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "gnutls",
      .library = "GnuTLS",
      .library_version = gnutls_check_version(NULL),
      .max_tickets = MOST_TICKETS,
      .max_early_data = MOST_EARLY_DATA,
      .has_psk_suites = 1,
      .threads = 1,
      .reads_roots = 1,
      .leaves_defaults = 1,
      .notes = {
          "RSA and elliptic curves rest on GMP, whose assembly is chosen when it is built: for the architecture in general, "
          "unless a variant says otherwise.",
      },
      .details = {
          "The client sends the library's default extensions, status_request and record_size_limit among them.",
          "Verification is gnutls_session_set_verify_cert2 without flags, with the extended key usage that the leaf must have.",
          "Sessions are handed over as bytes: a client that takes one up reads them again as part of create, a server as "
          "part of the handshake.",
          "A server accepts early data only with a guard against replays: the library asks, once per connection, whether a "
          "client's binder was seen before, and the driver answers from a plain table, which a server's figures include.",
          "The library keeps no sessions. For session ids the driver gives it a table, which a server's figures include.",
          "In TLS 1.2 a server that sends no ticket makes those bytes after every full handshake, even where nothing keeps "
          "them.",
          "With certificates on both sides the server sends the names of the authorities that it trusts, as is the library's "
          "default, and the client shows its chain without a look at them (GNUTLS_FORCE_CLIENT_CERT). If it went by them, it "
          "would show no RSA chain where RSA-PSS is the only scheme on offer, as it is in TLS 1.3.",
      },
  };
}

/* Features of every build, with the requested value. */
static tlslab_scenario usual(int axis, const tlslab_value *value) {
  int is_12 = axis == TLSLAB_SUITE ? value->exchange != NULL : value->point == TLSLAB_TLS12;
  return (tlslab_scenario){
      .version = is_12 ? TLSLAB_TLS12 : TLSLAB_TLS13,
      .suite = axis == TLSLAB_SUITE ? value->point : is_12 ? TLSLAB_ECDHE_ECDSA_AES_128_GCM : TLSLAB_AES_128_GCM,
      .group = axis == TLSLAB_GROUP ? value->point : TLSLAB_SECP256R1,
      .signature_scheme = axis == TLSLAB_SIGNATURE ? value->point : TLSLAB_ECDSA_SECP256R1_SHA256,
  };
}

static int can_pin(const char *axis, tlslab_scenario scenario, tlslab_error *why) {
  gnutls_priority_t priority = NULL;
  tlslab_error ignored;
  if (pin(TLSLAB_CLIENT, &scenario, &priority, &ignored) != TLSLAB_OK) {
    return tlslab_no(why, "GnuTLS %s as built here does not know the %s", gnutls_check_version(NULL), axis);
  }
  gnutls_priority_deinit(priority);
  return 1;
}

static int can_do(const tlslab_value *value, tlslab_error *why) {
  int exchanges = value->operation == TLSLAB_KEY_GENERATION || value->operation == TLSLAB_KEY_AGREEMENT;
  if (exchanges && !DERIVES_SECRETS) {
    return tlslab_no(why, "this version of the library exchanges keys inside its TLS alone");
  }
  return value->is_claimed && value->operation <= TLSLAB_KEY_AGREEMENT;
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return can_pin("version", usual(axis, value), why);
    case TLSLAB_SUITE:
      if (IS_NO_SUITE(value->point)) return tlslab_no(why, WHY_NO_SUITE);
      return can_pin("suite", usual(axis, value), why);
    case TLSLAB_GROUP: return can_pin("group", usual(axis, value), why);
    case TLSLAB_SIGNATURE: return can_pin("signature", usual(axis, value), why);
    case TLSLAB_RESUMPTION:
      return value->point != TLSLAB_CAN_EXTERNAL_PSK_12 && value->point != TLSLAB_CAN_EXTERNAL_PSK_ONLY_12;
    case TLSLAB_PRIMITIVE: return can_do(value, why);
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS, TLSLAB_CLOSE, TLSLAB_SESSIONS, TLSLAB_SESSION_COPIES, TLSLAB_EARLY, TLSLAB_PRIMITIVES,
};

int main(void) {
  int code = gnutls_global_init();
  if (code < 0) {
    fprintf(stderr, "the library cannot be initialised: %s\n", gnutls_strerror(code));
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
