/* Sessions: how both sides remember them, how many tickets a server sends, and how a client takes one up. */
#include <openssl/rand.h>

#include "driver.h"

/* Names are random, so their first byte spreads them. */
enum { SLOTS = 256, MOST_NAME = 32, MOST_VALUE = 512 };

struct table {
  struct slot {
    uint64_t name_len, value_len; /* an empty name means no entry */
    uint8_t name[MOST_NAME], value[MOST_VALUE];
  } slots[SLOTS];
};

struct session {
  size_t len;
  uint8_t data[];
};

static struct slot *slot_of(struct table *table, const void *name) { return &table->slots[*(const uint8_t *)name]; }

static int is_named(const struct slot *slot, const void *name, uint64_t len) {
  return len > 0 && slot->name_len == len && memcmp(slot->name, name, len) == 0;
}

static int keep(struct s2n_connection *ssl, void *table, uint64_t seconds, const void *name, uint64_t name_len,
                const void *value, uint64_t value_len) {
  (void)ssl, (void)seconds;
  if (name_len == 0 || name_len > MOST_NAME || value_len > MOST_VALUE) return -1;
  struct slot *slot = slot_of(table, name);
  slot->name_len = name_len;
  slot->value_len = value_len;
  memcpy(slot->name, name, name_len);
  memcpy(slot->value, value, value_len);
  return S2N_SUCCESS;
}

static int find(struct s2n_connection *ssl, void *table, const void *name, uint64_t name_len, void *value,
                uint64_t *value_len) {
  (void)ssl;
  const struct slot *slot = slot_of(table, name);
  if (!is_named(slot, name, name_len) || slot->value_len > *value_len) return -1;
  memcpy(value, slot->value, slot->value_len);
  *value_len = slot->value_len;
  return S2N_SUCCESS;
}

static int forget(struct s2n_connection *ssl, void *table, const void *name, uint64_t name_len) {
  (void)ssl;
  struct slot *slot = slot_of(table, name);
  if (is_named(slot, name, name_len)) slot->name_len = 0;
  return S2N_SUCCESS;
}

const char *sessions_refuse(const tlslab_scenario *scenario) {
  if (scenario->mutual && (scenario->resumption != TLSLAB_RESUME_NOTHING || scenario->tickets > 0)) {
    return "where the library asks for the client's certificate it gives no tickets and takes up no session";
  }
  if (scenario->version == TLSLAB_TLS12 && scenario->tickets > 1) return "in TLS 1.2 the server sends one ticket";
  if (scenario->version == TLSLAB_TLS12 && scenario->tickets > 0 && scenario->resumption != TLSLAB_RESUME_TICKET) {
    return "in TLS 1.2 the library's client names a session whenever it takes tickets";
  }
  return NULL;
}

/* Tickets and kept sessions are encrypted with the same key. */
static int add_key(struct s2n_config *config) {
  uint8_t name[16], key[32];
  return RAND_bytes(name, sizeof name) && RAND_bytes(key, sizeof key) &&
         s2n_config_add_ticket_crypto_key(config, name, sizeof name, key, sizeof key, 0) == S2N_SUCCESS;
}

static int keep_sessions(struct s2n_config *config, struct table *table) {
  return table != NULL && s2n_config_set_cache_store_callback(config, keep, table) == S2N_SUCCESS &&
         s2n_config_set_cache_retrieve_callback(config, find, table) == S2N_SUCCESS &&
         s2n_config_set_cache_delete_callback(config, forget, table) == S2N_SUCCESS &&
         s2n_config_set_session_cache_onoff(config, 1) == S2N_SUCCESS && add_key(config);
}

static int send_tickets(struct s2n_config *config, uint32_t tickets) {
  return tickets <= UINT8_MAX && s2n_config_set_session_tickets_onoff(config, 1) == S2N_SUCCESS && add_key(config) &&
         s2n_config_set_initial_ticket_count(config, (uint8_t)tickets) == S2N_SUCCESS;
}

int sessions_pin_server(struct s2n_config *config, const tlslab_scenario *scenario, struct table **table,
                        tlslab_error *error) {
  if (scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    *table = calloc(1, sizeof **table);
    if (!keep_sessions(config, *table)) return reason(error, "cannot keep sessions");
  }
  if (scenario->tickets > 0 && !send_tickets(config, scenario->tickets)) return reason(error, "cannot send tickets");
  if (s2n_config_set_server_max_early_data_size(config, scenario->early_data) != S2N_SUCCESS) {
    return reason(error, "cannot allow early data");
  }
  return TLSLAB_OK;
}

static int count_ticket(struct s2n_connection *ssl, void *none, struct s2n_session_ticket *ticket) {
  (void)none, (void)ticket;
  ((struct connection *)s2n_connection_get_ctx(ssl))->tickets_received++;
  return S2N_SUCCESS;
}

int sessions_pin_client(struct s2n_config *config, const tlslab_scenario *scenario, tlslab_error *error) {
  if (scenario->tickets > 0 && (s2n_config_set_session_tickets_onoff(config, 1) != S2N_SUCCESS ||
                                s2n_config_set_session_ticket_cb(config, count_ticket, NULL) != S2N_SUCCESS)) {
    return reason(error, "cannot count tickets");
  }
  return TLSLAB_OK;
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct s2n_connection *ssl = ((struct connection *)handle)->ssl;
  int len = s2n_connection_get_session_length(ssl);
  if (len <= 0) return TLSLAB_OK;
  struct session *kept = malloc(sizeof *kept + (size_t)len);
  if (kept == NULL) return tlslab_failed(error, "no memory");
  kept->len = (size_t)len;
  if (s2n_connection_get_session(ssl, kept->data, kept->len) != len) {
    free(kept);
    return reason(error, "cannot keep the session");
  }
  *session = kept;
  return TLSLAB_OK;
}

void session_free(void *session) { free(session); }

int session_copy(void *handle, void **copy, tlslab_error *error) {
  const struct session *session = handle;
  struct session *other = malloc(sizeof *other + session->len);
  if (other == NULL) return tlslab_failed(error, "no memory");
  memcpy(other, session, sizeof *other + session->len);
  *copy = other;
  return TLSLAB_OK;
}

int connection_resume(void *context, void *handle, void **connection, tlslab_error *error) {
  struct session *session = handle;
  int status = connection_new(context, connection, error);
  if (status == TLSLAB_OK &&
      s2n_connection_set_session(((struct connection *)*connection)->ssl, session->data, session->len) != S2N_SUCCESS) {
    status = reason(error, "cannot take up the session");
  }
  session_free(session);
  return status;
}
