/* The sessions that a server of TLS 1.2 keeps. The library asks for them by name and leaves the keeping to its user. */
#ifndef GNUTLS_STORE_H
#define GNUTLS_STORE_H

#include <gnutls/gnutls.h>

struct store;

/* NULL when there is no memory. */
struct store *store_new(void);
void store_free(struct store *store);

/* Makes a server's session use the store, which must outlive it. */
void store_attach(struct store *store, gnutls_session_t session);

#endif
