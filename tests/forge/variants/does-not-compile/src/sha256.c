#include "tiny.h"

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

const char *tiny_version(void) { return TINY_VERSION; }

static uint32_t rotate(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void compress(uint32_t state[8], const uint8_t block[TINY_SHA256_BLOCK]) {
  uint32_t w[64]
  for (int at = 0; at < 16; at++) {
    w[at] = (uint32_t)block[4 * at] << 24 | (uint32_t)block[4 * at + 1] << 16 | (uint32_t)block[4 * at + 2] << 8 |
            block[4 * at + 3];
  }
  for (int at = 16; at < 64; at++) {
    uint32_t s0 = rotate(w[at - 15], 7) ^ rotate(w[at - 15], 18) ^ w[at - 15] >> 3;
    uint32_t s1 = rotate(w[at - 2], 17) ^ rotate(w[at - 2], 19) ^ w[at - 2] >> 10;
    w[at] = w[at - 16] + s0 + w[at - 7] + s1;
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int at = 0; at < 64; at++) {
    uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[at] + w[at];
    uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void tiny_sha256_begin(tiny_sha256 *hash) {
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int at = 0; at < 8; at++) hash->state[at] = initial[at];
  hash->length = 0;
}

/* Every byte goes through the block. */
void tiny_sha256_update(tiny_sha256 *hash, const uint8_t *data, size_t length) {
  for (size_t at = 0; at < length; at++) {
    hash->block[hash->length++ % TINY_SHA256_BLOCK] = data[at];
    if (hash->length % TINY_SHA256_BLOCK == 0) compress(hash->state, hash->block);
  }
}

void tiny_sha256_finish(tiny_sha256 *hash, uint8_t digest[TINY_SHA256_DIGEST]) {
  static const uint8_t padding[TINY_SHA256_BLOCK] = {0x80};
  uint64_t bits = hash->length * 8;
  uint8_t end[8];
  size_t used = hash->length % TINY_SHA256_BLOCK;
  for (int at = 0; at < 8; at++) end[at] = (uint8_t)(bits >> (56 - 8 * at));
  tiny_sha256_update(hash, padding, used < 56 ? 56 - used : 120 - used);
  tiny_sha256_update(hash, end, sizeof end);
  for (int at = 0; at < TINY_SHA256_DIGEST; at++) digest[at] = (uint8_t)(hash->state[at / 4] >> (24 - 8 * (at % 4)));
}
