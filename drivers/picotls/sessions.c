/* Tickets: how a server seals them, and how a client keeps one and takes it up. */
#include <openssl/core_names.h>

#include "driver.h"

/* The contexts of one scenario live at a time, so that one set of keys is enough. */
static struct {
  uint8_t name[16], cipher[32], code[32];
} keys;

static int use_keys(unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *code, int seals) {
  OSSL_PARAM with[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, keys.code, sizeof keys.code),
                       OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"sha256", 0), OSSL_PARAM_construct_end()};
  if (seals) memcpy(name, keys.name, sizeof keys.name), ptls_openssl_random_bytes(iv, 16);
  else if (memcmp(name, keys.name, sizeof keys.name) != 0) return 0;
  return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, keys.cipher, iv, seals) && EVP_MAC_CTX_set_params(code, with);
}

static int seal(ptls_encrypt_ticket_t *self, ptls_t *tls, int seals, ptls_buffer_t *to, ptls_iovec_t from) {
  (void)self, (void)tls;
  return seals ? ptls_openssl_encrypt_ticket_evp(to, from, use_keys) : ptls_openssl_decrypt_ticket_evp(to, from, use_keys);
}

static int keep(ptls_save_ticket_t *self, ptls_t *tls, ptls_iovec_t ticket, const ptls_save_ticket_properties_t *properties) {
  struct connection *connection = connection_of(tls);
  (void)self, (void)properties;
  connection->tickets_received++;
  session_free(connection->latest);
  connection->latest = OPENSSL_malloc(sizeof *connection->latest + ticket.len);
  if (connection->latest == NULL) return PTLS_ERROR_NO_MEMORY;
  connection->latest->len = ticket.len;
  memcpy(connection->latest->data, ticket.base, ticket.len);
  return 0;
}

void sessions_pin(struct context *context) {
  static ptls_encrypt_ticket_t sealer = {seal};
  static ptls_save_ticket_t keeper = {keep};
  if (!context->is_server) {
    context->ptls.save_ticket = &keeper;
    return;
  }
  ptls_openssl_random_bytes(&keys, sizeof keys);
  context->ptls.encrypt_ticket = &sealer;
  context->ptls.ticket_lifetime = 86400;
  context->ptls.max_early_data_size = context->pinned.early_data;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  (void)error;
  *session = connection->latest;
  connection->latest = NULL;
  return TLSLAB_OK;
}

void session_free(void *session) { OPENSSL_free(session); }

int session_copy(void *session, void **copy, tlslab_error *error) {
  *copy = OPENSSL_memdup(session, sizeof(struct session) + ((struct session *)session)->len);
  return *copy != NULL ? TLSLAB_OK : tlslab_failed(error, "no memory");
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  int status = connection_new(context, handle, error);
  struct connection *connection = *handle;
  if (status != TLSLAB_OK) {
    session_free(session);
    return status;
  }
  connection->resumed = session;
  connection->properties.client.session_ticket = ptls_iovec_init(connection->resumed->data, connection->resumed->len);
  return TLSLAB_OK;
}
