#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

int connection_new(void *handle, void **made, tlslab_error *error) {
  const struct context *context = handle;
  struct connection *connection = malloc(sizeof *connection);
  if (connection == NULL) return TLSLAB_FAILED;
  connection->context = context;
  connection->object = PyObject_CallOneArg(connection_class, context->object);
  if (connection->object == NULL) {
    free(connection);
    return exception(error);
  }
  *made = connection;
  return TLSLAB_OK;
}

int connection_resume(void *handle, void *session, void **made, tlslab_error *error) {
  const struct context *context = handle;
  struct connection *connection = malloc(sizeof *connection);
  PyObject *object = connection == NULL
                         ? NULL
                         : PyObject_CallFunctionObjArgs(connection_class, context->object, (PyObject *)session, NULL);
  Py_DECREF((PyObject *)session);
  if (object == NULL) {
    free(connection);
    return exception(error);
  }
  *connection = (struct connection){object, context};
  *made = connection;
  return TLSLAB_OK;
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
  size_t len = (size_t)PyBytes_GET_SIZE(records);
  if (len > output->capacity - output->len) {
    snprintf(error->text, sizeof error->text, "the library wrote more than the output buffer has room for");
    return TLSLAB_FAILED;
  }
  memcpy(output->data + output->len, PyBytes_AS_STRING(records), len);
  output->len += len;
  return TLSLAB_OK;
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
