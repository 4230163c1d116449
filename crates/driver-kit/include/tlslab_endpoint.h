/* The endpoint contract for a TLS library with a C interface.
 *
 * Fill in one tlslab_endpoint and pass it to tlslab_driver_main. The kit does the rest: the protocol, the loops, the
 * clock, the buffers and the checks. An endpoint does no I/O: bytes in, bytes out. `context` must pin every parameter
 * that a scenario pins, or refuse the scenario with TLSLAB_UNSUPPORTED and a reason.
 *
 * Code points (versions, cipher suites, groups, signature schemes) are IANA's, as on the wire. Lengths are in bytes.
 * All calls come from one thread, unless the identity sets `threads`. */
#ifndef TLSLAB_ENDPOINT_H
#define TLSLAB_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "tlslab_names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLSLAB_ABI 6

enum tlslab_side { TLSLAB_CLIENT = 0, TLSLAB_SERVER = 1 };

enum tlslab_verification { TLSLAB_VERIFY_NONE = 0, TLSLAB_VERIFY_CHAIN = 1, TLSLAB_VERIFY_CHAIN_AND_NAME = 2 };

/* How both sides remember a session. A context that resumes sessions is also used for full handshakes: those whose
 * sessions are resumed. */
enum tlslab_resumption {
  TLSLAB_RESUME_NOTHING = 0,
  TLSLAB_RESUME_SESSION_ID = 1, /* TLS 1.2: the server keeps the session; no tickets */
  TLSLAB_RESUME_TICKET = 2, /* TLS 1.2: a session ticket; TLS 1.3: a pre-shared key with a fresh key exchange */
  TLSLAB_RESUME_EXTERNAL_PSK = 3,     /* no session; an external PSK with a fresh key exchange */
  TLSLAB_RESUME_EXTERNAL_PSK_ONLY = 4 /* no session; an external PSK without a key exchange */
};

/* The status that a call returns. */
enum tlslab_status {
  TLSLAB_OK = 0,          /* done; for `handshake`: this side's handshake is done */
  TLSLAB_CONTINUES = 1,   /* for `handshake` and `close`: this side waits for its peer */
  TLSLAB_FAILED = -1,     /* tlslab_error has the reason */
  TLSLAB_UNSUPPORTED = -2 /* for `context`: the library cannot do this; tlslab_error has the reason */
};

/* A reason, as a null-terminated text. The kit sets it to the empty text before each call that may fail. */
typedef struct tlslab_error {
  char text[512];
} tlslab_error;

/* A slice of bytes that belongs to the caller. */
typedef struct tlslab_bytes {
  const uint8_t *data;
  size_t len;
} tlslab_bytes;

/* A buffer that the kit has allocated. To append, write at data + len and increase len; never exceed capacity. */
typedef struct tlslab_buffer {
  uint8_t *data;
  size_t len;
  size_t capacity;
  /* NULL, or to be called after each part by an endpoint whose library releases a flight in parts: the peer then
   * processes that part at once, and the buffer is empty afterwards. tlslab_flush does this. */
  void (*flush)(struct tlslab_buffer *buffer);
  void *kit; /* private to the kit */
} tlslab_buffer;

/* Passes on what has been appended so far, if the buffer can be flushed. */
static inline void tlslab_flush(tlslab_buffer *buffer) {
  if (buffer->flush != NULL) buffer->flush(buffer);
}

