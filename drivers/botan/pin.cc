#include "pin.hh"

using namespace Botan::TLS;

bool has_suite(uint16_t suite) {
  const auto known = Ciphersuite::by_id(suite);
  return known && known->valid() && known->usable_in_version(Protocol_Version::TLS_V13);
}

bool has_group(uint16_t group) { return Group_Params(group).is_available(); }

bool has_scheme(uint16_t scheme) {
  const Signature_Scheme known(scheme);
  return known.is_available() && known.is_compatible_with(Protocol_Version::TLS_V13);
}

Pinned::Pinned(const tlslab_scenario &scenario)
    : cipher_(Ciphersuite::by_id(scenario.suite)->cipher_algo()),
      group_(scenario.group),
      scheme_(scenario.signature_scheme),
      tickets_(scenario.tickets) {}
