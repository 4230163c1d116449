/* One version, group, suite and scheme. What libtls has no setter for is pinned by OpenSSL's configuration, the section of
 * which that is called "system default" is laid over every context. */
#include <openssl/bio.h>
#include <openssl/conf.h>
#include <stdio.h>
#include <string.h>

#include "libretls.h"

const struct algorithm groups[GROUPS] = {{0x0017, "P-256"}, {0x0018, "P-384"}, {0x001d, "X25519"}};
const struct algorithm suites[SUITES] = {
    {0x1301, "TLS_AES_128_GCM_SHA256"},
    {0x1302, "TLS_AES_256_GCM_SHA384"},
    {0x1303, "TLS_CHACHA20_POLY1305_SHA256"},
};
static const struct algorithm schemes[] = {{0x0403, "ECDSA+SHA256"}, {0x0804, "RSA-PSS+SHA256"}};

static const char *name_of(const struct algorithm *list, size_t len, uint16_t point) {
  while (len > 0 && list->point != point) list++, len--;
  return len > 0 ? list->name : NULL;
}

int pin(struct context *context, const tlslab_scenario *scenario, tlslab_error *error) {
  const char *group = name_of(groups, GROUPS, scenario->group);
  const char *suite = name_of(suites, SUITES, scenario->suite);
  const char *scheme = name_of(schemes, sizeof schemes / sizeof *schemes, scenario->signature_scheme);
  if (scenario->version != 0x0304 || group == NULL || suite == NULL || scheme == NULL || scenario->tickets > 0) {
    snprintf(error->text, sizeof error->text,
             "the driver does not pin version 0x%04x, group 0x%04x, suite 0x%04x, scheme 0x%04x and %u tickets together",
             scenario->version, scenario->group, scenario->suite, scenario->signature_scheme,
             (unsigned)scenario->tickets);
    return TLSLAB_UNSUPPORTED;
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
