/* A driver for picotls with its OpenSSL backend. Here: who the library is and what it can do. */
#include "driver.h"

enum { MOST_EARLY_DATA = 65536 };

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "picotls", .library = "picotls", .library_version = PICOTLS_VERSION,
      .max_tickets = 1, .leaves_defaults = 1, .max_early_data = MOST_EARLY_DATA, .threads = 1, .offers_more = {"psk_mode"},
      .notes = {"A client that offers a pre-shared key without a key exchange offers one with it, too, but no key share."},
      .details = {"A server sends its ticket before the client's Finished, and no side asks for middlebox compatibility.",
                  "Tickets are sealed by the library's call, with AES-256-CBC and HMAC-SHA256.",
                  "A server that accepts early data keeps nothing of it: the library leaves replays to the application.",
                  "A side that answers a hybrid share loses one of OpenSSL's contexts each time, which the library does not free.",
                  "At verification level none the driver parses the peer's certificate alone, not its chain."},
  };
}

/* The library's default, which has all the schemes that it knows, and what its calls want to be given. */
static ptls_openssl_verify_certificate_t model;
static ptls_t *nobody;

static int accept_any(ptls_openssl_override_verify_certificate_t *self, ptls_t *tls, int code, int verdict, X509 *leaf,
                      STACK_OF(X509) *chain) {
  (void)self, (void)tls, (void)code, (void)verdict, (void)leaf, (void)chain;
  return 0;
}

verify_signature *find_check(tlslab_bytes certificate, void **key) {
  verify_signature *check = NULL;
  ptls_iovec_t leaf = iovec(certificate);
  return model.super.cb(&model.super, nobody, NULL, &check, key, &leaf, 1) == 0 ? check : NULL;
}

ptls_key_exchange_algorithm_t *find_group(uint16_t point) {
  ptls_key_exchange_algorithm_t **known = ptls_openssl_key_exchanges_all;
  while (*known != NULL && (*known)->id != point) known++;
  return *known;
}

static int knows_scheme(uint16_t point) {
  const uint16_t *known = model.super.algos;
  while (*known != UINT16_MAX && *known != point) known++;
  return *known == point;
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  uint16_t point = value->point;
  switch (axis) {
    case TLSLAB_VERSION: return point == TLSLAB_TLS13 || tlslab_no(why, "the library has TLS 1.3 alone");
    case TLSLAB_RESUMPTION: return point > TLSLAB_CAN_EXTERNAL_PSK_ONLY_12 || tlslab_no(why, "the library has TLS 1.3 alone");
    case TLSLAB_SUITE:
      return ptls_find_cipher_suite(ptls_openssl_cipher_suites_all, point) != NULL || tlslab_no(why, "the library has no such suite");
    case TLSLAB_GROUP: return find_group(point) != NULL || tlslab_no(why, "the library does not know the group");
    case TLSLAB_SIGNATURE: return knows_scheme(point) || tlslab_no(why, "the library has no such signatures");
    case TLSLAB_TICKETS: return tlslab_no(why, "a server sends more than one ticket only if the client asks for them");
    case TLSLAB_EARLY_DATA: return tlslab_no(why, "this driver allows at most %d bytes of early data", MOST_EARLY_DATA);
    case TLSLAB_PRIMITIVE: return value->operation <= TLSLAB_DECAPSULATE && (point == 0 || value->is_claimed);
    default: return 1;
  }
}

int reason(tlslab_error *error, const char *what, int code) {
  static const char *const classes[] = {"the library sends alert", "the peer sent alert", "the library's internal error"};
  return tlslab_failed(error, "%s: %s %d", what, classes[code >> 8 < 3 ? code >> 8 : 2], PTLS_ERROR_TO_ALERT(code));
}

int main(void) {
  static const tlslab_endpoint endpoint = {TLSLAB_CONNECTIONS, TLSLAB_CLOSE, TLSLAB_SESSIONS,
                                           TLSLAB_SESSION_COPIES, TLSLAB_EARLY,
                                           TLSLAB_PRIMITIVES};
  static ptls_context_t bare = {.random_bytes = ptls_openssl_random_bytes, .get_time = &ptls_get_time};
  static ptls_openssl_override_verify_certificate_t anyone = {accept_any};
  /* A configuration file belongs to a machine; what is measured is the library as it was built. */
  if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) || (nobody = ptls_client_new(&bare)) == NULL ||
      ptls_openssl_init_verify_certificate(&model, X509_STORE_new()) != 0)
    return 1;
  model.override_callback = &anyone;
  return tlslab_driver_main(&endpoint);
}
