#include <openssl/bio.h>
#include <openssl/pem.h>

#include "libretls.h"

typedef int set(struct tls_config *config, const uint8_t *text, size_t len);

/* Sets something of a configuration, which takes PEM alone, to what is DER. */
static int set_pem(struct tls_config *config, set *set, const char *label, const tlslab_bytes *ders, size_t count) {
  BIO *text = BIO_new(BIO_s_mem());
  int written = text != NULL;
  for (size_t at = 0; written && at < count; at++) {
    written = PEM_write_bio(text, label, "", ders[at].data, (long)ders[at].len) > 0;
  }
  char *data = NULL;
  long len = written ? BIO_get_mem_data(text, &data) : 0;
  int done = written && set(config, (const uint8_t *)data, (size_t)len) == 0;
  BIO_free(text);
  return done;
}

static int configure_client(struct context *context, uint32_t verification, const tlslab_material *material) {
  context->server_name = material->server_name;
  if (verification != TLSLAB_VERIFY_CHAIN_AND_NAME) tls_config_insecure_noverifyname(context->config);
  if (verification == TLSLAB_VERIFY_NONE) tls_config_insecure_noverifycert(context->config);
  return set_pem(context->config, tls_config_set_ca_mem, "CERTIFICATE", &material->root, 1);
}

static int configure_server(struct context *context, const tlslab_material *material) {
  context->server = tls_server();
  return context->server != NULL &&
         set_pem(context->config, tls_config_set_cert_mem, "CERTIFICATE", material->chain, material->chain_len) &&
         set_pem(context->config, tls_config_set_key_mem, "PRIVATE KEY", &material->key, 1) &&
         tls_configure(context->server, context->config) == 0;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return reason(error, "context", "no memory");
  context->side = side;
  context->config = tls_config_new();
  int status = context->config == NULL ? reason(error, "context", "no memory") : pin(context, scenario, error);
  if (status == TLSLAB_OK && !(side == TLSLAB_CLIENT ? configure_client(context, scenario->verification, material)
                                                     : configure_server(context, material))) {
    const char *why = tls_config_error(context->config);
    status = reason(error, "context", why == NULL && context->server != NULL ? tls_error(context->server) : why);
  }
  return status;
}

void context_free(void *handle) {
  struct context *context = handle;
  tls_free(context->server);
  tls_config_free(context->config);
  free(context);
}
