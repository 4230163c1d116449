/* Two stacks in one thread: the kit runs on one, Node's event loop on the other. */
#include "bridge.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

struct call call;
int32_t *shared;

static jmp_buf kit_place, node_place;
static enum { NOT_BEGUN, RUNS, ENDED } kit;
static int kit_status;

/* The first switch makes the stack. All others are these, which need no call to the kernel, as a signal mask that both
 * stacks share need not be kept. */
static __attribute__((noinline)) void leave(jmp_buf from, jmp_buf to) {
  if (_setjmp(from) == 0) _longjmp(to, 1);
}

static void run_kit(void) {
  kit_status = tlslab_driver_main(&node_endpoint);
  kit = ENDED;
  _longjmp(node_place, 1);
}

static void begin(void) {
  static ucontext_t kit_stack;
  enum { BYTES = 8 * 1024 * 1024, GUARD_BYTES = 64 * 1024 };
  char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0) {
    perror("no stack for the kit");
    exit(1);
  }
  getcontext(&kit_stack);
  kit_stack.uc_stack.ss_sp = stack;
  kit_stack.uc_stack.ss_size = BYTES;
  makecontext(&kit_stack, run_kit, 0);
  kit = RUNS;
  if (_setjmp(node_place) == 0) setcontext(&kit_stack);
}

int bridge_resume(int *status) {
  if (kit == NOT_BEGUN) {
    begin();
  } else {
    leave(node_place, kit_place);
  }
  *status = kit_status;
  return kit != ENDED;
}

int bridge_call(enum op op, void *handle) {
  shared[SHARED_OP] = op;
  shared[SHARED_HANDLE] = (int32_t)(intptr_t)handle;
  shared[SHARED_STATUS] = STATUS_PENDING;
  leave(kit_place, node_place);
  return shared[SHARED_STATUS];
}
