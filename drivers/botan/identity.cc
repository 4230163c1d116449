// The library's identity and capabilities.
#include <botan/version.h>

#include "driver.hh"

using Version = Botan::TLS::Protocol_Version;

void library_identity(tlslab_identity *identity) {
  static const std::string version = Botan::short_version_string();
  *identity = tlslab_identity{
      .driver = "botan",
      .library = "Botan",
      .library_version = version.c_str(),
      .max_tickets = 16,
      .has_psk_suites = 1,
      .threads = 1,
      .leaves_defaults = 1,
      .notes = {
          "In TLS 1.3 receiving looks for padding through every byte of a record in constant time, which takes most of a "
          "receive.",
          "A server that takes up a session of TLS 1.2 by its ticket seals a new ticket all the same, and does not send it.",
      },
      .details = {
          "A client writes its first message while it is made, so it is made on the clock of the handshake, not of create.",
          "Revocation is neither asked for nor checked, which the library's default policy would.",
          "Each side has one random generator (HMAC-DRBG, seeded by the system) for all its connections.",
          "ECDSA signatures are deterministic (RFC 6979), which is the library's default.",
          "The library's own pool of locked memory is in use, which is its default.",
          "The library is built without threads, which would share each RSA signature between two.",
          "A key share that is made beforehand is handed over in the callback in which the library would make one.",
          "The client's memory of sessions is the driver's and has room for one. The server's is the library's without a "
          "cap, since with one the library queues a session again whenever it is taken up.",
      },
  };
}

namespace {

bool has_suite_of(const tlslab_value &value) {
  const Version version = value.exchange == nullptr ? Version::TLS_V13 : Version::TLS_V12;
  return has_version(version) && has_suite(value.point, version);
}

int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_SESSION_ID_12:
    case TLSLAB_CAN_TICKET_12: return has_version(Version::TLS_V12);
    case TLSLAB_CAN_TICKET_13:
    case TLSLAB_CAN_TICKET_REUSED_13:
    case TLSLAB_CAN_EXTERNAL_PSK_13: return has_version(Version::TLS_V13);
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return tlslab_no(why, "the library uses a pre-shared key with a key exchange alone");
    default: return 0;
  }
}

}  // namespace

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  bool able = true;
  switch (axis) {
    case TLSLAB_VERSION: able = has_version(Version(value->point)); break;
    case TLSLAB_SUITE:
      if (value->exchange != nullptr && strcmp(value->exchange, "DHE-PSK") == 0) {
        return tlslab_no(why, "the library has pre-shared keys with a key exchange on curves alone");
      }
      able = has_suite_of(*value);
      break;
    case TLSLAB_GROUP: able = has_group(value->point, Version::TLS_V13); break;
    case TLSLAB_SIGNATURE:
      return has_scheme(value->point, Version::TLS_V13) || tlslab_no(why, "the library has no such signatures in TLS");
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_EARLY_DATA: return tlslab_no(why, "the library has no early data");
    case TLSLAB_PRIMITIVE: return value->is_claimed && value->operation <= TLSLAB_DECAPSULATE;
    default: break;
  }
  return able || tlslab_no(why, "this build of the library does not have it");
}
