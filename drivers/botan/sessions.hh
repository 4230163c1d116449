// How both sides remember sessions.
#ifndef BOTAN_SESSIONS_HH
#define BOTAN_SESSIONS_HH

#include <memory>

#include <botan/tls_session.h>
#include <botan/tls_session_manager.h>

#include "tlslab_endpoint.h"

struct Context;

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

// Gives a context, whose side and credentials are known, the memory that the scenario asks for.
void remember_sessions(Context &context, const tlslab_scenario &scenario);

#endif
