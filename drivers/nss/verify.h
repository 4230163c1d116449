/* How a side looks at its peer's certificates. */
#ifndef NSS_VERIFY_H
#define NSS_VERIFY_H

#include "context.h"

/* For SSL_AuthCertificateHook, with a context as its argument. */
SECStatus verify(void *context, PRFileDesc *fd, PRBool check_signatures, PRBool is_server);

/* The root is trusted no longer. To be called before a context lets go of it. */
void verify_forget(CERTCertificate *root);

#endif
