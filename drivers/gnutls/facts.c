/* What the library says of a finished connection. */

#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "names.h"

static void give_certificate(gnutls_session_t session, tlslab_facts *facts) {
  unsigned count = 0;
  const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
  uint8_t *der = chain != NULL && count > 0 ? malloc(chain[0].size) : NULL;
  if (der == NULL) return;
  memcpy(der, chain[0].data, chain[0].size);
  facts->peer_certificate = der;
  facts->peer_certificate_len = chain[0].size;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  const struct context *context = connection->context;
  gnutls_session_t session = connection->wire.session;
  facts->version = gnutls_protocol_get_version(session) == GNUTLS_TLS1_3 ? 0x0304 : 0;
  facts->suite = point_by_name(suites, SUITES, gnutls_cipher_get_name(gnutls_cipher_get(session)));
  facts->group = point_by_name(groups, GROUPS, gnutls_group_get_name(gnutls_group_get(session)));
  int scheme = gnutls_sign_algorithm_get(session);
  facts->signature_scheme = point_by_name(schemes, SCHEMES, gnutls_sign_get_name(scheme));
  facts->resumed = gnutls_session_is_resumed(session) != 0;
  if (context->side != TLSLAB_CLIENT) return;
  /* Where a scenario has no tickets, nothing counts them, but the library remembers having seen one. */
  int seen = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_SESSION_TICKET) != 0;
  facts->tickets_received = context->tickets > 0 ? connection->tickets_received : seen ? -1 : 0;
  give_certificate(session, facts);
}
