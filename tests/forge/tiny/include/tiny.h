/* SHA-256 and HMAC-SHA-256. */
#ifndef TINY_H
#define TINY_H

#include <stddef.h>
#include <stdint.h>

#define TINY_VERSION "1.0.0"

enum { TINY_SHA256_BLOCK = 64, TINY_SHA256_DIGEST = 32 };

typedef struct tiny_sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes so far */
  uint8_t block[TINY_SHA256_BLOCK];
} tiny_sha256;

typedef struct tiny_hmac {
  tiny_sha256 inner, outer;
} tiny_hmac;

/* The library's version, as it was compiled. */
const char *tiny_version(void);

void tiny_sha256_begin(tiny_sha256 *hash);
void tiny_sha256_update(tiny_sha256 *hash, const uint8_t *data, size_t length);
void tiny_sha256_finish(tiny_sha256 *hash, uint8_t digest[TINY_SHA256_DIGEST]);

void tiny_hmac_begin(tiny_hmac *mac, const uint8_t *key, size_t length);
void tiny_hmac_update(tiny_hmac *mac, const uint8_t *data, size_t length);
void tiny_hmac_finish(tiny_hmac *mac, uint8_t code[TINY_SHA256_DIGEST]);

#endif
