/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#include "driver.h"

/* A session of TLS 1.3 is resumed with a fresh key exchange. By default the library also allows it without one. */
static void pin_key_exchange(struct context *context, const tlslab_scenario *scenario) {
  if (scenario->version != TLSLAB_TLS13) return;
  switch (scenario->resumption) {
    case TLSLAB_RESUME_NOTHING: return;
    case TLSLAB_RESUME_EXTERNAL_PSK:
      mbedtls_ssl_conf_tls13_key_exchange_modes(&context->config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL);
      return;
    case TLSLAB_RESUME_EXTERNAL_PSK_ONLY:
      mbedtls_ssl_conf_tls13_key_exchange_modes(&context->config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK);
      return;
    default:
      mbedtls_ssl_conf_tls13_key_exchange_modes(&context->config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ALL);
  }
}

void sessions_pin_client(struct context *context, const tlslab_scenario *scenario) {
  mbedtls_ssl_config *config = &context->config;
  pin_key_exchange(context, scenario);
  if (scenario->version == TLSLAB_TLS12) {
    mbedtls_ssl_conf_session_tickets(
        config, scenario->tickets > 0 ? MBEDTLS_SSL_SESSION_TICKETS_ENABLED : MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
    return;
  }
  context->counts_tickets = scenario->tickets > 0;
  if (context->counts_tickets) {
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
  }
}

static int check_number_of_tickets(const tlslab_scenario *scenario, tlslab_error *error) {
  if (scenario->tickets > UINT16_MAX) return reason_of_pin(error, "a number of tickets above", UINT16_MAX);
  if (scenario->tickets < 2) return TLSLAB_OK;
  if (scenario->version == TLSLAB_TLS12) return tlslab_unsupported(error, "TLS 1.2 has one ticket at most");
  if (scenario->resumption == TLSLAB_RESUME_NOTHING) return TLSLAB_OK;
  return tlslab_unsupported(error, "the library sends one ticket at most where a session is taken up");
}

int sessions_pin_server(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  mbedtls_ssl_config *config = &context->config;
  int status = check_number_of_tickets(scenario, error);
  if (status != TLSLAB_OK) return status;
  pin_key_exchange(context, scenario);
  if (scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    mbedtls_ssl_conf_session_cache(config, &context->cache, mbedtls_ssl_cache_get, mbedtls_ssl_cache_set);
  }
  mbedtls_ssl_conf_new_session_tickets(config, (uint16_t)scenario->tickets);
  if (scenario->tickets == 0) return TLSLAB_OK;
  int code = mbedtls_ssl_ticket_setup(&context->tickets, mbedtls_psa_get_random, MBEDTLS_PSA_RANDOM_STATE,
                                      MBEDTLS_CIPHER_AES_256_GCM, 86400);
  mbedtls_ssl_conf_session_tickets_cb(config, mbedtls_ssl_ticket_write, mbedtls_ssl_ticket_parse, &context->tickets);
  return code == 0 ? TLSLAB_OK : reason(error, "cannot make ticket keys", code);
}

/* A session of TLS 1.2 is whole when the handshake is; one of TLS 1.3 comes with its ticket. */
static int has_session(const struct connection *connection) {
  return (int)mbedtls_ssl_get_version_number(&connection->ssl) == TLSLAB_TLS12 ||
         connection->tickets_received > 0;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  *session = NULL;
  session_free(connection->context->spent);
  connection->context->spent = NULL;
  if (!has_session(connection)) return TLSLAB_OK;
  mbedtls_ssl_session *kept = malloc(sizeof *kept);
  if (kept == NULL) return reason(error, "no memory", 0);
  mbedtls_ssl_session_init(kept);
  int code = mbedtls_ssl_get_session(&connection->ssl, kept);
  if (code != 0) {
    session_free(kept);
    return reason(error, "cannot keep the session", code);
  }
  *session = kept;
  return TLSLAB_OK;
}

void session_free(void *session) {
  if (session == NULL) return;
  mbedtls_ssl_session_free(session);
  free(session);
}

/* The library has no call for a copy, but writes a session down and reads it. */
int session_copy(void *session, void **copy, tlslab_error *error) {
  size_t len = 0;
  mbedtls_ssl_session_save(session, NULL, 0, &len);
  unsigned char *written = malloc(len);
  mbedtls_ssl_session *other = malloc(sizeof *other);
  if (written == NULL || other == NULL) {
    free(written);
    free(other);
    return reason(error, "no memory", 0);
  }
  mbedtls_ssl_session_init(other);
  int code = mbedtls_ssl_session_save(session, written, len, &len);
  if (code == 0) code = mbedtls_ssl_session_load(other, written, len);
  free(written);
  if (code != 0) {
    session_free(other);
    return reason(error, "cannot copy the session", code);
  }
  *copy = other;
  return TLSLAB_OK;
}

/* The library copies the session. This one is freed off the clock, with the next or with the context. */
int connection_resume(void *handle_of_context, void *session, void **handle, tlslab_error *error) {
  struct context *context = handle_of_context;
  int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK) {
    int code = mbedtls_ssl_set_session(&((struct connection *)*handle)->ssl, session);
    if (code != 0) status = reason(error, "cannot take up the session", code);
  }
  session_free(context->spent);
  context->spent = session;
  return status;
}
