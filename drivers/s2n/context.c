/* A scenario, its keys and its certificates as the library's configuration. */
#include <openssl/crypto.h>
#include <openssl/dh.h>
#include <openssl/pem.h>

#include "driver.h"

static int is_known_scheme(uint16_t version, uint16_t scheme) {
  /* In TLS 1.2 the policies have a key on P-384 sign with SHA-256. */
  if (scheme == TLSLAB_ECDSA_SECP384R1_SHA384) return version == TLSLAB_TLS13;
  return scheme == TLSLAB_ECDSA_SECP256R1_SHA256 ||
         scheme == (version == TLSLAB_TLS12 ? TLSLAB_RSA_PKCS1_SHA256 : TLSLAB_RSA_PSS_RSAE_SHA256);
}

static int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  const char *name = scenario->retry_group != 0 ? retry_policy(context->side, scenario)
                                                : policy(context->side, scenario->group, scenario->suite);
  /* Every suite belongs to one version. */
  uint16_t version = scenario->suite >> 8 == 0x13 ? TLSLAB_TLS13 : TLSLAB_TLS12;
  if (name == NULL && scenario->retry_group != 0) {
    return tlslab_unsupported(error, "no built-in policies make a client begin with another group than the server's alone");
  }
  if (name == NULL || scenario->version != version || !is_known_scheme(version, scenario->signature_scheme)) {
    return tlslab_unsupported(
        error, "no built-in policy leads to version 0x%04x, group 0x%04x, suite 0x%04x and scheme 0x%04x",
        scenario->version, scenario->group, scenario->suite, scenario->signature_scheme);
  }
  const char *refusal = sessions_refuse(scenario);
  if (refusal != NULL) return tlslab_unsupported(error, "%s", refusal);
  return s2n_config_set_cipher_preferences(context->config, name) == S2N_SUCCESS ? TLSLAB_OK : reason(error, name);
}

static uint8_t accept_any_name(const char *name, size_t len, void *none) {
  (void)name, (void)len, (void)none;
  return 1;
}

/* DER as PEM, which is all that the library reads: joined texts with this label, from malloc; NULL when there is no memory. */
static char *pem(const char *label, const tlslab_bytes *ders, size_t count) {
  BIO *bio = BIO_new(BIO_s_mem());
  int done = bio != NULL;
  for (size_t at = 0; done && at < count; at++) {
    done = PEM_write_bio(bio, label, "", ders[at].data, (long)ders[at].len) > 0;
  }
  char *text = NULL;
  long len = done ? BIO_get_mem_data(bio, &text) : 0;
  text = done ? strndup(text, (size_t)len) : NULL;
  BIO_free(bio);
  return text;
}

static int trust(struct s2n_config *config, tlslab_bytes der, tlslab_error *error) {
  char *root = pem("CERTIFICATE", &der, 1);
  int trusted = root != NULL && s2n_config_add_pem_to_trust_store(config, root) == S2N_SUCCESS;
  free(root);
  return trusted ? TLSLAB_OK : reason(error, "cannot trust the root");
}

/* A side's certificates and key. */
static int show(struct context *context, const tlslab_material *material, tlslab_error *error) {
  char *chain = pem("CERTIFICATE", material->chain, material->chain_len);
  char *key = pem("PRIVATE KEY", &material->key, 1);
  context->chain = s2n_cert_chain_and_key_new();
  int used = chain != NULL && key != NULL && context->chain != NULL &&
             s2n_cert_chain_and_key_load_pem(context->chain, chain, key) == S2N_SUCCESS &&
             s2n_config_add_cert_chain_and_key_to_store(context->config, context->chain) == S2N_SUCCESS;
  free(chain);
  free(key);
  return used ? TLSLAB_OK : reason(error, "cannot use the chain and the key");
}

/* By default either side compares its peer's certificate with the client's requested name. A client without a chain of its
 * own answers a server that asks for one with an empty one. */
