/* Which operations can be done by themselves. */
#ifndef LIBSSL_PRIMITIVE_CLAIMS_H
#define LIBSSL_PRIMITIVE_CLAIMS_H

#include "tlslab_endpoint.h"

/* Adds them to an identity whose signatures are set already. Every claim but those of signatures, which need a key, is
 * found out by making an object that is thrown away. */
void primitives_tell(tlslab_identity *identity);

#endif
