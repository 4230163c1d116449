/* The endpoint: every call goes over the bridge to endpoint.js. */

#include "bridge.h"

static void identity(tlslab_identity *identity) {
  call = (struct call){.identity = identity};
  bridge_call(OP_IDENTITY, NULL);
}

static int create(enum op op, void *of, void **handle) {
  int status = bridge_call(op, of);
  *handle = (void *)(intptr_t)shared[SHARED_HANDLE];
  return status;
}

static int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                       tlslab_error *error) {
  call = (struct call){.side = side, .scenario = scenario, .material = material, .error = error};
  return create(OP_CONTEXT, NULL, context);
}

static void context_free(void *context) { bridge_call(OP_CONTEXT_FREE, context); }

static int connection_new(void *context, void **connection, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_CREATE, context, connection);
}

static void connection_free(void *connection) {
  call = (struct call){0};
  bridge_call(OP_FREE, connection);
}

static int handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  call = (struct call){.input = input, .output = output, .error = error};
  return bridge_call(OP_HANDSHAKE, connection);
}

static int send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  call = (struct call){.input = plaintext, .output = output, .error = error};
  return bridge_call(OP_SEND, connection);
}

static int receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  call = (struct call){.input = input, .output = plaintext, .error = error};
  return bridge_call(OP_RECEIVE, connection);
}

static void facts(void *connection, tlslab_facts *facts) {
  call = (struct call){.facts = facts};
  bridge_call(OP_FACTS, connection);
}

static int session(void *connection, void **session, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_SESSION, connection, session);
}

static void session_free(void *session) { bridge_call(OP_SESSION_FREE, session); }

static int resume(void *context, void *session, void **connection, tlslab_error *error) {
  call = (struct call){.error = error};
  shared[SHARED_SESSION] = (int32_t)(intptr_t)session;
  return create(OP_RESUME, context, connection);
}

static int session_copy(void *session, void **copy, tlslab_error *error) {
  call = (struct call){.error = error};
  return create(OP_SESSION_COPY, session, copy);
}

static int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                         tlslab_error *error) {
  call = (struct call){.assignment = assignment, .material = material, .error = error};
  return create(OP_PRIMITIVE, NULL, object);
}

static int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                         tlslab_error *error) {
  (void)output;
  call = (struct call){.input = {input->data, input->len}, .error = error};
  shared[SHARED_OPERATION] = operation;
  shared[SHARED_SEQUENCE] = (int32_t)(sequence & INT32_MAX);
  return bridge_call(OP_PRIMITIVE_RUN, object);
}

static void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output) {
  (void)input;
  call = (struct call){.output = output};
  bridge_call(OP_PRIMITIVE_COLLECT, object);
}

static void primitive_free(void *object) { bridge_call(OP_PRIMITIVE_FREE, object); }

const tlslab_endpoint node_endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context_new,
    .context_free = context_free,
    .create = connection_new,
    .connection_free = connection_free,
    .handshake = handshake,
    .send = send,
    .receive = receive,
    .facts = facts,
    .session = session,
    .session_free = session_free,
    .resume = resume,
    .session_copy = session_copy,
    .primitive = primitive_new,
    .primitive_run = primitive_run,
    .primitive_collect = primitive_collect,
    .primitive_free = primitive_free,
};
