#include "identity.hh"

#include <string>
#include <vector>

#include <botan/version.h>

#include "pin.hh"
#include "primitive.hh"

using Version = Botan::TLS::Protocol_Version;

namespace {

const char *const notes[] = {
    "In TLS 1.3 receiving looks for padding through every byte of a record in constant time, which takes most of a "
    "receive.",
    "A server that takes up a session of TLS 1.2 by its ticket seals a new ticket all the same, and does not send it.",
};
const char *const details[] = {
    "A client writes its first message while it is made, so it is made on the clock of the handshake, not of create.",
    "Revocation is neither asked for nor checked, which the library's default policy would.",
    "Each side has one random generator (HMAC-DRBG, seeded by the system) for all its connections.",
    "ECDSA signatures are deterministic (RFC 6979), which is the library's default.",
    "The library's own pool of locked memory is in use, which is its default.",
    "The library is built without threads, which would share each RSA signature between two.",
    "A key share that is made beforehand is handed over in the callback in which the library would make one.",
    "The client's memory of sessions is the driver's and has room for one. The server's is the library's without a "
    "cap, since with one the library queues a session anew whenever it is taken up.",
};

struct Algorithm {
  uint16_t point;
  const char *name;
};

struct Claims {
  std::string library_version = Botan::short_version_string();
  std::vector<uint16_t> versions, suites, groups;
  std::vector<const char *> signatures;
  std::vector<tlslab_limit> limits;
  uint32_t resumptions = 0;

  Claims() {
    if (report_version(Version::TLS_V12, "1.2")) {
      report_suites(Version::TLS_V12, {{0xc02b, "ecdhe-ecdsa-aes-128-gcm"},
                                     {0xc02c, "ecdhe-ecdsa-aes-256-gcm"},
                                     {0xcca9, "ecdhe-ecdsa-chacha20-poly1305"},
                                     {0xc02f, "ecdhe-rsa-aes-128-gcm"},
                                     {0xc030, "ecdhe-rsa-aes-256-gcm"},
                                     {0xcca8, "ecdhe-rsa-chacha20-poly1305"},
                                     {0x009e, "dhe-rsa-aes-128-gcm"},
                                     {0x009f, "dhe-rsa-aes-256-gcm"},
                                     {0xccaa, "dhe-rsa-chacha20-poly1305"},
                                     {0x00a8, "psk-aes-128-gcm"},
                                     {0x00a9, "psk-aes-256-gcm"},
                                     {0xccab, "psk-chacha20-poly1305"},
                                     {0xd001, "ecdhe-psk-aes-128-gcm"},
                                     {0xd002, "ecdhe-psk-aes-256-gcm"},
                                     {0xccac, "ecdhe-psk-chacha20-poly1305"}});
      for (const char *suite : {"dhe-psk-aes-128-gcm", "dhe-psk-aes-256-gcm", "dhe-psk-chacha20-poly1305"}) {
        limits.push_back({"suite", suite, "the library has pre-shared keys with a key exchange on curves alone"});
      }
      resumptions |= TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | tlslab_psk_ways(suites.data(), suites.size());
    }
    if (report_version(Version::TLS_V13, "1.3")) {
      report_suites(Version::TLS_V13,
                  {{0x1301, "aes-128-gcm"}, {0x1302, "aes-256-gcm"}, {0x1303, "chacha20-poly1305"}});
      resumptions |= TLSLAB_CAN_TICKET_13 | TLSLAB_CAN_TICKET_REUSED_13 | TLSLAB_CAN_EXTERNAL_PSK_13;
    }
    report_groups();
    report_signatures();
    limits.push_back({"resumption", "1.3/external-psk-only",
                      "the library uses a pre-shared key with a key exchange alone"});
    limits.push_back({"early_data", "any", "the library has no early data"});
  }

 private:
  // Notes the limit where there is one.
  bool claim(bool able, const char *axis, const char *value) {
    if (!able) limits.push_back({axis, value, "this build of the library does not have it"});
    return able;
  }

  bool report_version(Version version, const char *name) {
    const bool able = claim(has_version(version), "version", name);
    if (able) versions.push_back(version.version_code());
    return able;
  }

  void report_suites(Version version, const std::vector<Algorithm> &known) {
    for (const Algorithm &suite : known) {
      if (claim(has_suite(suite.point, version), "suite", suite.name)) suites.push_back(suite.point);
    }
  }

  void report_groups() {
    for (const Algorithm &group : {Algorithm{0x0017, "p-256"}, {0x0018, "p-384"}, {0x001d, "x25519"},
                                   {0x11ec, "x25519mlkem768"}, {0x11eb, "p-256mlkem768"}, {0x0100, "ffdhe2048"}}) {
      if (claim(has_group(group.point, Version::TLS_V13), "group", group.name)) groups.push_back(group.point);
    }
  }

  void report_signatures() {
    for (const Algorithm &key :
         {Algorithm{0x0403, "ecdsa-p256"}, {0x0503, "ecdsa-p384"}, {0x0807, "ed25519"}, {0x0804, "rsa-2048"},
          {0x0804, "rsa-3072"}, {0x0804, "rsa-4096"}, {0x0904, "ml-dsa-44"}, {0x0905, "ml-dsa-65"}}) {
      if (has_scheme(key.point, Version::TLS_V13)) {
        signatures.push_back(key.name);
      } else {
        limits.push_back({"signature", key.name, "the library has no such signatures in TLS"});
      }
    }
  }
};

}  // namespace

void library_identity(tlslab_identity *identity) {
  static const Claims claims;
  *identity = tlslab_identity{
      .driver = "botan",
      .library = "Botan",
      .library_version = claims.library_version.c_str(),
      .versions = claims.versions.data(),
      .versions_len = claims.versions.size(),
      .suites = claims.suites.data(),
      .suites_len = claims.suites.size(),
      .groups = claims.groups.data(),
      .groups_len = claims.groups.size(),
      .signatures = claims.signatures.data(),
      .signatures_len = claims.signatures.size(),
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = 16,
      .limits = claims.limits.data(),
      .limits_len = claims.limits.size(),
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
      .offers_more = nullptr,
      .offers_more_len = 0,
      .resumptions = claims.resumptions,
      .mutual = 1,
      .renews_no_tickets = 0,
      .hello_retry = 1,
      .max_early_data = 0,
      .pregenerated = 1,
      .threads = 1,
      .operations = OPERATIONS,
  };
}
