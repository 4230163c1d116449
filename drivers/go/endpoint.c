/* The endpoint whose functions are written in Go. */
#include "tlslab_driver.h"

const tlslab_endpoint go_endpoint = {TLSLAB_CONNECTIONS, TLSLAB_SESSIONS, TLSLAB_SESSION_COPIES, TLSLAB_PRIMITIVES};
