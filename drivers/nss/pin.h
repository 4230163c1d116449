/* Holds a descriptor to exactly what a scenario names. Each returns whether the library can do it. */
#ifndef NSS_PIN_H
#define NSS_PIN_H

#include <prio.h>

#include "tlslab_endpoint.h"

int pin_suite(PRFileDesc *fd, uint16_t suite);
int pin_group(PRFileDesc *fd, uint16_t group);
int pin_scheme(PRFileDesc *fd, uint16_t scheme);
int pin_version(PRFileDesc *fd, uint16_t version);

/* All four; TLSLAB_UNSUPPORTED with the reason where one of them cannot be had. */
int pin_scenario(PRFileDesc *fd, int side, const tlslab_scenario *scenario, tlslab_error *error);

#endif
