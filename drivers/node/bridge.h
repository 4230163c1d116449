/* Two stacks in one thread: the kit's, which makes one call after the other, and Node's, on which its event loop turns.
 *
 * The kit's main function wants answers; Node answers when its loop has turned. So a call of the contract switches to
 * Node's stack, and the loop switches back when the call has its answer. No loop ever runs inside another. */
#ifndef NODE_BRIDGE_H
#define NODE_BRIDGE_H

#include "tlslab_driver.h"

/* More can be set, but no scenario wants them. */
enum { MOST_TICKETS = 16 };

enum op {
  OP_VERSION,
  OP_ASK,
  OP_CONTEXT,
  OP_CONTEXT_FREE,
  OP_CREATE,
  OP_FREE,
  OP_HANDSHAKE,
  OP_SEND,
  OP_RECEIVE,
  OP_FACTS,
  OP_SESSION,
  OP_SESSION_FREE,
  OP_RESUME,
  OP_SESSION_COPY
};

/* A call as endpoint.js sees it: numbers in memory that both languages share. */
enum { SHARED_OP, SHARED_HANDLE, SHARED_STATUS, SHARED_SESSION, SHARED_NUMBERS };
enum { STATUS_PENDING = 100 };

/* The call that the kit is waiting for, and what it came with. */
struct call {
  int side;
  const tlslab_scenario *scenario;
  const tlslab_material *material;
  tlslab_bytes input;
  tlslab_buffer *output;
  tlslab_error *error;
  tlslab_facts *facts;
  const char *question[2];
};

extern struct call call;
extern int32_t *shared;

/* From the kit's stack: makes the call in `call` and returns its status. */
int bridge_call(enum op op, void *handle);

/* From Node's stack: runs the kit until it wants something. Returns whether it does; otherwise it has ended, with
 * *status. */
int bridge_resume(int *status);

extern const tlslab_endpoint node_endpoint;

/* Whether Node's OpenSSL can do an operation with an algorithm: what drivers/libssl finds out without keys. */
int primitive_known(const tlslab_value *value);

/* Node's name for a group; NULL for one that no table has. */
const char *group_name(uint16_t group);
extern const tlslab_own_name group_names[];

#endif
