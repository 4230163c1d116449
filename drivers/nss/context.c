#include "context.h"

#include <keyhi.h>
#include <pk11pub.h>
#include <ssl.h>
#include <sslexp.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "pin.h"
#include "reason.h"
#include "verify.h"

/* cert.h declares it without the underscores, which a header that is not installed adds. */
extern CERTCertificate *__CERT_DecodeDERCertificate(SECItem *der, PRBool copy, char *nickname);

static SECItem item(tlslab_bytes bytes) {
  return (SECItem){siBuffer, (unsigned char *)bytes.data, (unsigned int)bytes.len};
}

static SECStatus configure_client(struct context *context, const tlslab_material *material) {
  PRFileDesc *model = context->model;
  SECItem der = item(material->root);
  context->root = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
  context->server_name = strdup(material->server_name);
  if (context->root == NULL || context->server_name == NULL) return SECFailure;
  if (SSL_SetURL(model, context->server_name) != SECSuccess) return SECFailure;
  if (context->tickets > 0) {
    /* Tickets are seen where there is a cache, and a callback takes the cache's place. */
    if (SSL_OptionSet(model, SSL_NO_CACHE, PR_FALSE) != SECSuccess) return SECFailure;
    if (SSL_SetResumptionTokenCallback(model, connection_ticket, NULL) != SECSuccess) return SECFailure;
  }
  return SSL_AuthCertificateHook(model, verify, context);
}

static SECKEYPrivateKey *private_key(tlslab_bytes bytes) {
  PK11SlotInfo *slot = PK11_GetInternalSlot();
  SECItem der = item(bytes);
  SECKEYPrivateKey *key = NULL;
  if (slot == NULL) return NULL;
  PK11_ImportDERPrivateKeyInfoAndReturnKey(slot, &der, NULL, NULL, PR_FALSE, PR_FALSE, KU_ALL, &key, NULL);
  PK11_FreeSlot(slot);
  return key;
}

static SECStatus configure_server(struct context *context, const tlslab_material *material) {
  SECItem ders[8];
  if (material->chain_len == 0 || material->chain_len > sizeof ders / sizeof *ders) return SECFailure;
  for (size_t at = 0; at < material->chain_len; at++) ders[at] = item(material->chain[at]);
  CERTCertificateList chain = {.certs = ders, .len = (int)material->chain_len};
  SSLExtraServerCertData more = {.authType = ssl_auth_null, .certChain = &chain};
  /* Decoded, not entered in the process's store of certificates, where the client would find it. */
  CERTCertificate *leaf = __CERT_DecodeDERCertificate(&ders[0], PR_TRUE, NULL);
  SECKEYPrivateKey *key = private_key(material->key);
  SECStatus status = SECFailure;
  if (leaf != NULL && key != NULL) status = SSL_ConfigServerCert(context->model, leaf, key, &more, sizeof more);
  if (key != NULL) SECKEY_DestroyPrivateKey(key);
  if (leaf != NULL) CERT_DestroyCertificate(leaf);
  return status;
}

static int configure(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                     tlslab_error *error) {
  PRFileDesc *bottom = wire_descriptor(&context->wire);
  if (bottom == NULL) return reason(error, TLSLAB_FAILED, "no descriptor");
  context->model = SSL_ImportFD(NULL, bottom);
  if (context->model == NULL) {
    PR_Close(bottom);
    return reason(error, TLSLAB_FAILED, "no descriptor for TLS");
  }
  if (SSL_OptionSet(context->model, SSL_NO_CACHE, PR_TRUE) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "cannot turn the session cache off");
  }
  int status = pin_scenario(context->model, scenario, error);
  if (status != TLSLAB_OK) return status;
  SECStatus configured = context->side == TLSLAB_CLIENT ? configure_client(context, material)
                                                        : configure_server(context, material);
  return configured == SECSuccess ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "cannot use keys or certificates");
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) {
    snprintf(error->text, sizeof error->text, "no memory");
    return TLSLAB_FAILED;
  }
  context->side = side;
  context->verification = scenario->verification;
  context->tickets = scenario->tickets;
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
  if (context->model != NULL) PR_Close(context->model);
  verify_forget(context->root);
  if (context->root != NULL) CERT_DestroyCertificate(context->root);
  free(context->server_name);
  free(context);
}
