/* What the library reports about a connection. */
#ifndef CPYTHON_FACTS_H
#define CPYTHON_FACTS_H

#include <stdint.h>

#include "library.h"

/* The code point of the group of the key exchange; 0 where the library does not report it. */
uint16_t group_of(SSL *ssl);

#endif
