/* Who the interpreter and its library are, and what they can do. */
#ifndef CPYTHON_IDENTITY_H
#define CPYTHON_IDENTITY_H

#include "tlslab_endpoint.h"

void library_identity(tlslab_identity *identity);

#endif
