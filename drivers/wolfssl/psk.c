/* A key that both sides were given beforehand. */
#include "driver.h"

#if HAS_PSK

/* The library asks each side for the key by a callback, in TLS 1.3 for the suite that it is for, too. */
static unsigned int give(const struct context *context, unsigned char *key, unsigned int room) {
  if (context->psk.len > room) return 0;
  memcpy(key, context->psk.data, context->psk.len);
  return (unsigned int)context->psk.len;
}

static unsigned int offer(WOLFSSL *ssl, const char *hint, char *identity, unsigned int identity_room,
                          unsigned char *key, unsigned int key_room) {
  const struct context *context = wolfSSL_get_psk_callback_ctx(ssl);
  (void)hint;
  size_t len = strlen(context->psk_identity);
  if (len >= identity_room) return 0;
  memcpy(identity, context->psk_identity, len + 1);
  return give(context, key, key_room);
}

static unsigned int find(WOLFSSL *ssl, const char *identity, unsigned char *key, unsigned int room) {
  const struct context *context = wolfSSL_get_psk_callback_ctx(ssl);
  return strcmp(identity, context->psk_identity) == 0 ? give(context, key, room) : 0;
}

static unsigned int offer_tls13(WOLFSSL *ssl, const char *hint, char *identity, unsigned int identity_room,
                                unsigned char *key, unsigned int key_room, const char **suite) {
  *suite = ((const struct context *)wolfSSL_get_psk_callback_ctx(ssl))->psk_suite;
  return offer(ssl, hint, identity, identity_room, key, key_room);
}

static unsigned int find_tls13(WOLFSSL *ssl, const char *identity, unsigned char *key, unsigned int room,
                               const char **suite) {
  *suite = ((const struct context *)wolfSSL_get_psk_callback_ctx(ssl))->psk_suite;
  return find(ssl, identity, key, room);
}

/* In TLS 1.2 the suite says how the key is used. */
static void use_tls12(struct context *context) {
  if (context->side == TLSLAB_CLIENT) {
    wolfSSL_CTX_set_psk_client_callback(context->ssl, offer);
  } else {
    wolfSSL_CTX_set_psk_server_callback(context->ssl, find);
  }
}

static int use_tls13(struct context *context, uint32_t resumption, tlslab_error *error) {
  int is_alone = resumption == TLSLAB_RESUME_EXTERNAL_PSK_ONLY;
  int failed = is_alone ? wolfSSL_CTX_no_dhe_psk(context->ssl) : wolfSSL_CTX_only_dhe_psk(context->ssl);
  if (failed) return reason_of_code(error, "cannot set how the pre-shared key is used", failed);
  context->exchanges_no_key = context->side == TLSLAB_CLIENT && is_alone;
  if (context->side == TLSLAB_CLIENT) {
    wolfSSL_CTX_set_psk_client_tls13_callback(context->ssl, offer_tls13);
  } else {
    wolfSSL_CTX_set_psk_server_tls13_callback(context->ssl, find_tls13);
  }
  return TLSLAB_OK;
}

int psk_pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  context->psk_suite = suite_name(scenario->suite);
  wolfSSL_CTX_set_psk_callback_ctx(context->ssl, context);
  if (scenario->version == TLSLAB_TLS13) return use_tls13(context, scenario->resumption, error);
  use_tls12(context);
  return TLSLAB_OK;
}

#else

int psk_pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  (void)context, (void)scenario;
  return tlslab_unsupported(error, "this build of the library has no external PSKs");
}

#endif
