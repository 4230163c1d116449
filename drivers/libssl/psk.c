/* A key that both sides were given beforehand. */
#include "driver.h"

#if HAS_PSK_SESSIONS || HAS_PSK_SUITES

/* The callbacks find the context, to which the key belongs. */
static int index_of_context = -1;

static const struct context *context_of(const SSL *ssl) {
  return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), index_of_context);
}

static int know_context(struct context *context) {
  if (index_of_context < 0) index_of_context = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
  return index_of_context >= 0 && SSL_CTX_set_ex_data(context->ssl, index_of_context, context);
}

#endif

#if HAS_PSK_SESSIONS

static int offer(SSL *ssl, const EVP_MD *digest, const unsigned char **identity, size_t *len, SSL_SESSION **session) {
  const struct context *context = context_of(ssl);
  (void)digest; /* one suite is pinned, and the key is for its hash */
  if (!SSL_SESSION_up_ref(context->psk)) return 0;
  *identity = (const unsigned char *)context->psk_identity;
  *len = strlen(context->psk_identity);
  *session = context->psk;
  return 1;
}

static int find(SSL *ssl, const unsigned char *identity, size_t len, SSL_SESSION **session) {
  const struct context *context = context_of(ssl);
  *session = NULL;
  if (len != strlen(context->psk_identity) || memcmp(identity, context->psk_identity, len) != 0) return 1;
  if (!SSL_SESSION_up_ref(context->psk)) return 0;
  *session = context->psk;
  return 1;
}

/* The library takes a key as the secret of a session that never was. */
static SSL_SESSION *session_of(SSL_CTX *ssl, const tlslab_scenario *scenario, tlslab_bytes key) {
  const unsigned char point[] = {(unsigned char)(scenario->suite >> 8), (unsigned char)scenario->suite};
  SSL *connection = SSL_new(ssl);
  const SSL_CIPHER *suite = connection == NULL ? NULL : SSL_CIPHER_find(connection, point);
  SSL_SESSION *session = SSL_SESSION_new();
  if (suite == NULL || session == NULL || !SSL_SESSION_set1_master_key(session, key.data, key.len) ||
      !SSL_SESSION_set_cipher(session, suite) || !SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION)) {
    SSL_SESSION_free(session);
    session = NULL;
  }
  SSL_free(connection);
  return session;
}

static int pin_tls13(struct context *context, const tlslab_scenario *scenario) {
  context->psk = session_of(context->ssl, scenario, context->psk_key);
  if (context->psk == NULL || !know_context(context)) return 0;
#if CAN_DO_WITHOUT_KEY_EXCHANGE
  if (scenario->resumption == TLSLAB_RESUME_EXTERNAL_PSK_ONLY) {
    SSL_CTX_set_options(context->ssl, SSL_OP_ALLOW_NO_DHE_KEX | SSL_OP_PREFER_NO_DHE_KEX);
  }
#endif
  if (context->side == TLSLAB_CLIENT) {
    SSL_CTX_set_psk_use_session_callback(context->ssl, offer);
  } else {
    SSL_CTX_set_psk_find_session_callback(context->ssl, find);
  }
  return 1;
}

#elif IMPORTS_PSK

static int pin_tls13(struct context *context, const tlslab_scenario *scenario) {
  (void)scenario;
  tlslab_bytes secret = context->psk_key;
  const char *identity = context->psk_identity;
  SSL_CREDENTIAL *key =
      SSL_CREDENTIAL_new_pre_shared_key(secret.data, secret.len, (const uint8_t *)identity, strlen(identity),
                                        secret.len == 48 ? EVP_sha384() : EVP_sha256(), NULL, 0);
  int added = key != NULL && SSL_CTX_add1_credential(context->ssl, key);
  SSL_CREDENTIAL_free(key);
  return added;
}

#endif

#if HAS_PSK_SUITES

/* In TLS 1.2 the suite says how the key is used. */
static unsigned give(const struct context *context, unsigned char *key, unsigned room) {
  if (context->psk_key.len > room) return 0;
  memcpy(key, context->psk_key.data, context->psk_key.len);
  return (unsigned)context->psk_key.len;
}

static unsigned offer_tls12(SSL *ssl, const char *hint, char *identity, unsigned identity_room, unsigned char *key,
                            unsigned key_room) {
  const struct context *context = context_of(ssl);
  (void)hint;
  size_t len = strlen(context->psk_identity);
  if (len >= identity_room) return 0;
  memcpy(identity, context->psk_identity, len + 1);
  return give(context, key, key_room);
}

static unsigned find_tls12(SSL *ssl, const char *identity, unsigned char *key, unsigned room) {
  const struct context *context = context_of(ssl);
  return strcmp(identity, context->psk_identity) == 0 ? give(context, key, room) : 0;
}

static int pin_tls12(struct context *context) {
  if (context->side == TLSLAB_CLIENT) {
    SSL_CTX_set_psk_client_callback(context->ssl, offer_tls12);
  } else {
    SSL_CTX_set_psk_server_callback(context->ssl, find_tls12);
  }
  return know_context(context);
}

#endif

int psk_pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  int done = -1;
#if HAS_PSK_SUITES
  if (scenario->version == TLS1_2_VERSION) done = pin_tls12(context);
#endif
#if HAS_PSK_SESSIONS || IMPORTS_PSK
  if (scenario->version == TLS1_3_VERSION) done = pin_tls13(context, scenario);
#endif
  if (done < 0) return tlslab_unsupported(error, "the library has no pre-shared keys in this version");
  return done ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot use the pre-shared key");
}
