#include "bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

struct call call;
int32_t *shared;

static ucontext_t kit_stack, node_stack;
static enum { NOT_BEGUN, RUNS, ENDED } kit;
static int kit_status;

static void run_kit(void) {
  kit_status = tlslab_driver_main(&node_endpoint);
  kit = ENDED;
}

static void begin(void) {
  enum { BYTES = 8 * 1024 * 1024, GUARD_BYTES = 64 * 1024 };
  char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0) {
    perror("no stack for the kit");
    exit(1);
  }
  getcontext(&kit_stack);
  kit_stack.uc_stack.ss_sp = stack;
  kit_stack.uc_stack.ss_size = BYTES;
  kit_stack.uc_link = &node_stack;
  makecontext(&kit_stack, run_kit, 0);
  kit = RUNS;
}

int bridge_resume(int *status) {
  if (kit == NOT_BEGUN) begin();
  swapcontext(&node_stack, &kit_stack);
  *status = kit_status;
  return kit != ENDED;
}

int bridge_call(enum op op, void *handle) {
  shared[SHARED_OP] = op;
  shared[SHARED_HANDLE] = (int32_t)(intptr_t)handle;
  shared[SHARED_STATUS] = STATUS_PENDING;
  swapcontext(&kit_stack, &node_stack);
  return shared[SHARED_STATUS];
}
