/* A key that both sides were given beforehand, in TLS 1.2. */

#include <stdio.h>
#include <string.h>

#include "psk.h"
#include "reason.h"

#if HAS_PSK_SUITES

/* The key and its identity belong to the context. */
static int index_of_context = -1;

static const struct context *context_of(const SSL *ssl) {
  return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), index_of_context);
}

static unsigned give(const struct context *context, unsigned char *key, unsigned room) {
  if (context->psk_len > room) return 0;
  memcpy(key, context->psk_key, context->psk_len);
  return (unsigned)context->psk_len;
}

static unsigned offer(SSL *ssl, const char *hint, char *identity, unsigned identity_room, unsigned char *key,
                      unsigned key_room) {
  const struct context *context = context_of(ssl);
  (void)hint;
  size_t len = strlen(context->psk_identity);
  if (len >= identity_room) return 0;
  memcpy(identity, context->psk_identity, len + 1);
  return give(context, key, key_room);
}

static unsigned find(SSL *ssl, const char *identity, unsigned char *key, unsigned room) {
  const struct context *context = context_of(ssl);
  return strcmp(identity, context->psk_identity) == 0 ? give(context, key, room) : 0;
}

int psk_suites_pin(struct context *context, const tlslab_material *material, tlslab_error *error) {
  if (index_of_context < 0) index_of_context = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
  context->psk_identity = OPENSSL_strdup(material->psk_identity);
  if (context->psk_identity == NULL || material->psk.len > sizeof context->psk_key || index_of_context < 0 ||
      !SSL_CTX_set_ex_data(context->ssl, index_of_context, context)) {
    return reason_of_library(error, TLSLAB_FAILED, "cannot use the pre-shared key");
  }
  context->psk_len = material->psk.len;
  memcpy(context->psk_key, material->psk.data, material->psk.len);
  if (context->side == TLSLAB_CLIENT) {
    SSL_CTX_set_psk_client_callback(context->ssl, offer);
  } else {
    SSL_CTX_set_psk_server_callback(context->ssl, find);
  }
  return TLSLAB_OK;
}

#else

int psk_suites_pin(struct context *context, const tlslab_material *material, tlslab_error *error) {
  (void)context, (void)material;
  snprintf(error->text, sizeof error->text, "the library has no pre-shared keys");
  return TLSLAB_UNSUPPORTED;
}

#endif
