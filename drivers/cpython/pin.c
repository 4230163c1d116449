#include "pin.h"

#include "names.h"

int pin_suite(SSL_CTX *ssl, uint16_t suite) {
  const char *name = name_of(suites, SUITES, suite);
  return name != NULL && SSL_CTX_set_ciphersuites(ssl, name) == 1;
}

int pin_group(SSL_CTX *ssl, uint16_t group) {
  const char *name = name_of(groups, GROUPS, group);
  return name != NULL && SSL_CTX_set1_groups_list(ssl, name) == 1;
}

int pin_scheme(SSL_CTX *ssl, uint16_t scheme) {
  const char *name = name_of(schemes, SCHEMES, scheme);
  return name != NULL && SSL_CTX_set1_sigalgs_list(ssl, name) == 1;
}
