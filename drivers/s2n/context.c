#include "context.h"

#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "pem.h"

static int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  const char *name = policy(context->side, scenario->group, scenario->suite);
  if (name == NULL || scenario->version != 0x0304 ||
      (scenario->signature_scheme != 0x0403 && scenario->signature_scheme != 0x0804)) {
    snprintf(error->text, sizeof error->text,
             "no built-in policy leads to version 0x%04x, group 0x%04x, suite 0x%04x and scheme 0x%04x",
             scenario->version, scenario->group, scenario->suite, scenario->signature_scheme);
    return TLSLAB_UNSUPPORTED;
  }
  return s2n_config_set_cipher_preferences(context->config, name) == S2N_SUCCESS ? TLSLAB_OK : reason(error, name);
}

static uint8_t accept_any_name(const char *name, size_t len, void *none) {
  (void)name, (void)len, (void)none;
  return 1;
}

static int count_ticket(struct s2n_connection *ssl, void *none, struct s2n_session_ticket *ticket) {
  (void)none, (void)ticket;
  ((struct connection *)s2n_connection_get_ctx(ssl))->tickets_received++;
  return S2N_SUCCESS;
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  struct s2n_config *config = context->config;
  context->server_name = strdup(material->server_name);
  char *root = pem("CERTIFICATE", &material->root, 1);
  int trusted = root != NULL && s2n_config_add_pem_to_trust_store(config, root) == S2N_SUCCESS;
  free(root);
  if (!trusted || context->server_name == NULL) return reason(error, "cannot trust the root");
  /* By itself a client compares the certificate with the name that it asks for. */
  int done = S2N_SUCCESS;
  if (scenario->verification == TLSLAB_VERIFY_NONE) done = s2n_config_disable_x509_verification(config);
  if (scenario->verification == TLSLAB_VERIFY_CHAIN) {
    done = s2n_config_set_verify_host_callback(config, accept_any_name, NULL);
  }
  if (done != S2N_SUCCESS) return reason(error, "cannot set the verification");
  context->counts_tickets = scenario->tickets > 0;
  if (context->counts_tickets && (s2n_config_set_session_tickets_onoff(config, 1) != S2N_SUCCESS ||
                                  s2n_config_set_session_ticket_cb(config, count_ticket, NULL) != S2N_SUCCESS)) {
    return reason(error, "cannot count tickets");
  }
  return TLSLAB_OK;
}

static int send_tickets(struct s2n_config *config, uint32_t tickets) {
  uint8_t name[16], key[32];
  return tickets <= UINT8_MAX && RAND_bytes(name, sizeof name) && RAND_bytes(key, sizeof key) &&
         s2n_config_set_session_tickets_onoff(config, 1) == S2N_SUCCESS &&
         s2n_config_add_ticket_crypto_key(config, name, sizeof name, key, sizeof key, 0) == S2N_SUCCESS &&
         s2n_config_set_initial_ticket_count(config, (uint8_t)tickets) == S2N_SUCCESS;
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  char *chain = pem("CERTIFICATE", material->chain, material->chain_len);
  char *key = pem("PRIVATE KEY", &material->key, 1);
  context->chain = s2n_cert_chain_and_key_new();
  int used = chain != NULL && key != NULL && context->chain != NULL &&
             s2n_cert_chain_and_key_load_pem(context->chain, chain, key) == S2N_SUCCESS &&
             s2n_config_add_cert_chain_and_key_to_store(context->config, context->chain) == S2N_SUCCESS;
  free(chain);
  free(key);
  if (!used) return reason(error, "cannot use the server's chain and key");
  if (scenario->tickets > 0 && !send_tickets(context->config, scenario->tickets)) {
    return reason(error, "cannot send so many tickets");
  }
  return TLSLAB_OK;
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  /* Minimal: without the system's root certificates. */
  context->config = s2n_config_new_minimal();
  if (context->config == NULL) return reason(error, "no configuration");
  int status = pin(context, scenario, error);
  if (status != TLSLAB_OK) return status;
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
  free(context->server_name);
  free(context);
}
