// Settings that Node's interface does not reach, made in its built-in library.
#include "library.h"

#include <openssl/ssl.h>
#include <v8.h>

#include <cstring>

/* Takes the place of building and checking the chain, which the library does even where it ignores the outcome. */
static int accept_any_chain(X509_STORE_CTX *store, void *) {
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

/* Node-API reads only the externals that it has made itself. Its values are V8's handles. */
static SSL_CTX *context_in(napi_value value) {
  v8::Local<v8::Value> handle;
  static_assert(sizeof handle == sizeof value, "a value of Node-API is a handle");
  std::memcpy(static_cast<void *>(&handle), &value, sizeof handle);
  return handle->IsExternal() ? static_cast<SSL_CTX *>(handle.As<v8::External>()->Value()) : nullptr;
}

/* The finite field of a server of TLS 1.2, ffdhe2048. Node's option takes the numbers themselves. */
static bool choose_field(SSL_CTX *ssl) {
  char group[] = "group", name[] = "ffdhe2048";
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(group, name, 0), OSSL_PARAM_construct_end()};
  EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr);
  EVP_PKEY *field = nullptr;
  const bool chosen = making != nullptr && EVP_PKEY_fromdata_init(making) == 1 &&
                      EVP_PKEY_fromdata(making, &field, EVP_PKEY_KEY_PARAMETERS, parameters) == 1 &&
                      SSL_CTX_set0_tmp_dh_pkey(ssl, field) == 1;
  EVP_PKEY_CTX_free(making);
  if (!chosen) EVP_PKEY_free(field);
  return chosen;
}

int library_pin(napi_value context, size_t tickets, int accepts_any_chain, int chooses_field) {
  SSL_CTX *ssl = context_in(context);
  if (ssl == nullptr) return 0;
  if (accepts_any_chain) SSL_CTX_set_cert_verify_callback(ssl, accept_any_chain, nullptr);
  if (chooses_field && !choose_field(ssl)) return 0;
  return SSL_CTX_set_num_tickets(ssl, tickets);
}
