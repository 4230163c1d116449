/* The interpreter's own modules ssl and hashlib, and the library's objects inside its objects. */
#ifndef CPYTHON_SSL_MODULE_H
#define CPYTHON_SSL_MODULE_H

#include <Python.h>
#include <openssl/ssl.h>

/* What `import _ssl` calls. */
PyMODINIT_FUNC PyInit__ssl(void);

/* What `import _hashlib` calls. */
PyMODINIT_FUNC PyInit__hashlib(void);

/* Of an ssl.SSLContext. */
SSL_CTX *library_context(PyObject *context);

/* Of an _ssl._SSLSocket, which is what an ssl.SSLObject holds. */
SSL *library_connection(PyObject *connection);

#endif
