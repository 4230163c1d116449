/* A driver for NSS. */

#include <nss.h>
#include <ssl.h>
#include <stdio.h>

#include "connection.h"
#include "context.h"
#include "early.h"
#include "identity.h"
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
    .send_early = connection_send_early,
    .handshake_early = connection_handshake_early,
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_free = primitive_free,
    .primitive_collect = primitive_collect,
};

int main(void) {
  if (NSS_NoDB_Init(NULL) != SECSuccess || NSS_SetDomesticPolicy() != SECSuccess) {
    fprintf(stderr, "the library cannot be initialised: %s\n", PR_ErrorToName(PR_GetError()));
    return 1;
  }
  wire_prepare();
  return tlslab_driver_main(&endpoint);
}
