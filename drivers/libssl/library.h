/* Differences between the libraries of the family, each as a capability with its own name.
 *
 * The rest of this driver asks for capabilities, never for a library, so that a new member of the family, or a new
 * version of one, is described here and nowhere else. */
#ifndef LIBSSL_LIBRARY_H
#define LIBSSL_LIBRARY_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#if defined(OPENSSL_IS_AWSLC)
#include <openssl/service_indicator.h> /* awslc_version_string */
#endif

#if defined(OPENSSL_IS_BORINGSSL)
#define IS_BORINGSSL 1
#else
#define IS_BORINGSSL 0
#endif

#if defined(OPENSSL_IS_AWSLC)
#define IS_AWSLC 1
#else
#define IS_AWSLC 0
#endif

#if defined(LIBRESSL_VERSION_NUMBER)
#define IS_LIBRESSL 1
#else
#define IS_LIBRESSL 0
#endif

#define DESCENDS_FROM_BORINGSSL (IS_BORINGSSL || IS_AWSLC)
#define IS_OPENSSL (!DESCENDS_FROM_BORINGSSL && !IS_LIBRESSL)
#define IS_OPENSSL_3 (IS_OPENSSL && OPENSSL_VERSION_NUMBER >= 0x30000000L)

/* Before 3.7 LibreSSL has no keys on Curve25519 behind EVP_PKEY, and in its first releases with TLS 1.3 neither a server of it
 * nor calls for it: its headers then leave the version out. */
#define IS_LIBRESSL_BEFORE_37 (IS_LIBRESSL && LIBRESSL_VERSION_NUMBER < 0x30700000L)
#if defined(TLS1_3_VERSION)
#define HAS_TLS13 1
#else
#define HAS_TLS13 0
#define TLS1_3_VERSION 0x0304
#define SSL_get_peer_tmp_key SSL_get_server_tmp_key
#endif

/* SSL_CTX_set_ciphersuites. BoringSSL chooses TLS 1.3 suites without a setter. */
#define HAS_SUITE_SETTER (!IS_BORINGSSL && HAS_TLS13)
#define CHOOSES_SUITES (!HAS_SUITE_SETTER && HAS_TLS13)

/* SSL_CTX_set1_sigalgs_list. Without it a server of TLS 1.2 signs with the longest digest; in TLS 1.3 a key on a curve has but
 * one scheme. */
#define HAS_SIGNATURE_SETTER (!IS_LIBRESSL)
#define PINS_SIGNATURES_OF_TLS12 HAS_SIGNATURE_SETTER

/* SSL_CTX_set_verify_algorithm_prefs and its relative for signing, which take IANA's code points. */
#define TAKES_CODE_POINTS DESCENDS_FROM_BORINGSSL

/* A server can be given the finite field of its key exchange in TLS 1.2. BoringSSL has none; AWS-LC takes a field and
 * does without. */
#define HAS_FIELD_SETTER IS_OPENSSL

/* Finite fields are groups with names. */
#define NAMES_FIELDS IS_OPENSSL_3

/* Tickets after a TLS 1.3 handshake. */
#define MOST_TICKETS (IS_LIBRESSL ? 0 : 16)

/* SSL_CTX_set_num_tickets. */
#define HAS_TICKET_SETTER (!IS_LIBRESSL_BEFORE_37)

/* The server keeps its tickets back until its first write. */
#define DEFERS_TICKETS DESCENDS_FROM_BORINGSSL

/* A ticket that the client has received becomes part of the connection's own session. */
#define SESSION_TAKES_TICKETS IS_OPENSSL

/* A client marks a session of TLS 1.3 that was taken up, and does not take it up again. */
#define SESSIONS_SERVE_ONCE IS_OPENSSL

/* SSL_get_group_id and SSL_get_peer_signature_algorithm, which answer with IANA's code points. */
#define REPORTS_CODE_POINTS DESCENDS_FROM_BORINGSSL

/* SSL_get_negotiated_group; what is older knows the peer's ephemeral key. */
#define REPORTS_GROUP IS_OPENSSL_3

/* SSL_CTX_set_psk_client_callback and its server's counterpart, for the suites of TLS 1.2. */
#define HAS_PSK_SUITES (!IS_LIBRESSL)

/* SSL_CTX_set_psk_use_session_callback and its server's counterpart. */
#define HAS_PSK_SESSIONS IS_OPENSSL

