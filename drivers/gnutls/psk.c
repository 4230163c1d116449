/* A key that both sides were given beforehand. */
#include "driver.h"

/* The library frees the copy. */
static int find(gnutls_session_t session, const gnutls_datum_t *identity, gnutls_datum_t *key) {
  const struct context *context = gnutls_session_get_ptr(session);
  size_t len = strlen(context->psk_identity);
  if (identity->size != len || memcmp(identity->data, context->psk_identity, len) != 0) return -1;
  key->data = gnutls_malloc(context->psk.size);
  if (key->data == NULL) return -1;
  memcpy(key->data, context->psk.data, context->psk.size);
  key->size = context->psk.size;
  return 0;
}

static int give_to_client(struct context *context) {
  gnutls_datum_t identity = {(unsigned char *)context->psk_identity, (unsigned)strlen(context->psk_identity)};
  int code = gnutls_psk_allocate_client_credentials(&context->client_psk);
  if (code < 0) return code;
  return gnutls_psk_set_client_credentials2(context->client_psk, &identity, &context->psk, GNUTLS_PSK_KEY_RAW);
}

static int give_to_server(struct context *context) {
  int code = gnutls_psk_allocate_server_credentials(&context->server_psk);
  if (code >= 0) gnutls_psk_set_server_credentials_function2(context->server_psk, find);
  return code;
}

int psk_pin(struct context *context) {
  return context->side == TLSLAB_CLIENT ? give_to_client(context) : give_to_server(context);
}

int psk_attach(const struct context *context, gnutls_session_t session) {
  if (context->client_psk != NULL) return gnutls_credentials_set(session, GNUTLS_CRD_PSK, context->client_psk);
  gnutls_session_set_ptr(session, (void *)context);
  return gnutls_credentials_set(session, GNUTLS_CRD_PSK, context->server_psk);
}

void psk_free(struct context *context) {
  if (context->client_psk != NULL) gnutls_psk_free_client_credentials(context->client_psk);
  if (context->server_psk != NULL) gnutls_psk_free_server_credentials(context->server_psk);
}
