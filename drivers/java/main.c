/* A driver for Java's own TLS: the contract's calls go to Java's SSLEngine in this process. */

#include "connection.h"
#include "context.h"
#include "identity.h"
#include "jvm.h"
#include "primitive.h"
#include "tlslab_endpoint.h"

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
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_collect = primitive_collect,
    .primitive_free = primitive_free,
};

int main(void) {
  int status = tlslab_driver_main(&endpoint);
  java_end();
  return status;
}
