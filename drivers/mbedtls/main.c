/* A driver for Mbed TLS. */

#include <psa/crypto.h>
#include <stdio.h>

#include "connection.h"
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
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
};

int main(void) {
  psa_status_t status = psa_crypto_init();
  if (status != PSA_SUCCESS) {
    fprintf(stderr, "the library cannot be initialised: %d\n", (int)status);
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
