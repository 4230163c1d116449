/* A driver for GnuTLS. */

#include <stdio.h>

#include "connection.h"
#include "context.h"
#include "early.h"
#include "identity.h"
#include "primitive.h"
#include "sessions.h"

static const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = library_identity,
    .context = context_new,
    .context_free = context_free,
    .create = connection_new,
    .connection_free = connection_free,
    .handshake = connection_handshake,
    .send = connection_send,
    .receive = connection_receive,
    .facts = connection_facts,
    .session = connection_session,
    .session_free = session_free,
    .resume = connection_resume,
    .session_copy = session_copy,
    .send_early = connection_send_early,
    .handshake_early = connection_handshake_early,
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
};

int main(void) {
  int code = gnutls_global_init();
  if (code < 0) {
    fprintf(stderr, "the library cannot be initialised: %s\n", gnutls_strerror(code));
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
