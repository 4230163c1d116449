/* A driver for NSS. */

#include <nss.h>
#include <sslproto.h>
#include <ssl.h>
#include <stdio.h>

#include "connection.h"
#include "context.h"
#include "pin.h"
#include "tlslab_endpoint.h"
#include "wire.h"

static const char *const details[] = {
    "The keys are in the library's software token, which has no database.",
    "Connections take their locks: without them (SSL_NO_LOCKS) the library ends in a fault when it sends an alert.",
    "Certificates are verified by the library's own functions, not by mozilla::pkix, which Firefox uses instead.",
    "The library wants an RSA key that may encipher, as before TLS 1.3; one that may sign is taken for such a key.",
    "Freeing a connection encrypts a close_notify, which goes nowhere.",
    "Between the records of one write the library gives way to other threads (sched_yield).",
};

struct algorithm {
  uint16_t point;
  const char *name;
};
static const struct algorithm suites[] = {
    {0x1301, "aes-128-gcm"}, {0x1302, "aes-256-gcm"}, {0x1303, "chacha20-poly1305"}};
static const struct algorithm groups[] = {{0x0017, "p-256"}, {0x0018, "p-384"}, {0x001d, "x25519"},
                                          {0x11ec, "x25519mlkem768"}, {0x11eb, "p-256mlkem768"}};
static const struct algorithm keys[] = {{0x0403, "ecdsa-p256"}, {0x0804, "rsa-2048"}, {0x0804, "rsa-4096"}};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static uint16_t versions[] = {SSL_LIBRARY_VERSION_TLS_1_3};
static uint16_t said_suites[COUNT(suites)], said_groups[COUNT(groups)];
static const char *said_keys[COUNT(keys)];
static tlslab_limit limits[COUNT(suites) + COUNT(groups) + COUNT(keys)];

/* Tries it on a descriptor that is thrown away. */
static int can(int (*pin)(PRFileDesc *, uint16_t), const struct algorithm *algorithm, const char *axis,
               tlslab_identity *identity) {
  struct wire wire = {0};
  PRFileDesc *bottom = wire_descriptor(&wire);
  PRFileDesc *fd = bottom == NULL ? NULL : SSL_ImportFD(NULL, bottom);
  int able = fd != NULL && pin(fd, algorithm->point);
  if (bottom != NULL) PR_Close(bottom);
  if (!able) {
    limits[identity->limits_len++] =
        (tlslab_limit){axis, algorithm->name, "the library refuses it"};
  }
  return able;
}

static void identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "nss",
      .library = "NSS",
      .library_version = NSS_GetVersion(),
      .versions = versions,
      .versions_len = COUNT(versions),
      .suites = said_suites,
      .groups = said_groups,
      .signatures = said_keys,
      .verification_levels =
          1u << TLSLAB_VERIFY_NONE | 1u << TLSLAB_VERIFY_CHAIN | 1u << TLSLAB_VERIFY_CHAIN_AND_NAME,
      .max_tickets = 16,
      .limits = limits,
      .details = details,
      .details_len = COUNT(details),
  };
  for (size_t at = 0; at < COUNT(suites); at++) {
    if (can(pin_suite, &suites[at], "suite", identity)) said_suites[identity->suites_len++] = suites[at].point;
  }
  for (size_t at = 0; at < COUNT(groups); at++) {
    if (can(pin_group, &groups[at], "group", identity)) said_groups[identity->groups_len++] = groups[at].point;
  }
  for (size_t at = 0; at < COUNT(keys); at++) {
    if (can(pin_scheme, &keys[at], "signature", identity)) said_keys[identity->signatures_len++] = keys[at].name;
  }
}

static const tlslab_endpoint endpoint = {
    .abi = TLSLAB_ABI,
    .identity = identity,
    .context = context_new,
    .context_free = context_free,
    .create = connection_new,
    .connection_free = connection_free,
    .handshake = connection_handshake,
    .send = connection_send,
    .receive = connection_receive,
    .facts = connection_facts,
};

int main(void) {
  if (NSS_NoDB_Init(NULL) != SECSuccess || NSS_SetDomesticPolicy() != SECSuccess) {
    fprintf(stderr, "the library cannot be initialised: %s\n", PR_ErrorToName(PR_GetError()));
    return 1;
  }
  wire_prepare();
  return tlslab_driver_main(&endpoint);
}
