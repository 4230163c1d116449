#include "primitive.h"

#include <stdlib.h>
#include <string.h>

#include "interpreter.h"

struct primitive {
  PyObject *object; /* a Hash or a Code */
  PyObject *result; /* of the last run, or NULL */
};

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  (void)material;
  struct primitive *primitive = calloc(1, sizeof *primitive);
  const char *name = assignment->algorithm == TLSLAB_SHA384 ? "sha384" : "sha256";
  if (primitive == NULL) return TLSLAB_FAILED;
  primitive->object = assignment->operation == TLSLAB_HMAC
                          ? PyObject_CallFunction(code_class, "sy#", name, (const char *)assignment->key.data,
                                                  (Py_ssize_t)assignment->key.len)
                          : PyObject_CallFunction(hash_class, "s", name);
  if (primitive->object == NULL) {
    free(primitive);
    return exception(error);
  }
  *object = primitive;
  return TLSLAB_OK;
}

/* On the clock: a view of the message, Python's method and what it calls; the result before is let go. */
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
  size_t len = (size_t)PyBytes_GET_SIZE(primitive->result);
  if (len > output->capacity - output->len) return;
  memcpy(output->data + output->len, PyBytes_AS_STRING(primitive->result), len);
  output->len += len;
  Py_CLEAR(primitive->result);
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  Py_XDECREF(primitive->result);
  Py_DECREF(primitive->object);
  free(primitive);
}
