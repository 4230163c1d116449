/* Early data: what a client sends with its first flight. */
#ifndef NSS_EARLY_H
#define NSS_EARLY_H

#include <sslt.h>

#include "context.h"
#include "tlslab_endpoint.h"

enum { MOST_EARLY_DATA = 65536 };

/* Whether the library, which is asked by name, has what it takes. */
int early_data_is_there(void);

/* Lets a model's connections carry as much as the scenario has. */
SECStatus early_pin(struct context *context, const tlslab_scenario *scenario);

/* The endpoint's calls. */
int connection_send_early(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_handshake_early(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error);

#endif
