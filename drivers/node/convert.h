/* The contract's structures as JavaScript's objects, and back. */
#ifndef NODE_CONVERT_H
#define NODE_CONVERT_H

#include <node_api.h>

#include "bridge.h"

/* { side, version, suite, group, scheme, verification, tickets, resumption, mutual, bits, root, chain,
 * key, serverName, clientRoot, clientChain, clientKey } */
napi_value scenario_object(napi_env env, const struct call *call);

/* { operation, algorithm, key, iv, header, message, chain, leafKey } */
napi_value assignment_object(napi_env env, const struct call *call);

/* { version, suite, group, resumed, tickets, certificate }, each of which may be missing. */
void facts_from_object(napi_env env, napi_value object, tlslab_facts *facts);

/* { driver, library, version, versions, suites, groups, signatures, operations, mostTickets, limits, notes,
 * details }, where a
 * limit is [axis, value, reason]. */
void identity_from_object(napi_env env, napi_value object, tlslab_identity *identity);

#endif
