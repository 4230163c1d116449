/* A BIO without a buffer of its own: it reads from the slice and writes to the buffer that the kit hands to a call. */
#ifndef LIBSSL_WIRE_H
#define LIBSSL_WIRE_H

#include "library.h"
#include "tlslab_endpoint.h"

struct wire {
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
  int overflowed;        /* something did not fit the output buffer */
};

/* Makes what all wires share. Called once, before any context; 0 when the library refuses. */
int wire_prepare(void);

/* A BIO over `wire`, which must outlive it. NULL when the library refuses. */
BIO *wire_bio(struct wire *wire);

/* The wire under a connection. */
struct wire *wire_of(const SSL *ssl);

#endif
