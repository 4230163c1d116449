/* Code that drivers in C share: reasons, the wire under a connection, and the names of the contract's calls. */
#ifndef TLSLAB_DRIVER_H
#define TLSLAB_DRIVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tlslab_endpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The calls of an endpoint, under the names that the macros below use. A driver defines those of its macros. */
void library_identity(tlslab_identity *identity);
int library_can(int axis, const tlslab_value *value, tlslab_error *why);
int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                tlslab_error *error);
void context_free(void *context);
int connection_new(void *context, void **connection, tlslab_error *error);
void connection_free(void *connection);
int connection_handshake(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
int connection_send(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_receive(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);
int connection_close(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);
void connection_facts(void *connection, tlslab_facts *facts);
int connection_session(void *connection, void **session, tlslab_error *error);
void session_free(void *session);
int connection_resume(void *context, void *session, void **connection, tlslab_error *error);
int session_copy(void *session, void **copy, tlslab_error *error);
int connection_make_key_share(void *connection, tlslab_error *error);
int connection_send_early(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
int connection_handshake_early(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                               tlslab_error *error);
int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error);
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error);
void primitive_free(void *object);
void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output);
void primitive_negotiated(void *object, char *text, size_t room);

/* Groups of an endpoint's fields, in the structure's order. */
#define TLSLAB_CONNECTIONS                                                                                            \
  .abi = TLSLAB_ABI, .identity = library_identity, .can = library_can, .context = context_new,                        \
  .context_free = context_free, .create = connection_new, .connection_free = connection_free,                         \
  .handshake = connection_handshake, .send = connection_send, .receive = connection_receive, .facts = connection_facts
#define TLSLAB_CLOSE .close = connection_close
#define TLSLAB_SESSIONS .session = connection_session, .session_free = session_free, .resume = connection_resume
#define TLSLAB_SESSION_COPIES .session_copy = session_copy
#define TLSLAB_KEY_SHARES .make_key_share = connection_make_key_share
#define TLSLAB_EARLY .send_early = connection_send_early, .handshake_early = connection_handshake_early
#define TLSLAB_PRIMITIVES .primitive = primitive_new, .primitive_run = primitive_run, .primitive_free = primitive_free
#define TLSLAB_COLLECTED .primitive_collect = primitive_collect

/* Each formats the reason of a failure, as printf does, and is the call's return value; the last one is for `can`. */
#define tlslab_say(error, status, ...) (snprintf((error)->text, sizeof (error)->text, __VA_ARGS__), (status))
#define tlslab_failed(error, ...) tlslab_say(error, TLSLAB_FAILED, __VA_ARGS__)
#define tlslab_unsupported(error, ...) tlslab_say(error, TLSLAB_UNSUPPORTED, __VA_ARGS__)
#define tlslab_no(why, ...) tlslab_say(why, 0, __VA_ARGS__)

/* Replaces a library's socket: reads from the slice and writes to the buffer that the kit passes to a call. */
typedef struct tlslab_wire {
  tlslab_bytes input;
  tlslab_buffer *output; /* NULL in a call that sends nothing */
  size_t unsent;         /* bytes that the library wrote in such a call */
  int overflowed;        /* 1: something did not fit the output buffer */
} tlslab_wire;

/* Copies input to a library that reads. Returns the number of bytes; 0 if there is no more. */
static inline size_t tlslab_wire_read(tlslab_wire *wire, void *data, size_t len) {
  if (len > wire->input.len) len = wire->input.len;
  if (len == 0) return 0;
  memcpy(data, wire->input.data, len);
  wire->input.data += len;
  wire->input.len -= len;
  return len;
}

/* Appends what a library writes, and flushes it if `flushes`. Returns 1, or 0 if it does not fit. */
static inline int tlslab_wire_write(tlslab_wire *wire, const void *data, size_t len, int flushes) {
  tlslab_buffer *output = wire->output;
  if (output == NULL) {
    wire->unsent += len;
    return 1;
  }
  if (len > output->capacity - output->len) {
    wire->overflowed = 1;
    return 0;
  }
  memcpy(output->data + output->len, data, len);
  output->len += len;
  if (flushes) tlslab_flush(output);
  return 1;
}

/* The status of a handshake's last call: fails if input is left over. */
static inline int tlslab_wire_end(const tlslab_wire *wire, tlslab_error *error) {
  if (wire->input.len == 0) return TLSLAB_OK;
  return tlslab_failed(error, "%zu bytes follow the handshake's end", wire->input.len);
}

/* The status of a call that must not send anything: fails if the library has written. */
static inline int tlslab_wire_kept(const tlslab_wire *wire, tlslab_error *error) {
  if (wire->unsent == 0) return TLSLAB_OK;
  return tlslab_failed(error, "the library answered on its own with %zu bytes, which would be lost", wire->unsent);
}

/* Fails because the plaintext does not fit its buffer. */
static inline int tlslab_full(const tlslab_buffer *plaintext, tlslab_error *error) {
  return tlslab_failed(error, "more plaintext than the buffer of %zu bytes has room for", plaintext->capacity);
}

/* Appends to a buffer. Returns 1, or 0 if it does not fit. */
static inline int tlslab_append(tlslab_buffer *output, const void *data, size_t len) {
  if (len > output->capacity - output->len) return 0;
  memcpy(output->data + output->len, data, len);
  output->len += len;
  return 1;
}

/* Copies the peer's certificate into the facts; it stays unknown if memory is exhausted. */
static inline void tlslab_give_certificate(tlslab_facts *facts, const void *der, size_t len) {
  facts->peer_certificate = (uint8_t *)malloc(len);
  if (facts->peer_certificate == NULL) return;
  memcpy(facts->peer_certificate, der, len);
  facts->peer_certificate_len = len;
}

#ifdef __cplusplus
}
#endif

#endif
