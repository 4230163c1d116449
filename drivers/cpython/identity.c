/* The identity and capabilities of the interpreter and its library. */
#include "driver.h"

static char version[96];

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
  snprintf(version, sizeof version, "%.*s with %.*s", (int)strcspn(interpreter, " "), interpreter, (int)len,
           library);
}

void library_identity(tlslab_identity *identity) {
  report_version();
  *identity = (tlslab_identity){
      .driver = "cpython",
      .library = "CPython ssl",
      .library_version = version,
      .max_tickets = PYTHON_TICKETS,
      .leaves_defaults = 1,
      .notes = {
          "Measured as a program in Python meets it: each call goes through the interpreter, ssl.SSLObject and "
          "ssl.MemoryBIO.",
      },
      .details = {
          "The Python code on the clock is drivers/cpython/endpoint.py; the kit calls it through the interpreter's C "
          "interface.",
          "Certificates, verification, versions, tickets and sessions are set by Python's interface. Suite, group, signature "
          "scheme and whether a server caches sessions are set on the library's context inside the ssl.SSLContext, as Python "
          "3.13 has no interface for them, or none for all of them.",
          "As a primitive, a hash is hashlib's and a code is one call of hmac.digest; both are the library's (_hashlib). On the clock "
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
      },
  };
}

static int no(tlslab_error *why, const char *what) { return tlslab_no(why, "%s: the library %s", version, what); }

static int no_tickets(tlslab_error *why) {
  return no(why, "keeps tickets back until the server's first write, and Python's empty write does not reach it");
}

static int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_TICKET_13: return PYTHON_TICKETS > 0 || no_tickets(why);
    case TLSLAB_CAN_TICKET_REUSED_13:
      if (PYTHON_TICKETS == 0) return no_tickets(why);
      return no(why, "takes a session of TLS 1.3 up once, and Python has no call for a copy of it");
    case TLSLAB_CAN_EXTERNAL_PSK_12:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12:
      return no(why, "is given pre-shared keys by this driver in TLS 1.3 alone");
    case TLSLAB_CAN_EXTERNAL_PSK_13: return HAS_PSK_SESSIONS || no(why, "has external PSKs in TLS 1.2 alone");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return no(why, "is not configured by Python to use a pre-shared key without a key exchange");
    default: return 1;
  }
}

const char *hash_name(uint16_t hash) {
  static const tlslab_own_name names[] = {{TLSLAB_MD5, "md5"},           {TLSLAB_SHA1, "sha1"},
                                          {TLSLAB_SHA256, "sha256"},     {TLSLAB_SHA384, "sha384"},
                                          {TLSLAB_SHA512, "sha512"},     {TLSLAB_SHA3_256, "sha3_256"},
                                          {TLSLAB_SHA3_384, "sha3_384"}, {TLSLAB_SHA3_512, "sha3_512"},
                                          {0, NULL}};
  return tlslab_name(names, tlslab_hashes, hash);
}

/* "sha3_256" is what Python calls the library's "sha3-256", which scenarios call so, too. */
static int knows(const tlslab_value *hash) {
  int is_sha3 = hash->point >= TLSLAB_SHA3_256;
  return EVP_get_digestbyname(is_sha3 ? strchr(hash->name, '/') + 1 : hash_name(hash->point)) != NULL;
}

static int can_do(const tlslab_value *value, tlslab_error *why) {
  switch (value->operation) {
    case TLSLAB_HASH:
    case TLSLAB_HMAC: return 1;
    case TLSLAB_HASH_OBJECT:
      return value->point == 0 || knows(value) || tlslab_no(why, "the library does not know the hash by its name");
    case TLSLAB_CONNECTION:
      return value->point == 0 || value->point == TLSLAB_ECDSA_SECP256R1_SHA256 ||
             value->point == TLSLAB_ECDSA_SECP384R1_SHA384 || value->point == TLSLAB_RSA_PSS_RSAE_SHA256;
    default: return tlslab_no(why, "Python's standard library has no such operation");
  }
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return can_pin(pin_version, value->point) || no(why, "refuses the version");
    case TLSLAB_SUITE: return can_pin(pin_suite, value->point) || no(why, "refuses the suite");
    case TLSLAB_GROUP:
      return can_pin(pin_group, value->point) || can_pin(pin_field, value->point) || no(why, "does not know the group");
    case TLSLAB_SIGNATURE: return can_pin(pin_scheme, value->point) || no(why, "refuses the signature scheme");
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_TICKETS: return no_tickets(why);
    case TLSLAB_EARLY_DATA: return no(why, "is not asked by Python for early data");
    case TLSLAB_SERVER_KEY_SHARE: return no(why, "has no call to be given a server's key share");
    case TLSLAB_PRIMITIVE: return can_do(value, why);
    default: return 1;
  }
}
