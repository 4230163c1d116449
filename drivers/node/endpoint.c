/* The endpoint: every call of a connection goes over the bridge to driver.js. Primitives are done by drivers/libssl, on
 * Node's own OpenSSL. */

#include "bridge.h"

static int create(enum op op, void *of, void **handle) {
  int status = bridge_call(op, of);
  *handle = (void *)(intptr_t)shared[SHARED_HANDLE];
  return status;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error) {
  if (scenario->tickets > MOST_TICKETS) return tlslab_unsupported(error, "this driver sets at most %d tickets", MOST_TICKETS);
  call = (struct call){.side = side, .scenario = scenario, .material = material, .error = error};
  return create(OP_CONTEXT, NULL, context);
}

void context_free(void *context) { bridge_call(OP_CONTEXT_FREE, context); }

int connection_new(void *context, void **connection, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_CREATE, context, connection);
}

void connection_free(void *connection) {
  call = (struct call){0};
  bridge_call(OP_FREE, connection);
}

int connection_handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  call = (struct call){.input = input, .output = output, .error = error};
  return bridge_call(OP_HANDSHAKE, connection);
}

int connection_send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  call = (struct call){.input = plaintext, .output = output, .error = error};
  return bridge_call(OP_SEND, connection);
}

int connection_receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  call = (struct call){.input = input, .output = plaintext, .error = error};
  return bridge_call(OP_RECEIVE, connection);
}

void connection_facts(void *connection, tlslab_facts *facts) {
  call = (struct call){.facts = facts};
  bridge_call(OP_FACTS, connection);
}

int connection_session(void *connection, void **session, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_SESSION, connection, session);
}

void session_free(void *session) { bridge_call(OP_SESSION_FREE, session); }

int connection_resume(void *context, void *session, void **connection, tlslab_error *error) {
  call = (struct call){.error = error};
  shared[SHARED_SESSION] = (int32_t)(intptr_t)session;
  return create(OP_RESUME, context, connection);
}

int session_copy(void *session, void **copy, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_SESSION_COPY, session, copy);
}

const tlslab_endpoint node_endpoint = {
    TLSLAB_CONNECTIONS, TLSLAB_SESSIONS, TLSLAB_SESSION_COPIES, TLSLAB_PRIMITIVES,
};
