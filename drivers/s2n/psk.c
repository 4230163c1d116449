#include "psk.h"

#include <string.h>

int psk_pin(struct context *context, const tlslab_material *material, tlslab_error *error) {
  s2n_psk_hmac hash = material->psk.len == 48 ? S2N_PSK_HMAC_SHA384 : S2N_PSK_HMAC_SHA256;
  const char *identity = material->psk_identity;
  context->psk = s2n_external_psk_new();
  if (context->psk == NULL ||
      s2n_psk_set_identity(context->psk, (const uint8_t *)identity, (uint16_t)strlen(identity)) != S2N_SUCCESS ||
      s2n_psk_set_secret(context->psk, material->psk.data, (uint16_t)material->psk.len) != S2N_SUCCESS ||
      s2n_psk_set_hmac(context->psk, hash) != S2N_SUCCESS ||
      s2n_config_set_psk_mode(context->config, S2N_PSK_MODE_EXTERNAL) != S2N_SUCCESS) {
    return reason(error, "cannot use the pre-shared key");
  }
  return TLSLAB_OK;
}
