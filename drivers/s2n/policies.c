/* Which of the library's named policies leave a scenario's group and suite. */
#include "driver.h"

#define UPSTREAM_12 "CloudFront-Upstream-TLS-1-2"
#define RESTRICTED_12 "ELBSecurityPolicy-FS-1-2-Res-2020-10"

struct policies {
  uint16_t group, suite;
  const char *by_side[2];
};

/* A client offers all that its policy has. A server takes its own policy's first suite, group and scheme among those,
 * but in TLS 1.3 the group that it has a key share for.
 *
 * TLS 1.3: the client's policy has this version alone, and the scenario's group first, to which the key share belongs.
 * TLS 1.2: the client's policy has no suite of TLS 1.3. Either the client offers no RSA-PSS or the server has it last,
 * for RSA is to sign with PKCS #1. */
static const struct policies known[] = {
    {TLSLAB_X25519, TLSLAB_AES_128_GCM, {"AWS-CRT-SDK-TLSv1.3", "AWS-CRT-SDK-TLSv1.3"}},
    {TLSLAB_X25519, TLSLAB_AES_256_GCM, {"AWS-CRT-SDK-TLSv1.3", "20190801"}},
    {TLSLAB_SECP256R1, TLSLAB_AES_128_GCM, {"AWS-CRT-SDK-TLSv1.3-2023", "AWS-CRT-SDK-TLSv1.3-2023"}},
    {TLSLAB_SECP256R1, TLSLAB_AES_256_GCM, {"AWS-CRT-SDK-TLSv1.3-2023", "20190801"}},
    {TLSLAB_X25519MLKEM768, TLSLAB_AES_128_GCM, {"test_pq_only", "test_pq_only"}},
    {TLSLAB_X25519MLKEM768, TLSLAB_AES_256_GCM, {"test_pq_only", "PQ-TLS-1-2-2024-10-09"}},
    {TLSLAB_X25519, TLSLAB_ECDHE_ECDSA_AES_128_GCM, {UPSTREAM_12, "CloudFront-TLS-1-2-2021"}},
    {TLSLAB_X25519, TLSLAB_ECDHE_RSA_AES_128_GCM, {UPSTREAM_12, "CloudFront-TLS-1-2-2021"}},
    {TLSLAB_X25519, TLSLAB_ECDHE_RSA_AES_256_GCM, {UPSTREAM_12, "PQ-TLS-1-2-2024-10-09"}},
    {TLSLAB_SECP256R1, TLSLAB_ECDHE_ECDSA_AES_128_GCM, {RESTRICTED_12, RESTRICTED_12}},
    {TLSLAB_SECP256R1, TLSLAB_ECDHE_RSA_AES_128_GCM, {RESTRICTED_12, RESTRICTED_12}},
    {TLSLAB_SECP256R1, TLSLAB_ECDHE_ECDSA_AES_256_GCM, {RESTRICTED_12, UPSTREAM_12}},
    {TLSLAB_SECP256R1, TLSLAB_ECDHE_RSA_AES_256_GCM, {RESTRICTED_12, UPSTREAM_12}},
    {TLSLAB_SECP256R1, TLSLAB_ECDHE_RSA_CHACHA20_POLY1305, {"20170210", "20190122"}},
    /* Its suites are DHE and RSA's own key exchange. */
    {TLSLAB_FFDHE2048, TLSLAB_DHE_RSA_AES_128_GCM, {"20150214", "20150214"}},
};
enum { KNOWN = sizeof known / sizeof *known, MOST_GROUPS = 32 };

const char *policy(int side, uint16_t group, uint16_t suite) {
  for (size_t at = 0; at < KNOWN; at++) {
    if (known[at].group == group && known[at].suite == suite) return known[at].by_side[side];
  }
  return NULL;
}

static int is_there(const char *name) {
  struct s2n_config *config = s2n_config_new_minimal();
  int there = config != NULL && s2n_config_set_cipher_preferences(config, name) == S2N_SUCCESS;
  if (config != NULL) s2n_config_free(config);
  return there;
}

/* The client offers X25519 first; the server knows the curves of NIST alone. No policy has X25519 and not P-256. */
const char *retry_policy(int side, const tlslab_scenario *scenario) {
  if (scenario->group != TLSLAB_SECP256R1 || scenario->suite != TLSLAB_AES_128_GCM) return NULL;
  return side == TLSLAB_CLIENT ? "AWS-CRT-SDK-TLSv1.3" : "ELBSecurityPolicy-TLS13-1-3-FIPS-2023-04";
}

static int has_group(const char *name, uint16_t group) {
  uint16_t groups[MOST_GROUPS], len = 0;
  struct s2n_config *config = s2n_config_new_minimal();
  int asked = config != NULL && s2n_config_set_cipher_preferences(config, name) == S2N_SUCCESS &&
              s2n_config_get_supported_groups(config, groups, MOST_GROUPS, &len) == S2N_SUCCESS;
  int found = 0;
  for (size_t at = 0; asked && at < len; at++) found |= groups[at] == group;
  if (config != NULL) s2n_config_free(config);
  return found;
}

static int is_there_for(const struct policies *pair) {
  /* A finite field is no matter of policies: a server is given one. */
  if (pair->group == TLSLAB_FFDHE2048) return is_there(pair->by_side[TLSLAB_SERVER]);
  return has_group(pair->by_side[TLSLAB_CLIENT], pair->group) && has_group(pair->by_side[TLSLAB_SERVER], pair->group);
}

int is_reached(uint16_t group, uint16_t suite) {
  for (size_t at = 0; at < KNOWN; at++) {
    if ((known[at].group == group || known[at].suite == suite) && is_there_for(&known[at])) return 1;
  }
  return 0;
}
