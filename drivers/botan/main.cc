// A driver for Botan.

#include <string>

#include <botan/version.h>

#include "connection.hh"
#include "context.hh"
#include "pin.hh"
#include "tlslab_endpoint.h"

namespace {

struct Algorithm {
  uint16_t point;
  const char *name;
};

const char *const details[] = {
    "A client writes its first message while it is made, so it is made on the clock of the handshake, not of create.",
    "Revocation is neither asked for nor checked, which the library's default policy would.",
    "Each side has one random generator (HMAC-DRBG, seeded by the system) for all its connections.",
    "ECDSA signatures are deterministic (RFC 6979), which is the library's default.",
    "The library's own pool of locked memory is in use, which is its default.",
    "The library is built without threads, which would share each RSA signature between two.",
};

struct Said {
  std::string version = Botan::short_version_string();
  uint16_t versions[1] = {0x0304};
  std::vector<uint16_t> suites, groups;
  std::vector<const char *> signatures;
  std::vector<tlslab_limit> limits;

  Said() {
    const char *missing = "this build of the library does not have it";
    for (const Algorithm &suite :
         {Algorithm{0x1301, "aes-128-gcm"}, {0x1302, "aes-256-gcm"}, {0x1303, "chacha20-poly1305"}}) {
      if (has_suite(suite.point)) suites.push_back(suite.point);
      else limits.push_back({"suite", suite.name, missing});
    }
    for (const Algorithm &group : {Algorithm{0x0017, "p-256"}, {0x0018, "p-384"}, {0x001d, "x25519"},
                                   {0x11ec, "x25519mlkem768"}, {0x11eb, "p-256mlkem768"}}) {
      if (has_group(group.point)) groups.push_back(group.point);
      else limits.push_back({"group", group.name, missing});
    }
    for (const Algorithm &key :
         {Algorithm{0x0403, "ecdsa-p256"}, {0x0804, "rsa-2048"}, {0x0804, "rsa-4096"}}) {
      if (has_scheme(key.point)) signatures.push_back(key.name);
      else limits.push_back({"signature", key.name, missing});
    }
  }
};

void identity(tlslab_identity *identity) {
  static const Said said;
  *identity = tlslab_identity{
      .driver = "botan",
      .library = "Botan",
      .library_version = said.version.c_str(),
      .versions = said.versions,
      .versions_len = 1,
      .suites = said.suites.data(),
      .suites_len = said.suites.size(),
      .groups = said.groups.data(),
      .groups_len = said.groups.size(),
      .signatures = said.signatures.data(),
      .signatures_len = said.signatures.size(),
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = 16,
      .limits = said.limits.data(),
      .limits_len = said.limits.size(),
      .details = details,
      .details_len = sizeof details / sizeof *details,
  };
}

const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context_new,
    .context_free = context_free,
    .create = connection_new,
    .connection_free = connection_free,
    .handshake = connection_handshake,
    .send = connection_send,
    .receive = connection_receive,
    .facts = connection_facts,
};

}  // namespace

int main() { return tlslab_driver_main(&endpoint); }
