// Holds a connection to exactly what a scenario names.
#ifndef BOTAN_PIN_HH
#define BOTAN_PIN_HH

#include <botan/tls_ciphersuite.h>
#include <botan/tls_policy.h>
#include <botan/tls_signature_scheme.h>
#include <botan/tls_version.h>

#include "tlslab_endpoint.h"

// Whether the library, as it was built, has the algorithm.
bool has_version(Botan::TLS::Protocol_Version version);
bool has_suite(uint16_t suite, Botan::TLS::Protocol_Version version);
bool has_group(uint16_t group, Botan::TLS::Protocol_Version version);
bool has_scheme(uint16_t scheme, Botan::TLS::Protocol_Version version);

class Pinned final : public Botan::TLS::Policy {
 public:
  Pinned(int side, const tlslab_scenario &scenario);

  bool allow_tls12() const override { return version_ == Botan::TLS::Protocol_Version::TLS_V12; }
  bool allow_dtls12() const override { return false; }
  bool allow_tls13() const override { return version_ == Botan::TLS::Protocol_Version::TLS_V13; }
  std::vector<std::string> allowed_ciphers() const override { return {cipher_}; }
  std::vector<std::string> allowed_signature_methods() const override { return methods_; }
  std::vector<Botan::TLS::Group_Params> key_exchange_groups() const override { return groups_; }
  std::vector<Botan::TLS::Group_Params> key_exchange_groups_to_offer() const override { return {groups_.front()}; }
  std::vector<Botan::TLS::Signature_Scheme> allowed_signature_schemes() const override { return {scheme_}; }
  size_t new_session_tickets_upon_handshake_success() const override { return tickets_; }
  size_t maximum_session_tickets_per_connection() const override { return 0; /* no maximum */ }
  bool require_client_certificate_authentication() const override { return mutual_; }
  // Neither asked for nor demanded: there is nobody to say that a certificate was revoked.
  bool support_cert_status_message() const override { return false; }
  bool require_cert_revocation_info() const override { return false; }

 private:
  Botan::TLS::Protocol_Version version_;
  std::string cipher_;
  std::vector<std::string> methods_;
  std::vector<Botan::TLS::Group_Params> groups_;
  Botan::TLS::Signature_Scheme scheme_;
  size_t tickets_;
  bool mutual_;
};

#endif
