/* A driver for LibreTLS: the libtls interface on OpenSSL. */
#include <openssl/crypto.h>

#include "libretls.h"

int reason(tlslab_error *error, const char *what, const char *why) {
  return tlslab_failed(error, "%s: %s", what, why == NULL ? "the library gave no reason" : why);
}

void library_identity(tlslab_identity *identity) {
  static char version[96];
  snprintf(version, sizeof version, LIBRETLS_VERSION ", on %s", OpenSSL_version(OPENSSL_VERSION));
  *identity = (tlslab_identity){
      .driver = "libretls", .library = "LibreTLS", .library_version = version,
      .notes = {
          "For each connection the client makes an OpenSSL context and, where it checks the chain, reads the root: libtls has "
          "nothing that connections could share.",
      },
      .details = {
          "libtls has no setter for TLS 1.3 suites, signature schemes and the number of tickets: these are pinned by OpenSSL's "
          "configuration, from memory.",
          "The client always asks for the state of the certificate (OCSP), which the server does not have.",
      },
  };
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return value->point == TLSLAB_TLS13;
    case TLSLAB_SUITE: return value->exchange == NULL;
    case TLSLAB_GROUP:
      if (group_name(value->point) != NULL) return 1;
      if (value->point == TLSLAB_FFDHE2048) return 0;
      return tlslab_no(why, "libtls takes groups by OpenSSL's object identifiers, and the hybrid groups have none");
    case TLSLAB_SIGNATURE: return scheme_name(value->point) != NULL && value->bits != 3072;
    case TLSLAB_TICKETS:
      return tlslab_no(why, "libtls's callback for ticket keys returns what OpenSSL in TLS 1.3 takes for no ticket");
    default: return 0;
  }
}

static const tlslab_endpoint endpoint = {TLSLAB_CONNECTIONS};

int main(void) { return tls_init() == 0 ? tlslab_driver_main(&endpoint) : 1; }
