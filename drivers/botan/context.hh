// What the connections of one side of one scenario share.
#ifndef BOTAN_CONTEXT_HH
#define BOTAN_CONTEXT_HH

#include <memory>
#include <string>

#include <botan/auto_rng.h>
#include <botan/credentials_manager.h>
#include <botan/tls_algos.h>
#include <botan/tls_policy.h>
#include <botan/tls_session_manager.h>
#include <botan/tls_version.h>

#include "sessions.hh"
#include "tlslab_endpoint.h"

struct Context {
  int side;
  Botan::TLS::Protocol_Version version;
  uint32_t verification;
  std::string server_name;
  Botan::TLS::Group_Params group;
  std::shared_ptr<Botan::AutoSeeded_RNG> rng;
  std::shared_ptr<const Botan::TLS::Policy> policy;
  std::shared_ptr<Botan::Credentials_Manager> credentials;
  std::shared_ptr<Botan::TLS::Session_Manager> sessions;
  std::shared_ptr<Latest> latest;  // the same, of a client that takes up sessions; else none
};

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error);
void context_free(void *handle);

#endif
