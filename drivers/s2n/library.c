#include "library.h"

#include <stdio.h>
#include <string.h>

const struct algorithm groups[GROUPS] = {
    {0x0017, "secp256r1", "p-256"},
    {0x0018, "secp384r1", "p-384"},
    {0x001d, "x25519", "x25519"},
    {0x11ec, "X25519MLKEM768", "x25519mlkem768"},
    {0x11eb, "SecP256r1MLKEM768", "p-256mlkem768"},
};

const struct algorithm suites[SUITES] = {
    {0x1301, NULL, "aes-128-gcm"},
    {0x1302, NULL, "aes-256-gcm"},
    {0x1303, NULL, "chacha20-poly1305"},
};

const struct algorithm schemes[SCHEMES] = {
    {0x0403, "ecdsa_secp256r1_sha256", "ecdsa-p256-sha256"},
    {0x0804, "rsa_pss_rsae_sha256", "rsa-pss-sha256"},
};

uint16_t algorithm_by_name(const struct algorithm *list, size_t len, const char *name) {
  for (size_t at = 0; at < len; at++) {
    if (strcmp(list[at].library, name) == 0) return list[at].point;
  }
  return 0;
}

/* A client offers all that its policy has, with a key share for the policy's first group: of TLS 1.3 alone, and of that
 * group. A server takes its own policy's first suite, and the group that it has a key share for. */
static const struct {
  uint16_t group, suite;
  const char *by_side[2];
} policies[] = {
    {0x001d, 0x1301, {"AWS-CRT-SDK-TLSv1.3", "AWS-CRT-SDK-TLSv1.3"}},
    {0x001d, 0x1302, {"AWS-CRT-SDK-TLSv1.3", "20190801"}},
    {0x0017, 0x1301, {"AWS-CRT-SDK-TLSv1.3-2023", "AWS-CRT-SDK-TLSv1.3-2023"}},
    {0x0017, 0x1302, {"AWS-CRT-SDK-TLSv1.3-2023", "20190801"}},
    {0x11ec, 0x1301, {"test_pq_only", "test_pq_only"}},
    {0x11ec, 0x1302, {"test_pq_only", "PQ-TLS-1-2-2024-10-09"}},
};

const char *policy(int side, uint16_t group, uint16_t suite) {
  for (size_t at = 0; at < sizeof policies / sizeof *policies; at++) {
    if (policies[at].group == group && policies[at].suite == suite) return policies[at].by_side[side];
  }
  return NULL;
}

int reason(tlslab_error *error, const char *what) {
  int code = s2n_errno;
  snprintf(error->text, sizeof error->text, "%s: %s (%s)", what, s2n_strerror(code, "EN"), s2n_strerror_name(code));
  return TLSLAB_FAILED;
}

int reason_of_driver(tlslab_error *error, const char *what) {
  snprintf(error->text, sizeof error->text, "%s", what);
  return TLSLAB_FAILED;
}
