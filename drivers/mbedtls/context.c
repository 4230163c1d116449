/* A scenario, its keys and its certificates as the library's configuration. */
#include "driver.h"

/* The library checks a name whenever it has one to ask for; this forgives what that check finds. */
static int forgive_name(void *none, mbedtls_x509_crt *certificate, int depth, uint32_t *flags) {
  (void)none, (void)certificate, (void)depth;
  *flags &= ~(uint32_t)MBEDTLS_X509_BADCERT_CN_MISMATCH;
  return 0;
}

static int trust(struct context *context, const tlslab_material *material, tlslab_error *error) {
  tlslab_bytes root = material->root;
  int code = material->roots_file != NULL ? mbedtls_x509_crt_parse_file(&context->root, material->roots_file)
                                          : mbedtls_x509_crt_parse_der(&context->root, root.data, root.len);
  if (code != 0) return reason(error, "cannot read the roots", code);
  mbedtls_ssl_conf_ca_chain(&context->config, &context->root, NULL);
  return TLSLAB_OK;
}

/* A side's certificates and key. */
static int show(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                tlslab_error *error) {
  int code = 0;
  for (size_t at = 0; code == 0 && at < material->chain_len; at++) {
    code = mbedtls_x509_crt_parse_der(&context->chain, material->chain[at].data, material->chain[at].len);
  }
  if (code != 0) return reason(error, "cannot read the certificate chain", code);
  code = mbedtls_pk_parse_key(&context->key, material->key.data, material->key.len, NULL, 0, mbedtls_psa_get_random,
                              MBEDTLS_PSA_RANDOM_STATE);
  if (code == 0) code = mbedtls_ssl_conf_own_cert(&context->config, &context->chain, &context->key);
  if (code != 0) return reason(error, "cannot use the private key", code);
  if (mbedtls_pk_get_bitlen(&context->key) == scenario->key_bits) return TLSLAB_OK;
  return tlslab_failed(error, "the private key has another length than the scenario's");
}

/* In TLS 1.3 an external PSK is bound to SHA-256, whatever the suite. */
static int use_psk(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                   tlslab_error *error) {
  if (scenario->suite == TLSLAB_AES_256_GCM) {
    return tlslab_unsupported(error,
                              "the library takes an external PSK for one of SHA-256, and has no option to change that");
  }
  int code = mbedtls_ssl_conf_psk(&context->config, material->psk.data, material->psk.len,
                                  (const unsigned char *)material->psk_identity, strlen(material->psk_identity));
  return code == 0 ? TLSLAB_OK : reason(error, "cannot use the pre-shared key", code);
}

/* As ssl_client1.c and ssl_server.c of the library's programs: the default preset, and a server's cache of sessions. */
static int leave_defaults(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                          tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT;
  mbedtls_ssl_config *config = &context->config;
  int code = mbedtls_ssl_config_defaults(config, is_client ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                         MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (code != 0) return reason(error, "no configuration", code);
  mbedtls_ssl_conf_rng(config, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  if (!is_client) {
    mbedtls_ssl_conf_session_cache(config, &context->cache, mbedtls_ssl_cache_get, mbedtls_ssl_cache_set);
  }
  int status = is_client ? trust(context, material, error) : TLSLAB_OK;
  return status == TLSLAB_OK && material->chain_len > 0 ? show(context, scenario, material, error) : status;
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT, verifies = scenario->verification != TLSLAB_VERIFY_NONE;
  mbedtls_ssl_config *config = &context->config;
  int code = mbedtls_ssl_config_defaults(config, is_client ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                         MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (code != 0) return reason(error, "no configuration", code);
  mbedtls_ssl_conf_rng(config, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  int status = pin_scenario(context, scenario, error);
  if (status == TLSLAB_OK && material->psk_identity != NULL) status = use_psk(context, scenario, material, error);
  if (status != TLSLAB_OK) return status;
  mbedtls_ssl_conf_authmode(config, verifies ? MBEDTLS_SSL_VERIFY_REQUIRED : MBEDTLS_SSL_VERIFY_NONE);
  if (is_client) {
    if (scenario->verification == TLSLAB_VERIFY_CHAIN) mbedtls_ssl_conf_verify(config, forgive_name, NULL);
    sessions_pin_client(context, scenario);
  } else {
    status = sessions_pin_server(context, scenario, error);
  }
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(context, material, error);
  return status == TLSLAB_OK && material->chain_len > 0 ? show(context, scenario, material, error) : status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return reason(error, "no memory", 0);
  context->users = 1;
  context->side = side;
  context->server_name = material->server_name;
  mbedtls_ssl_config_init(&context->config);
  mbedtls_x509_crt_init(&context->root);
  mbedtls_x509_crt_init(&context->chain);
  mbedtls_pk_init(&context->key);
  mbedtls_ssl_ticket_init(&context->tickets);
  mbedtls_ssl_cache_init(&context->cache);
  if (scenario->defaults) return leave_defaults(context, scenario, material, error);
  return configure(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  if (--context->users > 0) return;
  session_free(context->spent);
  mbedtls_ssl_config_free(&context->config);
  mbedtls_ssl_cache_free(&context->cache);
  mbedtls_ssl_ticket_free(&context->tickets);
  mbedtls_pk_free(&context->key);
  mbedtls_x509_crt_free(&context->chain);
  mbedtls_x509_crt_free(&context->root);
  free(context);
}
