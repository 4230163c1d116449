#include "identity.h"

#include <nss.h>
#include <ssl.h>
#include <sslproto.h>
#include <stdio.h>

#include "early.h"
#include "pin.h"
#include "primitive.h"
#include "wire.h"

static const char *const notes[] = {
    "Chains are verified by the library's own functions, not by mozilla::pkix, which Firefox uses instead.",
    "A ticket is taken up from a token that the library handed out; the server's certificate in it is decoded anew.",
};
static const char *const details[] = {
    "The keys are in the library's software token, which has no database.",
    "Connections take their locks: without them (SSL_NO_LOCKS) the library ends in a fault when it sends an alert.",
    "Freeing a connection encrypts a close_notify, which goes nowhere.",
    "A client's first message of 256 to 511 bytes, such as one with a ticket, is padded to 512.",
    "In TLS 1.2 a server gives a session id even where it keeps no session, and it never renews a ticket.",
    "A client that shows a certificate looks up its issuers in each handshake, in the process's store of certificates.",
    "A server that accepts early data guards against replays by two Bloom filters of the library, which keep what came "
    "within one to two seconds.",
    "By itself, a secret of a key exchange stays in the software token, as it does in a handshake; reading it is not on "
    "the clock. A hybrid's two secrets are not joined.",
    "Between the records of one write the library gives way to other threads (sched_yield).",
};

struct algorithm {
  uint16_t point;
  const char *name;
};
static const struct algorithm versions[] = {{SSL_LIBRARY_VERSION_TLS_1_2, "1.2"}, {SSL_LIBRARY_VERSION_TLS_1_3, "1.3"}};
static const struct algorithm suites[] = {{0x1301, "aes-128-gcm"},
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
static const struct algorithm groups[] = {{0x0017, "p-256"}, {0x0018, "p-384"}, {0x001d, "x25519"},
                                          {0x11ec, "x25519mlkem768"}, {0x11eb, "p-256mlkem768"}, {0x0100, "ffdhe2048"}};
static const struct algorithm keys[] = {{0x0403, "ecdsa-p256"}, {0x0503, "ecdsa-p384"}, {0x0807, "ed25519"},
                                        {0x0804, "rsa-2048"},   {0x0804, "rsa-3072"},   {0x0804, "rsa-4096"},
                                        {0x0904, "ml-dsa-44"},  {0x0905, "ml-dsa-65"}};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static uint16_t said_versions[COUNT(versions)], said_suites[COUNT(suites)], said_groups[COUNT(groups)];
static const char *said_keys[COUNT(keys)];
static tlslab_limit limits[COUNT(versions) + COUNT(suites) + COUNT(groups) + 3 * COUNT(keys) + 10];

static void limit(tlslab_identity *identity, const char *axis, const char *value, const char *why) {
  limits[identity->limits_len++] = (tlslab_limit){axis, value, why};
}

/* Tries it on a descriptor that is thrown away. */
static int can(int (*pin)(PRFileDesc *, uint16_t), const struct algorithm *algorithm, const char *axis,
               tlslab_identity *identity) {
  struct wire wire = {0};
  PRFileDesc *bottom = wire_descriptor(&wire);
  PRFileDesc *fd = bottom == NULL ? NULL : SSL_ImportFD(NULL, bottom);
  int able = fd != NULL && pin(fd, algorithm->point);
  if (bottom != NULL) PR_Close(bottom);
  if (!able) limit(identity, axis, algorithm->name, "the library has no connection with it alone");
  return able;
}

/* The functions for tickets are not in the library's interface proper: it is asked for them by name. */
static void report_tickets(tlslab_identity *identity) {
  int takes_tokens = SSL_GetExperimentalAPI("SSL_SetResumptionToken") != NULL &&
                     SSL_GetExperimentalAPI("SSL_SetResumptionTokenCallback") != NULL;
  int sends_tickets = SSL_GetExperimentalAPI("SSL_SendSessionTicket") != NULL;
  if (sends_tickets) identity->max_tickets = 16;
  if (takes_tokens) identity->resumptions |= TLSLAB_CAN_TICKET_12;
  if (takes_tokens && sends_tickets) {
    identity->resumptions |= TLSLAB_CAN_TICKET_13 | TLSLAB_CAN_TICKET_REUSED_13;
    if (early_data_is_there()) identity->max_early_data = MOST_EARLY_DATA;
  }
  if (identity->max_early_data == 0) limit(identity, "early_data", "any", "the library hands out no early data");
  static const char *const keeps = "the library does not hand out tickets";
  static const char *const does_not_send = "the library has no option to send a ticket";
  if (!takes_tokens) limit(identity, "resumption", "1.2/ticket", keeps);
  if (!takes_tokens || !sends_tickets) {
    limit(identity, "resumption", "1.3/ticket", takes_tokens ? does_not_send : keeps);
    limit(identity, "resumption", "1.3/ticket-reused", takes_tokens ? does_not_send : keeps);
  }
}

static void report_handshakes(tlslab_identity *identity) {
  limit(identity, "resumption", "1.2/external-psk", "the library has pre-shared keys in TLS 1.3 alone");
  limit(identity, "resumption", "1.2/external-psk-only", "the library has pre-shared keys in TLS 1.3 alone");
  limit(identity, "resumption", "1.3/external-psk",
        "the library's server begins no handshake without a certificate of its own, even where it needs none");
  limit(identity, "resumption", "1.3/external-psk-only",
        "the library uses a pre-shared key with a key exchange alone");
  limit(identity, "server_key_share", "any",
        "the library makes a server's key share in the handshake, and has no call to be given one");
}

/* A newer library's key type, which this driver has connections sign with, and does not sign with by itself. */
static void report_unsigned(tlslab_identity *identity, const char *key) {
  static char pairs[2 * COUNT(keys)][32];
  static size_t used;
  static const char *const operations[] = {"sign", "verify"};
  for (size_t at = 0; at < COUNT(operations); at++) {
    snprintf(pairs[used], sizeof pairs[used], "%s/%s", operations[at], key);
    limit(identity, "primitive", pairs[used++], "this driver signs by itself with RSA and ECDSA alone");
  }
}

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "nss",
      .library = "NSS",
      .library_version = NSS_GetVersion(),
      .versions = said_versions,
      .suites = said_suites,
      .groups = said_groups,
      .signatures = said_keys,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .resumptions = TLSLAB_CAN_SESSION_ID_12,
      .mutual = 1,
      .operations = OPERATIONS,
      .hello_retry = 1,
      .threads = 1,
      .limits = limits,
      .notes = notes,
      .notes_len = COUNT(notes),
      .details = details,
      .details_len = COUNT(details),
  };
  for (size_t at = 0; at < COUNT(versions); at++) {
    if (can(pin_version, &versions[at], "version", identity)) {
      said_versions[identity->versions_len++] = versions[at].point;
    }
  }
  for (size_t at = 0; at < COUNT(suites); at++) {
    if (can(pin_suite, &suites[at], "suite", identity)) said_suites[identity->suites_len++] = suites[at].point;
  }
  for (size_t at = 0; at < COUNT(groups); at++) {
    if (can(pin_group, &groups[at], "group", identity)) said_groups[identity->groups_len++] = groups[at].point;
  }
  for (size_t at = 0; at < COUNT(keys); at++) {
    if (!can(pin_scheme, &keys[at], "signature", identity)) continue;
    said_keys[identity->signatures_len++] = keys[at].name;
    if (!signer_knows(keys[at].point)) report_unsigned(identity, keys[at].name);
  }
  report_tickets(identity);
  report_handshakes(identity);
}