/* The parameters that a scenario pins. */
typedef struct tlslab_scenario {
  uint16_t version;
  uint16_t suite;
  uint16_t group;
  uint16_t signature_scheme;
  uint32_t key_bits; /* size of the certificates' keys, bits: 256, 2048, ...; of the public key for ML-DSA */
  uint32_t verification; /* tlslab_verification of the peer's chain: the client's level; TLSLAB_VERIFY_CHAIN for a
                          * server that requests a certificate */
  uint32_t tickets; /* session tickets that the server sends with or after the handshake; 0 for none */
  uint32_t resumption; /* tlslab_resumption: how an earlier session is resumed */
  uint32_t mutual;     /* 1: the server requests the client's chain and verifies it up to the root; else 0 */
  uint32_t retry_group; /* for a client: offered before `group`, with a key share for this group only; the server does
                         * not accept it. 0: only `group` is offered */
  uint32_t early_data; /* bytes that the client sends with its first flight when it resumes a session; 0: none */
  uint32_t pregenerated; /* 1: `make_key_share` is called for each of the server's connections; else 0 */
  uint32_t certificate_curve; /* in TLS 1.2, the curve of the certificates' keys if it differs from `group`: it has to
                               * be listed among the groups; else 0 */
  uint32_t defaults; /* 1: nothing is pinned. The side is set up as the library's first documented example does it, with
                      * certificate, key, trust, server name and verification alone; version, suite, group, signature
                      * scheme and tickets of this structure do not apply. Each connection is the first of its client:
                      * no session is resumed. A client counts tickets. Else 0 */
} tlslab_scenario;

/* A side's keys and certificates, DER. `server_name`, `psk_identity`, `psk` and `roots_file` live as long as the
 * context, the rest until the call returns. */
typedef struct tlslab_material {
  tlslab_bytes root; /* the root that the side trusts; empty for a server that requests no certificate */
  const tlslab_bytes *chain; /* the side's chain, leaf first, without the root; for a primitive the server's */
  size_t chain_len;          /* 0: it has no certificate */
  tlslab_bytes key;          /* the leaf's private key, PKCS#8 */
  const char *server_name;   /* the name to request, and to verify if the scenario says so */
  /* An external PSK; a server then has no chain. NULL and empty without one. */
  const char *psk_identity; /* the identity that the client sends */
  tlslab_bytes psk;         /* the key, as long as the hash of the scenario's suite, which is the key's hash, too */
  const char *roots_file; /* PEM; a client's context with roots from a file reads it instead of `root`; else NULL */
} tlslab_material;

/* What the library reports about a finished connection. The kit initialises every field to "unknown". */
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

/* Cryptographic operations. They come in pairs, and one object does both operations of a pair: the kit measures one,
 * and uses the other to set it up or to check it. The input of each; and what it appends to the output:
 *   hash, hmac      a message; its digest or code
 *   aead_seal       a message; the sealed message with its tag
 *   aead_open       a sealed message; the message. TLSLAB_FAILED if it was altered
 *   sign            a message; its signature
 *   verify          a signature of the object's `message`; nothing. TLSLAB_FAILED if it is wrong
 *   key_generation  nothing; one's own share. The key is kept, and the previous one freed
 *   key_agreement   the peer's share; the secret. One's own key may be used up
 *   encapsulate     the peer's share; one's share, then the secret
 *   decapsulate     a share made for one's own; the secret. One's own key may be used up
 *   hash_object     a message; its digest, through a language's own interface: object, message, result
 *   connection      a message; what the server received, see docs/protocol/primitives.md */
enum { TLSLAB_HEADER_MOST = 16 };

/* The operation and inputs that a primitive is prepared for. It lives as long as the object. */
typedef struct tlslab_assignment {
  uint32_t operation; /* tlslab_operation: the one that will be measured */
  uint16_t algorithm; /* hash, hmac, hash_object: tlslab_hash; AEADs: the suite of TLS 1.3; sign, verify, connection: the
                       * scheme; else the group */
  uint16_t key_bits;  /* sign, verify: size of the key, bits: 256, 2048, ... */
  size_t bytes;       /* length of the messages */
  tlslab_bytes key;   /* hmac, AEADs */
  uint8_t iv[12];     /* AEADs: the IV from which tlslab_nonce makes nonces */
  uint8_t header[TLSLAB_HEADER_MOST]; /* AEADs: the additional data */
  size_t header_len;                  /* its length: 5 as in TLS 1.3, or 13 as in TLS 1.2 */
  tlslab_bytes message; /* sign, verify: the message that is signed */
} tlslab_assignment;

