#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "pin.h"
#include "sessions.h"

/* The library checks a name whenever it has one to ask for; this forgives what that check finds. */
static int forgive_name(void *none, mbedtls_x509_crt *certificate, int depth, uint32_t *flags) {
  (void)none, (void)certificate, (void)depth;
  *flags &= ~(uint32_t)MBEDTLS_X509_BADCERT_CN_MISMATCH;
  return 0;
}

static int trust(struct context *context, tlslab_bytes root, tlslab_error *error) {
  int code = mbedtls_x509_crt_parse_der(&context->root, root.data, root.len);
  if (code != 0) return reason(error, "cannot read the root", code);
  mbedtls_ssl_conf_ca_chain(&context->config, &context->root, NULL);
  return TLSLAB_OK;
}

/* What a side shows of itself. */
static int show(struct context *context, const tlslab_scenario *scenario, const tlslab_bytes *chain, size_t len,
                tlslab_bytes key, tlslab_error *error) {
  int code = 0;
  for (size_t at = 0; code == 0 && at < len; at++) {
    code = mbedtls_x509_crt_parse_der(&context->chain, chain[at].data, chain[at].len);
  }
  if (code != 0) return reason(error, "cannot read the certificate chain", code);
  code = mbedtls_pk_parse_key(&context->key, key.data, key.len, NULL, 0, mbedtls_psa_get_random,
                              MBEDTLS_PSA_RANDOM_STATE);
  if (code == 0) code = mbedtls_ssl_conf_own_cert(&context->config, &context->chain, &context->key);
  if (code != 0) return reason(error, "cannot use the private key", code);
  if (mbedtls_pk_get_bitlen(&context->key) != scenario->key_bits) {
    return reason(error, "the private key has another length than the scenario's", 0);
  }
  return TLSLAB_OK;
}

/* In TLS 1.3 an external PSK is bound to SHA-256, whatever the suite. */
static int use_psk(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                   tlslab_error *error) {
  if (scenario->suite == MBEDTLS_TLS1_3_AES_256_GCM_SHA384) {
    reason(error, "the library takes an external PSK for one of SHA-256, and has no option to change that", 0);
    return TLSLAB_UNSUPPORTED;
  }
  int code = mbedtls_ssl_conf_psk(&context->config, material->psk.data, material->psk.len,
                                  (const unsigned char *)material->psk_identity, strlen(material->psk_identity));
  return code == 0 ? TLSLAB_OK : reason(error, "cannot use the pre-shared key", code);
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  mbedtls_ssl_config *config = &context->config;
  context->server_name = strdup(material->server_name);
  if (context->server_name == NULL) return reason(error, "no memory", 0);
  mbedtls_ssl_conf_authmode(config, scenario->verification == TLSLAB_VERIFY_NONE ? MBEDTLS_SSL_VERIFY_NONE
                                                                                 : MBEDTLS_SSL_VERIFY_REQUIRED);
  if (scenario->verification == TLSLAB_VERIFY_CHAIN) mbedtls_ssl_conf_verify(config, forgive_name, NULL);
  sessions_pin_client(context, scenario);
  int status = trust(context, material->root, error);
  if (status != TLSLAB_OK || material->client_chain_len == 0) return status;
  return show(context, scenario, material->client_chain, material->client_chain_len, material->client_key, error);
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  int status = sessions_pin_server(context, scenario, error);
  if (status == TLSLAB_OK && scenario->mutual) {
    mbedtls_ssl_conf_authmode(&context->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    status = trust(context, material->client_root, error);
  }
  if (status != TLSLAB_OK || material->chain_len == 0) return status;
  return show(context, scenario, material->chain, material->chain_len, material->key, error);
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT;
  int code = mbedtls_ssl_config_defaults(&context->config, is_client ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                         MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
  if (code != 0) return reason(error, "no configuration", code);
  mbedtls_ssl_conf_rng(&context->config, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE);
  int status = pin_scenario(context, scenario, error);
  if (status == TLSLAB_OK && material->psk_identity != NULL) status = use_psk(context, scenario, material, error);
  if (status != TLSLAB_OK) return status;
  return is_client ? configure_client(context, scenario, material, error)
                   : configure_server(context, scenario, material, error);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason(error, "no memory", 0);
  context->users = 1;
  context->side = side;
  mbedtls_ssl_config_init(&context->config);
  mbedtls_x509_crt_init(&context->root);
  mbedtls_x509_crt_init(&context->chain);
  mbedtls_pk_init(&context->key);
  mbedtls_ssl_ticket_init(&context->tickets);
  mbedtls_ssl_cache_init(&context->cache);
  int status = configure(context, scenario, material, error);
  if (status == TLSLAB_OK) {
    *handle = context;
  } else {
    context_free(context);
  }
  return status;
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
  free(context->server_name);
  free(context);
}
