/* A driver for CPython's ssl module over memory, with a TLS library of choice below it. */

#include <stdio.h>
#include <string.h>

#include "connection.h"
#include "context.h"
#include "identity.h"
#include "interpreter.h"
#include "library.h"
#include "primitive.h"

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
    .primitive_negotiated = primitive_negotiated,
    .primitive_free = primitive_free,
};

/* Started by a name such as python3, it is an interpreter like any other. */
static int is_interpreter(const char *path) {
  const char *slash = strrchr(path, '/');
  return strncmp(slash == NULL ? path : slash + 1, "python", 6) == 0;
}

int main(int count, char **arguments) {
  /* A configuration file belongs to a machine; what is measured is the library as it was built. */
  int ready = OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  if (ready && count > 0 && is_interpreter(arguments[0])) return interpreter_main(count, arguments);
  if (!ready || !interpreter_start()) {
    fprintf(stderr, "the interpreter cannot be started\n");
    return 1;
  }
  return tlslab_driver_main(&endpoint);
}
