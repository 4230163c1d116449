/* Makes a process that is weighed or counted repeatable where its own number is mixed into chance: libraries seed their
 * generators with it. The C library itself asks the kernel, so that raise and abort reach the process. */
#include <unistd.h>

/* Above any process identifier that Linux gives, so that no signal sent to it can reach anything. */
#define PROCESS 0x7ffffffe

pid_t getpid(void) { return PROCESS; }
