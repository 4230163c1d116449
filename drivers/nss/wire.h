/* The lowest layer of a connection's stack of file descriptors: it reads from the slice and writes to the buffer that
 * the kit hands to a call, and has no buffer of its own. */
#ifndef NSS_WIRE_H
#define NSS_WIRE_H

#include <prio.h>

#include "tlslab_endpoint.h"

struct wire {
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
  int overflowed;        /* something did not fit the output buffer */
};

/* Called once, before any descriptor is made. */
void wire_prepare(void);

/* A descriptor over `wire`, which must outlive it. NULL when the library refuses. */
PRFileDesc *wire_descriptor(struct wire *wire);

/* The wire below a connection's descriptor. */
struct wire *wire_of(PRFileDesc *ssl);

#endif
