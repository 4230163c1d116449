#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "reason.h"

int pin_suite(WOLFSSL_CTX *ssl, uint16_t suite) {
  const struct algorithm *known = algorithm_by_point(suites, SUITES, suite);
  return known != NULL && wolfSSL_CTX_set_cipher_list(ssl, known->library) == WOLFSSL_SUCCESS;
}

int pin_group(WOLFSSL_CTX *ssl, uint16_t group) {
  int only = group; /* the library's numbers are IANA's */
  return algorithm_by_point(groups, GROUPS, group) != NULL && wolfSSL_CTX_set_groups(ssl, &only, 1) == WOLFSSL_SUCCESS;
}

int pin_scheme(WOLFSSL_CTX *ssl, uint16_t scheme) {
  const struct algorithm *known = algorithm_by_point(schemes, SCHEMES, scheme);
  if (known == NULL) return 0;
#if HAS_SIGNATURE_SETTER
  return wolfSSL_CTX_set1_sigalgs_list(ssl, known->library) == WOLFSSL_SUCCESS;
#else
  /* A key on P-256 has but one scheme in TLS 1.3. */
  (void)ssl;
  return scheme == 0x0403;
#endif
}

static int pin(WOLFSSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_suite(ssl, scenario->suite)) return reason_of_pin(error, "suite", scenario->suite);
  if (!pin_group(ssl, scenario->group)) return reason_of_pin(error, "group", scenario->group);
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return reason_of_pin(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
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
  result = wolfSSL_CTX_load_verify_buffer(context->ssl, material->root.data, (long)material->root.len,
                                          WOLFSSL_FILETYPE_ASN1);
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
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot use the server's chain", result);
}

static int configure_server(struct context *context, const tlslab_scenario *scenario,
                            const tlslab_material *material, tlslab_error *error) {
  wolfSSL_CTX_set_verify(context->ssl, WOLFSSL_VERIFY_NONE, NULL);
  int result = wolfSSL_CTX_set_num_tickets(context->ssl, scenario->tickets);
  if (result != WOLFSSL_SUCCESS) return reason_of_code(error, "cannot set the number of tickets", result);
  int status = use_chain(context->ssl, material->chain, material->chain_len, error);
  if (status != TLSLAB_OK) return status;
  result = wolfSSL_CTX_use_PrivateKey_buffer(context->ssl, material->key.data, (long)material->key.len,
                                             WOLFSSL_FILETYPE_ASN1);
  if (result == WOLFSSL_SUCCESS) result = wolfSSL_CTX_check_private_key(context->ssl);
  return result == WOLFSSL_SUCCESS ? TLSLAB_OK : reason_of_code(error, "cannot use the server's key", result);
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  if (scenario->version != 0x0304) return reason_of_pin(error, "version", scenario->version);
  int is_client = context->side == TLSLAB_CLIENT;
  /* These methods are of TLS 1.3 alone. */
  context->ssl = wolfSSL_CTX_new(is_client ? wolfTLSv1_3_client_method() : wolfTLSv1_3_server_method());
  if (context->ssl == NULL) return reason_of_code(error, "no context", 0);
  wolfSSL_CTX_set_session_cache_mode(context->ssl, WOLFSSL_SESS_CACHE_OFF);
  wolfSSL_CTX_SetIORecv(context->ssl, wire_read);
  wolfSSL_CTX_SetIOSend(context->ssl, wire_write);
  int status = is_client ? configure_client(context, scenario, material, error)
                         : configure_server(context, scenario, material, error);
  /* Loading a key makes the library choose suites and schemes anew, so these go last. */
  return status == TLSLAB_OK ? pin(context->ssl, scenario, error) : status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return reason_of_code(error, "no memory", 0);
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
  wolfSSL_CTX_free(context->ssl);
  free(context->checked_name);
  free(context);
}
