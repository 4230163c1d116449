#include "pin.hh"

using namespace Botan::TLS;

bool has_version(Protocol_Version version) { return Policy().acceptable_protocol_version(version); }

bool has_suite(uint16_t suite, Protocol_Version version) {
  const auto known = Ciphersuite::by_id(suite);
  return known && known->valid() && known->usable_in_version(version);
}

bool has_group(uint16_t group, Protocol_Version version) {
  const Group_Params known(group);
  return known.is_available() && !(known.is_post_quantum() && version.is_pre_tls_13());
}

bool has_scheme(uint16_t scheme, Protocol_Version version) {
  const Signature_Scheme known(scheme);
  return known.is_available() && known.is_compatible_with(version);
}

Pinned::Pinned(int side, const tlslab_scenario &scenario)
    : version_(scenario.version),
      cipher_(Ciphersuite::by_id(scenario.suite)->cipher_algo()),
      methods_(Policy::allowed_signature_methods()),
      groups_{Group_Params(scenario.group)},
      scheme_(scenario.signature_scheme),
      tickets_(scenario.tickets),
      mutual_(scenario.mutual != 0) {
  const auto first = static_cast<uint16_t>(scenario.retry_group);
  if (side == TLSLAB_CLIENT && first != 0) groups_.insert(groups_.begin(), Group_Params(first));
  // In TLS 1.2 a suite names the kind of signature, too, and one suite is to be left.
  if (version_.is_pre_tls_13()) methods_ = {Ciphersuite::by_id(scenario.suite)->sig_algo()};
}
