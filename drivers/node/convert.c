#include "convert.h"

#include <stdlib.h>
#include <string.h>

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

napi_value scenario_object(napi_env env, const struct call *call) {
  const tlslab_scenario *scenario = call->scenario;
  const tlslab_material *material = call->material;
  napi_value object, name;
  napi_create_object(env, &object);
  put(env, object, "side", (uint32_t)call->side);
  put(env, object, "version", scenario->version);
  put(env, object, "suite", scenario->suite);
  put(env, object, "group", scenario->group);
  put(env, object, "scheme", scenario->signature_scheme);
  put(env, object, "verification", scenario->verification);
  put(env, object, "tickets", scenario->tickets);
  put(env, object, "resumption", scenario->resumption);
  put(env, object, "mutual", scenario->mutual);
  put(env, object, "bits", scenario->key_bits);
  put(env, object, "retryGroup", scenario->retry_group);
  if (material->psk_identity != NULL) {
    napi_create_string_utf8(env, material->psk_identity, NAPI_AUTO_LENGTH, &name);
    napi_set_named_property(env, object, "pskIdentity", name);
    napi_set_named_property(env, object, "psk", copy(env, material->psk));
  }
  napi_set_named_property(env, object, "chain", copies(env, material->chain, material->chain_len));
  napi_set_named_property(env, object, "clientRoot", copy(env, material->client_root));
  napi_set_named_property(env, object, "clientChain", copies(env, material->client_chain, material->client_chain_len));
  napi_set_named_property(env, object, "clientKey", copy(env, material->client_key));
  napi_set_named_property(env, object, "root", copy(env, material->root));
  napi_set_named_property(env, object, "key", copy(env, material->key));
  napi_create_string_utf8(env, material->server_name, NAPI_AUTO_LENGTH, &name);
  napi_set_named_property(env, object, "serverName", name);
  return object;
}

napi_value assignment_object(napi_env env, const struct call *call) {
  const tlslab_assignment *assignment = call->assignment;
  const tlslab_material *material = call->material;
  napi_value object;
  napi_create_object(env, &object);
  put(env, object, "operation", assignment->operation);
  put(env, object, "algorithm", assignment->algorithm);
  napi_set_named_property(env, object, "key", copy(env, assignment->key));
  napi_set_named_property(env, object, "iv", copy(env, (tlslab_bytes){assignment->iv, sizeof assignment->iv}));
  napi_set_named_property(env, object, "header",
                          copy(env, (tlslab_bytes){assignment->header, assignment->header_len}));
  napi_set_named_property(env, object, "message", copy(env, assignment->message));
  napi_set_named_property(env, object, "chain", copies(env, material->chain, material->chain_len));
  napi_set_named_property(env, object, "leafKey", copy(env, material->key));
  return object;
}

static int32_t number(napi_env env, napi_value object, const char *name, int32_t otherwise) {
  napi_value value;
  int32_t found = otherwise;
  napi_get_named_property(env, object, name, &value);
  return napi_get_value_int32(env, value, &found) == napi_ok ? found : otherwise;
}

void facts_from_object(napi_env env, napi_value object, tlslab_facts *facts) {
  napi_value certificate;
  void *der;
  size_t len;
  facts->version = (uint16_t)number(env, object, "version", 0);
  facts->suite = (uint16_t)number(env, object, "suite", 0);
  facts->group = (uint16_t)number(env, object, "group", 0);
  facts->resumed = number(env, object, "resumed", -1);
  facts->tickets_received = number(env, object, "tickets", -1);
  napi_get_named_property(env, object, "certificate", &certificate);
  if (napi_get_buffer_info(env, certificate, &der, &len) != napi_ok) return;
  facts->peer_certificate = malloc(len);
  if (facts->peer_certificate == NULL) return;
  memcpy(facts->peer_certificate, der, len);
  facts->peer_certificate_len = len;
}

/* The text outlives the process's only identity. */
static const char *text(napi_env env, napi_value value) {
  size_t len = 0;
  napi_get_value_string_utf8(env, value, NULL, 0, &len);
  char *copied = calloc(len + 1, 1);
  if (copied != NULL) napi_get_value_string_utf8(env, value, copied, len + 1, NULL);
  return copied;
}

static const char *named_text(napi_env env, napi_value object, const char *name) {
  napi_value value;
  napi_get_named_property(env, object, name, &value);
  return text(env, value);
}

static napi_value element(napi_env env, napi_value list, size_t at) {
  napi_value value;
  napi_get_element(env, list, (uint32_t)at, &value);
  return value;
}

static napi_value list_of(napi_env env, napi_value object, const char *name, size_t *len) {
  napi_value list;
  uint32_t count = 0;
  napi_get_named_property(env, object, name, &list);
  napi_get_array_length(env, list, &count);
  *len = count;
  return list;
}

static const uint16_t *points(napi_env env, napi_value object, const char *name, size_t *len) {
  napi_value list = list_of(env, object, name, len);
  uint16_t *copied = calloc(*len + 1, sizeof *copied);
  for (size_t at = 0; at < *len; at++) {
    uint32_t point = 0;
    napi_get_value_uint32(env, element(env, list, at), &point);
    copied[at] = (uint16_t)point;
  }
  return copied;
}

static const char *const *texts(napi_env env, napi_value object, const char *name, size_t *len) {
  napi_value list = list_of(env, object, name, len);
  const char **copied = calloc(*len + 1, sizeof *copied);
  for (size_t at = 0; at < *len; at++) copied[at] = text(env, element(env, list, at));
  return copied;
}

static const tlslab_limit *limits(napi_env env, napi_value object, size_t *len) {
  napi_value list = list_of(env, object, "limits", len);
  tlslab_limit *copied = calloc(*len + 1, sizeof *copied);
  for (size_t at = 0; at < *len; at++) {
    napi_value limit = element(env, list, at);
    copied[at] = (tlslab_limit){text(env, element(env, limit, 0)), text(env, element(env, limit, 1)),
                                text(env, element(env, limit, 2))};
  }
  return copied;
}

void identity_from_object(napi_env env, napi_value object, tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = named_text(env, object, "driver"),
      .library = named_text(env, object, "library"),
      .library_version = named_text(env, object, "version"),
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = (uint32_t)number(env, object, "mostTickets", 0),
      .resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | TLSLAB_CAN_TICKET_13 |
                     TLSLAB_CAN_TICKET_REUSED_13 | TLSLAB_CAN_EXTERNAL_PSK_13,
      .hello_retry = 1,
      .mutual = 1,
      .renews_no_tickets = 1,
  };
  identity->operations = (uint32_t)number(env, object, "operations", 0);
  identity->versions = points(env, object, "versions", &identity->versions_len);
  identity->suites = points(env, object, "suites", &identity->suites_len);
  identity->groups = points(env, object, "groups", &identity->groups_len);
  identity->signatures = texts(env, object, "signatures", &identity->signatures_len);
  identity->limits = limits(env, object, &identity->limits_len);
  identity->notes = texts(env, object, "notes", &identity->notes_len);
  identity->details = texts(env, object, "details", &identity->details_len);
}
