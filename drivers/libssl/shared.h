/* Declarations shared by drivers whose TLS has OpenSSL's interface, whether called directly or not. */
#ifndef LIBSSL_SHARED_H
#define LIBSSL_SHARED_H

#include "library.h"
#include "tlslab_driver.h"

/* Hold a context to exactly what a scenario names: one version, one suite, one group, one signature scheme. Each returns
 * whether the library can do it. The suite goes first: where there is no setter for it, choosing it touches all the
 * others. */
int pin_suite(SSL_CTX *ssl, uint16_t suite);
int pin_version(SSL_CTX *ssl, uint16_t version);
int pin_group(SSL_CTX *ssl, uint16_t group);
int pin_scheme(SSL_CTX *ssl, uint16_t scheme);
/* The finite field that a server of TLS 1.2 chooses. */
int pin_field(SSL_CTX *ssl, uint16_t group);

/* The libraries' name for a group; NULL for one that no table has. */
const char *group_name(uint16_t group);

/* All four; TLSLAB_UNSUPPORTED with the reason if one of them fails. */
int pin_scenario(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

/* Whether one of the above succeeds on a context that is thrown away. */
int can_pin(int (*pin)(SSL_CTX *ssl, uint16_t point), uint16_t point);

/* At verification level `none` it takes the place of building and checking the chain, which libraries do even where they
 * ignore the outcome. */
int accept_any_chain(X509_STORE_CTX *store, void *argument);

/* The library's report about a finished connection; 0 if it has none. The scheme is that of the server's
 * CertificateVerify, whose key has this type. */
uint16_t suite_of(const SSL *ssl);
uint16_t group_of(SSL *ssl);
uint16_t scheme_of(SSL *ssl, int side, int key_type);

/* The first entry of the error queue as "library: reason". */
void first_cause(char *text, size_t room);

/* Says what failed and what the library's error queue gives as the first cause, empties the queue and returns
 * `status`, so that a call can end with it. */
int reason_of_library(tlslab_error *error, int status, const char *what);

#endif
