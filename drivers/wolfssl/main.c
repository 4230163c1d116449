/* A driver for wolfSSL by its own interface. */

#include <stdio.h>

#include "connection.h"
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
    .make_key_share = connection_make_key_share,
#if HAS_EARLY_DATA
    .send_early = connection_send_early,
    .handshake_early = connection_handshake_early,
#endif
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
};

int main(void) {
  if (wolfSSL_Init() != WOLFSSL_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised\n");
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
