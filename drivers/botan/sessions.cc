// Room for one session, which the kit takes out and puts back.
#include <botan/tls_session_manager_memory.h>
#include <botan/tls_session_manager_noop.h>
#include <botan/tls_session_manager_stateless.h>

#include "driver.hh"

using namespace Botan::TLS;

void Latest::store(const Botan::TLS::Session &session, const Session_Handle &handle) {
  session_ = std::make_unique<Session_with_Handle>(Session_with_Handle{session, handle});
}

size_t Latest::remove(const Session_Handle &) { return remove_all(); }

size_t Latest::remove_all() {
  const size_t removed = session_ ? 1 : 0;
  session_.reset();
  return removed;
}

// Only servers ask for a session by its handle.
std::optional<Botan::TLS::Session> Latest::retrieve_one(const Session_Handle &) { return std::nullopt; }

// The library removes a ticket that it was given here. A session with an id stays, for the connection after this one.
std::vector<Session_with_Handle> Latest::find_some(const Server_Information &, size_t) {
  if (!session_) return {};
  return {*session_};
}

void remember_sessions(Context &context, const tlslab_scenario &scenario) {
  const bool resumes =
      scenario.resumption == TLSLAB_RESUME_SESSION_ID || scenario.resumption == TLSLAB_RESUME_TICKET;
  if (scenario.defaults) {
    // As tls_client.cpp and tls_proxy.cpp of the examples. A client is asked before it stores a session.
    context.sessions = std::make_shared<Session_Manager_In_Memory>(context.rng);
  } else if (context.side == TLSLAB_CLIENT && resumes) {
    context.sessions = context.latest = std::make_shared<Latest>(context.rng);
  } else if (context.side == TLSLAB_SERVER && scenario.resumption == TLSLAB_RESUME_SESSION_ID) {
    // Without a cap: with one the library queues a session for removal again at each resumption.
    context.sessions = std::make_shared<Session_Manager_In_Memory>(context.rng, 0);
  } else if (context.side == TLSLAB_SERVER && scenario.tickets > 0) {
    context.sessions = std::make_shared<Session_Manager_Stateless>(context.credentials, context.rng);
  } else {
    context.sessions = std::make_shared<Session_Manager_Noop>();
  }
}
