#include "context.h"

#include <ssl.h>
#include <sslproto.h>
#include <stdlib.h>
#include <string.h>

#include "early.h"
#include "pin.h"
#include "psk.h"
#include "reason.h"
#include "sessions.h"
#include "verify.h"

static SECStatus trust(struct context *context, tlslab_bytes root) {
  SECItem der = credentials_item(root);
  context->root = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
  return context->root == NULL ? SECFailure : SSL_AuthCertificateHook(context->model, verify, context);
}

static SECStatus configure_client(struct context *context, const tlslab_material *material) {
  context->server_name = strdup(material->server_name);
  if (context->server_name == NULL || SSL_SetURL(context->model, context->server_name) != SECSuccess) {
    return SECFailure;
  }
  if (trust(context, material->root) != SECSuccess) return SECFailure;
  return credentials_show_client(context->model, material, &context->credentials);
}

static SECStatus configure_server(struct context *context, const tlslab_scenario *scenario,
                                  const tlslab_material *material) {
  if (material->psk_identity != NULL) return SECSuccess;
  if (credentials_show_server(context->model, material) != SECSuccess) return SECFailure;
  if (!scenario->mutual) return SECSuccess;
  if (SSL_OptionSet(context->model, SSL_REQUEST_CERTIFICATE, PR_TRUE) != SECSuccess) return SECFailure;
  if (SSL_OptionSet(context->model, SSL_REQUIRE_CERTIFICATE, SSL_REQUIRE_ALWAYS) != SECSuccess) return SECFailure;
  return trust(context, material->client_root);
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
  int status = pin_scenario(context->model, context->side, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (sessions_pin(context->model, context->side, scenario) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "cannot remember sessions");
  }
  if (early_pin(context, scenario) != SECSuccess) return reason(error, TLSLAB_FAILED, "cannot allow early data");
  if (material->psk_identity != NULL && psk_pin(context, material) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "cannot use the pre-shared key");
  }
  SECStatus configured = context->side == TLSLAB_CLIENT ? configure_client(context, material)
                                                        : configure_server(context, scenario, material);
  return configured == SECSuccess ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "cannot use keys or certificates");
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) {
    snprintf(error->text, sizeof error->text, "no memory");
    return TLSLAB_FAILED;
  }
  int is_13 = scenario->version == SSL_LIBRARY_VERSION_TLS_1_3;
  context->side = side;
  /* The level is the client's; a server that asks for a chain verifies it. */
  context->verification = side == TLSLAB_CLIENT ? scenario->verification : TLSLAB_VERIFY_CHAIN;
  context->tickets = scenario->tickets;
  context->tickets_after = side == TLSLAB_SERVER && is_13 ? scenario->tickets : 0;
  context->resumption = scenario->resumption;
  context->sessions_serve_once = is_13;
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
  credentials_free(&context->credentials);
  if (context->side == TLSLAB_CLIENT && context->resumption == TLSLAB_RESUME_SESSION_ID) SSL_ClearSessionCache();
  free(context->server_name);
  free(context);
}
