/* What the library reports about a finished connection. */

#include <stdlib.h>

#include "connection.h"
#include "facts.h"
#include "ssl_module.h"

static uint16_t suite_of(const SSL *ssl) {
  const SSL_CIPHER *suite = SSL_get_current_cipher(ssl);
  /* The upper half of an identifier is a mark of old that all suites bear. */
  return suite == NULL ? 0 : (uint16_t)(SSL_CIPHER_get_id(suite) & 0xffff);
}

uint16_t group_of(SSL *ssl) {
#if REPORTS_CODE_POINTS
  return SSL_get_group_id(ssl);
#elif REPORTS_GROUP
  int nid = (int)SSL_get_negotiated_group(ssl);
  switch (nid) {
    case NID_X9_62_prime256v1: return 0x0017;
    case NID_secp384r1: return 0x0018;
    case NID_X25519: return 0x001d;
#if defined(NID_ffdhe2048)
    case NID_ffdhe2048: return 0x0100;
#endif
    /* A group without an identifier of the library's own is reported by its code point. */
    default: return nid & TLSEXT_nid_unknown ? (uint16_t)(nid & 0xffff) : 0;
  }
#else
  (void)ssl;
  return 0;
#endif
}

/* The scheme of the server's CertificateVerify, as its client knows it. */
static uint16_t scheme_of(SSL *ssl) {
#if REPORTS_CODE_POINTS
  return SSL_get_peer_signature_algorithm(ssl);
#else
  int type = 0, digest = 0;
  if (!SSL_get_peer_signature_type_nid(ssl, &type) || !SSL_get_peer_signature_nid(ssl, &digest)) return 0;
  if (type == EVP_PKEY_EC && digest == NID_sha256) return 0x0403;
  if (type == EVP_PKEY_EC && digest == NID_sha384) return 0x0503;
  if (type == EVP_PKEY_ED25519) return 0x0807;
#if defined(NID_ML_DSA_44)
  if (type == NID_ML_DSA_44) return 0x0904;
  if (type == NID_ML_DSA_65) return 0x0905;
#endif
  if (type == EVP_PKEY_RSA && digest == NID_sha256) return 0x0401;
  return type == EVP_PKEY_RSA_PSS && digest == NID_sha256 ? 0x0804 : 0;
#endif
}

static void give_certificate(PyObject *connection, tlslab_facts *facts) {
  PyObject *der = PyObject_CallMethod(connection, "getpeercert", "O", Py_True);
  char *data;
  Py_ssize_t len;
  if (der != NULL && PyBytes_Check(der) && PyBytes_AsStringAndSize(der, &data, &len) == 0 &&
      (facts->peer_certificate = malloc((size_t)len)) != NULL) {
    memcpy(facts->peer_certificate, data, (size_t)len);
    facts->peer_certificate_len = (size_t)len;
  }
  Py_XDECREF(der);
}

void connection_facts(void *handle, tlslab_facts *facts) {
  struct connection *connection = handle;
  PyObject *object = PyObject_CallMethod(connection->object, "library", NULL);
  if (object != NULL) {
    SSL *ssl = library_connection(object);
    facts->version = (uint16_t)SSL_version(ssl);
    facts->suite = suite_of(ssl);
    facts->group = group_of(ssl);
    facts->resumed = SSL_session_reused(ssl) != 0;
    if (connection->context->side == TLSLAB_CLIENT) {
      facts->signature_scheme = scheme_of(ssl);
      if (connection->context->tickets > 0) facts->tickets_received = tickets_seen(ssl);
    }
    give_certificate(object, facts);
    Py_DECREF(object);
  }
  PyErr_Clear();
  ERR_clear_error();
}
