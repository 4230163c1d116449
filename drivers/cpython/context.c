/* A scenario as Python's own context; what its interface does not reach is set in the library below. */
#include "driver.h"

/* A connection's count of tickets: a number in place of an address. */
static int ticket_slot(void) {
  static int slot = -1;
  if (slot < 0) slot = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
  return slot;
}

static int count_ticket(SSL *ssl, SSL_SESSION *session) {
  (void)session;
  SSL_set_ex_data(ssl, ticket_slot(), (char *)SSL_get_ex_data(ssl, ticket_slot()) + 1);
  return 0;
}

int tickets_seen(const SSL *ssl) { return (int)(intptr_t)SSL_get_ex_data(ssl, ticket_slot()); }

/* Sessions that the library would keep, for scenarios that ask for them. */
static void pin_sessions(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
  if (side == TLSLAB_SERVER && scenario->resumption == TLSLAB_RESUME_SESSION_ID) {
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_SERVER);
  }
  if (side == TLSLAB_CLIENT && scenario->tickets > 0) {
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ssl, count_ticket);
  }
}

/* Settings that Python's interface does not reach. */
static int pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  int status = pin_scenario(ssl, side, scenario, error);
  if (status != TLSLAB_OK) return status;
  if (scenario->version == TLS1_3_VERSION && scenario->tickets > PYTHON_TICKETS) {
    return tlslab_unsupported(error, "the server sends at most %d tickets in its handshake, not %u", PYTHON_TICKETS,
                              (unsigned)scenario->tickets);
  }
  if (scenario->resumption == TLSLAB_RESUME_EXTERNAL_PSK && scenario->suite == TLSLAB_AES_256_GCM) {
    return tlslab_unsupported(error, "Python's callback gives a pre-shared key for SHA-256 alone");
  }
  pin_sessions(ssl, side, scenario);
  if (side == TLSLAB_CLIENT && scenario->verification == TLSLAB_VERIFY_NONE) {
    SSL_CTX_set_cert_verify_callback(ssl, accept_any_chain, NULL);
  }
  /* Successful calls may leave entries in the error queue, which would fail the first call on a connection. */
  ERR_clear_error();
  return TLSLAB_OK;
}

PyObject *bytes_of(tlslab_bytes bytes) {
  return PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.len);
}

PyObject *chain_of(const tlslab_material *material) {
  PyObject *chain = PyTuple_New((Py_ssize_t)material->chain_len);
  for (size_t at = 0; chain != NULL && at < material->chain_len; at++) {
    PyObject *certificate = bytes_of(material->chain[at]);
    if (certificate == NULL) Py_CLEAR(chain);
    if (chain != NULL) PyTuple_SET_ITEM(chain, (Py_ssize_t)at, certificate);
  }
  return chain;
}

/* Takes over a method's result; whether there is one. */
static int done(PyObject *result) {
  Py_XDECREF(result);
  return result != NULL;
}

static int trust(PyObject *object, const tlslab_scenario *scenario, const tlslab_material *material) {
  int is_psk = material->psk_identity != NULL;
  return done(PyObject_CallMethod(object, "trust", "(NNN)", bytes_of(material->root),
                                  PyBool_FromLong(!is_psk && scenario->verification != TLSLAB_VERIFY_NONE),
                                  PyBool_FromLong(!is_psk && scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME)));
}

/* Keys, certificates, verification and tickets are Python's own affair. */
static int configured(PyObject *object, const tlslab_scenario *scenario, const tlslab_material *material) {
  if (!done(PyObject_CallMethod(object, "remember", "(I)", (unsigned)scenario->tickets))) return 0;
  if (material->psk_identity != NULL &&
      !done(PyObject_CallMethod(object, "share", "(sN)", material->psk_identity, bytes_of(material->psk))))
    return 0;
  if (material->chain_len > 0 &&
      !done(PyObject_CallMethod(object, "present", "(NN)", chain_of(material), bytes_of(material->key))))
    return 0;
  return material->root.len == 0 || trust(object, scenario, material);
}

/* Called for each message. */
static void count_message(int is_sent, int version, int type, const void *message, size_t len, SSL *ssl, void *argument) {
  (void)version, (void)argument;
  int is_ticket = type == SSL3_RT_HANDSHAKE && len > 0 && ((const uint8_t *)message)[0] == SSL3_MT_NEWSESSION_TICKET;
  if (!is_sent && is_ticket) count_ticket(ssl, NULL);
}

static int leave_defaults(struct context *context, const tlslab_material *material, tlslab_error *error) {
  int is_client = context->side == TLSLAB_CLIENT;
  context->object = PyObject_CallFunction(context_class, "(NsiN)", PyBool_FromLong(!is_client), material->server_name, 0,
                                          bytes_of(material->root));
  PyObject *ssl = context->object == NULL ? NULL : PyObject_GetAttrString(context->object, "ssl");
  if (ssl == NULL) return exception(error);
  if (is_client) SSL_CTX_set_msg_callback(library_context(ssl), count_message);
  Py_DECREF(ssl);
  int is_shown = material->chain_len == 0 ||
                 done(PyObject_CallMethod(context->object, "present", "(NN)", chain_of(material), bytes_of(material->key)));
  ERR_clear_error();
  return is_shown ? TLSLAB_OK : exception(error);
}

static int fill(struct context *context, const tlslab_scenario *scenario, const tlslab_material *material,
                tlslab_error *error) {
  context->object = PyObject_CallFunction(context_class, "(Nsi)", PyBool_FromLong(context->side == TLSLAB_SERVER),
                                          material->server_name, (int)scenario->version);
  if (context->object == NULL) return exception(error);
  PyObject *ssl = PyObject_GetAttrString(context->object, "ssl");
  if (ssl == NULL) return exception(error);
  int status = pin(library_context(ssl), context->side, scenario, error);
  Py_DECREF(ssl);
  if (status != TLSLAB_OK) return status;
  return configured(context->object, scenario, material) ? TLSLAB_OK : exception(error);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = *handle = calloc(1, sizeof *context);
  if (context == NULL) return TLSLAB_FAILED;
  context->side = side;
  context->tickets = scenario->tickets;
  context->counts_tickets = side == TLSLAB_CLIENT && (scenario->tickets > 0 || scenario->defaults);
  return scenario->defaults ? leave_defaults(context, material, error) : fill(context, scenario, material, error);
}

void context_free(void *handle) {
  struct context *context = handle;
  Py_XDECREF(context->object);
  free(context);
}
