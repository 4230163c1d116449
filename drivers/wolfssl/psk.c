#include "psk.h"

#include <stdlib.h>
#include <string.h>

#include "reason.h"

#if HAS_PSK

/* The library asks each side for the key by a callback, and for the suite that it is for. */
static unsigned int give(const struct context *context, unsigned char *key, unsigned int room, const char **suite) {
  if (context->psk_len > room) return 0;
  memcpy(key, context->psk, context->psk_len);
  *suite = context->psk_suite;
  return (unsigned int)context->psk_len;
}

static unsigned int offer(WOLFSSL *ssl, const char *hint, char *identity, unsigned int identity_room,
                          unsigned char *key, unsigned int key_room, const char **suite) {
  const struct context *context = wolfSSL_get_psk_callback_ctx(ssl);
  (void)hint;
  size_t len = strlen(context->psk_identity);
  if (len >= identity_room) return 0;
  memcpy(identity, context->psk_identity, len + 1);
  return give(context, key, key_room, suite);
}

static unsigned int find(WOLFSSL *ssl, const char *identity, unsigned char *key, unsigned int room,
                         const char **suite) {
  const struct context *context = wolfSSL_get_psk_callback_ctx(ssl);
  return strcmp(identity, context->psk_identity) == 0 ? give(context, key, room, suite) : 0;
}

int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error) {
  const struct algorithm *suite = algorithm_by_point(suites, SUITES, scenario->suite);
  context->psk_identity = strdup(material->psk_identity);
  if (suite == NULL || context->psk_identity == NULL || material->psk.len > sizeof context->psk) {
    return reason_of_code(error, "cannot use the pre-shared key", 0);
  }
  context->psk_suite = suite->library;
  context->psk_len = material->psk.len;
  memcpy(context->psk, material->psk.data, material->psk.len);
  int failed = scenario->resumption == TLSLAB_RESUME_EXTERNAL_PSK_ONLY ? wolfSSL_CTX_no_dhe_psk(context->ssl)
                                                                       : wolfSSL_CTX_only_dhe_psk(context->ssl);
  context->exchanges_no_key =
      context->side == TLSLAB_CLIENT && scenario->resumption == TLSLAB_RESUME_EXTERNAL_PSK_ONLY;
  if (failed) return reason_of_code(error, "cannot set how the pre-shared key is used", failed);
  wolfSSL_CTX_set_psk_callback_ctx(context->ssl, context);
  if (context->side == TLSLAB_CLIENT) {
    wolfSSL_CTX_set_psk_client_tls13_callback(context->ssl, offer);
  } else {
    wolfSSL_CTX_set_psk_server_tls13_callback(context->ssl, find);
  }
  return TLSLAB_OK;
}

#else

int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error) {
  (void)context, (void)scenario, (void)material;
  return reason_unsupported(error, "this build of the library has no pre-shared keys from outside");
}

#endif
