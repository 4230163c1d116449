/* Holds the library to exactly what a scenario names: one version, one suite, one group, one signature scheme. */
#include "driver.h"

const tlslab_own_name group_names[] = {
    {TLSLAB_X25519MLKEM768, "X25519-MLKEM768"}, {TLSLAB_SECP256R1MLKEM768, "SECP256R1-MLKEM768"}, {0, NULL}};

const tlslab_own_name *scheme_names(uint16_t version) {
  static const tlslab_own_name of_tls12[] = {{TLSLAB_ECDSA_SECP256R1_SHA256, "ECDSA-SHA256"},
                                             {TLSLAB_ECDSA_SECP384R1_SHA384, "ECDSA-SHA384"},
                                             {TLSLAB_ED25519, "EdDSA-Ed25519"},
                                             {TLSLAB_RSA_PKCS1_SHA256, "RSA-SHA256"},
                                             {0, NULL}};
  static const tlslab_own_name of_tls13[] = {{TLSLAB_ECDSA_SECP256R1_SHA256, "ECDSA-SECP256R1-SHA256"},
                                             {TLSLAB_ECDSA_SECP384R1_SHA384, "ECDSA-SECP384R1-SHA384"},
                                             {TLSLAB_ED25519, "EdDSA-Ed25519"},
                                             {TLSLAB_RSA_PSS_RSAE_SHA256, "RSA-PSS-RSAE-SHA256"},
                                             {0, NULL}};
  return version == TLSLAB_TLS12 ? of_tls12 : of_tls13;
}

/* The mode of an external PSK in TLS 1.3; empty without one. A resumed session needs no such
 * word, and in TLS 1.2 it is a part of the suite. */
static const char *key_exchange(const tlslab_scenario *scenario) {
  if (scenario->version != TLSLAB_TLS13) return "";
  switch (scenario->resumption) {
    case TLSLAB_RESUME_EXTERNAL_PSK: return ":+ECDHE-PSK";
    case TLSLAB_RESUME_EXTERNAL_PSK_ONLY: return ":+PSK";
    default: return "";
  }
}

int pin(int side, const tlslab_scenario *scenario, gnutls_priority_t *priority, tlslab_error *error) {
  const tlslab_value *version = tlslab_find(tlslab_versions, scenario->version);
  const tlslab_value *suite = tlslab_find(tlslab_suites, scenario->suite);
  const char *group = tlslab_name(group_names, tlslab_groups, scenario->group);
  const char *scheme = tlslab_name(scheme_names(scenario->version), tlslab_schemes, scenario->signature_scheme);
  if (version == NULL || scheme == NULL || suite == NULL || group == NULL) {
    return tlslab_unsupported(
        error, "this driver cannot hold the library to version 0x%04x, suite 0x%04x, group 0x%04x, scheme 0x%04x",
        scenario->version, scenario->suite, scenario->group, scenario->signature_scheme);
  }
  if (IS_NO_SUITE(scenario->suite)) return tlslab_unsupported(error, WHY_NO_SUITE);
  int is_psk = *key_exchange(scenario) != '\0';
  if (is_psk && scenario->suite == TLSLAB_AES_256_GCM) {
    return tlslab_unsupported(error,
                              "the library takes an external PSK for one of SHA-256, and has no option to change that");
  }
  const char *first = tlslab_name(group_names, tlslab_groups, (uint16_t)scenario->retry_group);
  int offers_another = side == TLSLAB_CLIENT && first != NULL;
  /* With any group the client makes a key share. */
  int has_group = scenario->resumption != TLSLAB_RESUME_EXTERNAL_PSK_ONLY;
  char text[192];
  snprintf(text, sizeof text, "NONE:+VERS-TLS%s:+AEAD:+%s%s%s%s%s%s%s:+SIGN-%s%s", version->name,
           suite->exchange == NULL ? "" : suite->exchange, suite->exchange == NULL ? "" : ":+", suite->cipher,
           offers_another ? ":+GROUP-" : "", offers_another ? first : "", has_group ? ":+GROUP-" : "",
           has_group ? group : "", scheme, key_exchange(scenario));
  const char *stumbled = text;
  int code = gnutls_priority_init(priority, text, &stumbled);
  if (code == GNUTLS_E_SUCCESS) return TLSLAB_OK;
  return tlslab_unsupported(error, "the library refuses the priorities %s at \"%s\": %s (%s)", text, stumbled,
                            gnutls_strerror(code), gnutls_strerror_name(code));
}
