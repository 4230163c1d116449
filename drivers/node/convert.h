/* The contract's structures as JavaScript's objects, and back. */
#ifndef NODE_CONVERT_H
#define NODE_CONVERT_H

#include <node_api.h>

#include "bridge.h"

/* { side, verification, tickets, resumption, mutual, root, chain, key, serverName, psk }, and as
 * Node calls them { version, suite, group, scheme }, and where there are such { retryGroup, curve, pskIdentity }. */
napi_value scenario_object(napi_env env, const struct call *call);

/* { version, suite, group, resumed, tickets, certificate }, the first three by name; each may be missing. */
void facts_from_object(napi_env env, napi_value object, tlslab_facts *facts);

/* [what, name] */
napi_value question_list(napi_env env, const struct call *call);

#endif
