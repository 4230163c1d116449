/* One cryptographic operation alone: the library's operations that Python offers in addition to ssl. */
#include "driver.h"

struct primitive {
  PyObject *object; /* one of the classes of endpoint.py */
  int operation;
  PyObject *result; /* of the last run, or NULL */
};

static PyObject *object_for(const tlslab_assignment *assignment, const tlslab_material *material) {
  const char *name = hash_name(assignment->algorithm);
  switch (assignment->operation) {
    case TLSLAB_CONNECTION:
      return PyObject_CallFunction(client_class, "NNN", bytes_of(material->root), chain_of(material), bytes_of(material->key));
    case TLSLAB_HASH_OBJECT: return PyObject_CallFunction(hash_object_class, "s", name);
    case TLSLAB_HMAC:
      return PyObject_CallFunction(code_class, "sN", name, bytes_of(assignment->key));
    default: return PyObject_CallFunction(hash_class, "s", name);
  }
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  struct primitive *primitive = calloc(1, sizeof *primitive);
  if (primitive == NULL) return TLSLAB_FAILED;
  primitive->operation = (int)assignment->operation;
  primitive->object = object_for(assignment, material);
  if (primitive->object == NULL) {
    free(primitive);
    return exception(error);
  }
  *object = primitive;
  return TLSLAB_OK;
}

/* On the clock: a view of the message, Python's method and its calls; the previous result is released. */
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  (void)operation, (void)sequence, (void)output;
  struct primitive *primitive = object;
  PyObject *view = view_of((tlslab_bytes){input->data, input->len});
  PyObject *result = view == NULL ? NULL : PyObject_CallMethodOneArg(primitive->object, name_run, view);
  Py_XDECREF(view);
  Py_XSETREF(primitive->result, result);
  return result == NULL ? exception(error) : TLSLAB_OK;
}

void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output) {
  (void)input;
  struct primitive *primitive = object;
  if (primitive->result == NULL) return;
  if (primitive->operation == TLSLAB_CONNECTION) {
    Py_XSETREF(primitive->result, PyObject_CallMethod(primitive->object, "received", NULL));
  }
  char *data;
  Py_ssize_t len;
  if (primitive->result != NULL && PyBytes_AsStringAndSize(primitive->result, &data, &len) == 0) {
    tlslab_append(output, data, (size_t)len);
  }
  PyErr_Clear();
  Py_CLEAR(primitive->result);
}

void primitive_negotiated(void *object, char *text, size_t room) {
  struct primitive *primitive = object;
  if (primitive->operation != TLSLAB_CONNECTION) return;
  PyObject *agreed = PyObject_CallMethod(primitive->object, "agreed", NULL);
  const char *version, *suite;
  PyObject *connection;
  if (agreed != NULL && PyArg_ParseTuple(agreed, "ssO", &version, &suite, &connection)) {
    uint16_t group = group_of(library_connection(connection));
    const char *name = group_name(group);
    snprintf(text, room, "%s, %s, %s", version, suite, name == NULL ? "a group that the library does not report" : name);
  }
  PyErr_Clear();
  Py_XDECREF(agreed);
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  if (primitive->operation == TLSLAB_CONNECTION) {
    Py_XDECREF(PyObject_CallMethod(primitive->object, "close", NULL));
    PyErr_Clear();
  }
  Py_XDECREF(primitive->result);
  Py_DECREF(primitive->object);
  free(primitive);
}
