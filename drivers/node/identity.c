/* The library's identity and capabilities. Suites, groups and schemes are tried on contexts that are thrown away. */
#include "bridge.h"

/* "24.21.0 with OpenSSL 3.5.5" */
static tlslab_error version;

void library_identity(tlslab_identity *identity) {
  call = (struct call){.error = &version};
  bridge_call(OP_VERSION, NULL);
  *identity = (tlslab_identity){
      .driver = "node",
      .library = "Node.js tls",
      .library_version = version.text,
      .max_tickets = MOST_TICKETS,
      .leaves_defaults = 1,
      .renews_no_tickets = 1,
      .notes = {
            "Measured as a program in JavaScript meets it, over a Duplex. Each flight and each write waits for one turn of the "
              "event loop, about 1 µs: less than 1 % of a handshake, a tenth to a fifth of a 16 KiB send, nothing of a receive.",
            "At every verification level a client turns the chain into JavaScript objects before it is connected "
              "(getPeerCertificate): about half of its handshake with ECDSA keys.",
            "A server that takes up a ticket of TLS 1.3 sends no new one, which others do: the callback that Node gives the library "
              "answers that the ticket is still good.",
            "V8 compiles and collects garbage while it runs, in threads of its own, and is slower in the first thousand "
              "handshakes.",
      },
      .details = {
            "A call from the kit to JavaScript takes about half a microsecond.",
            "Node wraps a Duplex once more to have a native stream (JSStreamSocket), which it does not do for a socket of the "
              "operating system.",
            "tls.connect makes the first message of a client at once, so that it lies in the phase create. The phase free ends "
              "when the native parts are freed, a turn of the event loop after the event close.",
            "A server is a TLSSocket without a tls.Server.",
            "Version, suite, group and signature scheme are set by tls.createSecureContext. It has no option for the number of "
              "tickets, which is set on the OpenSSL context inside.",
            "Where sessions have ids, the server's socket belongs to a tls.Server that never listens, whose events newSession and "
              "resumeSession keep them in a Map; a client hands its session to tls.connect as bytes, which are parsed on the clock.",
            "As a primitive, an operation is one of Node's built-in OpenSSL, called as its TLS calls it, and not of node:crypto: no "
              "JavaScript runs.",
            "At verification level `none` a callback in C takes the place of building a chain, which the library would "
              "otherwise do and then ignore.",
      },
  };
}

/* Asks JavaScript; see ask.js. */
static int ask(const char *what, const char *name) {
  call = (struct call){.question = {what, name}};
  return bridge_call(OP_ASK, NULL);
}

static int accepts(const char *option, const char *name, const char *axis, tlslab_error *why) {
  return ask(option, name) || tlslab_no(why, "Node.js %.100s refuses the %s", version.text, axis);
}

/* Which operations Node's own OpenSSL has, with algorithms of its TLS. */
static int can_do(const tlslab_value *value, tlslab_error *why) {
  if (primitive_known(value)) return 1;
  if (value->point == 0 || !value->is_claimed) return 0;
  return tlslab_no(why, "the OpenSSL of Node.js %.100s does not support this primitive", version.text);
}

static int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_EXTERNAL_PSK_12:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12: return tlslab_no(why, "this driver gives Node pre-shared keys in TLS 1.3 alone");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return tlslab_no(why, "Node has no option to use a pre-shared key without a key exchange");
    default: return 1;
  }
}

static int can_measure(const char *metric, tlslab_error *why) {
  if (strcmp(metric, "heap") == 0) {
    return tlslab_no(why, "half of a connection are objects of V8, on a heap of its own, which no count of malloc sees");
  }
  if (strcmp(metric, "kernel") == 0) {
    return tlslab_no(why, "V8 works in threads of its own and collects garbage when it likes, so no two connections ask the same");
  }
  if (strcmp(metric, "count") != 0) return 1;
  return tlslab_no(why, "V8 compiles code while it runs and collects garbage in threads of its own, so no two counts agree");
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_SUITE: return accepts("ciphers", value->dashed, "suite", why);
    case TLSLAB_GROUP: return accepts("ecdhCurve", group_name(value->point), "group", why);
    case TLSLAB_SIGNATURE: return accepts("sigalgs", value->iana, "signature", why);
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_EARLY_DATA: return tlslab_no(why, "Node has no early data");
    case TLSLAB_SERVER_KEY_SHARE: return tlslab_no(why, "Node has no way to be given a server's key share");
    case TLSLAB_PRIMITIVE: return can_do(value, why);
    case TLSLAB_METRIC: return can_measure(value->name, why);
    default: return 1;
  }
}
