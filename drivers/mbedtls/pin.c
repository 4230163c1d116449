#include "pin.h"

#include <stdio.h>

static int knows_scheme(const tlslab_scenario *scenario) {
  int is_tls12 = scenario->version == MBEDTLS_SSL_VERSION_TLS1_2;
  return scenario->signature_scheme == MBEDTLS_TLS1_3_SIG_ECDSA_SECP256R1_SHA256 ||
         scenario->signature_scheme ==
             (is_tls12 ? MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA256 : MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA256);
}

/* A client of TLS 1.2 signs with the suite's hash, whatever the server asks for. */
static int client_signs_otherwise(const tlslab_scenario *scenario) {
  return scenario->mutual && (scenario->suite == MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 ||
                              scenario->suite == MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384);
}

static void list_groups(struct context *context, const tlslab_scenario *scenario) {
  int is_tls12 = scenario->version == MBEDTLS_SSL_VERSION_TLS1_2;
  size_t count = 0;
  /* The client makes its key share for the first. */
  if (context->side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    context->groups[count++] = (uint16_t)scenario->retry_group;
  }
  context->groups[count++] = scenario->group;
  if (is_tls12 && scenario->key_bits == 256 && scenario->group != MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1) {
    context->groups[count++] = MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1;
  }
  context->groups[count] = MBEDTLS_SSL_IANA_TLS_GROUP_NONE;
}

int pin_scenario(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  mbedtls_ssl_config *config = &context->config;
  if (!library_knows_version(scenario->version)) return reason_of_pin(error, "version", scenario->version);
  if (!library_knows_suite(scenario->suite)) return reason_of_pin(error, "suite", scenario->suite);
  if (!library_knows_group(scenario->group)) return reason_of_pin(error, "group", scenario->group);
  if (!knows_scheme(scenario)) return reason_of_pin(error, "signature scheme", scenario->signature_scheme);
  if (client_signs_otherwise(scenario)) {
    snprintf(error->text, sizeof error->text,
             "a client signs with the hash of suite 0x%04x, which is not that of signature scheme 0x%04x",
             scenario->suite, scenario->signature_scheme);
    return TLSLAB_UNSUPPORTED;
  }
  context->suites[0] = scenario->suite;
  context->schemes[0] = scenario->signature_scheme;
  context->schemes[1] = MBEDTLS_TLS1_3_SIG_NONE;
  list_groups(context, scenario);
  mbedtls_ssl_conf_min_tls_version(config, (mbedtls_ssl_protocol_version)scenario->version);
  mbedtls_ssl_conf_max_tls_version(config, (mbedtls_ssl_protocol_version)scenario->version);
  mbedtls_ssl_conf_ciphersuites(config, context->suites);
  mbedtls_ssl_conf_groups(config, context->groups);
  mbedtls_ssl_conf_sig_algs(config, context->schemes);
  return TLSLAB_OK;
}
