/* The module's source is taken in whole, as the interpreter comes with it, so that its types are known here. */
#include <Python.h>

#if __has_include(<openssl/service_indicator.h>) /* AWS-LC */
#include <openssl/ssl.h>
/* Authentication after the handshake, which the library does not have and nothing here asks for. */
#define SSL_VERIFY_POST_HANDSHAKE 0
#define SSL_set_post_handshake_auth(ssl, on) ((void)(ssl), (void)(on))
#define SSL_CTX_set_post_handshake_auth(ssl, on) ((void)(ssl), (void)(on))
/* The library's own list of older suites, as `configure --with-ssl-default-suites=openssl` has it: the interpreter's
 * list is in a syntax that the library does not read. */
#undef PY_SSL_DEFAULT_CIPHERS
#define PY_SSL_DEFAULT_CIPHERS 2
#undef OPENSSL_NO_DEPRECATED /* which the module defines again */
#endif

#include "_ssl.c"

#include "ssl_module.h"

SSL_CTX *library_context(PyObject *context) { return ((PySSLContext *)context)->ctx; }

SSL *library_connection(PyObject *connection) { return ((PySSLSocket *)connection)->ssl; }
