/* Early data: what a client sends with its first flight, and the server's guard against replays of it. */
#include <time.h>

#include "driver.h"

/* The library keys what it has seen by the client's binder. */
enum { PLACES = 1 << 12, MOST_KEY = 64 };

struct guard {
  gnutls_anti_replay_t library;
  struct seen {
    unsigned char key[MOST_KEY];
    unsigned key_len; /* 0 where nothing was seen */
    time_t until;
  } places[PLACES];
};

/* Keys are random, so that their first bytes say where. A newcomer drives out what is there. */
static int note(void *pointer, time_t until, const gnutls_datum_t *key, const gnutls_datum_t *data) {
  struct guard *guard = pointer;
  (void)data;
  if (key->size < 2 || key->size > MOST_KEY) return GNUTLS_E_DB_ERROR;
  struct seen *seen = &guard->places[((size_t)key->data[0] << 8 | key->data[1]) % PLACES];
  int is_known = seen->key_len == key->size && memcmp(seen->key, key->data, key->size) == 0 && time(NULL) < seen->until;
  if (is_known) return GNUTLS_E_DB_ENTRY_EXISTS;
  memcpy(seen->key, key->data, key->size);
  seen->key_len = key->size;
  seen->until = until;
  return 0;
}

struct guard *guard_new(void) {
  struct guard *guard = calloc(1, sizeof *guard);
  if (guard == NULL) return NULL;
  if (gnutls_anti_replay_init(&guard->library) < 0) {
    free(guard);
    return NULL;
  }
  gnutls_anti_replay_set_ptr(guard->library, guard);
  gnutls_anti_replay_set_add_function(guard->library, note);
  return guard;
}

void guard_free(struct guard *guard) {
  if (guard == NULL) return;
  gnutls_anti_replay_deinit(guard->library);
  free(guard);
}

int guard_attach(struct guard *guard, gnutls_session_t session, uint32_t most_bytes) {
  gnutls_anti_replay_enable(session, guard->library);
  return gnutls_record_set_max_early_data_size(session, most_bytes);
}

int connection_send_early(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  gnutls_session_t session = connection->session;
  ssize_t taken = gnutls_record_send_early_data(session, plaintext.data, plaintext.len);
  if (taken < 0) return reason_of_connection(error, session, (int)taken);
  int status = connection_handshake(handle, (tlslab_bytes){0}, output, error);
  return status == TLSLAB_CONTINUES ? TLSLAB_OK : status;
}

int connection_handshake_early(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error) {
  struct connection *connection = handle;
  int status = connection_handshake(handle, input, output, error);
  while (status >= TLSLAB_OK) {
    size_t room = plaintext->capacity - plaintext->len;
    ssize_t count =
        gnutls_record_recv_early_data(connection->session, plaintext->data + plaintext->len, room);
    if (count == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) return status;
    if (count < 0) return reason_of_connection(error, connection->session, (int)count);
    if (count == 0) return tlslab_full(plaintext, error);
    plaintext->len += (size_t)count;
  }
  return status;
}
