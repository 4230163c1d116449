/* The settings of a program, such as a web server: how it sets up its contexts beyond a library's defaults. */
#ifndef LIBSSL_SETTINGS_H
#define LIBSSL_SETTINGS_H

#include "shared.h"

/* Reads TLSLAB_SETTINGS_OF, a program's name, and TLSLAB_SETTINGS, entries such as `server SSL_OP_NO_RENEGOTIATION 1` with
 * commas between them, and finds out which of them the library has. Called once, when the library can be used. 0 with the
 * reason in `why` if an entry is not known or not valid; 1 without the variables, too. */
int settings_read(char *why, size_t room);

/* Sets up a new context before the scenario's own pins, which prevail. */
void settings_apply(SSL_CTX *ssl, int side, const tlslab_scenario *scenario);

/* Fails if the library does not report a setting of a context that is ready. */
int settings_check(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error);

/* Whether a side's library reads ahead, so that input may wait in it. */
int settings_read_ahead(int side);

/* The most bytes that a side passes to one SSL_write; 0 without a limit. */
size_t settings_write_at_most(int side);

/* Whether a write of a side may be done in parts. */
int settings_write_parts(int side);

/* Adds what a reader must know to a driver's identity. */
void settings_describe(tlslab_identity *identity);

#endif
