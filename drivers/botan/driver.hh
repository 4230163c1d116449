// What the driver's parts share.
#ifndef BOTAN_DRIVER_HH
#define BOTAN_DRIVER_HH

#include <memory>
#include <string>

#include <botan/auto_rng.h>
#include <botan/credentials_manager.h>
#include <botan/exceptn.h>
#include <botan/tls_algos.h>
#include <botan/tls_ciphersuite.h>
#include <botan/tls_policy.h>
#include <botan/tls_session.h>
#include <botan/tls_session_manager.h>
#include <botan/tls_signature_scheme.h>
#include <botan/tls_version.h>

#include "tlslab_driver.h"

// A client's memory, with room for one session. The library looks into it when it makes a connection.
class Latest final : public Botan::TLS::Session_Manager {
 public:
  using Session = std::unique_ptr<Botan::TLS::Session_with_Handle>;

  using Session_Manager::Session_Manager;

  // Puts a session in, or nothing.
  void put(Session session) { session_ = std::move(session); }
  Session take() { return std::move(session_); }

  void store(const Botan::TLS::Session &session, const Botan::TLS::Session_Handle &handle) override;
  size_t remove(const Botan::TLS::Session_Handle &handle) override;
  size_t remove_all() override;

 protected:
  std::optional<Botan::TLS::Session> retrieve_one(const Botan::TLS::Session_Handle &handle) override;
  std::vector<Botan::TLS::Session_with_Handle> find_some(const Botan::TLS::Server_Information &server,
                                                         size_t most) override;

 private:
  Session session_;
};

// What the connections of one side of one scenario share.
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

// Gives a context, whose side and credentials are known, the memory that the scenario asks for.
void remember_sessions(Context &context, const tlslab_scenario &scenario);

// Whether the library, as it was built, has the algorithm.
bool has_version(Botan::TLS::Protocol_Version version);
bool has_suite(uint16_t suite, Botan::TLS::Protocol_Version version);
bool has_group(uint16_t group, Botan::TLS::Protocol_Version version);
bool has_scheme(uint16_t scheme, Botan::TLS::Protocol_Version version);

// Holds a connection to exactly what a scenario names.
class Pinned final : public Botan::TLS::Policy {
 public:
  Pinned(int side, const tlslab_scenario &scenario);

  bool allow_tls12() const override { return version_ == Botan::TLS::Protocol_Version::TLS_V12; }
  bool allow_dtls12() const override { return false; }
  bool allow_tls13() const override { return version_ == Botan::TLS::Protocol_Version::TLS_V13; }
  std::vector<std::string> allowed_ciphers() const override { return {cipher_}; }
  std::vector<std::string> allowed_signature_methods() const override { return methods_; }
  std::vector<std::string> allowed_key_exchange_methods() const override { return {exchange_}; }
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
  std::string exchange_;
  std::vector<Botan::TLS::Group_Params> groups_;
  Botan::TLS::Signature_Scheme scheme_;
  size_t tickets_;
  bool mutual_;
};

// The library's own policy. Only revocation is not demanded: there is nobody to say that a certificate was revoked.
class Default final : public Botan::TLS::Policy {
 public:
  bool require_cert_revocation_info() const override { return false; }
};

// What a side shows of itself, and whom it trusts.
std::shared_ptr<Botan::Credentials_Manager> credentials_of(int side, const tlslab_scenario &scenario,
                                                           const tlslab_material &material,
                                                           Botan::RandomNumberGenerator &rng);

// Runs what may throw. The library's codes tell the kind of exception and, for those of TLS, the alert.
template <typename Call>
int guarded(tlslab_error *error, Call call) {
  try {
    return call();
  } catch (const Botan::Exception &thrown) {
    snprintf(error->text, sizeof error->text, "%s (%s, code %d)", thrown.what(),
             Botan::to_string(thrown.error_type()).c_str(), thrown.error_code());
  } catch (const std::exception &thrown) {
    snprintf(error->text, sizeof error->text, "%s", thrown.what());
  }
  return TLSLAB_FAILED;
}

#endif
