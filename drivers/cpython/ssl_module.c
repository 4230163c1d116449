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

#include <openssl/opensslv.h>
#if defined(OPENSSL_VERSION_MAJOR) && OPENSSL_VERSION_MAJOR >= 4
/* Methods for one version alone, which the library no longer has and nothing here asks for. */
#define OPENSSL_NO_SSL3
#define OPENSSL_NO_SSL3_METHOD
#define OPENSSL_NO_TLS1_METHOD
#define OPENSSL_NO_TLS1_1_METHOD
#define OPENSSL_NO_TLS1_2_METHOD
#endif

#include "_ssl.c"

#include "driver.h"

SSL_CTX *library_context(PyObject *context) { return ((PySSLContext *)context)->ctx; }

SSL *library_connection(PyObject *connection) { return ((PySSLSocket *)connection)->ssl; }
