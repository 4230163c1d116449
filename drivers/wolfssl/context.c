/* A scenario, its keys and its certificates as the library's configuration. */
#include "driver.h"

static int trust(WOLFSSL_CTX *ssl, const tlslab_material *material, tlslab_error *error) {
  if (material->roots_file != NULL) {
    int read = wolfSSL_CTX_load_verify_locations(ssl, material->roots_file, NULL);
    return read == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot read the roots", read);
  }
  tlslab_bytes root = material->root;
  int result = wolfSSL_CTX_load_verify_buffer(ssl, root.data, (long)root.len, WOLFSSL_FILETYPE_ASN1);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot trust the root", result);
}

/* The library takes the chain as one buffer, a certificate behind the other. */
static int use_chain(WOLFSSL_CTX *ssl, const tlslab_bytes *chain, size_t count, tlslab_error *error) {
  size_t len = 0;
  for (size_t at = 0; at < count; at++) len += chain[at].len;
  uint8_t *joined = malloc(len);
  if (joined == NULL) return reason_of_code(error, "no memory", 0);
  uint8_t *end = joined;
  for (size_t at = 0; at < count; at++) {
    memcpy(end, chain[at].data, chain[at].len);
    end += chain[at].len;
  }
  int result = wolfSSL_CTX_use_certificate_chain_buffer_format(ssl, joined, (long)len, WOLFSSL_FILETYPE_ASN1);
  free(joined);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot use the certificate chain", result);
}

/* A side's certificates and key. */
static int show(WOLFSSL_CTX *ssl, const tlslab_material *material, tlslab_error *error) {
  int status = use_chain(ssl, material->chain, material->chain_len, error);
  if (status != TLSLAB_OK) return status;
  int result = wolfSSL_CTX_use_PrivateKey_buffer(ssl, material->key.data, (long)material->key.len, WOLFSSL_FILETYPE_ASN1);
  if (result == WOLFSSL_SUCCESS) result = wolfSSL_CTX_check_private_key(ssl);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot use the private key", result);
}

static int ask_for(WOLFSSL_CTX *ssl, const char *name, tlslab_error *error) {
  int result = wolfSSL_CTX_UseSNI(ssl, WOLFSSL_SNI_HOST_NAME, name, (unsigned short)strlen(name));
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot ask for the server's name", result);
}

/* As client-tls.c and server-tls.c of the library's examples: the methods that negotiate a version, certificates and
 * trust. */
static int leave_defaults(struct context *context, const tlslab_material *material, tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT;
  WOLFSSL_CTX *ssl = context->ssl = wolfSSL_CTX_new(is_client ? wolfTLS_client_method() : wolfTLS_server_method());
  if (ssl == NULL) return reason_of_code(error, "no context", 0);
  context->counts_tickets = is_client;
  wolfSSL_CTX_SetIORecv(ssl, wire_read);
  wolfSSL_CTX_SetIOSend(ssl, wire_write);
  int status = is_client ? ask_for(ssl, material->server_name, error) : TLSLAB_OK;
  if (status == TLSLAB_OK && is_client) status = trust(ssl, material, error);
  return status == TLSLAB_OK && material->chain_len > 0 ? show(ssl, material, error) : status;
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT, verifies = scenario->verification != TLSLAB_VERIFY_NONE;
  WOLFSSL_CTX *ssl = context->ssl = pin_version(context->side, scenario->version);
  if (ssl == NULL) return reason_of_pin(error, "version", scenario->version);
  wolfSSL_CTX_SetIORecv(ssl, wire_read);
  wolfSSL_CTX_SetIOSend(ssl, wire_write);
  wolfSSL_CTX_set_verify(ssl,
                         !verifies   ? WOLFSSL_VERIFY_NONE
                         : is_client ? WOLFSSL_VERIFY_PEER
                                     : WOLFSSL_VERIFY_PEER | WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                         NULL);
  int status = is_client ? ask_for(ssl, material->server_name, error) : TLSLAB_OK;
  if (status == TLSLAB_OK) {
    status = is_client ? sessions_pin_client(ssl, scenario, error) : sessions_pin_server(ssl, scenario, error);
  }
#if HAS_EARLY_DATA
  /* Of a server it is never refused, and what it returns depends on the build. */
  if (status == TLSLAB_OK && !is_client) wolfSSL_CTX_set_max_early_data(ssl, scenario->early_data);
#endif
  if (status == TLSLAB_OK && material->root.len > 0) status = trust(ssl, material, error);
  if (status == TLSLAB_OK && material->chain_len > 0) status = show(ssl, material, error);
  if (status == TLSLAB_OK && context->psk_identity != NULL) status = psk_pin(context, scenario, error);
  /* Loading a key makes the library choose suites and schemes again, so these go last. */
  return status == TLSLAB_OK ? pin_scenario(ssl, context->side, scenario, error) : status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_code(error, "no memory", 0);
  context->side = side;
  context->group = scenario->group;
  context->counts_tickets = side == TLSLAB_CLIENT && scenario->tickets > 0;
  if (scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME) context->checked_name = material->server_name;
  context->psk_identity = material->psk_identity;
  context->psk = material->psk;
  if (scenario->defaults) return leave_defaults(context, material, error);
  return configure(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  wolfSSL_CTX_free(context->ssl);
  free(context);
}
