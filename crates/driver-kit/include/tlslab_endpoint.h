/* The endpoint contract for a TLS library with a C interface.
 *
 * Fill in one tlslab_endpoint and hand it to tlslab_driver_main; the kit does the rest: the protocol, the loops,
 * the clock, the buffers and the checks. An endpoint has no I/O in it: bytes in, bytes out. Everything that a
 * scenario pins must be pinned by `context`, or refused with TLSLAB_UNSUPPORTED and a reason.
 *
 * Code points (versions, suites, groups, signature schemes) are IANA's, as they stand on the wire.
 * All calls come from one thread, unless the identity says `threads`. */
#ifndef TLSLAB_ENDPOINT_H
#define TLSLAB_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "tlslab_names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLSLAB_ABI 3

enum tlslab_side { TLSLAB_CLIENT = 0, TLSLAB_SERVER = 1 };

enum tlslab_verification { TLSLAB_VERIFY_NONE = 0, TLSLAB_VERIFY_CHAIN = 1, TLSLAB_VERIFY_CHAIN_AND_NAME = 2 };

/* How both sides remember a session. With anything but none, the context is used for full handshakes, too: for those
 * whose sessions are taken up. */
enum tlslab_resumption {
  TLSLAB_RESUME_NOTHING = 0,
  TLSLAB_RESUME_SESSION_ID = 1, /* TLS 1.2: the server keeps the session; no tickets */
  TLSLAB_RESUME_TICKET = 2, /* TLS 1.2: a session ticket; TLS 1.3: a pre-shared key with a fresh key exchange */
  TLSLAB_RESUME_EXTERNAL_PSK = 3,     /* no session; the material's key with a fresh key exchange */
  TLSLAB_RESUME_EXTERNAL_PSK_ONLY = 4 /* no session; the material's key without a key exchange */
};

/* What a call returns. */
enum tlslab_status {
  TLSLAB_OK = 0,          /* done; of `handshake`: this side's handshake is done */
  TLSLAB_CONTINUES = 1,   /* of `handshake`: this side waits for its peer */
  TLSLAB_FAILED = -1,     /* tlslab_error says why */
  TLSLAB_UNSUPPORTED = -2 /* of `context`: the library cannot do this; tlslab_error says why */
};

/* Room for a reason, a terminated text. The kit sets it to the empty text before each call that may fail. */
typedef struct tlslab_error {
  char text[512];
} tlslab_error;

typedef struct tlslab_bytes {
  const uint8_t *data;
  size_t len;
} tlslab_bytes;

/* A buffer that the kit has allocated. Append by writing at data + len, and add to len; never past capacity. */
typedef struct tlslab_buffer {
  uint8_t *data;
  size_t len;
  size_t capacity;
  /* Where it is there, an endpoint whose library lets go of a flight in parts calls it with this buffer after each part: the
   * peer then works on that part at once. The buffer is empty afterwards. tlslab_flush does so. */
  void (*flush)(struct tlslab_buffer *buffer);
  void *kit; /* the kit's own */
} tlslab_buffer;

static inline void tlslab_flush(tlslab_buffer *buffer) {
  if (buffer->flush != NULL) buffer->flush(buffer);
}

/* What a scenario pins. */
typedef struct tlslab_scenario {
  uint16_t version;
  uint16_t suite;
  uint16_t group;
  uint16_t signature_scheme;
  uint32_t key_bits; /* of the certificates' keys: 256, 2048, ...; of ML-DSA's public keys */
  uint32_t verification; /* of the peer's chain, tlslab_verification: the client's level; of a server that asks for a
                          * certificate TLSLAB_VERIFY_CHAIN */
  uint32_t tickets; /* session tickets that the server sends with or after the handshake; 0 is none at all */
  uint32_t resumption; /* the way in which an earlier session is to be taken up, tlslab_resumption */
  uint32_t mutual;     /* 1: the server asks for the client's chain and verifies it up to the root; else 0 */
  uint32_t retry_group; /* of a client: offered before `group`, with a key share for this one alone; a server does not
                         * take it. 0: `group` is offered alone */
  uint32_t early_data; /* bytes that the client sends with its first flight when it takes up a session; 0: none */
  uint32_t pregenerated; /* 1: `make_key_share` is called for each of the server's connections; else 0 */
  uint32_t certificate_curve; /* in TLS 1.2, the curve of the certificates' keys, which the version has to name among the
                               * groups, where it is another than `group`; else 0 */
} tlslab_scenario;

/* A side's keys and certificates, DER. `server_name`, `psk_identity`, `psk` and `roots_file` live as long as the context, the rest
 * as long as the call. */
typedef struct tlslab_material {
  tlslab_bytes root; /* that the side trusts; empty for a server that asks for no certificate */
  const tlslab_bytes *chain; /* that it shows, leaf first, without the root; of a primitive the server's */
  size_t chain_len;          /* 0: it has none to show */
  tlslab_bytes key;          /* the leaf's private key, PKCS#8 */
  const char *server_name;   /* the name to ask for, and to check where the scenario says so */
  /* For a key that both sides were given; a server then has no chain to show. NULL and empty without it. */
  const char *psk_identity; /* what the client calls it */
  tlslab_bytes psk;         /* as long as the hash of the scenario's suite, which is the key's hash, too */
  const char *roots_file; /* PEM; each context of a client that reads roots reads it in place of `root`; else NULL */
} tlslab_material;

