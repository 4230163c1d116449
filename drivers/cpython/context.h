/* What the connections of one side of one scenario share. */
#ifndef CPYTHON_CONTEXT_H
#define CPYTHON_CONTEXT_H

#include <Python.h>

#include "library.h"
#include "tlslab_endpoint.h"

struct context {
  PyObject *object; /* of endpoint.py's class */
  int side;
  uint32_t tickets;
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

/* How many tickets a client's connection has seen, in a scenario that has some. */
int tickets_seen(const SSL *ssl);

#endif
