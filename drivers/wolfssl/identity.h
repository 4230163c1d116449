/* Who the library is and what it can do. */
#ifndef WOLFSSL_DRIVER_IDENTITY_H
#define WOLFSSL_DRIVER_IDENTITY_H

#include "tlslab_endpoint.h"

/* Suites, groups and schemes are found out by trying them on a context that is thrown away. */
void library_identity(tlslab_identity *identity);

#endif
