/* Who the library is and what this build of it can do. */
#ifndef MBEDTLS_IDENTITY_H
#define MBEDTLS_IDENTITY_H

#include "tlslab_endpoint.h"

void library_identity(tlslab_identity *identity);

#endif
