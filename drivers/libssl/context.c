/* A scenario, its keys and its certificates as the library's configuration. */
#include "driver.h"

static X509 *certificate(tlslab_bytes der) {
  const uint8_t *at = der.data;
  return d2i_X509(NULL, &at, (long)der.len);
}

static int trust(SSL_CTX *ssl, const tlslab_material *material, tlslab_error *error) {
  if (material->roots_file != NULL) {
    int read = SSL_CTX_load_verify_locations(ssl, material->roots_file, NULL);
    return read == 1 ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot read the roots");
  }
  X509 *anchor = certificate(material->root);
  int added = anchor != NULL && X509_STORE_add_cert(SSL_CTX_get_cert_store(ssl), anchor);
  X509_free(anchor);
  return added ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot trust the root");
}

static int use_chain(SSL_CTX *ssl, const tlslab_material *material) {
  for (size_t at = 0; at < material->chain_len; at++) {
    X509 *link = certificate(material->chain[at]);
    int used = link != NULL && (at == 0 ? SSL_CTX_use_certificate(ssl, link) : SSL_CTX_add1_chain_cert(ssl, link));
    X509_free(link);
    if (!used) return 0;
  }
  return 1;
}

static int use_key(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_bytes der, tlslab_error *error) {
  const uint8_t *at = der.data;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der.len);
  int used = key != NULL && SSL_CTX_use_PrivateKey(ssl, key) && SSL_CTX_check_private_key(ssl);
  int bits = key == NULL ? 0 : EVP_PKEY_bits(key);
  EVP_PKEY_free(key);
  if (!used) return reason_of_library(error, TLSLAB_FAILED, "cannot use the private key");
  /* Of Ed25519 there is but one size, which some libraries give as that of its scalars. */
  if ((uint32_t)bits == scenario->key_bits || scenario->signature_scheme == TLSLAB_ED25519) return TLSLAB_OK;
  return tlslab_failed(error, "the key has %d bits, the scenario wants %u", bits, (unsigned)scenario->key_bits);
}

/* A side's certificates and key. */
static int show(SSL_CTX *ssl, const tlslab_scenario *scenario, const tlslab_material *material, tlslab_error *error) {
  if (!use_chain(ssl, material)) return reason_of_library(error, TLSLAB_FAILED, "cannot use the certificate chain");
  return use_key(ssl, scenario, material->key, error);
}

/* As in the library's ossl-guide-tls-client-block(7) and ossl-guide-tls-server-block(7), without the version there.
 * Applications verify the server; that is not the library's default. */
static int leave_defaults(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                          tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT;
  context->ssl = SSL_CTX_new(is_client ? TLS_client_method() : TLS_server_method());
  if (context->ssl == NULL) return reason_of_library(error, TLSLAB_FAILED, "no context");
  context->counts_tickets = is_client;
  context->sends_tickets_after = !is_client;
  settings_apply(context->ssl, context->side, scenario);
  int status = TLSLAB_OK;
  if (is_client) {
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
    sessions_count_tickets(context->ssl);
    status = trust(context->ssl, material, error);
  }
  if (status == TLSLAB_OK && material->chain_len > 0) status = show(context->ssl, scenario, material, error);
  if (status == TLSLAB_OK) status = settings_check(context->ssl, context->side, scenario, error);
  ERR_clear_error();
  return status;
}

static int configure(struct context *context, const tlslab_scenario *scenario,
                     const tlslab_material *material, tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT, verifies = scenario->verification != TLSLAB_VERIFY_NONE;
  context->ssl = SSL_CTX_new(is_client ? TLS_client_method() : TLS_server_method());
  if (context->ssl == NULL) return reason_of_library(error, TLSLAB_FAILED, "no context");
  SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);
  settings_apply(context->ssl, context->side, scenario);
  int status = pin_scenario(context->ssl, context->side, scenario, error);
  if (status != TLSLAB_OK) return status;
  SSL_CTX_set_verify(context->ssl,
                     !verifies   ? SSL_VERIFY_NONE
                     : is_client ? SSL_VERIFY_PEER
                                 : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     NULL);
  if (is_client) {
    if (!verifies) SSL_CTX_set_cert_verify_callback(context->ssl, accept_any_chain, NULL);
    sessions_pin_client(context->ssl, scenario);
  } else {
    status = sessions_pin_server(context->ssl, scenario, error);
  }
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(context->ssl, material, error);
  if (status == TLSLAB_OK && material->chain_len > 0) status = show(context->ssl, scenario, material, error);
  if (status == TLSLAB_OK && context->psk_identity != NULL) status = psk_pin(context, scenario, error);
#if MOST_EARLY_DATA > 0
  if (status == TLSLAB_OK) status = early_pin(context->ssl, context->side, scenario, error);
#endif
  if (status == TLSLAB_OK) status = settings_check(context->ssl, context->side, scenario, error);
  /* Successful calls may leave entries in the error queue, which would fail the first call on a connection. */
  ERR_clear_error();
  return status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_library(error, TLSLAB_FAILED, "no memory");
  context->side = side;
  context->tickets = scenario->tickets;
  context->resumes = scenario->resumption == TLSLAB_RESUME_SESSION_ID || scenario->resumption == TLSLAB_RESUME_TICKET;
  context->sends_tickets_after = side == TLSLAB_SERVER && scenario->version == TLS1_3_VERSION && scenario->tickets > 0;
  context->server_name = material->server_name;
  context->checks_name = scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME;
  context->first_key_share = (uint16_t)scenario->retry_group;
  context->psk_identity = material->psk_identity;
  context->psk_key = material->psk;
  context->reads_ahead = settings_read_ahead(side);
  context->writes_parts = settings_write_parts(side);
  context->write_at_most = settings_write_at_most(side);
  if (scenario->defaults) return leave_defaults(context, scenario, material, error);
  return configure(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  SSL_CTX_free(context->ssl);
  SSL_SESSION_free(context->psk);
  free(context);
}
