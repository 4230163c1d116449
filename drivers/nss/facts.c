/* What the library reports about a finished connection. */

#include <ssl.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"

static void give_certificate(const CERTCertificate *leaf, tlslab_facts *facts) {
  facts->peer_certificate = malloc(leaf->derCert.len);
  if (facts->peer_certificate == NULL) return;
  memcpy(facts->peer_certificate, leaf->derCert.data, leaf->derCert.len);
  facts->peer_certificate_len = leaf->derCert.len;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  SSLChannelInfo said;
  if (SSL_GetChannelInfo(connection->ssl, &said, sizeof said) == SECSuccess) {
    facts->version = said.protocolVersion;
    facts->suite = said.cipherSuite;
    facts->group = said.keaGroup == ssl_grp_none ? 0 : (uint16_t)said.keaGroup;
    facts->signature_scheme = (uint16_t)said.signatureScheme;
    facts->resumed = said.resumed != PR_FALSE;
    if (connection->context->has_early_data) facts->early_data_accepted = said.earlyDataAccepted != PR_FALSE;
  }
  /* Where a scenario has no tickets nothing counts them. */
  if (connection->context->side == TLSLAB_CLIENT && connection->context->tickets > 0) {
    facts->tickets_received = connection->tickets_received;
  }
  CERTCertificate *leaf = SSL_PeerCertificate(connection->ssl);
  if (leaf == NULL) return;
  give_certificate(leaf, facts);
  CERT_DestroyCertificate(leaf);
}
