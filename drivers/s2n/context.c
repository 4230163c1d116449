#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pem.h"
#include "policies.h"
#include "psk.h"

static int unsupported(tlslab_error *error, const char *why) {
  reason_of_driver(error, why);
  return TLSLAB_UNSUPPORTED;
}

static int is_known_scheme(uint16_t version, uint16_t scheme) {
  return scheme == 0x0403 || scheme == (version == VERSION_12 ? 0x0401 : 0x0804);
}

static int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  const char *name = scenario->retry_group != 0 ? retry_policy(context->side, scenario)
                                                : policy(context->side, scenario->group, scenario->suite);
  /* Every suite belongs to one version. */
  uint16_t version = scenario->suite >> 8 == 0x13 ? VERSION_13 : VERSION_12;
  if (name == NULL && scenario->retry_group != 0) {
    return unsupported(error, "no built-in policies make a client begin with another group than the server's alone");
  }
  if (name == NULL || scenario->version != version || !is_known_scheme(version, scenario->signature_scheme)) {
    snprintf(error->text, sizeof error->text,
             "no built-in policy leads to version 0x%04x, group 0x%04x, suite 0x%04x and scheme 0x%04x",
             scenario->version, scenario->group, scenario->suite, scenario->signature_scheme);
    return TLSLAB_UNSUPPORTED;
  }
  const char *refusal = sessions_refuse(scenario);
  if (refusal != NULL) return unsupported(error, refusal);
  return s2n_config_set_cipher_preferences(context->config, name) == S2N_SUCCESS ? TLSLAB_OK : reason(error, name);
}

static uint8_t accept_any_name(const char *name, size_t len, void *none) {
  (void)name, (void)len, (void)none;
  return 1;
}

static int trust(struct s2n_config *config, tlslab_bytes der, tlslab_error *error) {
  char *root = pem("CERTIFICATE", &der, 1);
  int trusted = root != NULL && s2n_config_add_pem_to_trust_store(config, root) == S2N_SUCCESS;
  free(root);
  return trusted ? TLSLAB_OK : reason(error, "cannot trust the root");
}

/* What a side shows of itself. */
static int show(struct context *context, const tlslab_bytes *ders, size_t len, tlslab_bytes key_der,
                tlslab_error *error) {
  char *chain = pem("CERTIFICATE", ders, len);
  char *key = pem("PRIVATE KEY", &key_der, 1);
  context->chain = s2n_cert_chain_and_key_new();
  int used = chain != NULL && key != NULL && context->chain != NULL &&
             s2n_cert_chain_and_key_load_pem(context->chain, chain, key) == S2N_SUCCESS &&
             s2n_config_add_cert_chain_and_key_to_store(context->config, context->chain) == S2N_SUCCESS;
  free(chain);
  free(key);
  return used ? TLSLAB_OK : reason(error, "cannot use the chain and the key");
}

/* By itself a client compares the certificate with the name that it asks for. */
static int set_verification(struct s2n_config *config, uint32_t level) {
  if (level == TLSLAB_VERIFY_NONE) return s2n_config_disable_x509_verification(config);
  if (level == TLSLAB_VERIFY_CHAIN) return s2n_config_set_verify_host_callback(config, accept_any_name, NULL);
  return S2N_SUCCESS;
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  struct s2n_config *config = context->config;
  context->server_name = strdup(material->server_name);
  if (context->server_name == NULL) return reason_of_driver(error, "no memory");
  context->sees_certificate = material->chain_len > 0;
  context->counts_tickets = scenario->tickets > 0;
  int status = trust(config, material->root, error);
  if (status == TLSLAB_OK) status = sessions_pin_client(config, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (set_verification(config, scenario->verification) != S2N_SUCCESS) {
    return reason(error, "cannot set the verification");
  }
  /* Without a chain of its own such a client answers the server with an empty one. */
  if (scenario->mutual && s2n_config_set_client_auth_type(config, S2N_CERT_AUTH_OPTIONAL) != S2N_SUCCESS) {
    return reason(error, "cannot answer a server that asks for a certificate");
  }
  if (material->client_chain_len == 0) return TLSLAB_OK;
  return show(context, material->client_chain, material->client_chain_len, material->client_key, error);
}

/* By itself a server compares the client's certificate with the name that it was asked for itself. */
static int require_certificate(struct s2n_config *config, const tlslab_material *material, tlslab_error *error) {
  if (s2n_config_set_client_auth_type(config, S2N_CERT_AUTH_REQUIRED) != S2N_SUCCESS ||
      s2n_config_set_verify_host_callback(config, accept_any_name, NULL) != S2N_SUCCESS) {
    return reason(error, "cannot ask for a certificate");
  }
  return trust(config, material->client_root, error);
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  context->sees_certificate = scenario->mutual != 0;
  int status = sessions_pin_server(context->config, scenario, &context->sessions, error);
  if (status == TLSLAB_OK && scenario->mutual) status = require_certificate(context->config, material, error);
  if (status != TLSLAB_OK || material->chain_len == 0) return status;
  return show(context, material->chain, material->chain_len, material->key, error);
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  /* Minimal: without the system's root certificates. */
  context->config = s2n_config_new_minimal();
  if (context->config == NULL) return reason(error, "no configuration");
  int status = pin(context, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (material->psk_identity != NULL) status = psk_pin(context, material, error);
  if (status != TLSLAB_OK) return status;
  context->has_early_data = scenario->early_data > 0;
  return context->side == TLSLAB_CLIENT ? configure_client(context, scenario, material, error)
                                        : configure_server(context, scenario, material, error);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_driver(error, "no memory");
  context->side = side;
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
  if (context->config != NULL) s2n_config_free(context->config);
  if (context->chain != NULL) s2n_cert_chain_and_key_free(context->chain);
  if (context->psk != NULL) s2n_psk_free(&context->psk);
  table_free(context->sessions);
  free(context->server_name);
  free(context);
}
