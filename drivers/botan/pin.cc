// The policy that leaves one version, suite, group and scheme.
#include "driver.hh"

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

// In TLS 1.3 a suite leaves the key exchange open, and the one on curves stands for all.
static std::string exchange_of(const tlslab_scenario &scenario) {
  const Kex_Algo exchange = Ciphersuite::by_id(scenario.suite)->kex_method();
  const bool is_named = exchange == Kex_Algo::DH || key_exchange_is_psk(exchange);
  return is_named ? kex_method_to_string(exchange) : "ECDH";
}

// In TLS 1.2 a suite also names the kind of signature, or that it has no signature.
static std::string method_of(const tlslab_scenario &scenario) {
  const auto suite = Ciphersuite::by_id(scenario.suite);
  return suite->psk_ciphersuite() ? "IMPLICIT" : suite->sig_algo();
}

Pinned::Pinned(int side, const tlslab_scenario &scenario)
    : version_(scenario.version),
      cipher_(Ciphersuite::by_id(scenario.suite)->cipher_algo()),
      methods_(Policy::allowed_signature_methods()),
      exchange_(exchange_of(scenario)),
      groups_{Group_Params(scenario.group)},
      scheme_(scenario.signature_scheme),
      tickets_(scenario.tickets),
      mutual_(scenario.mutual != 0) {
  const auto first = static_cast<uint16_t>(scenario.retry_group);
  if (side == TLSLAB_CLIENT && first != 0) groups_.insert(groups_.begin(), Group_Params(first));
  // One suite is to be left.
  if (version_.is_pre_tls_13()) methods_ = {method_of(scenario)};
}
