// Who the library is and what it can do.
#ifndef BOTAN_IDENTITY_HH
#define BOTAN_IDENTITY_HH

#include "tlslab_endpoint.h"

void library_identity(tlslab_identity *identity);

#endif
