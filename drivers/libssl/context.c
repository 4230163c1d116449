#include "context.h"

#include <stdio.h>
#include <stdlib.h>

#include "early.h"
#include "pin.h"
#include "psk.h"
#include "reason.h"
#include "sessions.h"

/* Takes the place of building and checking the chain, which libraries do even where they ignore the outcome. */
static int accept_any_chain(X509_STORE_CTX *store, void *argument) {
  (void)argument;
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

static X509 *certificate(tlslab_bytes der) {
  const uint8_t *at = der.data;
  return d2i_X509(NULL, &at, (long)der.len);
}

static int trust(SSL_CTX *ssl, tlslab_bytes root, tlslab_error *error) {
  X509 *anchor = certificate(root);
  int added = anchor != NULL && X509_STORE_add_cert(SSL_CTX_get_cert_store(ssl), anchor);
  X509_free(anchor);
  return added ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot trust the root");
}

/* Hands over the chain, leaf first. */
static int use_chain(SSL_CTX *ssl, const tlslab_bytes *chain, size_t len) {
  for (size_t at = 0; at < len; at++) {
    X509 *link = certificate(chain[at]);
    int used = link != NULL && (at == 0 ? SSL_CTX_use_certificate(ssl, link) : SSL_CTX_add1_chain_cert(ssl, link));
    X509_free(link);
    if (!used) return 0;
  }
  return len > 0;
}

static int use_key(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_bytes der, tlslab_error *error) {
  const uint8_t *at = der.data;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der.len);
  int used = key != NULL && SSL_CTX_use_PrivateKey(ssl, key) && SSL_CTX_check_private_key(ssl);
  int bits = key == NULL ? 0 : EVP_PKEY_bits(key);
  EVP_PKEY_free(key);
  if (!used) return reason_of_library(error, TLSLAB_FAILED, "cannot use the private key");
  /* Of Ed25519 there is but one size, which some libraries give as that of its scalars. */
  if ((uint32_t)bits != scenario->key_bits && scenario->signature_scheme != 0x0807) {
    snprintf(error->text, sizeof error->text, "the key has %d bits, the scenario wants %u", bits,
             (unsigned)scenario->key_bits);
    return TLSLAB_FAILED;
  }
  return TLSLAB_OK;
}

/* What a side shows of itself. */
static int show(SSL_CTX *ssl, const tlslab_scenario *scenario, const tlslab_bytes *chain, size_t len, tlslab_bytes key,
                tlslab_error *error) {
  if (!use_chain(ssl, chain, len)) return reason_of_library(error, TLSLAB_FAILED, "cannot use the certificate chain");
  return use_key(ssl, scenario, key, error);
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  context->server_name = OPENSSL_strdup(material->server_name);
  context->checks_name = scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME;
  if (context->server_name == NULL) return reason_of_library(error, TLSLAB_FAILED, "no memory");
  if (scenario->verification == TLSLAB_VERIFY_NONE) {
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_cert_verify_callback(context->ssl, accept_any_chain, NULL);
  } else {
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, NULL);
  }
  sessions_pin_client(context->ssl, scenario);
  context->first_key_share = (uint16_t)scenario->retry_group;
  if (material->client_chain_len > 0) {
    int status = show(context->ssl, scenario, material->client_chain, material->client_chain_len, material->client_key,
                      error);
    if (status != TLSLAB_OK) return status;
  }
  return trust(context->ssl, material->root, error);
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  SSL_CTX_set_verify(context->ssl, scenario->mutual ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE,
                     NULL);
  context->sends_tickets_after = scenario->version == TLS1_3_VERSION && scenario->tickets > 0;
  int status = sessions_pin_server(context->ssl, scenario, error);
  if (status == TLSLAB_OK && scenario->mutual) status = trust(context->ssl, material->client_root, error);
  if (status != TLSLAB_OK || material->chain_len == 0) return status;
  return show(context->ssl, scenario, material->chain, material->chain_len, material->key, error);
}

static int configure(struct context *context, const tlslab_scenario *scenario,
                     const tlslab_material *material, tlslab_error *error) {
  context->ssl = SSL_CTX_new(context->side == TLSLAB_CLIENT ? TLS_client_method() : TLS_server_method());
  if (context->ssl == NULL) return reason_of_library(error, TLSLAB_FAILED, "no context");
  SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);
  int status = pin_scenario(context->ssl, context->side, scenario, error);
  if (status != TLSLAB_OK) return status;
  status = context->side == TLSLAB_CLIENT ? configure_client(context, scenario, material, error)
                                          : configure_server(context, scenario, material, error);
  if (status == TLSLAB_OK && material->psk_identity != NULL) {
    status = scenario->version == TLS1_2_VERSION ? psk_suites_pin(context, material, error)
                                                 : psk_pin(context, scenario, material, error);
  }
#if MOST_EARLY_DATA > 0
  if (status == TLSLAB_OK) status = early_pin(context->ssl, context->side, scenario, error);
#endif
  /* What succeeded may have left notes of attempts behind, and the first call on a connection would trip on them. */
  ERR_clear_error();
  return status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_library(error, TLSLAB_FAILED, "no memory");
  context->side = side;
  context->tickets = scenario->tickets;
  context->resumes = scenario->resumption == TLSLAB_RESUME_SESSION_ID || scenario->resumption == TLSLAB_RESUME_TICKET;
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
  SSL_CTX_free(context->ssl);
  SSL_SESSION_free(context->psk);
  OPENSSL_free(context->server_name);
  OPENSSL_free(context->psk_identity);
  free(context);
}
