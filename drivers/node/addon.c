/* Functions that endpoint.js calls: the bytes and structures of the call that the kit is waiting for. */

#include <node_api.h>

#include "convert.h"
#include "library.h"
#include "loop.h"

#define MOST_ARGUMENTS 4

static void arguments(napi_env env, napi_callback_info info, napi_value *values) {
  size_t count = MOST_ARGUMENTS;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

/* begin(perform, ended) -> the shared numbers. */
static napi_value begin(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS], memory, numbers;
  napi_ref kept;
  void *data;
  arguments(env, info, values);
  napi_create_arraybuffer(env, SHARED_NUMBERS * sizeof *shared, &data, &memory);
  napi_create_typedarray(env, napi_int32_array, SHARED_NUMBERS, memory, 0, &numbers);
  napi_create_reference(env, memory, 1, &kept);
  shared = data;
  loop_begin(env, values[0], values[1]);
  return numbers;
}

/* input(buffer) -> how many bytes of the call's input were moved to it, as a read of a socket does. */
static napi_value input(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS], result;
  void *data;
  size_t len;
  arguments(env, info, values);
  napi_get_buffer_info(env, values[0], &data, &len);
  if (len > call.input.len) len = call.input.len;
  memcpy(data, call.input.data, len);
  call.input.data += len;
  call.input.len -= len;
  napi_create_uint32(env, (uint32_t)len, &result);
  return result;
}

/* output(buffer): appends to the call's output, as a write to a socket does. */
static napi_value output(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS];
  void *data;
  size_t len;
  arguments(env, info, values);
  napi_get_buffer_info(env, values[0], &data, &len);
  if (call.output == NULL || !tlslab_append(call.output, data, len)) {
    napi_throw_error(env, NULL, "more bytes than the output buffer has room for");
  }
  return NULL;
}

/* plaintext() -> the call's input as a Buffer without a copy: a program that sends has its data in one. The kit keeps
 * sending the same bytes, so that the Buffer is made once for them. */
static napi_value plaintext(napi_env env, napi_callback_info info) {
  static tlslab_bytes last;
  static napi_ref kept;
  napi_value buffer;
  (void)info;
  if (kept == NULL || last.data != call.input.data || last.len != call.input.len) {
    if (kept != NULL) napi_delete_reference(env, kept);
    last = call.input;
    if (napi_create_external_buffer(env, last.len, (void *)last.data, NULL, NULL, &buffer) != napi_ok) return NULL;
    napi_create_reference(env, buffer, 1, &kept);
  }
  napi_get_reference_value(env, kept, &buffer);
  return buffer;
}

/* reason(text): why the call fails. */
static napi_value reason(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS];
  arguments(env, info, values);
  if (call.error == NULL) return NULL;
  napi_get_value_string_utf8(env, values[0], call.error->text, sizeof call.error->text, NULL);
  return NULL;
}

/* The call as converted by convert.h. */
#define CONVERTED(name, convert)                                      \
  static napi_value name(napi_env env, napi_callback_info info) {     \
    (void)info;                                                       \
    return convert(env, &call);                                       \
  }
CONVERTED(scenario, scenario_object)
CONVERTED(question, question_list)

static napi_value facts(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS];
  arguments(env, info, values);
  facts_from_object(env, values[0], call.facts);
  return NULL;
}

/* pin(external, tickets, acceptsAnyChain, choosesField): sets what tls has no option for on the library's own context. */
static napi_value pin(napi_env env, napi_callback_info info) {
  napi_value values[MOST_ARGUMENTS];
  uint32_t tickets = 0;
  bool accepts_any_chain = false, chooses_field = false;
  arguments(env, info, values);
  napi_get_value_uint32(env, values[1], &tickets);
  napi_get_value_bool(env, values[2], &accepts_any_chain);
  napi_get_value_bool(env, values[3], &chooses_field);
  if (!library_pin(values[0], tickets, accepts_any_chain, chooses_field)) {
    napi_throw_error(env, NULL, "the library's context is not to be had");
  }
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback function;
  } functions[] = {{"begin", begin},   {"input", input},       {"output", output}, {"plaintext", plaintext},
                   {"reason", reason}, {"scenario", scenario}, {"facts", facts},   {"question", question},
                   {"pin", pin}};
  for (size_t at = 0; at < sizeof functions / sizeof *functions; at++) {
    napi_value function;
    napi_create_function(env, functions[at].name, NAPI_AUTO_LENGTH, functions[at].function, NULL, &function);
    napi_set_named_property(env, exports, functions[at].name, function);
  }
  return exports;
}
