/* A driver for the libraries that share OpenSSL's interface. */

#include <stdio.h>

#include "connection.h"
#include "context.h"
#include "early.h"
#include "identity.h"
#include "library.h"
#include "primitive.h"
#include "sessions.h"
#include "tlslab_endpoint.h"
#include "wire.h"

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
#if MOST_EARLY_DATA > 0
    .send_early = connection_send_early,
    .handshake_early = connection_handshake_early,
#endif
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
};

int main(void) {
  /* A configuration file belongs to a machine; what is measured is the library as it was built. */
  if (!OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) || !wire_prepare()) {
    fprintf(stderr, "the library cannot be initialised\n");
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
