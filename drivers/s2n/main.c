/* A driver for s2n-tls. */

#include <stdio.h>
#include <stdlib.h>

#include "connection.h"
#include "early.h"
#include "identity.h"
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
};

int main(void) {
  if (setenv("S2N_DONT_MLOCK", "1", 1) != 0 || s2n_init() != S2N_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %s\n", s2n_strerror(s2n_errno, "EN"));
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
