/* Declarations shared by the driver's files. The library below is pinned as drivers/libssl does it. */
#ifndef CPYTHON_DRIVER_H
#define CPYTHON_DRIVER_H

#include <Python.h>

#include "shared.h"

/* Tickets that are part of a server's handshake. There are none if they wait for the server's first write: the
 * library's SSL_write_ex, which is what Python calls, makes nothing of a write of no bytes. */
enum { PYTHON_TICKETS = DEFERS_TICKETS ? 0 : MOST_TICKETS };

/* State shared by the connections of one side of one scenario. */
struct context {
  PyObject *object; /* of endpoint.py's class */
  int side;
  uint32_t tickets;
  int counts_tickets; /* of a client */
};

/* One side of one connection. */
struct connection {
  PyObject *object; /* of endpoint.py's class */
  const struct context *context;
};

/* How many tickets a client's connection has seen, in a scenario that has some. */
int tickets_seen(const SSL *ssl);

/* New objects of Python's: bytes, and the certificates of a chain as a tuple of them. */
PyObject *bytes_of(tlslab_bytes bytes);
PyObject *chain_of(const tlslab_material *material);

/* Python's name for a hash, else NULL. */
const char *hash_name(uint16_t hash);

/* Starts the interpreter and imports `endpoint`, whose classes are then `context_class` and the others. 0 when it will not
 * start; Python has said why. */
int interpreter_start(void);

/* Does what a program called python does with these arguments; its exit status. */
int interpreter_main(int count, char **arguments);

extern PyObject *context_class, *connection_class, *hash_class, *code_class, *hash_object_class, *client_class;

/* The methods' names. */
extern PyObject *name_handshake, *name_send, *name_receive, *name_run;

/* Views of the kit's memory, for the length of a call. */
PyObject *view_of(tlslab_bytes bytes);
PyObject *view_of_room(tlslab_buffer *buffer);

/* Takes the pending exception as the reason of a failure, and returns TLSLAB_FAILED. */
int exception(tlslab_error *error);

/* The functions that `import _ssl` and `import _hashlib` call. */
PyMODINIT_FUNC PyInit__ssl(void);
PyMODINIT_FUNC PyInit__hashlib(void);

/* Of an ssl.SSLContext. */
SSL_CTX *library_context(PyObject *context);

/* Of an _ssl._SSLSocket, which is what an ssl.SSLObject holds. */
SSL *library_connection(PyObject *connection);

#endif
