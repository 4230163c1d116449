/* Keys, certificates and trust as the library's credentials. */
#include "driver.h"

enum { LONGEST_CHAIN = 8 };

static gnutls_datum_t datum(tlslab_bytes bytes) {
  return (gnutls_datum_t){(unsigned char *)bytes.data, (unsigned)bytes.len};
}

static int certificate(tlslab_bytes der, gnutls_x509_crt_t *parsed) {
  gnutls_datum_t data = datum(der);
  int code = gnutls_x509_crt_init(parsed);
  return code < 0 ? code : gnutls_x509_crt_import(*parsed, &data, GNUTLS_X509_FMT_DER);
}

static int trust(struct context *context, const tlslab_material *material, tlslab_error *error) {
  if (material->roots_file != NULL) {
    int read = gnutls_certificate_set_x509_trust_file(context->credentials, material->roots_file, GNUTLS_X509_FMT_PEM);
    return read < 0 ? reason_of_library(error, "cannot read the roots", read) : TLSLAB_OK;
  }
  gnutls_x509_crt_t root = NULL;
  int code = certificate(material->root, &root);
  if (code >= 0) code = gnutls_certificate_set_x509_trust(context->credentials, &root, 1);
  gnutls_x509_crt_deinit(root);
  return code < 0 ? reason_of_library(error, "cannot trust the root", code) : TLSLAB_OK;
}

/* The credentials make copies of what they are given. */
static int use_chain(struct context *context, const tlslab_material *material, gnutls_x509_privkey_t key) {
  gnutls_x509_crt_t chain[LONGEST_CHAIN] = {NULL};
  int code = material->chain_len > LONGEST_CHAIN ? GNUTLS_E_INVALID_REQUEST : 0;
  for (size_t at = 0; code >= 0 && at < material->chain_len; at++) code = certificate(material->chain[at], &chain[at]);
  if (code >= 0) code = gnutls_certificate_set_x509_key(context->credentials, chain, (int)material->chain_len, key);
  for (size_t at = 0; at < LONGEST_CHAIN; at++) gnutls_x509_crt_deinit(chain[at]);
  return code;
}

/* A side's credentials: a chain, leaf first, and the leaf's key. */
static int show(struct context *context, const tlslab_material *material, tlslab_error *error) {
  gnutls_datum_t der = datum(material->key);
  gnutls_x509_privkey_t key = NULL;
  unsigned bits = 0;
  int code = gnutls_x509_privkey_init(&key);
  if (code >= 0) code = gnutls_x509_privkey_import_pkcs8(key, &der, GNUTLS_X509_FMT_DER, NULL, GNUTLS_PKCS_PLAIN);
  if (code >= 0) code = gnutls_x509_privkey_get_pk_algorithm2(key, &bits);
  if (code >= 0) code = use_chain(context, material, key);
  gnutls_x509_privkey_deinit(key);
  if (code < 0) return reason_of_library(error, "cannot use the private key and its chain", code);
  if (bits == context->pinned.key_bits) return TLSLAB_OK;
  return tlslab_failed(error, "the private key has %u bits, the scenario wants %u", bits, context->pinned.key_bits);
}

static int remember_sessions(struct context *context, tlslab_error *error) {
  if (context->pinned.resumption == TLSLAB_RESUME_SESSION_ID) {
    context->store = store_new();
    if (context->store == NULL) return reason_of_library(error, "no room for sessions", GNUTLS_E_MEMORY_ERROR);
  }
  if (context->pinned.early_data > 0) {
    context->guard = guard_new();
    if (context->guard == NULL) return reason_of_library(error, "no guard", GNUTLS_E_MEMORY_ERROR);
  }
  int code = context->pinned.tickets > 0 ? gnutls_session_ticket_key_generate(&context->ticket_key) : 0;
  return code < 0 ? reason_of_library(error, "no key for tickets", code) : TLSLAB_OK;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_library(error, "no context", GNUTLS_E_MEMORY_ERROR);
  context->side = side;
  context->pinned = *scenario;
  context->sends_tickets_after = side == TLSLAB_SERVER && scenario->version == TLSLAB_TLS13 && scenario->tickets > 0;
  context->server_name = material->server_name;
  context->psk_identity = material->psk_identity;
  context->psk = datum(material->psk);
  if (scenario->tickets > MOST_TICKETS) {
    return tlslab_unsupported(error, "the server sends at most %d tickets, not %u", MOST_TICKETS, scenario->tickets);
  }
  /* As ex-client-x509.c and ex-serv-x509.c of the library's documentation: the default priorities, and no tickets. */
  int code = scenario->defaults ? gnutls_priority_init(&context->priority, NULL, NULL) : 0;
  if (code < 0) return reason_of_library(error, "no default priorities", code);
  int status = scenario->defaults ? TLSLAB_OK : pin(side, scenario, &context->priority, error);
  if (status != TLSLAB_OK) return status;
  code = context->psk_identity == NULL ? 0 : psk_pin(context);
  if (code < 0) return reason_of_library(error, "cannot use the pre-shared key", code);
  code = gnutls_certificate_allocate_credentials(&context->credentials);
  if (code < 0) return reason_of_library(error, "no credentials", code);
  if (side == TLSLAB_SERVER) status = remember_sessions(context, error);
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(context, material, error);
  return status == TLSLAB_OK && material->chain_len > 0 ? show(context, material, error) : status;
}

void context_free(void *handle) {
  struct context *context = handle;
  if (context->credentials != NULL) gnutls_certificate_free_credentials(context->credentials);
  if (context->priority != NULL) gnutls_priority_deinit(context->priority);
  gnutls_free(context->ticket_key.data);
  store_free(context->store);
  guard_free(context->guard);
  psk_free(context);
  free(context);
}
