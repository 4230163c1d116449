/* DER as PEM, which is all that the library reads. */
#ifndef S2N_PEM_H
#define S2N_PEM_H

#include "tlslab_endpoint.h"

/* Joined texts with this label, from malloc; NULL when there is no memory. */
char *pem(const char *label, const tlslab_bytes *ders, size_t count);

#endif
