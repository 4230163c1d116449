#include "context.h"

#include <stdlib.h>

#include "interpreter.h"
#include "pin.h"
#include "ssl_module.h"

/* Takes the place of building and checking the chain, which the library does even where it ignores the outcome. */
static int accept_any_chain(X509_STORE_CTX *store, void *argument) {
  (void)argument;
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

/* Where a connection counts its tickets: the number stands in place of an address. */
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

static int unsupported(tlslab_error *error, const char *what, uint16_t point) {
  ERR_clear_error();
  snprintf(error->text, sizeof error->text, "the library cannot be held to %s 0x%04x", what, point);
  return TLSLAB_UNSUPPORTED;
}

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

/* What Python's interface does not reach. */
static int pin(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_suite(ssl, scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (!pin_groups(ssl, side, scenario)) return unsupported(error, "group", scenario->group);
  if (!pin_scheme(ssl, scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  if (scenario->version == TLS1_3_VERSION && scenario->tickets > MOST_TICKETS) {
    snprintf(error->text, sizeof error->text, "the server sends at most %d tickets in its handshake, not %u",
             MOST_TICKETS, (unsigned)scenario->tickets);
    return TLSLAB_UNSUPPORTED;
  }
  if (scenario->resumption == TLSLAB_RESUME_EXTERNAL_PSK && scenario->suite == 0x1302) {
    snprintf(error->text, sizeof error->text, "Python's callback gives a pre-shared key for SHA-256 alone");
    return TLSLAB_UNSUPPORTED;
  }
  if (scenario->retry_group != 0 && MAKES_TWO_KEY_SHARES && (scenario->group == 0x11ec || scenario->group == 0x11eb)) {
    snprintf(error->text, sizeof error->text,
             "a client that offers a hybrid group and another makes a key share for both");
    return TLSLAB_UNSUPPORTED;
  }
  pin_sessions(ssl, side, scenario);
  if (side == TLSLAB_CLIENT && scenario->verification == TLSLAB_VERIFY_NONE) {
    SSL_CTX_set_cert_verify_callback(ssl, accept_any_chain, NULL);
  }
  /* What succeeded may have left notes of attempts behind, and the first call on a connection would trip on them. */
  ERR_clear_error();
  return TLSLAB_OK;
}

static PyObject *bytes_of(tlslab_bytes bytes) {
  return PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.len);
}

static PyObject *chain_of(const tlslab_bytes *links, size_t len) {
  PyObject *chain = PyTuple_New((Py_ssize_t)len);
  for (size_t at = 0; chain != NULL && at < len; at++) {
    PyObject *certificate = bytes_of(links[at]);
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

static int trust(PyObject *object, tlslab_bytes root, int verifies, int checks_name) {
  return done(PyObject_CallMethod(object, "trust", "(NNN)", bytes_of(root), PyBool_FromLong(verifies),
                                  PyBool_FromLong(checks_name)));
}

static int present(PyObject *object, const tlslab_bytes *chain, size_t len, tlslab_bytes key) {
  return done(PyObject_CallMethod(object, "present", "(NN)", chain_of(chain, len), bytes_of(key)));
}

/* Keys, certificates, verification and tickets are Python's own affair. */
static int configured(PyObject *object, int side, const tlslab_scenario *scenario, const tlslab_material *material) {
  if (!done(PyObject_CallMethod(object, "remember", "(I)", (unsigned)scenario->tickets))) return 0;
  if (material->psk_identity != NULL) {
    int shared =
        done(PyObject_CallMethod(object, "share", "(sN)", material->psk_identity, bytes_of(material->psk)));
    return shared && (side == TLSLAB_SERVER || trust(object, material->root, 0, 0));
  }
  if (side == TLSLAB_SERVER) {
    return present(object, material->chain, material->chain_len, material->key) &&
           (!scenario->mutual || trust(object, material->client_root, 1, 0));
  }
  return trust(object, material->root, scenario->verification != TLSLAB_VERIFY_NONE,
               scenario->verification == TLSLAB_VERIFY_CHAIN_AND_NAME) &&
         (material->client_chain_len == 0 ||
          present(object, material->client_chain, material->client_chain_len, material->client_key));
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
  return configured(context->object, context->side, scenario, material) ? TLSLAB_OK : exception(error);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  struct context *context = calloc(1, sizeof *context);
  if (context == NULL) return TLSLAB_FAILED;
  context->side = side;
  context->tickets = scenario->tickets;
  int status = fill(context, scenario, material, error);
  if (status == TLSLAB_OK) {
    *handle = context;
  } else {
    context_free(context);
  }
  return status;
}

void context_free(void *handle) {
  struct context *context = handle;
  Py_XDECREF(context->object);
  free(context);
}
