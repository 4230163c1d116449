/* What Python's interface cannot pin, pinned on the library's context inside Python's.
 *
 * Each returns whether the library can do it. */
#ifndef CPYTHON_PIN_H
#define CPYTHON_PIN_H

#include <openssl/ssl.h>
#include <stdint.h>

int pin_suite(SSL_CTX *ssl, uint16_t suite);
int pin_group(SSL_CTX *ssl, uint16_t group);
int pin_scheme(SSL_CTX *ssl, uint16_t scheme);

#endif
