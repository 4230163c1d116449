/* Settings without an option in Node's tls, made on the OpenSSL context inside its SecureContext. */
#ifndef NODE_LIBRARY_H
#define NODE_LIBRARY_H

#include <node_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sends `tickets` after a handshake, and takes any chain without looking at it where a scenario asks for no
 * verification. `context` is what SecureContext calls _external. Returns 0 when the library refuses. */
int library_pin(napi_value context, size_t tickets, int accepts_any_chain, int chooses_field);

#ifdef __cplusplus
}
#endif

#endif
