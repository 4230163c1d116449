// A connection: the contract's calls as calls of the library, and what is known of it afterwards.
#include <optional>

#include <botan/dl_group.h>
#include <botan/pk_keys.h>
#include <botan/tls_callbacks.h>
#include <botan/tls_client.h>
#include <botan/tls_messages.h>
#include <botan/tls_server.h>
#include <botan/x509cert.h>

#include "driver.hh"

using namespace Botan::TLS;

namespace {

// The library's output during a call, and its reports about the connection.
class Wire final : public Callbacks {
 public:
  explicit Wire(const Context &context) : context_(context) {}

  void tls_emit_data(std::span<const uint8_t> data) override { append(output, data, "the library wrote"); }

  void tls_record_received(uint64_t, std::span<const uint8_t> data) override {
    append(plaintext, data, "application data arrived,");
  }

  void tls_alert(Alert received) override { alert = received; }

  void tls_verify_cert_chain(const std::vector<Botan::X509_Certificate> &chain,
                             const std::vector<std::optional<Botan::OCSP::Response>> &ocsp,
                             const std::vector<Botan::Certificate_Store *> &roots, Botan::Usage_Type usage,
                             std::string_view name, const Policy &policy) override {
    if (context_.verification == TLSLAB_VERIFY_NONE) return;
    // Without a name the library checks none.
    const bool checks_name = context_.verification == TLSLAB_VERIFY_CHAIN_AND_NAME;
    Callbacks::tls_verify_cert_chain(chain, ocsp, roots, usage, checks_name ? name : "", policy);
  }

  void tls_inspect_handshake_msg(const Handshake_Message &message) override {
    // The server's is the first, in TLS 1.3.
    if (message.type() != Handshake_Type::CertificateVerify || scheme != 0) return;
    scheme = static_cast<const Certificate_Verify &>(message).signature_scheme().wire_code();
  }

  void tls_session_established(const Session_Summary &session) override {
    version = session.version();
    suite = session.ciphersuite_code();
    resumed = session.was_resumption();
    group = session.kex_parameters();
    tickets = session.session_ticket() ? 1 : 0;  // those of TLS 1.3 are still to come
  }

  // A server is asked before it sends a ticket, a client when it has received one. In TLS 1.2 they are asked of every
  // session. A client that takes up none forgets it.
  bool tls_should_persist_resumption_information(const Session &) override {
    if (version == Protocol_Version::TLS_V13) tickets++;
    return context_.side == TLSLAB_SERVER || context_.latest;
  }

  // In TLS 1.3 a server's share is made and used in one go, unless one is ready.
  std::unique_ptr<Botan::PK_Key_Agreement_Key> tls_generate_ephemeral_key(
      const std::variant<Group_Params, Botan::DL_Group> &wanted, Botan::RandomNumberGenerator &rng) override {
    if (share) return std::move(share);
    return Callbacks::tls_generate_ephemeral_key(wanted, rng);
  }

  std::unique_ptr<Botan::PK_Key_Agreement_Key> share;  // made beforehand
  tlslab_buffer *output = nullptr;     // none in a call that sends nothing
  tlslab_buffer *plaintext = nullptr;  // none in a call that receives nothing
  std::optional<Alert> alert;
  Protocol_Version version;
  uint16_t suite = 0, scheme = 0;
  bool resumed = false;
  int tickets = 0;
  std::optional<std::string> group;

 private:
  static void append(tlslab_buffer *buffer, std::span<const uint8_t> data, const char *what) {
    if (buffer == nullptr || data.size() > buffer->capacity - buffer->len) {
      throw std::length_error(std::string(what) + " " + std::to_string(data.size()) + " bytes that have no room");
    }
    memcpy(buffer->data + buffer->len, data.data(), data.size());
    buffer->len += data.size();
  }

  const Context &context_;
};

struct Connection {
  explicit Connection(const Context &shared) : context(shared), wire(std::make_shared<Wire>(shared)) {}

  void open() {
    const Context &c = context;
    if (c.side == TLSLAB_SERVER) {
      channel = std::make_unique<Server>(wire, c.sessions, c.credentials, c.policy, c.rng);
    } else {
      if (c.latest) c.latest->put(std::move(session));
      channel = std::make_unique<Client>(wire, c.sessions, c.credentials, c.policy, c.rng,
                                         Server_Information(c.server_name), c.version);
    }
  }

