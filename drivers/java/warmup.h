/* Work before the first answer, so that what is measured later is compiled code. */
#ifndef JAVA_WARMUP_H
#define JAVA_WARMUP_H

/* The first call makes connections that nobody measures, and then waits for the compiler's threads to come to rest. */
void warm_up(void);

#endif
