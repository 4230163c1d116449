/* Has WarmUp.java run, and waits until the machine compiles no more. */
#include <time.h>

#include "driver.h"

static const struct timespec pause_ = {.tv_nsec = 50 * 1000 * 1000};
enum { MOST_PAUSES = 40 };

static double cpu_seconds(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* While this thread sleeps, the process only compiles. */
static void wait_for_compiler(void) {
  double before = cpu_seconds();
  for (int pauses = 0; pauses < MOST_PAUSES; pauses++) {
    nanosleep(&pause_, NULL);
    double now = cpu_seconds();
    if (now - before < 0.002) return;
    before = now;
  }
}

void warm_up(void) {
  static int done;
  tlslab_error error = {""};
  int status;
  if (done++) return;
  (*java()->env)->CallStaticVoidMethod(java()->env, java()->warm, java()->warm_up, (jint)WARM_UP_S);
  if (java_threw(&error, &status)) fprintf(stderr, "the warm-up ended early: %s\n", error.text);
  wait_for_compiler();
}
