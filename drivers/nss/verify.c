#include "verify.h"

#include <certdb.h>
#include <ssl.h>

/* Trust belongs to the whole process. It is moved to the root of the context that verifies, so that no context
 * profits from another's. */
static CERTCertificate *trusted;

static SECStatus set_trust(CERTCertificate *root, unsigned int flags) {
  CERTCertTrust trust = {.sslFlags = flags};
  return CERT_ChangeCertTrust(CERT_GetDefaultCertDB(), root, &trust);
}

void verify_forget(CERTCertificate *root) {
  if (root == NULL || root != trusted) return;
  set_trust(root, CERTDB_TERMINAL_RECORD);
  trusted = NULL;
}

static SECStatus trust_only(CERTCertificate *root) {
  if (root == trusted) return SECSuccess;
  verify_forget(trusted);
  SECStatus status = set_trust(root, CERTDB_VALID_CA | CERTDB_TRUSTED_CA);
  if (status == SECSuccess) trusted = root;
  return status;
}

/* The library demands of an RSA key that it may encipher, as was needed before TLS 1.3, where servers only sign: a key that
 * may sign is taken for one that may do both. */
static SECStatus check_chain(CERTCertificate *leaf, PRBool check_signatures) {
  if (leaf->keyUsage & KU_DIGITAL_SIGNATURE) leaf->keyUsage |= KU_KEY_ENCIPHERMENT;
  return CERT_VerifyCert(CERT_GetDefaultCertDB(), leaf, check_signatures, certUsageSSLServer, PR_Now(), NULL, NULL);
}

SECStatus verify(void *argument, PRFileDesc *fd, PRBool check_signatures, PRBool is_server) {
  (void)is_server;
  const struct context *context = argument;
  if (context->verification == TLSLAB_VERIFY_NONE) return SECSuccess;
  if (trust_only(context->root) != SECSuccess) return SECFailure;
  CERTCertificate *leaf = SSL_PeerCertificate(fd);
  /* The chain is held so that the library finds the intermediates. */
  CERTCertList *chain = SSL_PeerCertificateChain(fd);
  SECStatus status = leaf == NULL ? SECFailure : check_chain(leaf, check_signatures);
  if (status == SECSuccess && context->verification == TLSLAB_VERIFY_CHAIN_AND_NAME) {
    status = CERT_VerifyCertName(leaf, context->server_name);
  }
  if (chain != NULL) CERT_DestroyCertList(chain);
  if (leaf != NULL) CERT_DestroyCertificate(leaf);
  return status;
}
