/* The library's built-in policies: the one way to tell it what to agree on. */
#ifndef S2N_POLICIES_H
#define S2N_POLICIES_H

#include "library.h"

/* With which a side takes part in agreeing on a group and a suite, or NULL. */
const char *policy(int side, uint16_t group, uint16_t suite);

/* The same where the client is to make its first key share for a group that the server does not take. */
const char *retry_policy(int side, const tlslab_scenario *scenario);

/* What there is of a group or a suite. */
enum reach {
  REACH_NONE,    /* no policies lead there */
  REACH_REFUSED, /* some would, but the library has them no more or lacks an algorithm */
  REACH_GIVEN
};

enum reach reach_of_group(uint16_t group);
enum reach reach_of_suite(uint16_t suite);

#endif
