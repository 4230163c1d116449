#include "identity.h"

#include <Python.h>
#include <stdio.h>
#include <string.h>

#include "library.h"
#include "names.h"
#include "pin.h"

enum { MISSING = 8 /* operations by themselves */, KEYS = 5 /* types of them that a connection is made with */ };
enum { VERSIONS = 2, TICKETS = 4 /* numbers of tickets that scenarios ask for */ };

/* What an identity points to. It outlives the call and is filled anew by the next. */
static struct {
  char version[96];
  uint16_t versions[VERSIONS];
  uint16_t suites[SUITES];
  uint16_t groups[GROUPS];
  const char *signatures[8];
  const char *primitives[4 + HASHES + KEYS];
  char names[HASHES + KEYS][32];
  tlslab_limit limits[VERSIONS + SUITES + GROUPS + 8 + 4 + TICKETS + 11 + MISSING + HASHES];
} claims;
static char reasons[sizeof claims.limits / sizeof *claims.limits][256];

static const char *const notes[] = {
    "Measured as a program in Python meets it: each call goes through the interpreter, ssl.SSLObject and "
    "ssl.MemoryBIO.",
};

static const char *const details[] = {
    "The Python code on the clock is drivers/cpython/endpoint.py; the kit calls it through the interpreter's C "
    "interface.",
    "Certificates, verification, versions, tickets and sessions are set by Python's interface. Suite, group, signature "
    "scheme and whether a server caches sessions are set on the library's context inside the ssl.SSLContext, as Python "
    "3.13 has no interface for them, or none for all of them.",
    "By itself, a hash is hashlib's and a code is one call of hmac.digest; both are the library's (_hashlib). On the clock "
    "are also the interpreter, a new object for each message and the bytes that the result is in.",
    "A hash object is hashlib.new by name, a bytes object as long as the message, update and digest. A connection is "
    "a client's whole: socket, wrap_socket, connect, sendall, close, to a server that Python has forked, which sends no "
    "tickets and reads 1,024 bytes at a time. Certificates are verified, names are not; all else is the library's default.",
    "At verification level `none` (ssl.CERT_NONE) a callback in C takes the place of building a chain, which the "
    "library would otherwise do and then ignore.",
    "Plaintext is read into the receiver's buffer, as asyncio.BufferedProtocol does, and reading ends when the records "
    "are used up; asyncio itself reads on until SSLWantReadError is raised.",
    "Records leave the MemoryBIO as a bytes object, which is copied once more, as a socket would.",
    "The interpreter keeps its small objects in an allocator of its own and collects cycles at its default thresholds; "
    "its hash seed is fixed. The site module is not loaded.",
    "The library's configuration file is not read; what a scenario does not pin is Python's default for "
    "ssl.SSLContext, or the library's.",
#if DESCENDS_FROM_BORINGSSL
    "CPython 3.13 asks for post-handshake authentication, which the library does not have: the driver defines these "
    "calls as nothing. The list of older suites is the library's own.",
#endif
};

/* "3.13.5 (main, ...)" and "OpenSSL 3.5.5 27 Jan 2026" to "3.13.5 with OpenSSL 3.5.5". */
static void report_version(void) {
#if DESCENDS_FROM_BORINGSSL
  const char *library = awslc_version_string();
#else
  const char *library = OpenSSL_version(OPENSSL_VERSION);
#endif
  const char *space = strchr(library, ' ');
  size_t len = space == NULL ? strlen(library) : (size_t)(space - library) + 1 + strcspn(space + 1, " ");
  const char *interpreter = Py_GetVersion();
  snprintf(claims.version, sizeof claims.version, "%.*s with %.*s", (int)strcspn(interpreter, " "), interpreter, (int)len,
           library);
}

typedef int pin_call(SSL_CTX *ssl, uint16_t point);

static int can(pin_call *pin, uint16_t point) {
  SSL_CTX *ssl = SSL_CTX_new(TLS_method());
  int able = ssl != NULL && pin(ssl, point);
  SSL_CTX_free(ssl);
  ERR_clear_error();
  return able;
}

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *why) {
  size_t at = identity->limits_len++;
  snprintf(reasons[at], sizeof reasons[at], "%s: the library %s", claims.version, why);
  claims.limits[at] = (tlslab_limit){axis, value, reasons[at]};
}

static int pin_version(SSL_CTX *ssl, uint16_t version) {
  return SSL_CTX_set_min_proto_version(ssl, version) && SSL_CTX_set_max_proto_version(ssl, version);
}

static void report_versions(tlslab_identity *identity) {
  static const struct {
    uint16_t point;
    const char *scenario;
  } versions[VERSIONS] = {{TLS1_2_VERSION, "1.2"}, {TLS1_3_VERSION, "1.3"}};
  for (size_t at = 0; at < VERSIONS; at++) {
    if (can(pin_version, versions[at].point)) {
      claims.versions[identity->versions_len++] = versions[at].point;
    } else {
      limit(identity, "version", versions[at].scenario, "refuses the version");
    }
  }
}

static void report_suites(tlslab_identity *identity) {
  for (size_t at = 0; at < SUITES; at++) {
    if (can(pin_suite, suites[at].point)) {
      claims.suites[identity->suites_len++] = suites[at].point;
    } else {
      limit(identity, "suite", suites[at].scenario, "refuses the suite");
    }
  }
}

