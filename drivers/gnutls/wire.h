/* The transport under a connection: it reads from the slice and writes to the buffer that the kit hands to a call. */
#ifndef GNUTLS_WIRE_H
#define GNUTLS_WIRE_H

#include <gnutls/gnutls.h>

#include "tlslab_endpoint.h"

struct wire {
  gnutls_session_t session;
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
};

/* Puts `wire`, which must outlive the session, under its session. */
void wire_attach(struct wire *wire);

#endif
