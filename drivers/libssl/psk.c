#include "psk.h"

#include <stdio.h>
#include <string.h>

#include "reason.h"

#if HAS_PSK_SESSIONS

/* The key's identity and the session that stands for it belong to the context. */
static int index_of_context = -1;

static const struct context *context_of(const SSL *ssl) {
  return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), index_of_context);
}

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

int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error) {
  if (index_of_context < 0) index_of_context = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
  context->psk_identity = OPENSSL_strdup(material->psk_identity);
  context->psk = session_of(context->ssl, scenario, material->psk);
  if (context->psk_identity == NULL || context->psk == NULL || index_of_context < 0 ||
      !SSL_CTX_set_ex_data(context->ssl, index_of_context, context)) {
    return reason_of_library(error, TLSLAB_FAILED, "cannot use the pre-shared key");
  }
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
  return TLSLAB_OK;
}

#elif IMPORTS_PSK

int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error) {
  (void)scenario;
  const EVP_MD *digest = material->psk.len == 48 ? EVP_sha384() : EVP_sha256();
  SSL_CREDENTIAL *key = SSL_CREDENTIAL_new_pre_shared_key(material->psk.data, material->psk.len,
                                                          (const uint8_t *)material->psk_identity,
                                                          strlen(material->psk_identity), digest, NULL, 0);
  int added = key != NULL && SSL_CTX_add1_credential(context->ssl, key);
  SSL_CREDENTIAL_free(key);
  return added ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "cannot use the pre-shared key");
}

#else

int psk_pin(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
            tlslab_error *error) {
  (void)context, (void)scenario, (void)material;
  snprintf(error->text, sizeof error->text, "the library has no pre-shared keys in TLS 1.3");
  return TLSLAB_UNSUPPORTED;
}

#endif