/* The nonce of the message number `sequence`: RFC 8446, section 5.3. */
static inline void tlslab_nonce(const uint8_t iv[12], uint64_t sequence, uint8_t nonce[12]) {
  for (int at = 0; at < 12; at++) nonce[at] = at < 4 ? iv[at] : (uint8_t)(iv[at] ^ (uint8_t)(sequence >> (8 * (11 - at))));
}

/* The axes that `can` is asked about, and the value on each. */
enum tlslab_axis {
  TLSLAB_VERSION = 1,
  TLSLAB_SUITE,
  TLSLAB_GROUP,
  TLSLAB_SIGNATURE,        /* a key */
  TLSLAB_RESUMPTION,       /* a way to resume a session. In TLS 1.2, external PSKs are supported if a suite for them
                            * is; `can` is asked about them only if none is */
  TLSLAB_AUTHENTICATION,   /* "mutual": whether both sides can present certificates */
  TLSLAB_TICKETS,          /* a number of tickets above `max_tickets`: the reason why not */
  TLSLAB_HELLO_RETRY,      /* whether a client can offer a `retry_group` */
  TLSLAB_EARLY_DATA,       /* the reason for the limit `max_early_data` */
  TLSLAB_SERVER_KEY_SHARE, /* the reason why `make_key_share` is missing, unless it is that the library has no call
                            * that takes a key share */
  TLSLAB_PRIMITIVE,        /* an operation as such; if the answer is yes, then with each algorithm */
  TLSLAB_WORK,             /* "primitive": the reason why `primitive` is missing; "request": why `close` is */
  TLSLAB_METRIC            /* "heap", "count" or "resident": the reason why it is meaningless for this library */
};

/* The driver, its library and its properties. Texts must outlive the call; lists of texts end with a NULL. */
typedef struct tlslab_identity {
  const char *driver;          /* the driver program's name */
  const char *library;         /* the library's name, */
  const char *library_version; /* and its version, both as the library itself reports them at run time */
  uint32_t max_tickets; /* the most session tickets that the server can be configured to send */
  uint32_t max_early_data; /* the most bytes that a client can send and a server accepts; needs its calls */
  uint32_t has_psk_suites; /* 1: `can` is asked about the suites of TLS 1.2 with a pre-shared key, too */
  uint32_t record_plaintext_bytes; /* plaintext in a full record, if the library's are shorter; 0: 16,384 */
  uint32_t record_padding_bytes;   /* zero bytes after the plaintext of every record */
  uint32_t record_filled_to_bytes; /* plaintext and type byte are padded with zeros to a multiple of this; 0 or 1: no */
  uint32_t renews_no_tickets; /* 1: a TLS 1.3 server sends no new ticket after a resumption, and has no option to */
  uint32_t threads; /* 1: several threads may call at once, each with connections of its own */
  uint32_t flushes; /* 1: the library releases a flight in parts, and the endpoint calls tlslab_flush after each */
  uint32_t settles_ms; /* time for which the library's runtime does other work after idling, ms: the minimal warm-up */
  uint32_t reads_roots; /* 1: a client's context can read the roots that it trusts from a PEM file */
  uint32_t leaves_defaults; /* 1: `context` takes scenarios with `defaults` */
  const char *offers_more[4]; /* axes on which the client offers more than was pinned: suite, group, psk_mode */
  const char *notes[8];       /* what a reader must know wherever this stack is compared with others */
  const char *details[16];    /* further remarks, printed once in a report */
} tlslab_identity;

