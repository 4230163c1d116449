/* What the library reports about a finished connection. */

#include <stdlib.h>

#include "connection.h"
#include "early.h"

static uint16_t suite_of(const SSL *ssl) {
  const SSL_CIPHER *suite = SSL_get_current_cipher(ssl);
  /* The upper half of an identifier is a mark of old that all suites bear. */
  return suite == NULL ? 0 : (uint16_t)(SSL_CIPHER_get_id(suite) & 0xffff);
}

#if !REPORTS_CODE_POINTS
static uint16_t group_by_nid(int nid) {
  switch (nid) {
    case NID_X9_62_prime256v1: return 0x0017;
    case NID_secp384r1: return 0x0018;
    case NID_X25519: return 0x001d;
#if defined(NID_ffdhe2048)
    case NID_ffdhe2048: return 0x0100;
#endif
    default: return 0;
  }
}
#endif

static uint16_t group_of(SSL *ssl) {
#if REPORTS_CODE_POINTS
  return SSL_get_group_id(ssl);
#elif REPORTS_GROUP
  int nid = (int)SSL_get_negotiated_group(ssl);
  /* A group without an identifier of the library's own is reported by its code point. */
  return nid & TLSEXT_nid_unknown ? (uint16_t)(nid & 0xffff) : group_by_nid(nid);
#else
  EVP_PKEY *key = NULL;
  if (!SSL_get_peer_tmp_key(ssl, &key) || key == NULL) return 0;
  int nid = EVP_PKEY_base_id(key);
  if (nid == EVP_PKEY_EC) nid = EC_GROUP_get_curve_name(EC_KEY_get0_group(EVP_PKEY_get0_EC_KEY(key)));
  EVP_PKEY_free(key);
  return group_by_nid(nid);
#endif
}

#if REPORTS_SIGNATURE
static uint16_t scheme_by_nids(int type, int digest, int key_type) {
  if (type == EVP_PKEY_EC && digest == NID_sha256) return 0x0403;
  if (type == EVP_PKEY_EC && digest == NID_sha384) return 0x0503;
  /* RSA-PSS has two schemes per digest, one for keys that may do nothing else. */
  if (type == EVP_PKEY_RSA_PSS && digest == NID_sha256) return key_type == EVP_PKEY_RSA ? 0x0804 : 0x0809;
  if (type == EVP_PKEY_RSA && digest == NID_sha256) return 0x0401;
  if (type == EVP_PKEY_ED25519) return 0x0807;
#if defined(NID_ML_DSA_44)
  if (type == NID_ML_DSA_44) return 0x0904;
  if (type == NID_ML_DSA_65) return 0x0905;
#endif
  return 0;
}
#endif

/* The scheme of the server's CertificateVerify, which is the server's own and the client's peer's. */
static uint16_t scheme_of(SSL *ssl, int side, X509 *leaf) {
#if REPORTS_CODE_POINTS
  (void)leaf;
  return side == TLSLAB_CLIENT ? SSL_get_peer_signature_algorithm(ssl) : 0;
#elif REPORTS_SIGNATURE
  int type = NID_undef, digest = NID_undef;
  int known = side == TLSLAB_CLIENT
                  ? SSL_get_peer_signature_type_nid(ssl, &type) && SSL_get_peer_signature_nid(ssl, &digest)
                  : SSL_get_signature_type_nid(ssl, &type) && SSL_get_signature_nid(ssl, &digest);
  EVP_PKEY *key = leaf == NULL ? NULL : X509_get0_pubkey(leaf);
  return known && key != NULL ? scheme_by_nids(type, digest, EVP_PKEY_base_id(key)) : 0;
#else
  (void)ssl, (void)side, (void)leaf;
  return 0;
#endif
}

static int tickets_of(const struct connection *connection) {
  if (connection->context->side != TLSLAB_CLIENT) return -1;
  if (connection->context->tickets > 0) return connection->tickets_received;
#if SESSION_TAKES_TICKETS
  /* Nothing counts, but a session without a ticket has seen none. */
  SSL_SESSION *session = SSL_get_session(connection->ssl);
  if (session != NULL && !SSL_SESSION_has_ticket(session)) return 0;
#endif
  return -1;
}

static void give_certificate(X509 *certificate, tlslab_facts *facts) {
  int len = i2d_X509(certificate, NULL);
  uint8_t *der = len > 0 ? malloc((size_t)len) : NULL;
  if (der == NULL) return;
  uint8_t *at = der;
  facts->peer_certificate_len = (size_t)i2d_X509(certificate, &at);
  facts->peer_certificate = der;
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  SSL *ssl = connection->ssl;
  int side = connection->context->side;
  X509 *peer = GET_PEER_CERTIFICATE(ssl);
  facts->version = (uint16_t)SSL_version(ssl);
  facts->suite = suite_of(ssl);
  facts->group = group_of(ssl);
  facts->signature_scheme = scheme_of(ssl, side, side == TLSLAB_CLIENT ? peer : SSL_get_certificate(ssl));
  facts->resumed = SSL_session_reused(ssl) != 0;
  facts->tickets_received = tickets_of(connection);
#if MOST_EARLY_DATA > 0
  facts->early_data_accepted = early_data_of(ssl);
#endif
  if (peer != NULL) give_certificate(peer, facts);
  X509_free(peer);
  ERR_clear_error();
}