/* A server can prefer to use a key without a key exchange. */
#if defined(SSL_OP_PREFER_NO_DHE_KEX)
#define CAN_DO_WITHOUT_KEY_EXCHANGE HAS_PSK_SESSIONS
#else
#define CAN_DO_WITHOUT_KEY_EXCHANGE 0
#endif

/* SSL_CREDENTIAL_new_pre_shared_key: keys are imported as RFC 9258 has it, and in no other way. */
#if IS_BORINGSSL
#define IMPORTS_PSK (BORINGSSL_API_VERSION >= 44)
#else
#define IMPORTS_PSK 0
#endif

/* SSL_set1_client_key_shares. Elsewhere a client makes a share for the first of its groups, and perhaps another. */
#define HAS_KEY_SHARE_SETTER IS_BORINGSSL

/* A client makes one key share for a hybrid group and one for another, if it offers both, and no option changes that. */
#define MAKES_TWO_KEY_SHARES (DESCENDS_FROM_BORINGSSL && !HAS_KEY_SHARE_SETTER)

/* A client makes a key share for each of two groups, and no option changes that. */
#define MAKES_ALL_KEY_SHARES IS_LIBRESSL

/* Early data has separate calls: SSL_write_early_data, SSL_read_early_data. In BoringSSL's line it is read and written
 * as other data is, while the handshake is under way; what a server accepts is a constant of the library there. */
#define EARLY_DATA_BY_CALLS IS_OPENSSL
#define MOST_EARLY_DATA (IS_OPENSSL ? 65536 : DESCENDS_FROM_BORINGSSL ? 14336 : 0)

/* SSL_CTX_set_default_read_buffer_len, and SSL_has_pending, which sees what was read ahead. */
#define HAS_READ_BUFFER_SETTER (IS_OPENSSL || IS_AWSLC)
#define SEES_READ_AHEAD (!IS_LIBRESSL)

/* SSL_set1_host became SSL_set1_dnsname, which takes names alone. */
#if IS_OPENSSL && OPENSSL_VERSION_NUMBER >= 0x40000000L
#define EXPECT_NAME SSL_set1_dnsname
#else
#define EXPECT_NAME SSL_set1_host
#endif

/* SSL_get_peer_certificate became SSL_get1_peer_certificate, which says that the caller frees the answer. */
#if IS_OPENSSL_3
#define GET_PEER_CERTIFICATE SSL_get1_peer_certificate
#else
#define GET_PEER_CERTIFICATE SSL_get_peer_certificate
#endif

/* Algorithms are looked up by name, once, and EVP_MAC is what codes are made with. */
#define FETCHES_ALGORITHMS IS_OPENSSL_3

/* EVP_AEAD, and key exchange by calls of each curve, or of an EC_KEY and of X25519, which is what these libraries' own TLS uses. */
#define HAS_EVP_AEAD (DESCENDS_FROM_BORINGSSL || IS_LIBRESSL)
#define EXCHANGES_BY_CURVE DESCENDS_FROM_BORINGSSL
#define EXCHANGES_BY_KEY IS_LIBRESSL

/* EVP_AEAD_CTX has no size that is known, and is made by EVP_AEAD_CTX_new. */
#define MAKES_AEAD_CONTEXTS (IS_LIBRESSL && !IS_LIBRESSL_BEFORE_37)

/* EVP_DigestSign and EVP_DigestVerify. */
#define SIGNS_AT_ONCE (!IS_LIBRESSL_BEFORE_37)

/* MLKEM768_encap and its relatives; the other has EVP_PKEY_KEM for them. */
#define HAS_MLKEM_CALLS (IS_BORINGSSL && !IS_AWSLC)

/* EVP_PKEY_get1_tls_encodedpoint became EVP_PKEY_get1_encoded_public_key. */
#if FETCHES_ALGORITHMS
#define GET_ENCODED_KEY EVP_PKEY_get1_encoded_public_key
#define SET_ENCODED_KEY EVP_PKEY_set1_encoded_public_key
#else
#define GET_ENCODED_KEY EVP_PKEY_get1_tls_encodedpoint
#define SET_ENCODED_KEY EVP_PKEY_set1_tls_encodedpoint
#endif

/* SSL_get_signature_nid and its relatives, for both sides. */
#define REPORTS_SIGNATURE IS_OPENSSL

#endif