  void take(tlslab_bytes input) {
    channel->received_data(input.data, input.len);
    if (wire->alert) throw Botan::Invalid_State("the peer sent the alert " + wire->alert->type_string());
  }

  const Context &context;
  std::shared_ptr<Wire> wire;
  std::unique_ptr<Channel> channel;
  Latest::Session session;  // to be taken up
};

}  // namespace

int connection_new(void *context, void **handle, tlslab_error *error) {
  return guarded(error, [&] {
    auto connection = std::make_unique<Connection>(*static_cast<const Context *>(context));
    // A client writes its first message while it is made, so it is made when there is a buffer for that.
    if (connection->context.side == TLSLAB_SERVER) connection->open();
    *handle = connection.release();
    return TLSLAB_OK;
  });
}

void connection_free(void *handle) { delete static_cast<Connection *>(handle); }

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  connection.wire->output = output;
  connection.wire->plaintext = nullptr;
  return guarded(error, [&] {
    if (!connection.channel) connection.open();
    if (input.len > 0) connection.take(input);
    return connection.channel->is_handshake_complete() ? TLSLAB_OK : TLSLAB_CONTINUES;
  });
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  connection.wire->output = output;
  return guarded(error, [&] {
    connection.channel->send(plaintext.data, plaintext.len);
    return TLSLAB_OK;
  });
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  connection.wire->output = nullptr;
  connection.wire->plaintext = plaintext;
  return guarded(error, [&] {
    connection.take(input);
    return TLSLAB_OK;
  });
}

int connection_close(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  connection.wire->output = output;
  connection.wire->plaintext = nullptr;
  return guarded(error, [&] {
    auto &channel = *connection.channel;
    // The library answers the peer's alert with its own.
    if (input.len > 0) {
      channel.received_data(input.data, input.len);
      const auto &alert = connection.wire->alert;
      if (!alert || alert->type() != AlertType::CloseNotify) throw Botan::Invalid_State("the peer sent no closing alert");
    }
    if (!channel.is_closed_for_writing()) channel.close();
    return input.len > 0 ? TLSLAB_OK : TLSLAB_CONTINUES;
  });
}

void connection_facts(void *handle, tlslab_facts *facts) {
  const auto &connection = *static_cast<const Connection *>(handle);
  const Wire &wire = *connection.wire;
  facts->version = wire.version.version_code();
  facts->suite = wire.suite;
  // The one CertificateVerify of TLS 1.2 is the client's.
  if (wire.version == Protocol_Version::TLS_V13) facts->signature_scheme = wire.scheme;
  facts->resumed = wire.resumed;
  if (wire.group) {
    const auto group = Group_Params::from_string(*wire.group);
    facts->group = group ? group->wire_code() : 0;
  }
  if (connection.context.side == TLSLAB_CLIENT) facts->tickets_received = wire.tickets;
  const auto chain = connection.channel->peer_cert_chain();
  if (chain.empty()) return;
  const auto der = chain.front().BER_encode();
  tlslab_give_certificate(facts, der.data(), der.size());
}

int connection_session(void *handle, void **session, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  return guarded(error, [&] {
    *session = connection.context.latest->take().release();
    return TLSLAB_OK;
  });
}

void session_free(void *session) { delete static_cast<Session_with_Handle *>(session); }

int session_copy(void *session, void **copy, tlslab_error *error) {
  return guarded(error, [&] {
    *copy = new Session_with_Handle(*static_cast<const Session_with_Handle *>(session));
    return TLSLAB_OK;
  });
}

int connection_make_key_share(void *handle, tlslab_error *error) {
  auto &connection = *static_cast<Connection *>(handle);
  return guarded(error, [&] {
    connection.wire->share =
        connection.wire->Callbacks::tls_generate_ephemeral_key(connection.context.group, *connection.context.rng);
    return TLSLAB_OK;
  });
}

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  Latest::Session taken_up(static_cast<Session_with_Handle *>(session));
  const int status = connection_new(context, handle, error);
  if (status == TLSLAB_OK) static_cast<Connection *>(*handle)->session = std::move(taken_up);
  return status;
}
