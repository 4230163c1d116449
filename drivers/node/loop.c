/* Calls into JavaScript, once per turn of the event loop. */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "bridge.h"

static struct {
  napi_env env;
  napi_ref perform, ended;
  uv_prepare_t prepare;
} node;

/* Calls into JavaScript as Node itself does: from outside of any other call, so that what was put off
 * (process.nextTick, promises) is done when it returns. */
static void call_javascript(napi_ref function, int argument) {
  napi_env env = node.env;
  napi_handle_scope scope;
  napi_value target, number;
  if (napi_open_handle_scope(env, &scope) != napi_ok || napi_get_reference_value(env, function, &target) != napi_ok ||
      napi_create_int32(env, argument, &number) != napi_ok ||
      napi_make_callback(env, NULL, target, target, 1, &number, NULL) != napi_ok ||
      napi_close_handle_scope(env, scope) != napi_ok) {
    fprintf(stderr, "cannot call into JavaScript\n");
    exit(1);
  }
}

/* Once per turn of the loop, before it looks for events: what setImmediate put off in the last turn is done. */
static void on_turn(uv_prepare_t *prepare) {
  /* A call that has its answer without the loop is followed by the next one at once. */
  while (shared[SHARED_STATUS] != STATUS_PENDING) {
    int status;
    if (!bridge_resume(&status)) {
      uv_prepare_stop(prepare);
      call_javascript(node.ended, status);
      return;
    }
    call_javascript(node.perform, shared[SHARED_HANDLE]);
  }
}

void loop_begin(napi_env env, napi_value perform, napi_value ended) {
  uv_loop_t *loop;
  node.env = env;
  shared[SHARED_STATUS] = TLSLAB_OK;
  if (napi_create_reference(env, perform, 1, &node.perform) != napi_ok ||
      napi_create_reference(env, ended, 1, &node.ended) != napi_ok ||
      napi_get_uv_event_loop(env, &loop) != napi_ok || uv_prepare_init(loop, &node.prepare) != 0 ||
      uv_prepare_start(&node.prepare, on_turn) != 0) {
    fprintf(stderr, "cannot join the event loop\n");
    exit(1);
  }
}
