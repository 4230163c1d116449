/* A scenario, its keys and its certificates as the library's configuration. */
#include "driver.h"

static SECStatus trust(struct context *context, tlslab_bytes root) {
  SECItem der = credentials_item(root);
  context->root = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
  return context->root == NULL ? SECFailure : SSL_AuthCertificateHook(context->model, verify, context);
}

static SECStatus show(struct context *context, const tlslab_material *material) {
  if (context->side == TLSLAB_SERVER) return credentials_show_server(context->model, material);
  if (SSL_SetURL(context->model, context->server_name) != SECSuccess) return SECFailure;
  return credentials_show_client(context->model, material, &context->credentials);
}

/* A server asks for a certificate to verify it. */
static SECStatus ask(PRFileDesc *model) {
  if (SSL_OptionSet(model, SSL_REQUEST_CERTIFICATE, PR_TRUE) != SECSuccess) return SECFailure;
  return SSL_OptionSet(model, SSL_REQUIRE_CERTIFICATE, SSL_REQUIRE_ALWAYS);
}

/* As the tools tstclnt and selfserv of the library: a server has a cache of sessions. A client's is replaced by a callback
 * that keeps none. */
static int leave_defaults(struct context *context, const tlslab_material *material, tlslab_error *error) {
  SECStatus left = sessions_leave(context->model, context->side);
  if (left == SECSuccess) left = show(context, material);
  if (left == SECSuccess && context->side == TLSLAB_CLIENT) left = trust(context, material->root);
  return left == SECSuccess ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "cannot use keys or certificates");
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
  if (scenario->defaults) return leave_defaults(context, material, error);
  if (SSL_OptionSet(context->model, SSL_NO_CACHE, PR_TRUE) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "cannot turn the session cache off");
  }
  int status = pin_scenario(context->model, context->side, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (sessions_pin(context->model, context->side, scenario) != SECSuccess) {
    return reason(error, TLSLAB_FAILED, "cannot remember sessions");
  }
  if (early_pin(context, scenario) != SECSuccess) return reason(error, TLSLAB_FAILED, "cannot allow early data");
  SECStatus configured = show(context, material);
  if (configured == SECSuccess && context->side == TLSLAB_SERVER && scenario->mutual) configured = ask(context->model);
  if (configured == SECSuccess && material->root.len > 0) configured = trust(context, material->root);
  return configured == SECSuccess ? TLSLAB_OK : reason(error, TLSLAB_FAILED, "cannot use keys or certificates");
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return tlslab_failed(error, "no memory");
  int is_13 = scenario->version == SSL_LIBRARY_VERSION_TLS_1_3;
  context->side = side;
  context->server_name = material->server_name;
  context->verification = scenario->verification;
  context->tickets = scenario->tickets;
  context->counts_tickets = side == TLSLAB_CLIENT && (scenario->tickets > 0 || scenario->defaults);
  context->tickets_after = side == TLSLAB_SERVER && is_13 ? scenario->tickets : 0;
  context->resumption = scenario->resumption;
  context->sessions_serve_once = is_13;
  return configure(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  if (context->model != NULL) PR_Close(context->model);
  verify_forget(context->root);
  if (context->root != NULL) CERT_DestroyCertificate(context->root);
  credentials_free(&context->credentials);
  if (context->side == TLSLAB_CLIENT && context->resumption == TLSLAB_RESUME_SESSION_ID) SSL_ClearSessionCache();
  free(context);
}
