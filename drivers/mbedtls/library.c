#include "library.h"

#include <mbedtls/ecp.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl_ciphersuites.h>
#include <mbedtls/version.h>
#include <stdio.h>

const struct algorithm versions[VERSIONS] = {
    {MBEDTLS_SSL_VERSION_TLS1_2, "1.2"},
    {MBEDTLS_SSL_VERSION_TLS1_3, "1.3"},
};

const struct algorithm groups[GROUPS] = {
    {MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, "p-256"},
    {MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1, "p-384"},
    {MBEDTLS_SSL_IANA_TLS_GROUP_X25519, "x25519"},
    {0x11ec, "x25519mlkem768"},
    {0x11eb, "p-256mlkem768"},
    {MBEDTLS_SSL_IANA_TLS_GROUP_FFDHE2048, "ffdhe2048"},
};

const struct algorithm suites[SUITES] = {
    {MBEDTLS_TLS1_3_AES_128_GCM_SHA256, "aes-128-gcm"},
    {MBEDTLS_TLS1_3_AES_256_GCM_SHA384, "aes-256-gcm"},
    {MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256, "chacha20-poly1305"},
    {MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "ecdhe-ecdsa-aes-128-gcm"},
    {MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "ecdhe-ecdsa-aes-256-gcm"},
    {MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, "ecdhe-ecdsa-chacha20-poly1305"},
    {MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "ecdhe-rsa-aes-128-gcm"},
    {MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, "ecdhe-rsa-aes-256-gcm"},
    {MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, "ecdhe-rsa-chacha20-poly1305"},
    {MBEDTLS_TLS_DHE_RSA_WITH_AES_128_GCM_SHA256, "dhe-rsa-aes-128-gcm"},
    {MBEDTLS_TLS_DHE_RSA_WITH_AES_256_GCM_SHA384, "dhe-rsa-aes-256-gcm"},
    {MBEDTLS_TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256, "dhe-rsa-chacha20-poly1305"},
    {MBEDTLS_TLS_PSK_WITH_AES_128_GCM_SHA256, "psk-aes-128-gcm"},
    {MBEDTLS_TLS_PSK_WITH_AES_256_GCM_SHA384, "psk-aes-256-gcm"},
    {MBEDTLS_TLS_PSK_WITH_CHACHA20_POLY1305_SHA256, "psk-chacha20-poly1305"},
    {0xd001, "ecdhe-psk-aes-128-gcm"},
    {0xd002, "ecdhe-psk-aes-256-gcm"},
    {MBEDTLS_TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256, "ecdhe-psk-chacha20-poly1305"},
    {MBEDTLS_TLS_DHE_PSK_WITH_AES_128_GCM_SHA256, "dhe-psk-aes-128-gcm"},
    {MBEDTLS_TLS_DHE_PSK_WITH_AES_256_GCM_SHA384, "dhe-psk-aes-256-gcm"},
    {MBEDTLS_TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256, "dhe-psk-chacha20-poly1305"},
};

int library_has(const char *option) { return mbedtls_version_check_feature(option) == 0; }

int library_knows_version(uint16_t point) {
  switch (point) {
    case MBEDTLS_SSL_VERSION_TLS1_2: return library_has("MBEDTLS_SSL_PROTO_TLS1_2");
    case MBEDTLS_SSL_VERSION_TLS1_3: return library_has("MBEDTLS_SSL_PROTO_TLS1_3");
    default: return 0;
  }
}

int library_knows_group(uint16_t point) {
#if defined(PSA_WANT_DH_RFC7919_2048)
  if (point == MBEDTLS_SSL_IANA_TLS_GROUP_FFDHE2048) return 1;
#endif
  return mbedtls_ecp_curve_info_from_tls_id(point) != NULL;
}

int library_knows_suite(uint16_t point) { return mbedtls_ssl_ciphersuite_from_id(point) != NULL; }

int reason(tlslab_error *error, const char *what, int code) {
  char cause[256];
  if (code == 0) {
    snprintf(error->text, sizeof error->text, "%s", what);
  } else {
    mbedtls_strerror(code, cause, sizeof cause);
    snprintf(error->text, sizeof error->text, "%s: %s (-0x%04x)", what, cause, (unsigned)-code);
  }
  return TLSLAB_FAILED;
}

int reason_of_pin(tlslab_error *error, const char *what, uint16_t point) {
  snprintf(error->text, sizeof error->text, "the library does not know %s 0x%04x", what, point);
  return TLSLAB_UNSUPPORTED;
}
