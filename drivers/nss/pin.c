#include "pin.h"

#include <ssl.h>
#include <sslproto.h>

#include "reason.h"
#include "wire.h"

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
  return SSL_NamedGroupConfig(fd, both, other == ssl_grp_none ? 1 : 2) == SECSuccess;
}

/* The library passes over a group that it does not know, and says so when a client begins. */
static int begins_with(uint16_t group) {
  struct wire wire = {.unsent = 0};
  PRFileDesc *bottom = wire_descriptor(&wire);
  PRFileDesc *fd = bottom == NULL ? NULL : SSL_ImportFD(NULL, bottom);
  int begins = fd != NULL && pin_version(fd, SSL_LIBRARY_VERSION_TLS_1_3) && set_groups(fd, group, ssl_grp_none) &&
               SSL_OptionSet(fd, SSL_NO_CACHE, PR_TRUE) == SECSuccess &&
               SSL_ResetHandshake(fd, PR_FALSE) == SECSuccess && SSL_ForceHandshake(fd) != SECSuccess &&
               PR_GetError() == PR_WOULD_BLOCK_ERROR;
  if (bottom != NULL) PR_Close(bottom);
  return begins;
}

int pin_group(PRFileDesc *fd, uint16_t group) { return begins_with(group) && set_groups(fd, group, ssl_grp_none); }

/* In TLS 1.2 the groups are also the curves that certificates may have, on both sides. */
static int pin_groups(PRFileDesc *fd, const tlslab_scenario *scenario) {
  int names_curve = scenario->version == SSL_LIBRARY_VERSION_TLS_1_2 && scenario->key_bits == 256;
  if (!names_curve || scenario->group == ssl_grp_ec_secp256r1) return pin_group(fd, scenario->group);
  return begins_with(scenario->group) && set_groups(fd, scenario->group, ssl_grp_ec_secp256r1);
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

int pin_scenario(PRFileDesc *fd, const tlslab_scenario *scenario, tlslab_error *error) {
  if (!pin_version(fd, scenario->version)) return unsupported(error, "version", scenario->version);
  if (!pin_suite(fd, scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (!pin_groups(fd, scenario)) return unsupported(error, "group", scenario->group);
  if (!pin_scheme(fd, scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return TLSLAB_OK;
}
