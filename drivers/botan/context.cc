#include "context.hh"

#include <cstdio>

#include <botan/certstor.h>
#include <botan/data_src.h>
#include <botan/pkcs8.h>
#include <botan/tls_session_manager_noop.h>
#include <botan/tls_session_manager_stateless.h>
#include <botan/tls_version.h>
#include <botan/x509cert.h>

#include "pin.hh"
#include "reason.hh"

namespace {

class Trust final : public Botan::Credentials_Manager {
 public:
  explicit Trust(const Botan::X509_Certificate &root) : store_(root) {}

  std::vector<Botan::Certificate_Store *> trusted_certificate_authorities(const std::string &,
                                                                         const std::string &) override {
    return {&store_};
  }

 private:
  Botan::Certificate_Store_In_Memory store_;
};

class Keys final : public Botan::Credentials_Manager {
 public:
  Keys(std::vector<Botan::X509_Certificate> chain, std::shared_ptr<Botan::Private_Key> key,
       Botan::secure_vector<uint8_t> ticket_key)
      : chain_(std::move(chain)), key_(std::move(key)), ticket_key_(std::move(ticket_key)) {}

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
  std::vector<Botan::X509_Certificate> chain_;
  std::shared_ptr<Botan::Private_Key> key_;
  Botan::secure_vector<uint8_t> ticket_key_;
};

Botan::X509_Certificate certificate(tlslab_bytes der) { return Botan::X509_Certificate(der.data, der.len); }

std::shared_ptr<Botan::Credentials_Manager> keys(const tlslab_material &material, Botan::AutoSeeded_RNG &rng) {
  std::vector<Botan::X509_Certificate> chain;
  for (size_t at = 0; at < material.chain_len; at++) chain.push_back(certificate(material.chain[at]));
  Botan::DataSource_Memory der(material.key.data, material.key.len);
  return std::make_shared<Keys>(std::move(chain), Botan::PKCS8::load_key(der), rng.random_vec(32));
}

int unsupported(tlslab_error *error, const char *what, unsigned value) {
  snprintf(error->text, sizeof error->text, "the library, as it was built, does not have %s 0x%04x", what, value);
  return TLSLAB_UNSUPPORTED;
}

}  // namespace

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  if (scenario->version != 0x0304) return unsupported(error, "version", scenario->version);
  if (!has_suite(scenario->suite)) return unsupported(error, "suite", scenario->suite);
  if (!has_group(scenario->group)) return unsupported(error, "group", scenario->group);
  if (!has_scheme(scenario->signature_scheme)) {
    return unsupported(error, "signature scheme", scenario->signature_scheme);
  }
  return guarded(error, [&] {
    auto context = std::make_unique<Context>();
    context->side = side;
    context->verification = scenario->verification;
    context->server_name = material->server_name;
    context->rng = std::make_shared<Botan::AutoSeeded_RNG>();
    context->policy = std::make_shared<Pinned>(*scenario);
    if (side == TLSLAB_CLIENT) {
      context->credentials = std::make_shared<Trust>(certificate(material->root));
    } else {
      context->credentials = keys(*material, *context->rng);
    }
    if (side == TLSLAB_SERVER && scenario->tickets > 0) {
      context->sessions =
          std::make_shared<Botan::TLS::Session_Manager_Stateless>(context->credentials, context->rng);
    } else {
      context->sessions = std::make_shared<Botan::TLS::Session_Manager_Noop>();
    }
    *handle = context.release();
    return TLSLAB_OK;
  });
}

void context_free(void *handle) { delete static_cast<Context *>(handle); }
