/* Who the library is and what it can do. */
#ifndef LIBSSL_IDENTITY_H
#define LIBSSL_IDENTITY_H

#include "tlslab_endpoint.h"

/* Every claim is found out by trying it on a context that is thrown away. */
void library_identity(tlslab_identity *identity);

#endif
