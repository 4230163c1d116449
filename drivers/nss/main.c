/* A driver for NSS. Here: who the library is and what it can do. */
#include <nss.h>

#include "driver.h"

/* The functions for tickets are not in the library's interface proper: it is asked for them by name. */
static int takes_tokens(void) {
  return SSL_GetExperimentalAPI("SSL_SetResumptionToken") != NULL &&
         SSL_GetExperimentalAPI("SSL_SetResumptionTokenCallback") != NULL;
}

static int sends_tickets(void) { return SSL_GetExperimentalAPI("SSL_SendSessionTicket") != NULL; }

void library_identity(tlslab_identity *identity) {
  *identity = (tlslab_identity){
      .driver = "nss",
      .library = "NSS",
      .library_version = NSS_GetVersion(),
      .max_tickets = sends_tickets() ? 16 : 0,
      .max_early_data = takes_tokens() && sends_tickets() && early_data_is_there() ? MOST_EARLY_DATA : 0,
      .threads = 1,
      .leaves_defaults = 1,
      .notes = {
          "Chains are verified by the library's own functions, not by mozilla::pkix, which Firefox uses instead.",
          "A ticket is resumed from a token that the library handed out; the server's certificate in it is decoded again.",
      },
      .details = {
          "The keys are in the library's software token, which has no database.",
          "Connections take their locks: without them (SSL_NO_LOCKS) the library ends in a fault when it sends an alert.",
          "Freeing a connection encrypts a close_notify, which goes nowhere.",
          "A client's first message of 256 to 511 bytes, such as one with a ticket, is padded to 512.",
          "In TLS 1.2 a server gives a session id even where it keeps no session, and it never renews a ticket.",
          "A client that shows a certificate looks up its issuers in each handshake, in the process's store of certificates.",
          "A server that accepts early data guards against replays by two Bloom filters of the library, which keep what came "
          "within one to two seconds.",
          "In primitives, the secret of a key exchange stays in the software token, as in a handshake; reading it is not on "
          "the clock. A hybrid's two secrets are not joined.",
          "Between the records of one write the library gives way to other threads (sched_yield).",
      },
  };
}

/* Tries it on a descriptor that is thrown away. */
static int can(int (*pin)(PRFileDesc *, uint16_t), uint16_t point, tlslab_error *why) {
  tlslab_wire wire = {.unsent = 0};
  PRFileDesc *bottom = wire_descriptor(&wire);
  PRFileDesc *fd = bottom == NULL ? NULL : SSL_ImportFD(NULL, bottom);
  int able = fd != NULL && pin(fd, point);
  if (bottom != NULL) PR_Close(bottom);
  return able || tlslab_no(why, "the library has no connection with it alone");
}

static int can_resume(uint16_t way, tlslab_error *why) {
  switch (way) {
    case TLSLAB_CAN_SESSION_ID_12: return 1;
    case TLSLAB_CAN_EXTERNAL_PSK_12:
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_12: return tlslab_no(why, "the library has pre-shared keys in TLS 1.3 alone");
    case TLSLAB_CAN_EXTERNAL_PSK_13:
      return tlslab_no(why, "the library's server begins no handshake without a certificate of its own, even where it needs "
                            "none");
    case TLSLAB_CAN_EXTERNAL_PSK_ONLY_13:
      return tlslab_no(why, "the library uses a pre-shared key with a key exchange alone");
    default:
      if (!takes_tokens()) return tlslab_no(why, "the library does not hand out tickets");
      return way == TLSLAB_CAN_TICKET_12 || sends_tickets() || tlslab_no(why, "the library has no option to send a ticket");
  }
}

/* A newer library's key types: this driver has connections sign with them, but not primitives. */
static int can_do(const tlslab_value *value, tlslab_error *why) {
  int signs = value->operation == TLSLAB_SIGN || value->operation == TLSLAB_VERIFY;
  if (!value->is_claimed || value->operation > TLSLAB_DECAPSULATE) return 0;
  if (value->point == TLSLAB_FFDHE2048) return tlslab_no(why, "the library hands out no finite field by its name");
  return !signs || value->point == 0 || signer_knows(value->point) ||
         tlslab_no(why, "as a primitive, this driver signs only with RSA and ECDSA");
}

int library_can(int axis, const tlslab_value *value, tlslab_error *why) {
  switch (axis) {
    case TLSLAB_VERSION: return can(pin_version, value->point, why);
    case TLSLAB_SUITE: return can(pin_suite, value->point, why);
    case TLSLAB_GROUP: return can(pin_group, value->point, why);
    case TLSLAB_SIGNATURE: return can(pin_scheme, value->point, why);
    case TLSLAB_RESUMPTION: return can_resume(value->point, why);
    case TLSLAB_EARLY_DATA:
      return (takes_tokens() && sends_tickets() && early_data_is_there()) ||
             tlslab_no(why, "the library hands out no early data");
    case TLSLAB_PRIMITIVE: return can_do(value, why);
    default: return 1;
  }
}

static const tlslab_endpoint endpoint = {
    TLSLAB_CONNECTIONS, TLSLAB_CLOSE,      TLSLAB_SESSIONS,  TLSLAB_SESSION_COPIES,
    TLSLAB_EARLY,       TLSLAB_PRIMITIVES, TLSLAB_COLLECTED,
};

int main(void) {
  if (NSS_NoDB_Init(NULL) != SECSuccess || NSS_SetDomesticPolicy() != SECSuccess) {
    fprintf(stderr, "the library cannot be initialised: %s\n", PR_ErrorToName(PR_GetError()));
    return 1;
  }
  wire_prepare();
  return tlslab_driver_main(&endpoint);
}
