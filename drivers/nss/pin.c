/* Leaves one version, suite, group and scheme. */
#include "driver.h"

enum { ANY_SUITE = 0 };

int pin_suite(PRFileDesc *fd, uint16_t suite) {
  int known = 0;
  for (int at = 0; at < SSL_GetNumImplementedCiphers(); at++) {
    uint16_t other = SSL_GetImplementedCiphers()[at];
    if (SSL_CipherPrefSet(fd, other, other == suite) != SECSuccess) return 0;
    known |= other == suite;
  }
  return known;
}

/* In the order of preference. */
static int set_groups(PRFileDesc *fd, uint16_t group, SSLNamedGroup other) {
  SSLNamedGroup both[] = {(SSLNamedGroup)group, other};
  return SSL_NamedGroupConfig(fd, both, other == 0 ? 1 : 2) == SECSuccess;
}

/* The library passes over a group that it does not know or that the version does not have, and says so when a client
 * begins. In TLS 1.2 only a client whose suites all need a group does. */
static int begins_with(uint16_t version, uint16_t suite, uint16_t group) {
  tlslab_wire wire = {.unsent = 0};
  PRFileDesc *bottom = wire_descriptor(&wire);
  PRFileDesc *fd = bottom == NULL ? NULL : SSL_ImportFD(NULL, bottom);
  int begins = fd != NULL && pin_version(fd, version) && (suite == ANY_SUITE || pin_suite(fd, suite)) &&
               set_groups(fd, group, 0) &&
               SSL_OptionSet(fd, SSL_NO_CACHE, PR_TRUE) == SECSuccess &&
               SSL_ResetHandshake(fd, PR_FALSE) == SECSuccess && SSL_ForceHandshake(fd) != SECSuccess &&
               PR_GetError() == PR_WOULD_BLOCK_ERROR;
  if (bottom != NULL) PR_Close(bottom);
  return begins;
}

int pin_group(PRFileDesc *fd, uint16_t group) {
  return begins_with(SSL_LIBRARY_VERSION_TLS_1_3, ANY_SUITE, group) && set_groups(fd, group, 0);
}

/* In TLS 1.2 the groups are also the curves that certificates may have, on both sides. */
static int pin_groups(PRFileDesc *fd, int side, const tlslab_scenario *scenario) {
  if (side == TLSLAB_CLIENT && scenario->retry_group != 0) {
    /* The client makes its key share for the first. */
    return begins_with(scenario->version, scenario->suite, scenario->group) &&
           begins_with(scenario->version, scenario->suite, (uint16_t)scenario->retry_group) &&
           set_groups(fd, (uint16_t)scenario->retry_group, (SSLNamedGroup)scenario->group);
  }
  return begins_with(scenario->version, scenario->suite, scenario->group) &&
         set_groups(fd, scenario->group, (SSLNamedGroup)scenario->certificate_curve);
}

int pin_scheme(PRFileDesc *fd, uint16_t scheme) {
  SSLSignatureScheme only = (SSLSignatureScheme)scheme;
  return SSL_SignatureSchemePrefSet(fd, &only, 1) == SECSuccess;
}

int pin_version(PRFileDesc *fd, uint16_t version) {
  SSLVersionRange only = {version, version};
  return SSL_VersionRangeSet(fd, &only) == SECSuccess;
}

static int unsupported(tlslab_error *error, const char *what, uint16_t point) {
  char text[64];
  snprintf(text, sizeof text, "the library cannot be held to %s 0x%04x", what, point);
  return reason(error, TLSLAB_UNSUPPORTED, text);
}

/* In TLS 1.2 a server takes the group by its own measure: at least as strong as the suite's cipher or the server's key,
 * whichever is weaker. Only a long RSA key and a cipher of 256 bits ask for more than the weakest group has. */
static int is_too_weak(const tlslab_scenario *scenario) {
  SSLCipherSuiteInfo suite;
  return scenario->version == SSL_LIBRARY_VERSION_TLS_1_2 && scenario->key_bits > 3072 &&
         scenario->group != ssl_grp_ec_secp384r1 &&
         SSL_GetCipherSuiteInfo(scenario->suite, &suite, sizeof suite) == SECSuccess && suite.symKeyBits == 256;
}

int pin_scenario(PRFileDesc *fd, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_version(fd, scenario->version)) return unsupported(error, "version", scenario->version);
  if (!pin_suite(fd, scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (is_too_weak(scenario)) {
    return tlslab_unsupported(
        error, "in TLS 1.2 the library's server takes no group below P-384 for a cipher of 256 bits and an RSA key of %u",
        (unsigned)scenario->key_bits);
  }
  if (scenario->version == SSL_LIBRARY_VERSION_TLS_1_2 && scenario->tickets > 1) {
    return tlslab_unsupported(error, "in TLS 1.2 a server sends one ticket, not %u", (unsigned)scenario->tickets);
  }
  if (!pin_groups(fd, side, scenario)) return unsupported(error, "group", scenario->group);
  if (!pin_scheme(fd, scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}
