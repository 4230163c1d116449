#include "library.h"

#include <stdio.h>
#include <string.h>

struct name {
  uint16_t point;
  const char *library;
};

static const struct name groups[] = {
    {0x0017, "secp256r1"},
    {0x0018, "secp384r1"},
    {0x001d, "x25519"},
    {0x11ec, "X25519MLKEM768"},
    {0x11eb, "SecP256r1MLKEM768"},
};

/* In TLS 1.2 a scheme of ECDSA names no curve, and the library calls it otherwise. */
static const struct name schemes[] = {
    {0x0401, "rsa_pkcs1_sha256"},
    {0x0403, "ecdsa_secp256r1_sha256"},
    {0x0403, "legacy_ecdsa_sha256"},
    {0x0503, "ecdsa_secp384r1_sha384"},
    {0x0804, "rsa_pss_rsae_sha256"},
};

static uint16_t by_name(const struct name *list, size_t len, const char *name) {
  for (size_t at = 0; at < len; at++) {
    if (strcmp(list[at].library, name) == 0) return list[at].point;
  }
  return 0;
}

uint16_t group_by_name(const char *name) { return by_name(groups, sizeof groups / sizeof *groups, name); }

uint16_t scheme_by_name(const char *name) { return by_name(schemes, sizeof schemes / sizeof *schemes, name); }

int reason(tlslab_error *error, const char *what) {
  int code = s2n_errno;
  snprintf(error->text, sizeof error->text, "%s: %s (%s)", what, s2n_strerror(code, "EN"), s2n_strerror_name(code));
  return TLSLAB_FAILED;
}

int reason_of_driver(tlslab_error *error, const char *what) {
  snprintf(error->text, sizeof error->text, "%s", what);
  return TLSLAB_FAILED;
}
