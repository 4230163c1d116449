/* A connection: the contract's calls as methods of an object in Python. */
#include "driver.h"

static int made(PyObject *object, const struct context *context, void **handle, tlslab_error *error) {
  struct connection *connection = object == NULL ? NULL : malloc(sizeof *connection);
  if (connection == NULL) {
    Py_XDECREF(object);
    return exception(error);
  }
  *connection = (struct connection){object, context};
  *handle = connection;
  return TLSLAB_OK;
}

int connection_new(void *handle, void **connection, tlslab_error *error) {
  const struct context *context = handle;
  return made(PyObject_CallOneArg(connection_class, context->object), context, connection, error);
}

int connection_resume(void *handle, void *session, void **connection, tlslab_error *error) {
  const struct context *context = handle;
  PyObject *object =
      PyObject_CallFunctionObjArgs(connection_class, context->object, (PyObject *)session, NULL);
  Py_DECREF((PyObject *)session);
  return made(object, context, connection, error);
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  struct connection *connection = handle;
  PyObject *kept = PyObject_CallMethod(connection->object, "session", NULL);
  if (kept == NULL) return exception(error);
  if (kept == Py_None) {
    Py_DECREF(kept);
  } else {
    *session = kept;
  }
  return TLSLAB_OK;
}

void session_free(void *session) { Py_DECREF((PyObject *)session); }

void connection_free(void *handle) {
  struct connection *connection = handle;
  Py_DECREF(connection->object);
  free(connection);
}

/* Calls a method with a view, which is gone afterwards. NULL after an exception. */
static PyObject *call(struct connection *connection, PyObject *name, PyObject *view) {
  if (view == NULL) return NULL;
  PyObject *result = PyObject_CallMethodOneArg(connection->object, name, view);
  Py_DECREF(view);
  return result;
}

/* This copy is the network's: a socket would make it, too. */
static int deliver(PyObject *records, tlslab_buffer *output, tlslab_error *error) {
  if (tlslab_append(output, PyBytes_AS_STRING(records), (size_t)PyBytes_GET_SIZE(records))) return TLSLAB_OK;
  return tlslab_failed(error, "the library wrote more than the output buffer has room for");
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  PyObject *result = call(handle, name_handshake, view_of(input));
  if (result == NULL) return exception(error);
  int status = deliver(PyTuple_GET_ITEM(result, 1), output, error);
  if (status == TLSLAB_OK && PyTuple_GET_ITEM(result, 0) == Py_False) status = TLSLAB_CONTINUES;
  Py_DECREF(result);
  return status;
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  PyObject *records = call(handle, name_send, view_of(plaintext));
  if (records == NULL) return exception(error);
  int status = deliver(records, output, error);
  Py_DECREF(records);
  return status;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  struct connection *connection = handle;
  PyObject *data = view_of(input), *room = view_of_room(plaintext);
  PyObject *count = data == NULL || room == NULL
                        ? NULL
                        : PyObject_CallMethodObjArgs(connection->object, name_receive, data, room, NULL);
  Py_XDECREF(data);
  Py_XDECREF(room);
  if (count == NULL) return exception(error);
  plaintext->len += PyLong_AsSize_t(count);
  Py_DECREF(count);
  return TLSLAB_OK;
}

static void give_certificate(PyObject *connection, tlslab_facts *facts) {
  PyObject *der = PyObject_CallMethod(connection, "getpeercert", "O", Py_True);
  char *data;
  Py_ssize_t len;
  if (der != NULL && PyBytes_Check(der) && PyBytes_AsStringAndSize(der, &data, &len) == 0) {
    tlslab_give_certificate(facts, data, (size_t)len);
  }
  Py_XDECREF(der);
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  PyObject *object = PyObject_CallMethod(connection->object, "library", NULL);
  if (object != NULL) {
    SSL *ssl = library_connection(object);
    facts->version = (uint16_t)SSL_version(ssl);
    facts->suite = suite_of(ssl);
    facts->group = group_of(ssl);
    facts->resumed = SSL_session_reused(ssl) != 0;
    if (connection->context->side == TLSLAB_CLIENT) {
      facts->signature_scheme = scheme_of(ssl, TLSLAB_CLIENT, EVP_PKEY_RSA);
      if (connection->context->counts_tickets) facts->tickets_received = tickets_seen(ssl);
    }
    give_certificate(object, facts);
    Py_DECREF(object);
  }
  PyErr_Clear();
  ERR_clear_error();
}
