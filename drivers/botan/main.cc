// A driver for Botan.

#include "connection.hh"
#include "context.hh"
#include "identity.hh"
#include "primitive.hh"
#include "tlslab_endpoint.h"

int main() {
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
      .primitive = primitive_new,
      .primitive_run = primitive_run,
      .primitive_free = primitive_free,
      .primitive_collect = primitive_collect,
  };
  return tlslab_driver_main(&endpoint);
}
