#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "early.h"
#include "pin.h"
#include "psk.h"
#include "reason.h"
#include "sessions.h"

static int trust(WOLFSSL_CTX *ssl, tlslab_bytes root, tlslab_error *error) {
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

/* What a side shows of itself. */
static int show(WOLFSSL_CTX *ssl, const tlslab_bytes *chain, size_t count, tlslab_bytes key, tlslab_error *error) {
  int status = use_chain(ssl, chain, count, error);
  if (status != TLSLAB_OK) return status;
  int result = wolfSSL_CTX_use_PrivateKey_buffer(ssl, key.data, (long)key.len, WOLFSSL_FILETYPE_ASN1);
  if (result == WOLFSSL_SUCCESS) result = wolfSSL_CTX_check_private_key(ssl);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot use the private key", result);
}

static int configure_client(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  context->counts_tickets = scenario->tickets > 0;
  if (scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME) {
    context->checked_name = strdup(material->server_name);
    if (context->checked_name == NULL) return reason_of_code(error, "no memory", 0);
  }
  wolfSSL_CTX_set_verify(
      context->ssl, scenario->verification == TLSLAB_VERIFY_NONE ? WOLFSSL_VERIFY_NONE : WOLFSSL_VERIFY_PEER, NULL);
  int result = wolfSSL_CTX_UseSNI(context->ssl, WOLFSSL_SNI_HOST_NAME, material->server_name,
                                  (unsigned short)strlen(material->server_name));
  if (result != WOLFSSL_SUCCESS) return reason_of_code(error, "cannot ask for the server's name", result);
  int status = sessions_pin_client(context->ssl, scenario, error);
  if (status == TLSLAB_OK && material->client_chain_len > 0) {
    status = show(context->ssl, material->client_chain, material->client_chain_len, material->client_key, error);
  }
  return status == TLSLAB_OK ? trust(context->ssl, material->root, error) : status;
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  int asks = WOLFSSL_VERIFY_PEER | WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  wolfSSL_CTX_set_verify(context->ssl, scenario->mutual ? asks : WOLFSSL_VERIFY_NONE, NULL);
  int status = sessions_pin_server(context->ssl, scenario, error);
  if (status == TLSLAB_OK && scenario->mutual) status = trust(context->ssl, material->client_root, error);
#if HAS_EARLY_DATA
  if (status == TLSLAB_OK) early_pin_server(context->ssl, scenario);
#endif
  if (status != TLSLAB_OK || material->chain_len == 0) return status;
  return show(context->ssl, material->chain, material->chain_len, material->key, error);
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  context->ssl = pin_version(context->side, scenario->version);
  if (context->ssl == NULL) return reason_of_pin(error, "version", scenario->version);
  wolfSSL_CTX_SetIORecv(context->ssl, wire_read);
  wolfSSL_CTX_SetIOSend(context->ssl, wire_write);
  int status = context->side == TLSLAB_CLIENT ? configure_client(context, scenario, material, error)
                                              : configure_server(context, scenario, material, error);
  if (status == TLSLAB_OK && material->psk_identity != NULL) status = psk_pin(context, scenario, material, error);
  /* Loading a key makes the library choose suites and schemes anew, so these go last. */
  return status == TLSLAB_OK ? pin_scenario(context->ssl, context->side, scenario, error) : status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_code(error, "no memory", 0);
  context->side = side;
  context->group = scenario->group;
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
  wolfSSL_CTX_free(context->ssl);
  free(context->checked_name);
  free(context->psk_identity);
  free(context);
}
