/* Holds a context to what a scenario names, and gives it its keys and certificates. */
#include "driver.h"

static int keep_peer(ptls_openssl_override_verify_certificate_t *self, ptls_t *tls, int code, int verdict, X509 *leaf,
                     STACK_OF(X509) *chain) {
  struct connection *connection = connection_of(tls);
  (void)self, (void)chain;
  connection->verdict = verdict;
  if (leaf != NULL && X509_up_ref(leaf)) connection->peer = leaf;
  return code;
}

static int verify(ptls_verify_certificate_t *self, ptls_t *tls, const char *name, verify_signature **check, void **key,
                  ptls_iovec_t *chain, size_t count) {
  struct connection *connection = connection_of(tls);
  uint32_t level = connection->context->pinned.verification;
  ptls_verify_certificate_t *library = (ptls_verify_certificate_t *)&connection->context->verifier.super;
  (void)self;
  if (level != TLSLAB_VERIFY_NONE || count == 0) {
    return library->cb(library, tls, level == TLSLAB_VERIFY_CHAIN_AND_NAME ? name : NULL, check, key, chain, count);
  }
  const uint8_t *at = chain[0].base;
  connection->peer = d2i_X509(NULL, &at, (long)chain[0].len);
  *key = connection->peer == NULL ? NULL : X509_get_pubkey(connection->peer);
  *check = connection->context->check;
  return *key == NULL ? PTLS_ALERT_BAD_CERTIFICATE : 0;
}

static int trust(struct context *context, tlslab_bytes der, tlslab_error *error) {
  static ptls_openssl_override_verify_certificate_t keeper = {keep_peer};
  const uint8_t *at = der.data;
  void *key = NULL;
  X509_STORE *store = X509_STORE_new();
  X509 *root = d2i_X509(NULL, &at, (long)der.len);
  context->check = find_check(der, &key);
  EVP_PKEY_free(key);
  int done = store != NULL && root != NULL && context->check != NULL && X509_STORE_add_cert(store, root) == 1 &&
             ptls_openssl_init_verify_certificate(&context->verifier, store) == 0;
  X509_free(root);
  X509_STORE_free(store);
  context->verifier.override_callback = &keeper;
  const uint16_t *schemes = context->pinned.defaults ? context->verifier.super.algos : context->schemes;
  context->verify = (ptls_verify_certificate_t){verify, schemes};
  context->ptls.verify_certificate = &context->verify;
  return done ? TLSLAB_OK : tlslab_failed(error, "cannot trust the root");
}

int load_signer(struct signer *signer, tlslab_bytes der, uint16_t scheme) {
  const uint8_t *at = der.data;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der.len);
  int code = key == NULL ? PTLS_ERROR_INCOMPATIBLE_KEY : ptls_openssl_init_sign_certificate(&signer->library, key);
  EVP_PKEY_free(key);
  if (code != 0 || scheme == 0) return code;
  const ptls_openssl_signature_scheme_t *known = signer->library.schemes;
  while (known->scheme_id != scheme && known->scheme_id != UINT16_MAX) known++;
  signer->schemes[0] = *known;
  signer->schemes[1].scheme_id = UINT16_MAX;
  signer->library.schemes = signer->schemes;
  return known->scheme_id == scheme ? 0 : PTLS_ERROR_INCOMPATIBLE_KEY;
}

/* A side's certificates and key. */
static int show(struct context *context, const tlslab_material *material, tlslab_error *error) {
  int code = load_signer(&context->signer, material->key, context->schemes[0]);
  if (code != 0) return reason(error, "cannot use the private key", code);
  unsigned bits = (unsigned)EVP_PKEY_bits(context->signer.library.key);
  if (bits != context->pinned.key_bits && context->schemes[0] != TLSLAB_ED25519) {
    return tlslab_failed(error, "the key has %u bits, the scenario wants %u", bits, context->pinned.key_bits);
  }
  size_t count = 0;
  for (; count < material->chain_len && count < sizeof context->chain / sizeof *context->chain; count++) {
    tlslab_bytes link = material->chain[count];
    context->chain[count] = ptls_iovec_init(OPENSSL_memdup(link.data, link.len), link.len);
    if (context->chain[count].base == NULL) break;
  }
  context->ptls.certificates.list = context->chain;
  context->ptls.certificates.count = count;
  context->ptls.sign_certificate = &context->signer.library.super;
  return count == material->chain_len ? TLSLAB_OK : tlslab_failed(error, "cannot use the chain");
}

/* As the wiki's page "Using picotls": the lists that the library names after its cryptography. */
static void leave_defaults(struct context *context) {
  ptls_context_t *ptls = &context->ptls;
  ptls->random_bytes = ptls_openssl_random_bytes;
  ptls->get_time = &ptls_get_time;
  ptls->key_exchanges = ptls_openssl_key_exchanges;
  ptls->cipher_suites = ptls_openssl_cipher_suites;
}

static int pin(struct context *context, const tlslab_material *material, tlslab_error *error) {
  const tlslab_scenario *pinned = &context->pinned;
  ptls_context_t *ptls = &context->ptls;
  int retries = !context->is_server && pinned->retry_group != 0;
  int exchanges = pinned->resumption != TLSLAB_RESUME_EXTERNAL_PSK_ONLY;
  if (retries) context->groups[0] = find_group((uint16_t)pinned->retry_group);
  context->groups[retries] = find_group(pinned->group);
  context->suites[0] = ptls_find_cipher_suite(ptls_openssl_cipher_suites_all, pinned->suite);
  context->schemes[0] = pinned->signature_scheme;
  context->schemes[1] = UINT16_MAX;
  if (pinned->version != TLSLAB_TLS13 || context->suites[0] == NULL || context->groups[0] == NULL ||
      context->groups[retries] == NULL || pinned->tickets > 1) {
    return tlslab_unsupported(error, "the library cannot be held to the scenario's version, suite, group or tickets");
  }
  if (pinned->mutual && pinned->resumption == TLSLAB_RESUME_TICKET) {
    return tlslab_unsupported(error, "a server that asks for a certificate takes up no session");
  }
  ptls->random_bytes = ptls_openssl_random_bytes;
  ptls->get_time = &ptls_get_time;
  ptls->key_exchanges = exchanges ? context->groups : NULL;
  ptls->cipher_suites = context->suites;
  ptls->require_dhe_on_psk = exchanges != 0;
  ptls->require_client_authentication = context->is_server && pinned->mutual;
  if (material->psk_identity == NULL) return TLSLAB_OK;
  ptls->pre_shared_key.identity = ptls_iovec_init(material->psk_identity, strlen(material->psk_identity));
  ptls->pre_shared_key.secret = iovec(material->psk);
  ptls->pre_shared_key.hash = context->suites[0]->hash;
  return TLSLAB_OK;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return tlslab_failed(error, "no memory");
  context->is_server = side == TLSLAB_SERVER;
  context->pinned = *scenario;
  context->server_name = material->server_name;
  if (scenario->defaults) leave_defaults(context);
  int status = scenario->defaults ? TLSLAB_OK : pin(context, material, error);
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(context, material->root, error);
  if (status == TLSLAB_OK && material->chain_len > 0) status = show(context, material, error);
  if (scenario->tickets > 0) sessions_pin(context);
  return status;
}

void context_free(void *handle) {
  struct context *context = handle;
  for (size_t at = 0; at < context->ptls.certificates.count; at++) OPENSSL_free(context->chain[at].base);
  EVP_PKEY_free(context->signer.library.key);
  X509_STORE_free(context->verifier.cert_store);
  free(context);
}
