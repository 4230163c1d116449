#include "policies.h"

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
    {0x001d, 0x1301, {"AWS-CRT-SDK-TLSv1.3", "AWS-CRT-SDK-TLSv1.3"}},
    {0x001d, 0x1302, {"AWS-CRT-SDK-TLSv1.3", "20190801"}},
    {0x0017, 0x1301, {"AWS-CRT-SDK-TLSv1.3-2023", "AWS-CRT-SDK-TLSv1.3-2023"}},
    {0x0017, 0x1302, {"AWS-CRT-SDK-TLSv1.3-2023", "20190801"}},
    {0x11ec, 0x1301, {"test_pq_only", "test_pq_only"}},
    {0x11ec, 0x1302, {"test_pq_only", "PQ-TLS-1-2-2024-10-09"}},
    {0x001d, 0xc02b, {UPSTREAM_12, "CloudFront-TLS-1-2-2021"}},
    {0x001d, 0xc02f, {UPSTREAM_12, "CloudFront-TLS-1-2-2021"}},
    {0x001d, 0xc030, {UPSTREAM_12, "PQ-TLS-1-2-2024-10-09"}},
    {0x0017, 0xc02b, {RESTRICTED_12, RESTRICTED_12}},
    {0x0017, 0xc02f, {RESTRICTED_12, RESTRICTED_12}},
    {0x0017, 0xc02c, {RESTRICTED_12, UPSTREAM_12}},
    {0x0017, 0xc030, {RESTRICTED_12, UPSTREAM_12}},
    {0x0017, 0xcca8, {"20170210", "20190122"}},
};
enum { KNOWN = sizeof known / sizeof *known, MOST_GROUPS = 32 };

const char *policy(int side, uint16_t group, uint16_t suite) {
  for (size_t at = 0; at < KNOWN; at++) {
    if (known[at].group == group && known[at].suite == suite) return known[at].by_side[side];
  }
  return NULL;
}

/* The client offers X25519 first; the server knows the curves of NIST alone. No policy has X25519 and not P-256. */
const char *retry_policy(int side, const tlslab_scenario *scenario) {
  if (scenario->group != 0x0017 || scenario->suite != 0x1301) return NULL;
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

static enum reach reach(const struct policies *pair) {
  for (int side = TLSLAB_CLIENT; side <= TLSLAB_SERVER; side++) {
    if (!has_group(pair->by_side[side], pair->group)) return REACH_REFUSED;
  }
  return REACH_GIVEN;
}

enum reach reach_of_group(uint16_t group) {
  enum reach best = REACH_NONE;
  for (size_t at = 0; at < KNOWN && best != REACH_GIVEN; at++) {
    if (known[at].group == group) best = reach(&known[at]);
  }
  return best;
}

enum reach reach_of_suite(uint16_t suite) {
  enum reach best = REACH_NONE;
  for (size_t at = 0; at < KNOWN && best != REACH_GIVEN; at++) {
    if (known[at].suite == suite) best = reach(&known[at]);
  }
  return best;
}
