#include "identity.h"

#include <stdio.h>
#include <string.h>

#include "jvm.h"
#include "primitive.h"
#include "warmup.h"

/* A macro's number as text. */
#define TEXT_OF(what) #what
#define NUMBER(what) TEXT_OF(what)

enum { VERSIONS = 2, SUITES = 12, GROUPS = 6, NO_SIGNATURES = 2, TEXT = 256 };

struct choice {
  uint16_t point;
  const char *value;
};

static const struct choice versions[VERSIONS] = {{0x0303, "1.2"}, {0x0304, "1.3"}};
static const struct choice suites[SUITES] = {
    {0x1301, "aes-128-gcm"},
    {0x1302, "aes-256-gcm"},
    {0x1303, "chacha20-poly1305"},
    {0xc02b, "ecdhe-ecdsa-aes-128-gcm"},
    {0xc02c, "ecdhe-ecdsa-aes-256-gcm"},
    {0xcca9, "ecdhe-ecdsa-chacha20-poly1305"},
    {0xc02f, "ecdhe-rsa-aes-128-gcm"},
    {0xc030, "ecdhe-rsa-aes-256-gcm"},
    {0xcca8, "ecdhe-rsa-chacha20-poly1305"},
    {0x009e, "dhe-rsa-aes-128-gcm"},
    {0x009f, "dhe-rsa-aes-256-gcm"},
    {0xccaa, "dhe-rsa-chacha20-poly1305"}};
static const struct choice groups[GROUPS] = {{0x0017, "p-256"},
                                             {0x0018, "p-384"},
                                             {0x001d, "x25519"},
                                             {0x11ec, "x25519mlkem768"},
                                             {0x11eb, "p-256mlkem768"},
                                             {0x0100, "ffdhe2048"}};

static const char *const more_tickets[] = {"2", "4", "16"};
static const char tickets_reason[] =
    "Java's server sends one ticket or none; another number is a setting of the whole process, where there is one";

enum { HANDSHAKES = 8 };
static const tlslab_limit handshakes[HANDSHAKES] = {
    {"resumption", "1.3/ticket-reused", "Java's client uses a ticket of TLS 1.3 once and forgets it"},
    {"resumption", "1.2/external-psk", "Java has no external PSKs"},
    {"resumption", "1.2/external-psk-only", "Java has no external PSKs"},
    {"resumption", "1.3/external-psk", "Java has no external PSKs"},
    {"resumption", "1.3/external-psk-only", "Java has no external PSKs"},
    {"hello_retry", "any",
     "Java's client makes a key share for its first group of each kind, the curves of NIST and the others, and so for "
     "both of the groups"},
    {"early_data", "any", "Java has no early data"},
    {"server_key_share", "any", "Java makes a server's key share in the handshake, and has no way to be given one"},
};

/* Where its TLS has such a group at all. */
enum { NO_HYBRIDS = 6 };
static const char *const no_hybrids[NO_HYBRIDS] = {
    "key-generation/x25519mlkem768", "encapsulate/x25519mlkem768", "decapsulate/x25519mlkem768",
    "key-generation/p-256mlkem768",  "encapsulate/p-256mlkem768",  "decapsulate/p-256mlkem768"};

/* What an identity points to. */
static struct {
  char library[TEXT], version[TEXT], reason[2 * TEXT];
  uint16_t versions[VERSIONS], suites[SUITES], groups[GROUPS];
  tlslab_limit limits[VERSIONS + SUITES + GROUPS + NO_SIGNATURES + 6 + HANDSHAKES + NO_HYBRIDS];
} claims;

static const char *const signatures[] = {"ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"};
static const char *const no_signatures[NO_SIGNATURES] = {"ml-dsa-44", "ml-dsa-65"};

static const char *notes[] = {
    "Every record is padded with 16 bytes of zeros, which cannot be turned off: a record carries at most 16,367 bytes, "
    "and a write of 16,384 makes two.",
    "Java compiles while it runs. Each process first makes about a thousand connections of its own, in at most "
    NUMBER(WARM_UP_S) " seconds; after that it still becomes quicker, by about a quarter over several thousand.",
    "Memory is freed by a collector that stops the process when the young generation is full, in whatever phase that "
    "falls; the phase that frees a connection only lets go of it.",
    NULL,
};
static const char certificates_emptied[] =
    "Java keeps certificates that it has seen, with the fact that their signatures were right; this cache is emptied "
    "before each connection, so that a client parses and verifies the chain every time, as other libraries do.";
static const char certificates_kept[] =
    "Java keeps certificates that it has seen, with the fact that their signatures were right: a client neither parses "
    "nor verifies a chain that it has seen before.";

