/* The endpoint whose functions are written in Go. */
#ifndef GO_ENDPOINT_H
#define GO_ENDPOINT_H

#include "tlslab_endpoint.h"

extern const tlslab_endpoint go_endpoint;

#endif
