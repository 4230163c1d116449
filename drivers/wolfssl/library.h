/* wolfSSL's own interface, what is optional in it, and what its algorithms are called. */
#ifndef WOLFSSL_DRIVER_LIBRARY_H
#define WOLFSSL_DRIVER_LIBRARY_H

#include <wolfssl/options.h> /* the library's build options, before anything else of it */

#include <wolfssl/ssl.h>

#include "tlslab_endpoint.h"

/* wolfSSL_CTX_set1_sigalgs_list and the reports of the scheme come with the compatibility layer alone. */
#if defined(OPENSSL_EXTRA)
#define HAS_SIGNATURE_SETTER 1
#else
#define HAS_SIGNATURE_SETTER 0
#endif

#if defined(WOLFSSL_NO_TLS12)
#define HAS_TLS12 0
#else
#define HAS_TLS12 1
#endif

#if defined(WOLFSSL_NO_CLIENT_AUTH)
#define HAS_CLIENT_AUTH 0
#else
#define HAS_CLIENT_AUTH 1
#endif

#if defined(HAVE_DILITHIUM) || defined(WOLFSSL_HAVE_MLDSA)
#define HAS_ML_DSA 1
#else
#define HAS_ML_DSA 0
#endif

#if defined(HAVE_ED25519)
#define HAS_ED25519 1
#else
#define HAS_ED25519 0
#endif

/* External PSKs. */
#if defined(NO_PSK)
#define HAS_PSK 0
#else
#define HAS_PSK 1
#endif

#if defined(WOLFSSL_EARLY_DATA)
#define HAS_EARLY_DATA 1
#else
#define HAS_EARLY_DATA 0
#endif

struct algorithm {
  uint16_t point;       /* IANA's code point */
  const char *library;  /* as the library takes it, or reports it */
  const char *scenario; /* as scenario files write it */
};

enum { GROUPS = 6, SUITES = 21, SCHEMES = 7, TLS12 = 0x0303, TLS13 = 0x0304, FFDHE2048 = 0x0100 };

extern const struct algorithm groups[GROUPS];
extern const struct algorithm suites[SUITES];
extern const struct algorithm schemes[SCHEMES];

/* The entry with this code point, or NULL. */
const struct algorithm *algorithm_by_point(const struct algorithm *list, size_t len, uint16_t point);

#endif