/* The calls of an endpoint. Calls that return an int return a tlslab_status, except `can`. */
typedef struct tlslab_endpoint {
  uint32_t abi; /* TLSLAB_ABI */

  /* Fills in the identity; the kit initialises every field to 0. */
  void (*identity)(tlslab_identity *identity);

  /* Whether the library can be configured to a value of an axis, tlslab_axis; the kit asks about every value. Returns
   * 1 for yes, and for values that the driver does not know; 0 for no, with the reason as text that follows
   * "unsupported: ", or an empty text. `identity` was called before. */
  int (*can)(int axis, const tlslab_value *value, tlslab_error *why);

  /* An object that a call has set is freed by the corresponding call, even if making it failed. */

  /* Makes a side's context, once per scenario; `context_free` frees it. */
  int (*context)(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **context,
                 tlslab_error *error);
  void (*context_free)(void *context);

  /* Make and free one side of a connection: phase create, and phase free. */
  int (*create)(void *context, void **connection, tlslab_error *error);
  void (*connection_free)(void *connection);

  /* Processes all that the peer sent (nothing, on the client's first call) and appends what is to be sent. Bytes
   * appended in the call that returns TLSLAB_OK, such as Finished or tickets, are delivered, too. */
  int (*handshake)(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);

  /* Encrypts all of `plaintext` as one write and appends the records. */
  int (*send)(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);

  /* Decrypts whole records and appends their plaintext; there is none for a session ticket. */
  int (*receive)(void *connection, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error);

  /* Reports facts about a connection whose handshake is done. */
  void (*facts)(void *connection, tlslab_facts *facts);

  /* Optional. Closes this side: processes what the peer sent, which is its closing alert or, if it has not closed yet,
   * nothing, and appends this side's own (close_notify) unless an earlier call has. TLSLAB_OK if the library has seen
   * both alerts; TLSLAB_CONTINUES if it waits for the peer's. NULL: short connections are unsupported. */
  int (*close)(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error);

  /* The following calls are for a library that can resume sessions; else NULL. */

  /* Makes the session that a client can resume from a finished connection, after the server's tickets have arrived.
   * NULL if there is nothing to resume, or if the library requires a full handshake, from which the next session then
   * comes. Not on any clock. */
  int (*session)(void *connection, void **session, tlslab_error *error);
  /* Frees a session that was not resumed. */
  void (*session_free)(void *session);
  /* Makes the client's side of a connection that resumes a session: phase create. The endpoint owns the session from
   * here on, whatever the call returns. */
  int (*resume)(void *context, void *session, void **connection, tlslab_error *error);
  /* Copies a session, so that one ticket can be resumed several times. Not on any clock. */
  int (*session_copy)(void *session, void **copy, tlslab_error *error);

  /* Generates the key share that this server's connection will send, after `create` and before the first `handshake`.
   * Not on any clock. */
  int (*make_key_share)(void *connection, tlslab_error *error);

  /* The first handshake call of a client that sends early data: appends its first flight with all of `plaintext`. The
   * plaintext lives until the handshake is done. */
  int (*send_early)(void *connection, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error);
  /* A server's `handshake` if early data is expected; also appends early data that has arrived to `plaintext`. */
  int (*handshake_early)(void *connection, tlslab_bytes input, tlslab_buffer *output, tlslab_buffer *plaintext,
                         tlslab_error *error);

  /* The following calls are for a library whose cryptography can be called alone; else NULL. */

  /* Looks up algorithms, loads keys and allocates contexts: all state that outlives a call of primitive_run. */
  int (*primitive)(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                   tlslab_error *error);
  /* Does one operation, the assignment's or its counterpart. `sequence` is the number of an AEAD's message. An AEAD may
   * overwrite the input. */
  int (*primitive_run)(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                       tlslab_error *error);
  void (*primitive_free)(void *object);
  /* Optional, for a library that returns memory of its own: appends the result that the last primitive_run left in
   * `input` or in the object, so that it need not be copied on the clock. Not on any clock. */
  void (*primitive_collect)(void *object, tlslab_bytes input, tlslab_buffer *output);
  /* For the operation `connection`: writes what both sides negotiate in one further connection of this kind, as a
   * null-terminated text of at most `room` bytes. Not on any clock. */
  void (*primitive_negotiated)(void *object, char *text, size_t room);
} tlslab_endpoint;

/* Runs the driver and returns its exit status: `int main(void) { return tlslab_driver_main(&endpoint); }`. */
int tlslab_driver_main(const tlslab_endpoint *endpoint);

#ifdef __cplusplus
}
#endif

#endif
