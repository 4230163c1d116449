// What a side shows of itself, and whom it trusts.
#ifndef BOTAN_CREDENTIALS_HH
#define BOTAN_CREDENTIALS_HH

#include <memory>

#include <botan/credentials_manager.h>
#include <botan/rng.h>

#include "tlslab_endpoint.h"

std::shared_ptr<Botan::Credentials_Manager> client_credentials(const tlslab_scenario &scenario,
                                                               const tlslab_material &material);
std::shared_ptr<Botan::Credentials_Manager> server_credentials(const tlslab_scenario &scenario,
                                                               const tlslab_material &material,
                                                               Botan::RandomNumberGenerator &rng);

#endif
