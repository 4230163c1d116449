/* The sessions that a server of TLS 1.2 keeps. */
#include "driver.h"

enum { PLACES = 1 << 12 };

struct kept {
  unsigned char id[GNUTLS_MAX_SESSION_ID_SIZE];
  unsigned id_len;
  gnutls_datum_t session; /* without data where nothing is kept */
};

struct store {
  struct kept places[PLACES];
};

struct store *store_new(void) { return calloc(1, sizeof(struct store)); }

void store_free(struct store *store) {
  if (store == NULL) return;
  for (size_t at = 0; at < PLACES; at++) gnutls_free(store->places[at].session.data);
  free(store);
}

/* Names are random, so that their first bytes say where. A newcomer drives out what is there. */
static struct kept *place_of(struct store *store, gnutls_datum_t id) {
  size_t at = id.size < 2 ? 0 : (size_t)id.data[0] << 8 | id.data[1];
  return &store->places[at % PLACES];
}

/* gnutls_malloc is what the library frees with. */
static gnutls_datum_t copy(gnutls_datum_t from) {
  gnutls_datum_t to = {gnutls_malloc(from.size), from.size};
  if (to.data == NULL) return (gnutls_datum_t){NULL, 0};
  memcpy(to.data, from.data, from.size);
  return to;
}

static int keep(void *pointer, gnutls_datum_t id, gnutls_datum_t session) {
  struct kept *place = place_of(pointer, id);
  if (id.size > sizeof place->id) return GNUTLS_E_DB_ERROR;
  gnutls_datum_t own = copy(session);
  if (own.data == NULL) return GNUTLS_E_MEMORY_ERROR;
  gnutls_free(place->session.data);
  memcpy(place->id, id.data, id.size);
  place->id_len = id.size;
  place->session = own;
  return 0;
}

static gnutls_datum_t find(void *pointer, gnutls_datum_t id) {
  const struct kept *place = place_of(pointer, id);
  int found = place->session.data != NULL && place->id_len == id.size && memcmp(place->id, id.data, id.size) == 0;
  return found ? copy(place->session) : (gnutls_datum_t){NULL, 0};
}

void store_attach(struct store *store, gnutls_session_t session) {
  gnutls_db_set_ptr(session, store);
  gnutls_db_set_store_function(session, keep);
  gnutls_db_set_retrieve_function(session, find);
}