static const char *const details[] = {
    "The machine runs in the driver's process and on the driver's one CPU, with its compiler and its collector; the "
    "recipe has its options.",
    "A call from C into Java cost 63 ns on an AMD EPYC, measured with a method that does nothing. A handshake takes two "
    "on each side, and one to make the connection; a write takes one, and so does a read.",
    "Records are made and opened in an array of Java's and copied from or to the kit's memory; direct buffers were "
    "slower for AES-GCM.",
    "By itself, an operation is a call of Java's cryptography architecture. On its clock are also the call into Java, a "
    "copy of the input into an array, and the objects that its TLS makes for one use. Half a second of it goes by before.",
    "Sessions lie in the library's own caches, a client's under its peer's name and port: connections that take one up "
    "have the port of the one before, and all others one that nobody had.",
    "Delegated tasks run at once, in the thread that calls.",
    "Emptying the cache of certificates is a part of making a client, and costs about 10 µs.",
    "Whether a server sends a ticket is decided by the lifetime of its sessions: it sends none where that exceeds "
    "seven days.",
    "Before Java 20 one group and one signature scheme are had by algorithm constraints; after, by setters.",
};

static void property(const char *name, char *text) {
  JNIEnv *env = java()->env;
  jstring key = (*env)->NewStringUTF(env, name);
  java_text((*env)->CallStaticObjectMethod(env, java()->report, java()->property, key), text, TEXT);
  (*env)->DeleteLocalRef(env, key);
}

/* Claims what the library has, and limits the rest of the axis. */
static size_t claim(tlslab_identity *identity, const char *axis, const struct choice *choices, size_t len,
                   uint16_t *has) {
  JNIEnv *env = java()->env;
  size_t claimed = 0;
  for (size_t at = 0; at < len; at++) {
    jboolean had = (*env)->CallStaticBooleanMethod(env, java()->pin, java()->has, (jint)choices[at].point);
    (*env)->ExceptionClear(env);
    if (had) {
      has[claimed++] = choices[at].point;
    } else {
      claims.limits[identity->limits_len++] = (tlslab_limit){axis, choices[at].value, claims.reason};
    }
  }
  return claimed;
}

/* The group's own reason is there where its TLS does not have it. */
static void report_hybrid(tlslab_identity *identity, const char *pair) {
  for (size_t at = 0; at < identity->groups_len; at++) {
    for (size_t named = 0; named < GROUPS; named++) {
      if (groups[named].point != claims.groups[at] || strcmp(strchr(pair, '/') + 1, groups[named].value) != 0) continue;
      claims.limits[identity->limits_len++] =
          (tlslab_limit){"primitive", pair, "Java hands out the halves of a hybrid group alone"};
    }
  }
}

void library_identity(tlslab_identity *identity) {
  warm_up();
  property("tlslab.keepCertificates", claims.version);
  const char *last = strcmp(claims.version, "true") == 0 ? certificates_kept : certificates_emptied;
  notes[sizeof notes / sizeof *notes - 1] = last;
  property("java.runtime.version", claims.version);
  property("java.runtime.name", claims.library);
  snprintf(claims.reason, sizeof claims.reason, "%.200s %.200s does not have it", claims.library, claims.version);
  *identity = (tlslab_identity){
      .driver = "java",
      .library = claims.library,
      .library_version = claims.version,
      .versions = claims.versions,
      .suites = claims.suites,
      .groups = claims.groups,
      .signatures = signatures,
      .signatures_len = sizeof signatures / sizeof *signatures,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = 1,
      .resumptions = TLSLAB_CAN_SESSION_ID_12 | TLSLAB_CAN_TICKET_12 | TLSLAB_CAN_TICKET_13,
      .mutual = 1,
      .operations = OPERATIONS,
      .limits = claims.limits,
      .notes = notes,
      .notes_len = sizeof notes / sizeof *notes,
      .details = details,
      .details_len = sizeof details / sizeof *details,
      .record_plaintext_bytes = 16367,
      .record_padding_bytes = 16,
  };
  identity->versions_len = claim(identity, "version", versions, VERSIONS, claims.versions);
  identity->suites_len = claim(identity, "suite", suites, SUITES, claims.suites);
  identity->groups_len = claim(identity, "group", groups, GROUPS, claims.groups);
  for (size_t at = 0; at < NO_SIGNATURES; at++) {
    claims.limits[identity->limits_len++] =
        (tlslab_limit){"signature", no_signatures[at], "Java's TLS has no signature scheme of ML-DSA"};
  }
  for (size_t at = 0; at < sizeof more_tickets / sizeof *more_tickets; at++) {
    claims.limits[identity->limits_len++] = (tlslab_limit){"tickets", more_tickets[at], tickets_reason};
  }
  for (size_t at = 0; at < NO_HYBRIDS; at++) report_hybrid(identity, no_hybrids[at]);
  for (size_t at = 0; at < HANDSHAKES; at++) claims.limits[identity->limits_len++] = handshakes[at];
  claims.limits[identity->limits_len++] = (tlslab_limit){
      "metric", "heap", "objects of the JVM live on its own heap, which its collector frees, and no count of malloc sees"};
  claims.limits[identity->limits_len++] = (tlslab_limit){
      "metric", "count",
      "the JVM compiles code while it runs and collects garbage in threads of its own, so no two counts agree"};
  claims.limits[identity->limits_len++] = (tlslab_limit){
      "metric", "resident",
      "the JVM takes memory for its heap before connections need it, so its resident set does not grow by theirs"};
}