static int set_verification(struct context *context, const tlslab_scenario *scenario) {
  struct s2n_config *config = context->config;
  int is_client = context->side == TLSLAB_CLIENT;
  s2n_cert_auth_type asked = is_client ? S2N_CERT_AUTH_OPTIONAL : S2N_CERT_AUTH_REQUIRED;
  if (is_client && scenario->verification == TLSLAB_VERIFY_NONE &&
      s2n_config_disable_x509_verification(config) != S2N_SUCCESS)
    return 0;
  if (scenario->verification == TLSLAB_VERIFY_CHAIN &&
      s2n_config_set_verify_host_callback(config, accept_any_name, NULL) != S2N_SUCCESS)
    return 0;
  return !scenario->mutual || s2n_config_set_client_auth_type(config, asked) == S2N_SUCCESS;
}

/* A server's finite field for TLS 1.2: by default it has no field. */
static int use_field(struct s2n_config *config, tlslab_error *error) {
  DH *field = DH_get_rfc7919_2048();
  uint8_t *data = NULL;
  int len = field == NULL ? 0 : i2d_DHparams(field, &data);
  tlslab_bytes der = {data, len > 0 ? (size_t)len : 0};
  char *parameters = der.len == 0 ? NULL : pem("DH PARAMETERS", &der, 1);
  int used = parameters != NULL && s2n_config_add_dhparams(config, parameters) == S2N_SUCCESS;
  free(parameters);
  OPENSSL_free(data);
  DH_free(field);
  return used ? TLSLAB_OK : reason(error, "cannot use the finite field");
}

/* A key that both sides were given beforehand. */
static int psk_pin(struct context *context, const tlslab_material *material, tlslab_error *error) {
  s2n_psk_hmac hash = material->psk.len == 48 ? S2N_PSK_HMAC_SHA384 : S2N_PSK_HMAC_SHA256;
  const char *identity = material->psk_identity;
  context->psk = s2n_external_psk_new();
  if (context->psk == NULL ||
      s2n_psk_set_identity(context->psk, (const uint8_t *)identity, (uint16_t)strlen(identity)) != S2N_SUCCESS ||
      s2n_psk_set_secret(context->psk, material->psk.data, (uint16_t)material->psk.len) != S2N_SUCCESS ||
      s2n_psk_set_hmac(context->psk, hash) != S2N_SUCCESS ||
      s2n_config_set_psk_mode(context->config, S2N_PSK_MODE_EXTERNAL) != S2N_SUCCESS) {
    return reason(error, "cannot use the pre-shared key");
  }
  return TLSLAB_OK;
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  /* Minimal: without the system's root certificates. */
  context->config = s2n_config_new_minimal();
  if (context->config == NULL) return reason(error, "no configuration");
  /* As chapter 5 of the usage guide (ch05-config.md), with certificates alone: the policy is "default". */
  int status = scenario->defaults ? TLSLAB_OK : pin(context, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (scenario->defaults) {
    if (context->side == TLSLAB_CLIENT) status = trust(context->config, material->root, error);
    return status == TLSLAB_OK && material->chain_len > 0 ? show(context, material, error) : status;
  }
  if (material->psk_identity != NULL) status = psk_pin(context, material, error);
  if (status != TLSLAB_OK) return status;
  status = context->side == TLSLAB_CLIENT
               ? sessions_pin_client(context->config, scenario, error)
               : sessions_pin_server(context->config, scenario, &context->sessions, error);
  int needs_field = context->side == TLSLAB_SERVER && scenario->group == TLSLAB_FFDHE2048;
  if (status == TLSLAB_OK && needs_field) status = use_field(context->config, error);
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(context->config, material->root, error);
  if (status == TLSLAB_OK && !set_verification(context, scenario)) status = reason(error, "cannot set the verification");
  return status == TLSLAB_OK && material->chain_len > 0 ? show(context, material, error) : status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return tlslab_failed(error, "no memory");
  int is_client = side == TLSLAB_CLIENT;
  context->side = side;
  context->server_name = is_client ? material->server_name : NULL;
  context->counts_tickets = is_client && scenario->tickets > 0;
  context->sees_certificate = is_client ? material->psk_identity == NULL : scenario->mutual != 0;
  context->has_early_data = scenario->early_data > 0;
  context->keeps_defaults = scenario->defaults != 0;
  return configure(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  if (context->config != NULL) s2n_config_free(context->config);
  if (context->chain != NULL) s2n_cert_chain_and_key_free(context->chain);
  if (context->psk != NULL) s2n_psk_free(&context->psk);
  free(context->sessions);
  free(context);
}
