/* One version, group, suite and scheme. What libtls has no setter for is pinned by OpenSSL's configuration, the section of
 * which that is called "system default" is laid over every context. */
#include <openssl/bio.h>
#include <openssl/conf.h>

#include "libretls.h"

const char *group_name(uint16_t group) {
  switch (group) {
    case TLSLAB_SECP256R1: return "P-256";
    case TLSLAB_SECP384R1: return "P-384";
    case TLSLAB_X25519: return "X25519";
    default: return NULL;
  }
}

const char *scheme_name(uint16_t scheme) {
  switch (scheme) {
    case TLSLAB_ECDSA_SECP256R1_SHA256: return "ECDSA+SHA256";
    case TLSLAB_RSA_PSS_RSAE_SHA256: return "RSA-PSS+SHA256";
    default: return NULL;
  }
}

int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  const char *group = group_name(scenario->group), *scheme = scheme_name(scenario->signature_scheme);
  const char *suite = tlslab_iana(tlslab_suites, scenario->suite);
  if (scenario->version != TLSLAB_TLS13 || group == NULL || suite == NULL || scheme == NULL || scenario->tickets > 0) {
    return tlslab_unsupported(
        error, "the driver does not pin version 0x%04x, group 0x%04x, suite 0x%04x, scheme 0x%04x and %u tickets together",
        scenario->version, scenario->group, scenario->suite, scenario->signature_scheme, scenario->tickets);
  }
  snprintf(context->pins, sizeof context->pins,
           "openssl_conf = init\n[init]\nssl_conf = ssl\n[ssl]\nsystem_default = pins\n[pins]\n"
           "Ciphersuites = %s\nSignatureAlgorithms = %s\nNumTickets = 0\n",
           suite, scheme);
  if (!pin_use(context->pins)) return reason(error, "suite and scheme", "OpenSSL refuses its configuration");
  int pinned = tls_config_set_protocols(context->config, TLS_PROTOCOL_TLSv1_3) == 0 &&
               tls_config_set_ecdhecurves(context->config, group) == 0;
  return pinned ? TLSLAB_OK : reason(error, "version and group", tls_config_error(context->config));
}

int pin_use(const char *pins) {
  static char in_force[512];
  if (strcmp(in_force, pins) == 0) return 1;
  BIO *text = BIO_new_mem_buf(pins, -1);
  CONF *conf = NCONF_new(NULL);
  int used = text != NULL && conf != NULL && NCONF_load_bio(conf, text, NULL) > 0 && CONF_modules_load(conf, NULL, 0) > 0;
  NCONF_free(conf);
  BIO_free(text);
  if (used) snprintf(in_force, sizeof in_force, "%s", pins);
  return used;
}