/* What the library reports about a finished connection. The kit presets every field to "unknown". */
typedef struct tlslab_facts {
  uint16_t version;          /* 0: unknown */
  uint16_t suite;            /* 0: unknown */
  uint16_t group;            /* 0: unknown */
  uint16_t signature_scheme; /* of the server's CertificateVerify; 0: unknown */
  int32_t resumed;           /* 0, 1; -1: unknown */
  int32_t tickets_received;  /* -1: unknown */
  uint8_t *peer_certificate; /* the leaf's DER, from malloc, freed by the kit; NULL: unknown, or the peer sent none */
  size_t peer_certificate_len;
  int32_t early_data_accepted; /* 0, 1; -1: unknown */
} tlslab_facts;

/* One cryptographic operation alone. They come in pairs, and one object does both of a pair: the kit measures one and
 * sets it up, or checks it, with the other. What each takes in and appends to the output:
 *   hash, hmac      a message; its digest or code
 *   aead_seal       a message; the message sealed, with its tag
 *   aead_open       a sealed message; the message. TLSLAB_FAILED where it was altered
 *   sign            a message; its signature
 *   verify          a signature of the object's `message`; nothing. TLSLAB_FAILED where it is wrong
 *   key_generation  nothing; one's own share. The key is kept, and the one before it freed
 *   key_agreement   the peer's share; the secret. One's own key may be used up
 *   encapsulate     the peer's share; one's share, then the secret
 *   decapsulate     a share made for one's own; the secret. One's own key may be used up
 *   hash_object     a message; its digest, by a language's own interface: an object by name, a message made, the result
 *   connection      a message; what the server received, see docs/protocol/primitives.md */
enum { TLSLAB_HEADER_MOST = 16 };

/* What a primitive is prepared for. It lives as long as the object. */
typedef struct tlslab_assignment {
  uint32_t operation; /* the one that will be measured */
  uint16_t algorithm; /* hash, hmac, hash_object: tlslab_hash; AEADs: the suite of TLS 1.3; sign, verify, connection: the
                       * scheme; else the group */
  uint16_t key_bits;  /* sign, verify: of the key: 256, 2048, ... */
  size_t bytes;       /* the messages' length */
  tlslab_bytes key;   /* hmac, AEADs */
  uint8_t iv[12];     /* AEADs: what the nonces are made from, as tlslab_nonce does */
  uint8_t header[TLSLAB_HEADER_MOST]; /* AEADs: what is authenticated besides the message */
  size_t header_len;                  /* its length: 5 bytes as in TLS 1.3, or 13 as in TLS 1.2 */
  tlslab_bytes message; /* sign, verify: what is signed */
} tlslab_assignment;

/* The nonce of a message: TLS 1.3's, RFC 8446, section 5.3. */
static inline void tlslab_nonce(const uint8_t iv[12], uint64_t sequence, uint8_t nonce[12]) {
  for (int at = 0; at < 12; at++) nonce[at] = at < 4 ? iv[at] : (uint8_t)(iv[at] ^ (uint8_t)(sequence >> (8 * (11 - at))));
}

/* What `can` is asked about, and what its value is. */
enum tlslab_axis {
  TLSLAB_VERSION = 1,
  TLSLAB_SUITE,
  TLSLAB_GROUP,
  TLSLAB_SIGNATURE,        /* a key */
  TLSLAB_RESUMPTION,       /* a way to take up a session. External PSKs are there in TLS 1.2 where a suite for them is, and
                            * asked about where none is */
  TLSLAB_AUTHENTICATION,   /* "mutual": whether both sides can show certificates */
  TLSLAB_TICKETS,          /* a number of tickets above `max_tickets`: why not */
  TLSLAB_HELLO_RETRY,      /* whether a client can offer a `retry_group` */
  TLSLAB_EARLY_DATA,       /* why there is no early data, or no more than `max_early_data` */
  TLSLAB_SERVER_KEY_SHARE, /* why there is no `make_key_share`, where there is none and the reason is another than that the
                            * library has no call to be given a key share */
  TLSLAB_PRIMITIVE,        /* an operation as such; where that is a yes, it with each algorithm */
  TLSLAB_WORK,             /* "primitive": why nothing can be done by itself, where there is no `primitive` */
  TLSLAB_METRIC            /* "heap", "count" or "resident": why it says nothing about this library */
};

