/* What the library reports about a finished connection. */

#include <stdio.h>
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

/* In TLS 1.3 the suite leaves the key exchange open, though the library has a name for it there, too. */
static uint16_t suite_of(gnutls_session_t session) {
  const char *cipher = gnutls_cipher_get_name(gnutls_cipher_get(session));
  if (gnutls_protocol_get_version(session) == GNUTLS_TLS1_3) return point_by_name(suites, SUITES, cipher);
  const char *exchange = gnutls_kx_get_name(gnutls_kx_get(session));
  if (cipher == NULL || exchange == NULL) return 0;
  char both[64];
  snprintf(both, sizeof both, "%s:+%s", exchange, cipher);
  return point_by_name(suites, SUITES, both);
}

/* The scheme of the server's signature, by its name in the connection's version. */
static uint16_t scheme_of(gnutls_session_t session, const struct algorithm *version) {
  const char *name = gnutls_sign_get_name(gnutls_sign_algorithm_get(session));
  return version == NULL ? 0 : point_by_name(schemes[version - versions], SCHEMES, name);
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  const struct context *context = connection->context;
  gnutls_session_t session = connection->wire.session;
  facts->version = point_by_name(versions, VERSIONS, gnutls_protocol_get_name(gnutls_protocol_get_version(session)));
  facts->suite = suite_of(session);
  facts->group = point_by_name(groups, GROUPS, gnutls_group_get_name(gnutls_group_get(session)));
  facts->signature_scheme = scheme_of(session, algorithm_by_point(versions, VERSIONS, facts->version));
  facts->resumed = gnutls_session_is_resumed(session) != 0;
  if (connection->context->early_data > 0) {
    facts->early_data_accepted = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_EARLY_DATA) != 0;
  }
  give_certificate(session, facts);
  if (context->side != TLSLAB_CLIENT) return;
  /* Where a scenario has no tickets, nothing counts them, but the library remembers having seen one. */
  int seen = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_SESSION_TICKET) != 0;
  facts->tickets_received = context->tickets > 0 ? connection->tickets_received : seen ? -1 : 0;
}
