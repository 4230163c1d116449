#include "tickets.h"

#include <stdio.h>

#include "connection.h"
#include "reason.h"

int tickets_pin(SSL_CTX *ssl, uint32_t tickets, tlslab_error *error) {
  if (tickets > MOST_TICKETS) {
    snprintf(error->text, sizeof error->text, "the server sends at most %d tickets, not %u", MOST_TICKETS,
             (unsigned)tickets);
    return TLSLAB_UNSUPPORTED;
  }
  /* The number alone decides in TLS 1.3: the option that turns tickets off only changes what is in them. */
  if (!SSL_CTX_set_num_tickets(ssl, tickets)) {
    return reason_of_library(error, TLSLAB_FAILED, "cannot set the number of tickets");
  }
  return TLSLAB_OK;
}

static int count(SSL *ssl, SSL_SESSION *session) {
  (void)session;
  connection_of(ssl)->tickets_received++;
  return 0;
}

void tickets_count(SSL_CTX *ssl) {
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(ssl, count);
}
