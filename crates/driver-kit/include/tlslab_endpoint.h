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

#ifdef __cplusplus
extern "C" {
#endif

#define TLSLAB_ABI 1

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
  uint32_t verification;
  uint32_t tickets; /* session tickets that the server sends with or after the handshake; 0 is none at all */
  uint32_t resumption; /* the way in which an earlier session is to be taken up, tlslab_resumption */
  uint32_t mutual;     /* 1: the server asks for the client's chain and verifies it up to the root; else 0 */
  uint32_t retry_group; /* of a client: offered before `group`, with a key share for this one alone; a server does not
                         * take it. 0: `group` is offered alone */
  uint32_t early_data; /* bytes that the client sends with its first flight when it takes up a session; 0: none */
  uint32_t pregenerated; /* 1: `make_key_share` is called for each of the server's connections; else 0 */
} tlslab_scenario;

/* Keys and certificates, DER. */
typedef struct tlslab_material {
  tlslab_bytes root;         /* the root that the client trusts */
  const tlslab_bytes *chain; /* the server's chain, leaf first, without the root */
  size_t chain_len;
  tlslab_bytes key;        /* the leaf's private key, PKCS#8 */
  const char *server_name; /* the name to ask for, and to check where the scenario says so */
  /* The rest is for mutual authentication, and empty without it. */
  tlslab_bytes client_root;         /* the root that the server trusts */
  const tlslab_bytes *client_chain; /* the client's chain, leaf first, without the root */
  size_t client_chain_len;          /* 0: the client has no certificate to show */
  tlslab_bytes client_key;          /* its leaf's private key, PKCS#8 */
  /* For a key that both sides were given; then the server's chain and its key are empty. NULL and empty without it. */
  const char *psk_identity; /* what the client calls it */
  tlslab_bytes psk;         /* as long as the hash of the scenario's suite, which is the key's hash, too */
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

/* One cryptographic operation by itself. They come in pairs, and one object does both of a pair: the kit measures one and
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
enum tlslab_operation {
  TLSLAB_HASH = 1,
  TLSLAB_HMAC = 2,
  TLSLAB_AEAD_SEAL = 3,
  TLSLAB_AEAD_OPEN = 4,
  TLSLAB_SIGN = 5,
  TLSLAB_VERIFY = 6,
  TLSLAB_KEY_GENERATION = 7,
  TLSLAB_KEY_AGREEMENT = 8,
  TLSLAB_ENCAPSULATE = 9,
  TLSLAB_DECAPSULATE = 10,
  TLSLAB_HASH_OBJECT = 11,
  TLSLAB_CONNECTION = 12
};

enum tlslab_hash {
  TLSLAB_MD5 = 1,
  TLSLAB_SHA1 = 2,
  TLSLAB_SHA256 = 4,
  TLSLAB_SHA384 = 5,
  TLSLAB_SHA512 = 6,
  TLSLAB_SHA3_256 = 0x0101,
  TLSLAB_SHA3_384 = 0x0102,
  TLSLAB_SHA3_512 = 0x0103
};

enum { TLSLAB_HEADER_MOST = 16 };

/* What a primitive is prepared for. All of it lives only as long as the call. */
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

/* Why one value of one axis is not to be had. */
typedef struct tlslab_limit {
  const char *axis;  /* version, signature, group, suite, verification, resumption, authentication, chain, tickets, work,
                      * hello_retry, early_data, server_key_share, threads, primitive */
  const char *value; /* as scenario files write it: 1.3, rsa-2048, x25519, aes-128-gcm, chain+name, mutual, ...; for a suite
                      * of TLS 1.2 such as ecdhe-rsa-aes-128-gcm; for a resumption 1.2/session-id, 1.2/ticket,
                      * 1.3/ticket, 1.3/ticket-reused, and external-psk or external-psk-only of either; for hello_retry,
                      * early_data and server_key_share true, a number of bytes, pregenerated; for a primitive
                      * operation/algorithm, such as sign/rsa-2048. "any": every value that has no reason of its own */
  const char *reason;
} tlslab_limit;

/* Ways to take up a session. */
enum tlslab_can_resume {
  TLSLAB_CAN_SESSION_ID_12 = 1,
  TLSLAB_CAN_TICKET_12 = 2,
  TLSLAB_CAN_TICKET_13 = 4,
  TLSLAB_CAN_TICKET_REUSED_13 = 8, /* needs `session_copy` */
  TLSLAB_CAN_EXTERNAL_PSK_13 = 16,
  TLSLAB_CAN_EXTERNAL_PSK_ONLY_13 = 32,
  TLSLAB_CAN_EXTERNAL_PSK_12 = 64,
  TLSLAB_CAN_EXTERNAL_PSK_ONLY_12 = 128
};

/* The ways of external PSKs that suites of TLS 1.2 have (RFC 5487, RFC 7905, RFC 8442): a bit set, TLSLAB_CAN_... */
static inline uint32_t tlslab_psk_ways(const uint16_t *suites, size_t len) {
  uint32_t ways = 0;
  for (size_t at = 0; at < len; at++) {
    switch (suites[at]) {
      case 0x00a8: case 0x00a9: case 0xccab: ways |= TLSLAB_CAN_EXTERNAL_PSK_ONLY_12; break;
      case 0x00aa: case 0x00ab: case 0xccad: /* in a finite field */
      case 0xd001: case 0xd002: case 0xccac: ways |= TLSLAB_CAN_EXTERNAL_PSK_12; break;
      default: break;
    }
  }
  return ways;
}

/* Who the library is and what it can do. Everything must outlive the call. */
typedef struct tlslab_identity {
  const char *driver;          /* the driver program's name */
  const char *library;         /* the library's name, */
  const char *library_version; /* and its version, both as the library itself reports them at run time */
  const uint16_t *versions;
  size_t versions_len;
  const uint16_t *suites;
  size_t suites_len;
  const uint16_t *groups;
  size_t groups_len;
  const char *const *signatures; /* key types as scenario files write them: ecdsa-p256, rsa-2048, ed25519, ... */
  size_t signatures_len;
  uint32_t verification_levels; /* bit set: 1 << TLSLAB_VERIFY_... */
  uint32_t max_tickets;
  const tlslab_limit *limits;
  size_t limits_len;
  const char *const *notes; /* what a reader must know wherever this stack stands beside others */
  size_t notes_len;
  const char *const *details; /* what else is worth knowing of it */
  size_t details_len;
  const char *const *offers_more; /* axes on which the client offers more than was pinned: suite, group, psk_mode */
  size_t offers_more_len;
  uint32_t record_plaintext_bytes; /* in a full record, where the library makes shorter ones; 0: 16,384 */
  uint32_t record_padding_bytes;   /* zero bytes that every record has after its plaintext */
  uint32_t record_filled_to_bytes; /* plaintext and type are filled up with zeros to a multiple of this; 0 or 1: not */
  uint32_t resumptions; /* bit set: TLSLAB_CAN_... */
  uint32_t mutual;      /* 1: both sides can show certificates */
  uint32_t renews_no_tickets; /* 1: a TLS 1.3 server sends no new ticket after a resumption, and has no option to */
  uint32_t hello_retry;    /* 1: a client can offer a `retry_group` */
  uint32_t max_early_data; /* bytes that a client can send and a server accept, at most; needs the calls for it */
  uint32_t pregenerated;   /* 1: there is a `make_key_share` */
  uint32_t threads; /* 1: calls may come from several threads at once, as long as each connection stays with one */
  uint32_t flushes; /* 1: the library lets go of a flight in parts, and the endpoint calls tlslab_flush after each */
  /* What can be done by itself: a bit set, 1 << TLSLAB_HASH and so on. Each operation is claimed with both hashes, or with
   * all of the above that it works with: suites of TLS 1.3, signatures, groups. What does not fit that is a limit of the
   * axis primitive, of one operation (sign) or of one with its algorithm (sign/rsa-4096). */
  uint32_t operations;
  const char *const *primitives; /* instead of that: operation/algorithm, such as hash/sha-256, sign/ecdsa-p256 */
  size_t primitives_len;
  uint32_t settles_ms; /* how long the library's runtime does other work after it was idle: warm-ups last at least that long */
} tlslab_identity;

typedef struct tlslab_endpoint {
  uint32_t abi; /* TLSLAB_ABI */

  void (*identity)(tlslab_identity *identity);

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
