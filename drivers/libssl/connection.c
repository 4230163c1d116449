/* A connection: the contract's calls as calls of the library, and what is known of it afterwards. */
#include <limits.h>

#include "driver.h"

/* A BIO without a buffer, over a connection's wire. */
static BIO_METHOD *method;

static int wire_read(BIO *bio, char *data, int len) {
  size_t count = tlslab_wire_read(BIO_get_data(bio), data, (size_t)len);
  BIO_clear_retry_flags(bio);
  if (count == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  return (int)count;
}

static int wire_write(BIO *bio, const char *data, int len) {
  BIO_clear_retry_flags(bio);
  return tlslab_wire_write(BIO_get_data(bio), data, (size_t)len, 1) ? len : -1;
}

static long wire_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  /* Nothing is held back, so a flush is always done. */
  return command == BIO_CTRL_FLUSH;
}

int wire_prepare(void) {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tlslab wire");
  return method != NULL && BIO_meth_set_read(method, wire_read) && BIO_meth_set_write(method, wire_write) &&
         BIO_meth_set_ctrl(method, wire_control);
}

struct connection *connection_of(const SSL *ssl) { return BIO_get_data(SSL_get_rbio(ssl)); }

/* Whether the queue ends with the verdict on the peer's chain. What the verdict was is asked of the connection, which
 * may know one from before any verification, too. */
