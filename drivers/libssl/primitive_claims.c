#include "primitive_claims.h"

#include <stdio.h>

#include "names.h"
#include "primitive.h"

enum { MOST = 64 };

static char names[MOST][48];
static const char *claimed[MOST];

static void claim(tlslab_identity *identity, const char *operation, const char *algorithm) {
  size_t at = identity->primitives_len;
  if (at == MOST) return;
  snprintf(names[at], sizeof names[at], "%s/%s", operation, algorithm);
  claimed[at] = names[at];
  identity->primitives_len++;
}

static int encapsulates(uint16_t group) { return group >> 8 == 0x11; }
static int is_finite_field(uint16_t group) { return group >> 8 == 0x01; }

void primitives_tell(tlslab_identity *identity) {
  static const struct algorithm hashes[] = {{TLSLAB_SHA256, NULL, "sha-256"}, {TLSLAB_SHA384, NULL, "sha-384"}};
  identity->primitives = claimed;
  identity->primitives_len = 0;
  for (size_t at = 0; at < 2; at++) {
    if (primitive_known(TLSLAB_HASH, hashes[at].point)) claim(identity, "hash", hashes[at].scenario);
    if (primitive_known(TLSLAB_HMAC, hashes[at].point)) claim(identity, "hmac", hashes[at].scenario);
  }
  for (size_t at = 0; at < SUITES; at++) {
    if (suites[at].point >> 8 != 0x13 || !primitive_known(TLSLAB_AEAD_SEAL, suites[at].point)) continue;
    claim(identity, "aead-seal", suites[at].scenario);
    claim(identity, "aead-open", suites[at].scenario);
  }
  for (size_t at = 0; at < identity->signatures_len; at++) {
    claim(identity, "sign", identity->signatures[at]);
    claim(identity, "verify", identity->signatures[at]);
  }
  for (size_t at = 0; at < GROUPS; at++) {
    if (is_finite_field(groups[at].point) || !primitive_known(TLSLAB_KEY_GENERATION, groups[at].point)) continue;
    claim(identity, "key-generation", groups[at].scenario);
    claim(identity, encapsulates(groups[at].point) ? "encapsulate" : "key-agreement", groups[at].scenario);
    if (encapsulates(groups[at].point)) claim(identity, "decapsulate", groups[at].scenario);
  }
}