/* Who the library is. The texts must outlive the call; lists of them end with a NULL. */
typedef struct tlslab_identity {
  const char *driver;          /* the driver program's name */
  const char *library;         /* the library's name, */
  const char *library_version; /* and its version, both as the library itself reports them at run time */
  uint32_t max_tickets;
  uint32_t max_early_data; /* bytes that a client can send and a server accept, at most; needs the calls for it */
  uint32_t has_psk_suites; /* 1: `can` is asked about the suites of TLS 1.2 with a pre-shared key, too */
  uint32_t record_plaintext_bytes; /* in a full record, where the library makes shorter ones; 0: 16,384 */
  uint32_t record_padding_bytes;   /* zero bytes that every record has after its plaintext */
  uint32_t record_filled_to_bytes; /* plaintext and type are filled up with zeros to a multiple of this; 0 or 1: not */
  uint32_t renews_no_tickets; /* 1: a TLS 1.3 server sends no new ticket after a resumption, and has no option to */
  uint32_t threads; /* 1: calls may come from several threads at once, as long as each connection stays with one */
  uint32_t flushes; /* 1: the library lets go of a flight in parts, and the endpoint calls tlslab_flush after each */
  uint32_t settles_ms; /* how long the library's runtime does other work after it was idle: warm-ups last at least that long */
  uint32_t reads_roots; /* 1: a client's context can be given the roots that it trusts as a PEM file */
  const char *offers_more[4]; /* axes on which the client offers more than was pinned: suite, group, psk_mode */
  const char *notes[8];       /* what a reader must know wherever this stack stands beside others */
  const char *details[16];    /* what else is worth knowing of it */
} tlslab_identity;

typedef struct tlslab_endpoint {
  uint32_t abi; /* TLSLAB_ABI */

  /* Fills in what is not 0. */
  void (*identity)(tlslab_identity *identity);

  /* Whether the library can be held to a value of an axis, tlslab_axis: the kit asks of every value there is. Yes is 1, also for
   * what the driver does not know. With a no goes the reason, in words that stand after "unsupported: "; without one there is
   * no more to say. `identity` was called before. */
  int (*can)(int axis, const tlslab_value *value, tlslab_error *why);

  /* What a call that makes something sets is freed by the call that ends it, also where making it fails. */

  /* Once per scenario and side. `context_free` ends it. */
  int (*context)(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                 tlslab_error *error);
  void (*context_free)(void *context);

  /* Once per connection: phase create, and phase free. */
  int (*create)(void *context, void **connection, tlslab_error *error);
  void (*connection_free)(void *connection);

  /* Takes all of what the peer sent (nothing, on the client's first call) and appends what is to be sent. What is
   * appended in the call that returns TLSLAB_OK, such as Finished or tickets, is delivered. */
  int (*handshake)(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);

  /* Encrypts all of `plaintext` as one write and appends the records. */
  int (*send)(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);

  /* Takes whole records and appends the plaintext in them, none for a session ticket. */
  int (*receive)(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);

  void (*facts)(void *connection, tlslab_facts *facts);

  /* The rest is for a library that can take up sessions; else leave it out. */

  /* What a client keeps of a connection that is done, after the server's tickets have come: a new one of every
   * connection where the server gave one. NULL where there is nothing to take up, or where the library wants a fresh
   * start: then a full handshake gives the next one. Not on any clock. */
  int (*session)(void *connection, void **session, tlslab_error *error);
  /* Ends a session that was not taken up. */
  void (*session_free)(void *session);
  /* Makes the client's side of a connection that takes up a session: phase create. The session is the endpoint's from
   * here on, whatever the call returns. */
  int (*resume)(void *context, void *session, void **connection, tlslab_error *error);
  /* Another of the same session, so that one ticket can be taken up again and again. Not on any clock. */
  int (*session_copy)(void *session, void **copy, tlslab_error *error);

  /* Makes the key share that a server's connection is going to send, each for one connection: after `create` and before
   * the first `handshake`. Not on any clock. */
  int (*make_key_share)(void *connection, tlslab_error *error);

  /* The first handshake call of a client that sends early data: appends its first flight with all of `plaintext`. The
   * plaintext lives until the handshake is done. */
  int (*send_early)(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
  /* A server's `handshake` where early data is expected: the same, and it appends what has come of it to `plaintext`. */
  int (*handshake_early)(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                         tlslab_error *error);

  /* The rest is for a library whose cryptography can be called by itself; else leave it out. */

  /* Looks algorithms up, loads keys and allocates contexts: everything that lasts longer than a call. */
  int (*primitive)(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                   tlslab_error *error);
  /* Does one operation, the assignment's or its counterpart. An AEAD may overwrite the input. */
  int (*primitive_run)(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                       tlslab_error *error);
  void (*primitive_free)(void *object);
  /* Optional. Appends what the last primitive_run left elsewhere, in `input` or in the object, instead of copying it to
   * the output: for a library that hands out memory of its own. Not on any clock. */
  void (*primitive_collect)(void *object, tlslab_bytes input, tlslab_buffer *output);
  /* Of a connection: writes what both sides agree on in one more of its kind. Not on any clock. */
  void (*primitive_negotiated)(void *object, char *text, size_t room);
} tlslab_endpoint;

/* Runs the driver: `int main(void) { return tlslab_driver_main(&endpoint); }`. */
int tlslab_driver_main(const tlslab_endpoint *endpoint);

#ifdef __cplusplus
}
#endif

#endif
