/* One cryptographic operation by itself: what Python hands out of the library beside ssl. */
#ifndef CPYTHON_PRIMITIVE_H
#define CPYTHON_PRIMITIVE_H

#include "tlslab_endpoint.h"

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output);
void primitive_negotiated(void *object, char *text, size_t room);
void primitive_free(void *object);

#endif
