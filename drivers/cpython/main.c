/* A driver for CPython's ssl module over memory, with a TLS library of choice below it. */
#include "driver.h"

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS, TLSLAB_SESSIONS, TLSLAB_PRIMITIVES, TLSLAB_COLLECTED,
    .primitive_negotiated = primitive_negotiated,
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