static int refused_chain(void) {
  unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

int reason_of_connection(tlslab_error *error, SSL *ssl, int result) {
  int kind = SSL_get_error(ssl, result);
  int refused = refused_chain();
  char cause[256];
  first_cause(cause, sizeof cause);
  ERR_clear_error();
  if (connection_of(ssl)->wire.overflowed) {
    return tlslab_failed(error, "the library wrote more than the output buffer has room for");
  }
  if (kind == SSL_ERROR_ZERO_RETURN) return tlslab_failed(error, "the peer closed the connection with close_notify");
  if (!refused) return tlslab_failed(error, "%s", cause);
  return tlslab_failed(error, "%s (%s)", cause, X509_verify_cert_error_string(SSL_get_verify_result(ssl)));
}

static int set_up(struct connection *connection) {
  const struct context *context = connection->context;
  connection->ssl = SSL_new(context->ssl);
  if (connection->ssl == NULL) return 0;
  BIO *bio = BIO_new(method);
  if (bio == NULL) return 0;
  BIO_set_data(bio, &connection->wire);
  BIO_set_init(bio, 1);
  /* One BIO for both directions; the connection takes the one reference. */
  SSL_set_bio(connection->ssl, bio, bio);
  if (context->side == TLSLAB_SERVER) {
    SSL_set_accept_state(connection->ssl);
    return 1;
  }
  SSL_set_connect_state(connection->ssl);
#if HAS_KEY_SHARE_SETTER
  if (context->first_key_share != 0 && !SSL_set1_client_key_shares(connection->ssl, &context->first_key_share, 1)) {
    return 0;
  }
#endif
  return SSL_set_tlsext_host_name(connection->ssl, context->server_name) &&
         (!context->checks_name || EXPECT_NAME(connection->ssl, context->server_name));
}

int connection_new(void *context, void **handle, tlslab_error *error) {
  struct connection *connection = *handle = calloc(1, sizeof *connection);
  if (connection == NULL) return reason_of_library(error, TLSLAB_FAILED, "no memory");
  connection->context = context;
  return set_up(connection) ? TLSLAB_OK : reason_of_library(error, TLSLAB_FAILED, "no connection");
}

void connection_free(void *handle) {
  struct connection *connection = handle;
  SSL_SESSION_free(connection->session);
  /* A connection that was not closed takes its session with it. */
  if (connection->context->resumes) SSL_set_shutdown(connection->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(connection->ssl);
  free(connection);
}

int has_input(const struct connection *connection) {
  if (connection->wire.input.len > 0) return 1;
#if SEES_READ_AHEAD
  if (connection->context->reads_ahead) return SSL_has_pending(connection->ssl);
#endif
  return SSL_pending(connection->ssl) > 0;
}

/* SSL_read for as long as it stops behind messages of a handshake, such as tickets, and there is more input: a program may
 * have told the library not to continue on its own. A part of a record that was read ahead counts as input, hence the limit. */
static int read_data(struct connection *connection, void *data, int room) {
  enum { MOST_STOPS = 32 };
  int count, stops = 0;
  do {
    count = SSL_read(connection->ssl, data, room);
  } while (count <= 0 && SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ && has_input(connection) &&
           ++stops < MOST_STOPS);
  return count;
}

/* A server that has accepted early data may send tickets right behind its Finished. */
static int read_tickets(struct connection *connection, tlslab_error *error) {
  char data;
  int count = read_data(connection, &data, 1);
  if (count > 0) return tlslab_failed(error, "application data follows the handshake's end");
  if (SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) return TLSLAB_OK;
  return reason_of_connection(error, connection->ssl, count);
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  int result = SSL_do_handshake(connection->ssl);
  if (result != 1) {
    if (SSL_get_error(connection->ssl, result) == SSL_ERROR_WANT_READ) return TLSLAB_CONTINUES;
    return reason_of_connection(error, connection->ssl, result);
  }
  if (DEFERS_TICKETS && connection->context->sends_tickets_after) {
    /* Tickets belong to the server's handshake, and a write of nothing sends them. */
    result = SSL_write(connection->ssl, "", 0);
    if (result < 0) return reason_of_connection(error, connection->ssl, result);
  }
  if (connection->sent_early_data && has_input(connection)) {
    int status = read_tickets(connection, error);
    if (status != TLSLAB_OK) return status;
  }
  return tlslab_wire_end(&connection->wire, error);
}

/* A write in parts, as a program with a buffer of its own makes it or a library does it that may. */
static int write_parts(struct connection *connection, const uint8_t *data, size_t len) {
  size_t most = connection->context->write_at_most, done = 0;
  do {
    size_t part = most > 0 && len - done > most ? most : len - done;
    int written = SSL_write(connection->ssl, data + done, (int)part);
    if (written <= 0) return written;
    done += (size_t)written;
  } while (done < len);
  return (int)done;
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  if (plaintext.len > INT_MAX) {
    return tlslab_failed(error, "a write of %zu bytes; the library takes at most %d", plaintext.len, INT_MAX);
  }
  connection->wire.output = output;
  /* Without the option for partial writes, and with a wire that never blocks, this is all or nothing. */
  int written = connection->context->writes_parts && plaintext.len > 0
                    ? write_parts(connection, plaintext.data, plaintext.len)
                    : SSL_write(connection->ssl, plaintext.data, (int)plaintext.len);
  return written == (int)plaintext.len ? TLSLAB_OK : reason_of_connection(error, connection->ssl, written);
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = NULL;
  do {
    size_t room = plaintext->capacity - plaintext->len;
    if (room == 0) return tlslab_full(plaintext, error);
    if (room > INT_MAX) room = INT_MAX;
    int count = read_data(connection, plaintext->data + plaintext->len, (int)room);
    if (count <= 0) {
      if (SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) break;
      return reason_of_connection(error, connection->ssl, count);
    }
    plaintext->len += (size_t)count;
    /* One more read could only say that there is nothing more. */
  } while (has_input(connection));
  return tlslab_wire_kept(&connection->wire, error);
}

/* The peer's alert is read as its data are, which ends with 0; that also tells SSL_shutdown that it has come. */
static int read_close(struct connection *connection, tlslab_error *error) {
  char data;
  int count = read_data(connection, &data, 1);
  if (count > 0) return tlslab_failed(error, "application data where the peer's closing alert was due");
  if (SSL_get_error(connection->ssl, count) == SSL_ERROR_ZERO_RETURN) return TLSLAB_OK;
  return reason_of_connection(error, connection->ssl, count);
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  struct connection *connection = handle;
  connection->wire.input = input;
  connection->wire.output = output;
  if (input.len > 0) {
    int status = read_close(connection, error);
    if (status != TLSLAB_OK) return status;
  }
  /* 0: sent, and the peer's has not come; 1: both were seen. */
  int result = SSL_shutdown(connection->ssl);
  if (result < 0) return reason_of_connection(error, connection->ssl, result);
  if (result == 0) return TLSLAB_CONTINUES;
  return tlslab_wire_end(&connection->wire, error);
}

static int tickets_of(const struct connection *connection) {
  if (connection->context->side != TLSLAB_CLIENT) return -1;
  if (connection->context->tickets > 0 || connection->context->counts_tickets) return connection->tickets_received;
#if SESSION_TAKES_TICKETS
  /* Nothing counts, but a session without a ticket has seen none. */
  SSL_SESSION *session = SSL_get_session(connection->ssl);
  if (session != NULL && !SSL_SESSION_has_ticket(session)) return 0;
#endif
  return -1;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  SSL *ssl = connection->ssl;
  int side = connection->context->side;
  X509 *peer = GET_PEER_CERTIFICATE(ssl);
  facts->version = (uint16_t)SSL_version(ssl);
  facts->suite = suite_of(ssl);
  facts->group = group_of(ssl);
  X509 *leaf = side == TLSLAB_CLIENT ? peer : SSL_get_certificate(ssl);
  EVP_PKEY *key = leaf == NULL ? NULL : X509_get_pubkey(leaf);
  if (key != NULL || REPORTS_CODE_POINTS) {
    facts->signature_scheme = scheme_of(ssl, side, key == NULL ? 0 : EVP_PKEY_base_id(key));
  }
  EVP_PKEY_free(key);
  facts->resumed = SSL_session_reused(ssl) != 0;
  facts->tickets_received = tickets_of(connection);
#if MOST_EARLY_DATA > 0
  facts->early_data_accepted = early_data_of(ssl);
#endif
  uint8_t *der = NULL;
  int len = peer == NULL ? 0 : i2d_X509(peer, &der);
  if (len > 0) tlslab_give_certificate(facts, der, (size_t)len);
  OPENSSL_free(der);
  X509_free(peer);
  ERR_clear_error();
}