static void report_groups(tlslab_identity *identity) {
  for (size_t at = 0; at < GROUPS; at++) {
    if (can(pin_group, groups[at].point) || (groups[at].point == FFDHE2048 && can(pin_field, FFDHE2048))) {
      claims.groups[identity->groups_len++] = groups[at].point;
    } else {
      limit(identity, "group", groups[at].scenario, "does not know the group");
    }
  }
}

static void report_signatures(tlslab_identity *identity) {
  static const struct {
    const char *key_type;
    uint16_t scheme;
  } keys[] = {{"ecdsa-p256", 0x0403}, {"ecdsa-p384", 0x0503}, {"ed25519", 0x0807},   {"rsa-2048", 0x0804},
              {"rsa-3072", 0x0804},   {"rsa-4096", 0x0804},   {"ml-dsa-44", 0x0904}, {"ml-dsa-65", 0x0905}};
  for (size_t at = 0; at < sizeof keys / sizeof *keys; at++) {
    if (can(pin_scheme, keys[at].scheme)) {
      claims.signatures[identity->signatures_len++] = keys[at].key_type;
    } else {
      limit(identity, "signature", keys[at].key_type, "refuses the signature scheme");
    }
  }
}

static void report_tickets(tlslab_identity *identity) {
  static const char *const tickets[TICKETS] = {"1", "2", "4", "16"};
  identity->max_tickets = MOST_TICKETS;
  identity->resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12;
  if (MOST_TICKETS > 0) {
    identity->resumptions |= TLSLAB_CAN_TICKET_13;
    limit(identity, "resumption", "1.3/ticket-reused",
          "takes a session of TLS 1.3 up once, and Python has no call for a copy of it");
    return;
  }
  const char *why = "keeps tickets back until the server's first write, and Python's empty write does not reach it";
  limit(identity, "resumption", "1.3/ticket", why);
  limit(identity, "resumption", "1.3/ticket-reused", why);
  for (size_t at = 0; at < TICKETS; at++) limit(identity, "tickets", tickets[at], why);
}

static void report_handshakes(tlslab_identity *identity) {
  identity->hello_retry = 1;
  limit(identity, "resumption", "1.2/external-psk", "is given pre-shared keys by this driver in TLS 1.3 alone");
  limit(identity, "resumption", "1.2/external-psk-only", "is given pre-shared keys by this driver in TLS 1.3 alone");
  if (HAS_PSK_IN_TLS13) {
    identity->resumptions |= TLSLAB_CAN_EXTERNAL_PSK_13;
  } else {
    limit(identity, "resumption", "1.3/external-psk", "has external PSKs in TLS 1.2 alone");
  }
  limit(identity, "resumption", "1.3/external-psk-only",
        "is not configured by Python to use a pre-shared key without a key exchange");
  limit(identity, "early_data", "any", "is not asked by Python for early data");
  limit(identity, "server_key_share", "any", "has no call to be given a server's key share");
}

/* "sha3_256" is what Python calls the library's "sha3-256". */
static int knows(const char *hash) {
  char name[16];
  snprintf(name, sizeof name, "%s", hash);
  char *line = strchr(name, '_');
  if (line != NULL) *line = '-';
  return EVP_get_digestbyname(name) != NULL;
}

/* operation/algorithm, in memory that outlives the call. */
static const char *pair(size_t at, const char *operation, const char *algorithm) {
  snprintf(claims.names[at], sizeof claims.names[at], "%s/%s", operation, algorithm);
  return claims.names[at];
}

static void report_primitives(tlslab_identity *identity) {
  static const char *const of_tls[] = {"hash/sha-256", "hash/sha-384", "hmac/sha-256", "hmac/sha-384"};
  static const char *const keys[KEYS] = {"ecdsa-p256", "ecdsa-p384", "rsa-2048", "rsa-3072", "rsa-4096"};
  static const char *const missing[MISSING] = {"aead-seal", "aead-open",      "sign",          "verify",
                                               "encapsulate", "decapsulate", "key-generation", "key-agreement"};
  size_t count = sizeof of_tls / sizeof *of_tls;
  memcpy(claims.primitives, of_tls, sizeof of_tls);
  for (size_t at = 0; at < HASHES; at++) {
    const char *name = pair(at, "hash-object", hashes[at].scenario);
    if (knows(hashes[at].library)) {
      claims.primitives[count++] = name;
    } else {
      claims.limits[identity->limits_len++] =
          (tlslab_limit){"primitive", name, "the library does not know the hash by its name"};
    }
  }
  for (size_t at = 0; at < KEYS; at++) claims.primitives[count++] = pair(HASHES + at, "connection", keys[at]);
  identity->primitives = claims.primitives;
  identity->primitives_len = count;
  for (size_t at = 0; at < MISSING; at++) {
    claims.limits[identity->limits_len++] =
        (tlslab_limit){"primitive", missing[at], "Python's standard library has no such operation"};
  }
}

void library_identity(tlslab_identity *identity) {
  report_version();
  *identity = (tlslab_identity){
      .driver = "cpython",
      .library = "CPython ssl",
      .library_version = claims.version,
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = claims.signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .mutual = 1,
      .limits = claims.limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
  };
  report_versions(identity);
  report_suites(identity);
  report_groups(identity);
  report_signatures(identity);
  report_tickets(identity);
  report_handshakes(identity);
  report_primitives(identity);
}
