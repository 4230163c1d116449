/* Makes a process that is weighed or counted repeatable where its own number is mixed into chance: libraries seed their
 * generators with it. The C library itself asks the kernel, so that raise and abort reach the process. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#ifdef TLSLAB_COUNTED
#include "forge.h"
#endif

/* Above any process identifier that Linux gives, so that no signal sent to it can reach anything. */
#define PROCESS 0x7ffffffe

pid_t getpid(void) {
#ifdef TLSLAB_COUNTED
  if (!forge_has()) return (pid_t)syscall(SYS_getpid);
#endif
  return PROCESS;
}
