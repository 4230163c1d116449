/* How a side looks at its peer's certificates. */
#include "driver.h"

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
  SECStatus status = set_trust(root, CERTDB_VALID_CA | CERTDB_TRUSTED_CA | CERTDB_TRUSTED_CLIENT_CA);
  if (status == SECSuccess) trusted = root;
  return status;
}

static SECStatus check_chain(CERTCertificate *leaf, PRBool check_signatures, SECCertUsage usage) {
  return CERT_VerifyCert(CERT_GetDefaultCertDB(), leaf, check_signatures, usage, PR_Now(), NULL, NULL);
}

SECStatus verify(void *argument, PRFileDesc *fd, PRBool check_signatures, PRBool is_server) {
  const struct context *context = argument;
  if (context->verification == TLSLAB_VERIFY_NONE) return SECSuccess;
  if (trust_only(context->root) != SECSuccess) return SECFailure;
  SECCertUsage usage = is_server ? certUsageSSLClient : certUsageSSLServer;
  CERTCertificate *leaf = SSL_PeerCertificate(fd);
  /* The chain is held so that the library finds the intermediates. */
  CERTCertList *chain = SSL_PeerCertificateChain(fd);
  SECStatus status = leaf == NULL ? SECFailure : check_chain(leaf, check_signatures, usage);
  if (status == SECSuccess && context->verification == TLSLAB_VERIFY_CHAIN_AND_NAME) {
    status = CERT_VerifyCertName(leaf, context->server_name);
  }
  if (chain != NULL) CERT_DestroyCertList(chain);
  if (leaf != NULL) CERT_DestroyCertificate(leaf);
  return status;
}
