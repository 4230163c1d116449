/* Who the library is and what it can do, as far as it can be asked. */
#ifndef S2N_IDENTITY_H
#define S2N_IDENTITY_H

#include "tlslab_endpoint.h"

void library_identity(tlslab_identity *identity);

#endif
