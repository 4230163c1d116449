// A side's certificates, keys and trusted roots, as the library requests them.
#include <algorithm>

#include <botan/certstor.h>
#include <botan/data_src.h>
#include <botan/pkcs8.h>
#include <botan/tls_external_psk.h>
#include <botan/x509cert.h>

#include "driver.hh"

namespace {

Botan::X509_Certificate certificate(tlslab_bytes der) { return Botan::X509_Certificate(der.data, der.len); }

// Holds nothing at first. A server that trusts somebody asks for a certificate.
class Credentials final : public Botan::Credentials_Manager {
 public:
  void trust(tlslab_bytes root) {
    roots_.add_certificate(certificate(root));
    trusted_ = {&roots_};
  }

  void show(const tlslab_bytes *chain, size_t len, tlslab_bytes key) {
    for (size_t at = 0; at < len; at++) chain_.push_back(certificate(chain[at]));
    Botan::DataSource_Memory der(key.data, key.len);
    key_ = Botan::PKCS8::load_key(der);
  }

  void share(const tlslab_scenario &scenario, const tlslab_material &material) {
    if (material.psk_identity == nullptr) return;
    psk_identity_ = material.psk_identity;
    psk_hash_ = scenario.suite == TLSLAB_AES_256_GCM ? "SHA-384" : "SHA-256";
    psk_.assign(material.psk.data, material.psk.data + material.psk.len);
  }

  // Both sides ask; a server does with the identities that it was offered.
  std::vector<Botan::TLS::ExternalPSK> find_preshared_keys(std::string_view, Botan::TLS::Connection_Side,
                                                           const std::vector<std::string> &identities,
                                                           const std::optional<std::string> &) override {
    std::vector<Botan::TLS::ExternalPSK> found;
    const bool is_asked =
        identities.empty() || std::find(identities.begin(), identities.end(), psk_identity_) != identities.end();
    if (!psk_.empty() && is_asked) found.emplace_back(psk_identity_, psk_hash_, psk_);
    return found;
  }

  // The name of a TLS 1.2 client's key.
  std::string psk_identity(const std::string &, const std::string &, const std::string &) override {
    return psk_identity_;
  }

  void seal_tickets_with(Botan::secure_vector<uint8_t> key) { ticket_key_ = std::move(key); }

  std::vector<Botan::Certificate_Store *> trusted_certificate_authorities(const std::string &,
                                                                         const std::string &) override {
    return trusted_;
  }

  std::vector<Botan::X509_Certificate> find_cert_chain(const std::vector<std::string> &,
                                                       const std::vector<Botan::AlgorithmIdentifier> &,
                                                       const std::vector<Botan::X509_DN> &, const std::string &,
                                                       const std::string &) override {
    return chain_;
  }

  std::shared_ptr<Botan::Private_Key> private_key_for(const Botan::X509_Certificate &, const std::string &,
                                                      const std::string &) override {
    return key_;
  }

  Botan::secure_vector<uint8_t> session_ticket_key() override { return ticket_key_; }

 private:
  Botan::Certificate_Store_In_Memory roots_;
  std::vector<Botan::Certificate_Store *> trusted_;
  std::vector<Botan::X509_Certificate> chain_;
  std::shared_ptr<Botan::Private_Key> key_;
  Botan::secure_vector<uint8_t> ticket_key_;
  std::string psk_identity_, psk_hash_;
  Botan::secure_vector<uint8_t> psk_;  // empty without a PSK
};

}  // namespace

std::shared_ptr<Botan::Credentials_Manager> credentials_of(int side, const tlslab_scenario &scenario,
                                                           const tlslab_material &material,
                                                           Botan::RandomNumberGenerator &rng) {
  auto credentials = std::make_shared<Credentials>();
  credentials->share(scenario, material);
  if (material.root.len > 0) credentials->trust(material.root);
  if (material.chain_len > 0) credentials->show(material.chain, material.chain_len, material.key);
  if (side == TLSLAB_SERVER) credentials->seal_tickets_with(rng.random_vec(32));
  return credentials;
}
