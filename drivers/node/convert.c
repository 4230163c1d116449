/* The contract's structures as objects of JavaScript, and back. */
#include "convert.h"

static void put(napi_env env, napi_value object, const char *name, uint32_t number) {
  napi_value value;
  napi_create_uint32(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

static napi_value copy(napi_env env, tlslab_bytes bytes) {
  napi_value buffer;
  napi_create_buffer_copy(env, bytes.len, bytes.data, NULL, &buffer);
  return buffer;
}

static napi_value copies(napi_env env, const tlslab_bytes *chain, size_t len) {
  napi_value list;
  napi_create_array(env, &list);
  for (size_t at = 0; at < len; at++) napi_set_element(env, list, (uint32_t)at, copy(env, chain[at]));
  return list;
}

const tlslab_own_name group_names[] = {{TLSLAB_SECP256R1, "prime256v1"}, {TLSLAB_X25519, "X25519"}, {0, NULL}};

const char *group_name(uint16_t group) { return tlslab_name(group_names, tlslab_groups, group); }

/* Empty if there is no text. */
static void put_text(napi_env env, napi_value object, const char *name, const char *text) {
  napi_value value;
  if (text == NULL) return;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  napi_set_named_property(env, object, name, value);
}

static void put_bytes(napi_env env, napi_value object, const char *name, tlslab_bytes bytes) {
  napi_set_named_property(env, object, name, copy(env, bytes));
}

napi_value scenario_object(napi_env env, const struct call *call) {
  const tlslab_scenario *scenario = call->scenario;
  const tlslab_material *material = call->material;
  const tlslab_value *suite = tlslab_find(tlslab_suites, scenario->suite);
  napi_value object;
  napi_create_object(env, &object);
  put(env, object, "side", (uint32_t)call->side);
  put(env, object, "verification", scenario->verification);
  put(env, object, "tickets", scenario->tickets);
  put(env, object, "resumption", scenario->resumption);
  put(env, object, "mutual", scenario->mutual);
  put(env, object, "defaults", scenario->defaults);
  put_text(env, object, "version", tlslab_iana(tlslab_versions, scenario->version));
  put_text(env, object, "suite", suite == NULL ? NULL : suite->dashed);
  put_text(env, object, "group", group_name(scenario->group));
  put_text(env, object, "retryGroup", group_name((uint16_t)scenario->retry_group));
  put_text(env, object, "curve", group_name((uint16_t)scenario->certificate_curve));
  put_text(env, object, "scheme", tlslab_iana(tlslab_schemes, scenario->signature_scheme));
  put_text(env, object, "pskIdentity", material->psk_identity);
  put_text(env, object, "serverName", material->server_name);
  put_bytes(env, object, "psk", material->psk);
  put_bytes(env, object, "root", material->root);
  put_bytes(env, object, "key", material->key);
  napi_set_named_property(env, object, "chain", copies(env, material->chain, material->chain_len));
  return object;
}

napi_value question_list(napi_env env, const struct call *call) {
  napi_value list, text;
  napi_create_array(env, &list);
  for (uint32_t at = 0; at < 2; at++) {
    napi_create_string_utf8(env, call->question[at], NAPI_AUTO_LENGTH, &text);
    napi_set_element(env, list, at, text);
  }
  return list;
}

static int32_t number(napi_env env, napi_value object, const char *name, int32_t otherwise) {
  napi_value value;
  int32_t found = otherwise;
  napi_get_named_property(env, object, name, &value);
  return napi_get_value_int32(env, value, &found) == napi_ok ? found : otherwise;
}

/* The code point of a value by the name that the object has for it. */
static uint16_t point(napi_env env, napi_value object, const char *name, const tlslab_own_name *own,
                      const tlslab_value *table) {
  char text[64] = "";
  napi_value value;
  napi_get_named_property(env, object, name, &value);
  napi_get_value_string_utf8(env, value, text, sizeof text, NULL);
  return tlslab_point(own, table, text);
}

void facts_from_object(napi_env env, napi_value object, tlslab_facts *facts) {
  static const tlslab_own_name none[] = {{0, NULL}};
  napi_value certificate;
  void *der;
  size_t len;
  facts->version = point(env, object, "version", none, tlslab_versions);
  facts->suite = point(env, object, "suite", none, tlslab_suites);
  facts->group = point(env, object, "group", group_names, tlslab_groups);
  facts->resumed = number(env, object, "resumed", -1);
  facts->tickets_received = number(env, object, "tickets", -1);
  napi_get_named_property(env, object, "certificate", &certificate);
  if (napi_get_buffer_info(env, certificate, &der, &len) == napi_ok) tlslab_give_certificate(facts, der, len);
}
