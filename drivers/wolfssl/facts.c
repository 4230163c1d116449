/* What the library reports about a finished connection. */

#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "early.h"

static uint16_t group_by_name(const char *name) {
  for (size_t at = 0; name != NULL && at < GROUPS; at++) {
    if (strcmp(groups[at].library, name) == 0) return groups[at].point;
  }
  return 0;
}

static void give_certificate(WOLFSSL *ssl, tlslab_facts *facts) {
#if defined(KEEP_PEER_CERT)
  WOLFSSL_X509 *peer = wolfSSL_get_peer_certificate(ssl);
  int len = 0;
  const unsigned char *der = peer == NULL ? NULL : wolfSSL_X509_get_der(peer, &len);
  facts->peer_certificate = der == NULL ? NULL : malloc((size_t)len);
  if (facts->peer_certificate != NULL) {
    memcpy(facts->peer_certificate, der, (size_t)len);
    facts->peer_certificate_len = (size_t)len;
  }
  wolfSSL_X509_free(peer);
#else
  (void)ssl, (void)facts;
#endif
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  WOLFSSL *ssl = connection->ssl;
  facts->version = (uint16_t)wolfSSL_version(ssl);
  facts->suite = (uint16_t)wolfSSL_get_current_cipher_suite(ssl);
  facts->group = group_by_name(wolfSSL_get_curve_name(ssl));
  facts->resumed = wolfSSL_session_reused(ssl);
  if (connection->context->counts_tickets) facts->tickets_received = connection->tickets_received;
#if HAS_EARLY_DATA
  facts->early_data_accepted = early_data_of(ssl);
#endif
  give_certificate(ssl, facts);
}
