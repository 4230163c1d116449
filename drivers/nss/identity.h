/* Who the library is and what it can do. */
#ifndef NSS_IDENTITY_H
#define NSS_IDENTITY_H

#include "tlslab_endpoint.h"

void library_identity(tlslab_identity *identity);

#endif
