/* A driver for Mbed TLS. Here: who the library is and what this build of it can do. */
#include <psa/crypto.h>
#include <mbedtls/ecp.h>
#include <mbedtls/version.h>

#include "driver.h"

void library_identity(tlslab_identity *identity) {
  static char version[32];
  mbedtls_version_get_string(version);
  *identity = (tlslab_identity){
      .driver = "mbedtls",
      .library = "Mbed TLS",
      .library_version = version,
      .max_tickets = 16,
      .has_psk_suites = 1,
      .reads_roots = 1,
      .leaves_defaults = 1,
#if !HAS_FULL_RECORDS
      .record_plaintext_bytes = 16383,
      .record_filled_to_bytes = 16,
#endif
      .notes = {
#if HAS_FULL_RECORDS
          "The library is changed in one place and configured not to pad, so that TLS 1.3 records hold 16,384 bytes as "
          "others' do; unchanged, it counts the content type in, sends at most 16,383 and pads to multiples of 16.",
#else
          "TLS 1.3 records, those of the handshake too, are padded to multiples of 16 bytes and hold at most 16,383 bytes, the "
          "library's default: a write of 16,384 bytes makes two.",
#endif
          "A server of TLS 1.2 that takes a ticket gives no new one, so the same ticket serves every connection.",
      },
      .details = {
          "The configuration is the library's own, with AES-NI chosen at run time.",
          "Connections draw from the one random number generator of the library's PSA part.",
          "A client that asks for a name always checks it; at verification level chain a callback forgives the outcome.",
          "A client's session holds the server's certificate, which is parsed again when the session is taken up.",
          "Sessions of TLS 1.3 are resumed only with a key exchange; by default the library offers both ways.",
      },
  };
}

int library_has(const char *option) { return mbedtls_version_check_feature(option) == 0; }

int library_knows_version(uint16_t point) {
  return library_has(point == TLSLAB_TLS12 ? "MBEDTLS_SSL_PROTO_TLS1_2" : "MBEDTLS_SSL_PROTO_TLS1_3");
}

int library_knows_group(uint16_t point) {
#if defined(PSA_WANT_DH_RFC7919_2048)
  if (point == TLSLAB_FFDHE2048) return 1;
#endif
  return mbedtls_ecp_curve_info_from_tls_id(point) != NULL;
}

static int can_resume(uint16_t way, tlslab_error *why) {
  const char *option = "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED";
  switch (way) {
    case TLSLAB_CAN_EXTERNAL_PSK_12:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12: return tlslab_no(why, "this build has no suite of TLS 1.2 for such a key");
    case TLSLAB_CAN_SESSION_ID_12: option = "MBEDTLS_SSL_CACHE_C"; break;
    case TLSLAB_CAN_TICKET_12: option = "MBEDTLS_SSL_SESSION_TICKETS"; break;
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13: option = "MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_ENABLED"; break;
    default: break;
  }
  return library_has(option) || tlslab_no(why, "this build has no such way to take up a session");
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return library_knows_version(value->point) || tlslab_no(why, "this build has no such version");
    case TLSLAB_SUITE:
      return mbedtls_ssl_ciphersuite_from_id(value->point) != NULL || tlslab_no(why, "this build has no such suite");
    case TLSLAB_GROUP:
      return library_knows_group(value->point) || tlslab_no(why, "the library does not know the group");
    case TLSLAB_SIGNATURE:
      return value->point == TLSLAB_ECDSA_SECP256R1_SHA256 || value->point == TLSLAB_ECDSA_SECP384R1_SHA384 ||
             value->point == TLSLAB_RSA_PSS_RSAE_SHA256 || tlslab_no(why, "the library has no such signatures");
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_EARLY_DATA:
      return tlslab_no(why, "its maintainers' configuration builds the library without early data "
                            "(MBEDTLS_SSL_EARLY_DATA)");
    case TLSLAB_PRIMITIVE: return value->is_claimed && value->operation <= TLSLAB_KEY_AGREEMENT;
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS, TLSLAB_CLOSE, TLSLAB_SESSIONS, TLSLAB_SESSION_COPIES, TLSLAB_PRIMITIVES,
};

int main(void) {
  psa_status_t status = psa_crypto_init();
  if (status != PSA_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %d\n", (int)status);
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
