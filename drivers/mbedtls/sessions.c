#include "sessions.h"

#include <stdlib.h>

#include "connection.h"

/* A resumed handshake of TLS 1.3 makes a fresh key exchange, too. */
static void pin_psk_mode(mbedtls_ssl_config *config) {
  mbedtls_ssl_conf_tls13_key_exchange_modes(config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL |
                                                        MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL);
}

void sessions_pin_client(struct context *context, const tlslab_scenario *scenario) {
  mbedtls_ssl_config *config = &context->config;
  int is_newer = scenario->version == MBEDTLS_SSL_VERSION_TLS1_3;
  context->counts_tickets = is_newer && scenario->tickets > 0;
  if (context->counts_tickets) {
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
  }
  if (!is_newer && scenario->tickets == 0) {
    mbedtls_ssl_conf_session_tickets(config, MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
  }
  if (is_newer && scenario->resumption != TLSLAB_RESUME_NOTHING) pin_psk_mode(config);
}

int sessions_pin_server(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  mbedtls_ssl_config *config = &context->config;
  if (scenario->tickets > UINT16_MAX) return reason_of_pin(error, "a number of tickets above", UINT16_MAX);
  mbedtls_ssl_conf_new_session_tickets(config, (uint16_t)scenario->tickets);
  if (scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    mbedtls_ssl_conf_session_cache(config, &context->cache, mbedtls_ssl_cache_get, mbedtls_ssl_cache_set);
  }
  if (scenario->tickets == 0) return TLSLAB_OK;
  if (scenario->resumption != TLSLAB_RESUME_NOTHING) pin_psk_mode(config);
  int code = mbedtls_ssl_ticket_setup(&context->tickets, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE,
                                      MBEDTLS_CIPHER_AES_256_GCM, 86400);
  mbedtls_ssl_conf_session_tickets_cb(config, mbedtls_ssl_ticket_write, mbedtls_ssl_ticket_parse, &context->tickets);
  return code == 0 ? TLSLAB_OK : reason(error, "cannot make ticket keys", code);
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  session_free(connection->context->spent);
  connection->context->spent = NULL;
  /* A session of TLS 1.3 comes with its ticket. */
  if (mbedtls_ssl_get_version_number(&connection->ssl) == MBEDTLS_SSL_VERSION_TLS1_3 &&
      connection->tickets_received == 0) {
    return TLSLAB_OK;
  }
  mbedtls_ssl_session *made = malloc(sizeof *made);
  if (made == NULL) return reason(error, "no memory", 0);
  mbedtls_ssl_session_init(made);
  int code = mbedtls_ssl_get_session(&connection->ssl, made);
  if (code != 0) {
    session_free(made);
    return reason(error, "cannot take out the session", code);
  }
  *session = made;
  return TLSLAB_OK;
}

void session_free(void *session) {
  if (session == NULL) return;
  mbedtls_ssl_session_free(session);
  free(session);
}

int connection_resume(void *handle_of_context, void *session, void **handle, tlslab_error *error) {
  struct context *context = handle_of_context;
  int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK) {
    /* The library copies it. */
    int code = mbedtls_ssl_set_session(&((struct connection *)*handle)->ssl, session);
    if (code != 0) {
      connection_free(*handle);
      status = reason(error, "cannot take up the session", code);
    }
  }
  /* Freed off the clock, with the next session or the context. */
  context->spent = session;
  return status;
}
