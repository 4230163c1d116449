/* What the connections of one side of one scenario share: a Context in Java. */
#ifndef JAVA_CONTEXT_H
#define JAVA_CONTEXT_H

#include "tlslab_endpoint.h"

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
