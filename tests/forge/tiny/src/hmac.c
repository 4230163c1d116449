#include "tiny.h"

void tiny_hmac_begin(tiny_hmac *mac, const uint8_t *key, size_t length) {
  uint8_t block[TINY_SHA256_BLOCK] = {0}, padded[TINY_SHA256_BLOCK];
  if (length > sizeof block) {
    tiny_sha256_begin(&mac->inner);
    tiny_sha256_update(&mac->inner, key, length);
    tiny_sha256_finish(&mac->inner, block);
  } else {
    for (size_t at = 0; at < length; at++) block[at] = key[at];
  }
  for (size_t at = 0; at < sizeof block; at++) padded[at] = block[at] ^ 0x36;
  tiny_sha256_begin(&mac->inner);
  tiny_sha256_update(&mac->inner, padded, sizeof padded);
  for (size_t at = 0; at < sizeof block; at++) padded[at] = block[at] ^ 0x5c;
  tiny_sha256_begin(&mac->outer);
  tiny_sha256_update(&mac->outer, padded, sizeof padded);
}

void tiny_hmac_update(tiny_hmac *mac, const uint8_t *data, size_t length) {
  tiny_sha256_update(&mac->inner, data, length);
}

void tiny_hmac_finish(tiny_hmac *mac, uint8_t code[TINY_SHA256_DIGEST]) {
  uint8_t digest[TINY_SHA256_DIGEST];
  tiny_sha256_finish(&mac->inner, digest);
  tiny_sha256_update(&mac->outer, digest, sizeof digest);
  tiny_sha256_finish(&mac->outer, code);
}
