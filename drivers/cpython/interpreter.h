/* The embedded interpreter. */
#ifndef CPYTHON_INTERPRETER_H
#define CPYTHON_INTERPRETER_H

#include <Python.h>

#include "tlslab_endpoint.h"

/* Starts it and imports `endpoint`, whose classes are then `context_class` and the others. 0 when it will not
 * start; Python has said why. */
int interpreter_start(void);

/* Does what a program called python does with these arguments; its exit status. */
int interpreter_main(int count, char **arguments);

extern PyObject *context_class;
extern PyObject *connection_class;
extern PyObject *hash_class;
extern PyObject *code_class;
extern PyObject *hash_object_class;
extern PyObject *client_class;

/* The methods' names. */
extern PyObject *name_handshake, *name_send, *name_receive, *name_run;

/* Views of the kit's memory, for the length of a call. */
PyObject *view_of(tlslab_bytes bytes);
PyObject *view_of_room(tlslab_buffer *buffer);

/* Takes the pending exception as the reason of a failure, and returns TLSLAB_FAILED. */
int exception(tlslab_error *error);

#endif
