/* Holds a configuration to exactly what a scenario names: one version, one suite, one group, one signature scheme. In
 * TLS 1.2 one list is for the key exchange and for the certificates: it has the certificates' curve as well. */
#include <mbedtls/dhm.h>

#include "driver.h"

static int knows_scheme(const tlslab_scenario *scenario) {
  switch (scenario->signature_scheme) {
    case TLSLAB_ECDSA_SECP256R1_SHA256:
    case TLSLAB_ECDSA_SECP384R1_SHA384: return 1;
    case TLSLAB_RSA_PKCS1_SHA256: return scenario->version == TLSLAB_TLS12;
    case TLSLAB_RSA_PSS_RSAE_SHA256: return scenario->version == TLSLAB_TLS13;
    default: return 0;
  }
}

/* A client of TLS 1.2 signs with the suite's hash, whatever the server asks for. */
static int client_signs_otherwise(const tlslab_scenario *scenario) {
  const mbedtls_ssl_ciphersuite_t *suite = mbedtls_ssl_ciphersuite_from_id(scenario->suite);
  int is_longer = suite->private_mac == MBEDTLS_MD_SHA384;
  int wants_longer = scenario->signature_scheme == TLSLAB_ECDSA_SECP384R1_SHA384;
  return scenario->mutual && scenario->version == TLSLAB_TLS12 && is_longer != wants_longer;
}

static void list_groups(struct context *context, const tlslab_scenario *scenario) {
  size_t count = 0;
  /* The client makes its key share for the first. */
  if (context->side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    context->groups[count++] = (uint16_t)scenario->retry_group;
  }
  context->groups[count++] = scenario->group;
  if (scenario->certificate_curve != 0) context->groups[count++] = (uint16_t)scenario->certificate_curve;
  context->groups[count] = MBEDTLS_SSL_IANA_TLS_GROUP_NONE;
}

/* By default a server of TLS 1.2 takes another prime of as many bits, that of RFC 3526. */
static int set_field(mbedtls_ssl_config *config) {
  static const unsigned char prime[] = MBEDTLS_DHM_RFC7919_FFDHE2048_P_BIN;
  static const unsigned char generator[] = MBEDTLS_DHM_RFC7919_FFDHE2048_G_BIN;
  return mbedtls_ssl_conf_dh_param_bin(config, prime, sizeof prime, generator, sizeof generator);
}

int pin_scenario(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  mbedtls_ssl_config *config = &context->config;
  if (!library_knows_version(scenario->version)) return reason_of_pin(error, "version", scenario->version);
  if (mbedtls_ssl_ciphersuite_from_id(scenario->suite) == NULL) return reason_of_pin(error, "suite", scenario->suite);
  if (!library_knows_group(scenario->group)) return reason_of_pin(error, "group", scenario->group);
  if (!knows_scheme(scenario)) return reason_of_pin(error, "signature scheme", scenario->signature_scheme);
  if (client_signs_otherwise(scenario)) {
    return tlslab_unsupported(
        error, "a client signs with the hash of suite 0x%04x, which is not that of signature scheme 0x%04x",
             scenario->suite, scenario->signature_scheme);
  }
  context->suites[0] = scenario->suite;
  context->schemes[0] = scenario->signature_scheme;
  context->schemes[1] = MBEDTLS_TLS1_3_SIG_NONE;
  list_groups(context, scenario);
  if (scenario->group == TLSLAB_FFDHE2048 && set_field(config) != 0) {
    return reason_of_pin(error, "group", scenario->group);
  }
  mbedtls_ssl_conf_min_tls_version(config, (mbedtls_ssl_protocol_version)scenario->version);
  mbedtls_ssl_conf_max_tls_version(config, (mbedtls_ssl_protocol_version)scenario->version);
  mbedtls_ssl_conf_ciphersuites(config, context->suites);
  mbedtls_ssl_conf_groups(config, context->groups);
  mbedtls_ssl_conf_sig_algs(config, context->schemes);
  return TLSLAB_OK;
}
