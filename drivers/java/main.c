/* A driver for Java's own TLS: the contract's calls go to Java's SSLEngine in this process. Here: who the library is
 * and what it can do. */
#include "driver.h"

/* A macro's number as text. */
#define TEXT_OF(what) #what
#define NUMBER(what) TEXT_OF(what)

enum { TEXT = 256 };

static char library[TEXT], version[TEXT];

static const char certificates_emptied[] =
    "Java keeps certificates that it has seen, with the fact that their signatures were right; this cache is emptied "
    "before each connection, so that a client parses and verifies the chain every time, as other libraries do.";
static const char certificates_kept[] =
    "Java keeps certificates that it has seen, with the fact that their signatures were right: a client neither parses "
    "nor verifies a chain that it has seen before.";

static void property(const char *name, char *text) {
  JNIEnv *env = java()->env;
  jstring key = (*env)->NewStringUTF(env, name);
  java_text((*env)->CallStaticObjectMethod(env, java()->report, java()->property, key), text, TEXT);
  (*env)->DeleteLocalRef(env, key);
}

void library_identity(tlslab_identity *identity) {
  warm_up();
  property("tlslab.keepCertificates", version);
  const char *last = strcmp(version, "true") == 0 ? certificates_kept : certificates_emptied;
  property("java.runtime.version", version);
  property("java.runtime.name", library);
  *identity = (tlslab_identity){
      .driver = "java",
      .library = library,
      .library_version = version,
      .max_tickets = 1,
      .leaves_defaults = 1,
      .record_plaintext_bytes = 16367,
      .record_padding_bytes = 16,
      .notes = {
          "Every record is padded with 16 bytes of zeros, which cannot be turned off: a record carries at most 16,367 bytes, "
          "and a write of 16,384 makes two.",
          "Java compiles while it runs. Each process first makes about a thousand connections of its own, in at most "
          NUMBER(WARM_UP_S) " seconds; after that it still becomes quicker, by about a quarter over several thousand.",
          "Memory is freed by a collector that stops the process when the young generation is full, in whatever phase that "
          "falls; the phase that frees a connection only lets go of it.",
            last,
      },
      .details = {
          "The machine runs in the driver's process and on the driver's one CPU, with its compiler and its collector; the "
          "recipe has its options.",
          "A call from C into Java cost 63 ns on an AMD EPYC, measured with a method that does nothing. A handshake takes two "
          "on each side, and one to make the connection; a write takes one, and so does a read.",
          "Records are made and opened in an array of Java's and copied from or to the kit's memory; direct buffers were "
          "slower for AES-GCM.",
          "As a primitive, an operation is a call of Java's cryptography architecture. Also timed are the call into Java, a "
          "copy of the input into an array, and the objects that its TLS makes for one use. Half a second of it goes by before.",
          "Sessions lie in the library's own caches, a client's under its peer's name and port: connections that take one up "
          "have the port of the one before, and all others one that nobody had.",
          "Delegated tasks run at once, in the thread that calls.",
          "Emptying the cache of certificates is a part of making a client, and costs about 10 µs.",
          "Whether a server sends a ticket is decided by the lifetime of its sessions: it sends none where that exceeds "
          "seven days.",
          "Before Java 20 one group and one signature scheme are had by algorithm constraints; after, by setters.",
      },
  };
}

static int has(const tlslab_value *value, tlslab_error *why) {
  JNIEnv *env = java()->env;
  jstring name = (*env)->NewStringUTF(env, value->iana);
  jboolean had = (*env)->CallStaticBooleanMethod(env, java()->pin, java()->has, name);
  (*env)->ExceptionClear(env);
  (*env)->DeleteLocalRef(env, name);
  return had || tlslab_no(why, "%.200s %.200s does not have it", library, version);
}

static int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_SESSION_ID_12:
    case TLSLAB_CAN_TICKET_12:
    case TLSLAB_CAN_TICKET_13: return 1;
    case TLSLAB_CAN_TICKET_REUSED_13:
      return tlslab_no(why, "Java's client uses a ticket of TLS 1.3 once and forgets it");
    default: return tlslab_no(why, "Java has no external PSKs");
  }
}

/* A hybrid's own reason is there where its TLS does not have it. */
static int can_do(const tlslab_value *value, tlslab_error *why) {
  if (value->point == 0) return value->operation <= TLSLAB_DECAPSULATE;
  if (!value->is_claimed) return 0;
  if (value->point == TLSLAB_FFDHE2048) return tlslab_no(why, "Java has no names for finite fields outside its TLS");
  if (strstr(value->name, "mlkem768") == NULL) return value->operation <= TLSLAB_KEY_AGREEMENT;
  return tlslab_no(why, "Java hands out the halves of a hybrid group alone");
}

static int can_measure(const char *metric, tlslab_error *why) {
  if (strcmp(metric, "heap") == 0) {
    return tlslab_no(why, "objects of the JVM live on its own heap, which its collector frees, and no count of malloc sees");
  }
  if (strcmp(metric, "count") == 0) {
    return tlslab_no(why, "the JVM compiles code while it runs and collects garbage in threads of its own, so no two counts "
                          "agree");
  }
  if (strcmp(metric, "kernel") == 0) {
    return tlslab_no(why, "the JVM handles signals itself, and its collector and compiler work in threads of their own");
  }
  return tlslab_no(why, "the JVM takes memory for its heap before connections need it, so its resident set does not grow by "
                        "theirs");
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION:
    case TLSLAB_SUITE:
    case TLSLAB_GROUP: return has(value, why);
    case TLSLAB_SIGNATURE:
      if (strncmp(value->name, "ml-dsa", 6) != 0) return 1;
      return tlslab_no(why, "Java's TLS has no signature scheme of ML-DSA");
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_TICKETS:
      return tlslab_no(why, "Java's server sends one ticket or none; another number is a setting of the whole process, where "
                            "there is one");
    case TLSLAB_HELLO_RETRY:
      return tlslab_no(why, "Java's client makes a key share for its first group of each kind, the curves of NIST and the "
                            "others, and so for both of the groups");
    case TLSLAB_EARLY_DATA: return tlslab_no(why, "Java has no early data");
    case TLSLAB_SERVER_KEY_SHARE:
      return tlslab_no(why, "Java makes a server's key share in the handshake, and has no way to be given one");
    case TLSLAB_PRIMITIVE: return can_do(value, why);
    case TLSLAB_METRIC: return can_measure(value->name, why);
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {TLSLAB_CONNECTIONS, TLSLAB_SESSIONS, TLSLAB_PRIMITIVES, TLSLAB_COLLECTED};

int main(void) {
  int status = tlslab_driver_main(&endpoint);
  java_end();
  return status;
}
