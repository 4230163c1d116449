// A driver for Botan.
#include "tlslab_driver.h"

int main() {
  static const tlslab_endpoint endpoint = {
      TLSLAB_CONNECTIONS, TLSLAB_CLOSE,      TLSLAB_SESSIONS,  TLSLAB_SESSION_COPIES,
      TLSLAB_KEY_SHARES,  TLSLAB_PRIMITIVES, TLSLAB_COLLECTED,
  };
  return tlslab_driver_main(&endpoint);
}
