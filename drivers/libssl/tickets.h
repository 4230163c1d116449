/* Session tickets: how many a server sends, and how many a client has seen. */
#ifndef LIBSSL_TICKETS_H
#define LIBSSL_TICKETS_H

#include "library.h"
#include "tlslab_endpoint.h"

/* Makes a server send exactly this many. */
int tickets_pin(SSL_CTX *ssl, uint32_t tickets, tlslab_error *error);

/* Makes a client count what arrives, as one that wanted to resume would. */
void tickets_count(SSL_CTX *ssl);

#endif
