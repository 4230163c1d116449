#include "context.h"

#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "early.h"
#include "pin.h"
#include "psk.h"
#include "reason.h"

enum { LONGEST_CHAIN = 8 };

static gnutls_datum_t datum(tlslab_bytes bytes) {
  return (gnutls_datum_t){(unsigned char *)bytes.data, (unsigned)bytes.len};
}

static int certificate(tlslab_bytes der, gnutls_x509_crt_t *parsed) {
  gnutls_datum_t data = datum(der);
  int code = gnutls_x509_crt_init(parsed);
  return code < 0 ? code : gnutls_x509_crt_import(*parsed, &data, GNUTLS_X509_FMT_DER);
}

static int trust(struct context *context, tlslab_bytes der, tlslab_error *error) {
  gnutls_x509_crt_t root = NULL;
  int code = certificate(der, &root);
  if (code >= 0) code = gnutls_certificate_set_x509_trust(context->credentials, &root, 1);
  gnutls_x509_crt_deinit(root);
  return code < 0 ? reason_of_library(error, "cannot trust the root", code) : TLSLAB_OK;
}

/* The credentials make copies of what they are given. */
static int use_chain(struct context *context, const tlslab_bytes *ders, size_t len, gnutls_x509_privkey_t key) {
  gnutls_x509_crt_t chain[LONGEST_CHAIN] = {NULL};
  int code = len > LONGEST_CHAIN ? GNUTLS_E_INVALID_REQUEST : 0;
  for (size_t at = 0; code >= 0 && at < len; at++) {
    code = certificate(ders[at], &chain[at]);
  }
  if (code >= 0) code = gnutls_certificate_set_x509_key(context->credentials, chain, (int)len, key);
  for (size_t at = 0; at < LONGEST_CHAIN; at++) gnutls_x509_crt_deinit(chain[at]);
  return code;
}

/* What a side shows of itself: a chain, leaf first, and the leaf's key. */
static int show(struct context *context, const tlslab_scenario *scenario, const tlslab_bytes *chain, size_t len,
                tlslab_bytes private_key, tlslab_error *error) {
  gnutls_datum_t der = datum(private_key);
  gnutls_x509_privkey_t key = NULL;
  unsigned bits = 0;
  int code = gnutls_x509_privkey_init(&key);
  if (code >= 0) code = gnutls_x509_privkey_import_pkcs8(key, &der, GNUTLS_X509_FMT_DER, NULL, GNUTLS_PKCS_PLAIN);
  if (code >= 0) code = gnutls_x509_privkey_get_pk_algorithm2(key, &bits);
  if (code >= 0) code = use_chain(context, chain, len, key);
  gnutls_x509_privkey_deinit(key);
  if (code < 0) return reason_of_library(error, "cannot use the private key and its chain", code);
  if (bits == scenario->key_bits) return TLSLAB_OK;
  snprintf(error->text, sizeof error->text, "the private key has %u bits, the scenario wants %u", bits,
           (unsigned)scenario->key_bits);
  return TLSLAB_FAILED;
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  context->server_name = strdup(material->server_name);
  if (context->server_name == NULL) return reason_of_library(error, "no name", GNUTLS_E_MEMORY_ERROR);
  int status = trust(context, material->root, error);
  if (status != TLSLAB_OK || material->client_chain_len == 0) return status;
  return show(context, scenario, material->client_chain, material->client_chain_len, material->client_key, error);
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  context->sends_tickets_after = scenario->version == 0x0304 && scenario->tickets > 0;
  if (scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    context->store = store_new();
    if (context->store == NULL) return reason_of_library(error, "no room for sessions", GNUTLS_E_MEMORY_ERROR);
  }
  if (scenario->early_data > 0) {
    context->guard = guard_new();
    if (context->guard == NULL) return reason_of_library(error, "no guard", GNUTLS_E_MEMORY_ERROR);
  }
  int code = context->tickets > 0 ? gnutls_session_ticket_key_generate(&context->ticket_key) : 0;
  if (code < 0) return reason_of_library(error, "no key for tickets", code);
  int status = scenario->mutual ? trust(context, material->client_root, error) : TLSLAB_OK;
  if (status != TLSLAB_OK || material->chain_len == 0) return status;
  return show(context, scenario, material->chain, material->chain_len, material->key, error);
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  if (scenario->tickets > MOST_TICKETS) {
    snprintf(error->text, sizeof error->text, "the server sends at most %d tickets, not %u", MOST_TICKETS,
             (unsigned)scenario->tickets);
    return TLSLAB_UNSUPPORTED;
  }
  int status = pin(context->side, scenario, &context->priority, error);
  if (status == TLSLAB_OK && material->psk_identity != NULL) status = psk_pin(context, material, error);
  if (status != TLSLAB_OK) return status;
  int code = gnutls_certificate_allocate_credentials(&context->credentials);
  if (code < 0) return reason_of_library(error, "no credentials", code);
  return context->side == TLSLAB_CLIENT ? configure_client(context, scenario, material, error)
                                        : configure_server(context, scenario, material, error);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_library(error, "no context", GNUTLS_E_MEMORY_ERROR);
  context->side = side;
  context->tickets = scenario->tickets;
  context->verification = scenario->verification;
  context->mutual = scenario->mutual != 0;
  context->retries = scenario->retry_group != 0;
  context->early_data = scenario->early_data;
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
  if (context->credentials != NULL) gnutls_certificate_free_credentials(context->credentials);
  if (context->priority != NULL) gnutls_priority_deinit(context->priority);
  gnutls_free(context->ticket_key.data);
  store_free(context->store);
  guard_free(context->guard);
  psk_free(context);
  free(context->server_name);
  free(context);
}
