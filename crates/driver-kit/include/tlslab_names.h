/* The values that scenarios have: names, code points and parts. Made of crates/protocol by
 * `UPDATE=1 cargo test -p tlslab-driver-kit names`; do not edit. */
#ifndef TLSLAB_NAMES_H
#define TLSLAB_NAMES_H

#include "tlslab_value.h"

enum tlslab_version_point {
  TLSLAB_TLS12 = 0x0303,
  TLSLAB_TLS13 = 0x0304,
};

enum tlslab_suite_point {
  TLSLAB_AES_128_GCM = 0x1301,
  TLSLAB_AES_256_GCM = 0x1302,
  TLSLAB_CHACHA20_POLY1305 = 0x1303,
  TLSLAB_ECDHE_ECDSA_AES_128_GCM = 0xc02b,
  TLSLAB_ECDHE_ECDSA_AES_256_GCM = 0xc02c,
  TLSLAB_ECDHE_ECDSA_CHACHA20_POLY1305 = 0xcca9,
  TLSLAB_ECDHE_RSA_AES_128_GCM = 0xc02f,
  TLSLAB_ECDHE_RSA_AES_256_GCM = 0xc030,
  TLSLAB_ECDHE_RSA_CHACHA20_POLY1305 = 0xcca8,
  TLSLAB_DHE_RSA_AES_128_GCM = 0x009e,
  TLSLAB_DHE_RSA_AES_256_GCM = 0x009f,
  TLSLAB_DHE_RSA_CHACHA20_POLY1305 = 0xccaa,
  TLSLAB_PSK_AES_128_GCM = 0x00a8,
  TLSLAB_PSK_AES_256_GCM = 0x00a9,
  TLSLAB_PSK_CHACHA20_POLY1305 = 0xccab,
  TLSLAB_ECDHE_PSK_AES_128_GCM = 0xd001,
  TLSLAB_ECDHE_PSK_AES_256_GCM = 0xd002,
  TLSLAB_ECDHE_PSK_CHACHA20_POLY1305 = 0xccac,
  TLSLAB_DHE_PSK_AES_128_GCM = 0x00aa,
  TLSLAB_DHE_PSK_AES_256_GCM = 0x00ab,
  TLSLAB_DHE_PSK_CHACHA20_POLY1305 = 0xccad,
};

enum tlslab_group_point {
  TLSLAB_SECP256R1 = 0x0017,
  TLSLAB_SECP384R1 = 0x0018,
  TLSLAB_X25519 = 0x001d,
  TLSLAB_X25519MLKEM768 = 0x11ec,
  TLSLAB_SECP256R1MLKEM768 = 0x11eb,
  TLSLAB_FFDHE2048 = 0x0100,
};

enum tlslab_scheme_point {
  TLSLAB_ECDSA_SECP256R1_SHA256 = 0x0403,
  TLSLAB_ECDSA_SECP384R1_SHA384 = 0x0503,
  TLSLAB_RSA_PSS_RSAE_SHA256 = 0x0804,
  TLSLAB_ED25519 = 0x0807,
  TLSLAB_RSA_PKCS1_SHA256 = 0x0401,
  TLSLAB_MLDSA44 = 0x0904,
  TLSLAB_MLDSA65 = 0x0905,
  TLSLAB_MLDSA87 = 0x0906,
};

enum tlslab_hash {
  TLSLAB_MD5 = 0x0001,
  TLSLAB_SHA1 = 0x0002,
  TLSLAB_SHA256 = 0x0004,
  TLSLAB_SHA384 = 0x0005,
  TLSLAB_SHA512 = 0x0006,
  TLSLAB_SHA3_256 = 0x0101,
  TLSLAB_SHA3_384 = 0x0102,
  TLSLAB_SHA3_512 = 0x0103,
};

enum tlslab_operation {
  TLSLAB_HASH = 0x0001,
  TLSLAB_HMAC = 0x0002,
  TLSLAB_AEAD_SEAL = 0x0003,
  TLSLAB_AEAD_OPEN = 0x0004,
  TLSLAB_SIGN = 0x0005,
  TLSLAB_VERIFY = 0x0006,
  TLSLAB_KEY_GENERATION = 0x0007,
  TLSLAB_KEY_AGREEMENT = 0x0008,
  TLSLAB_ENCAPSULATE = 0x0009,
  TLSLAB_DECAPSULATE = 0x000a,
  TLSLAB_HASH_OBJECT = 0x000b,
  TLSLAB_CONNECTION = 0x000c,
};

enum tlslab_can_resume {
  TLSLAB_CAN_SESSION_ID_12 = 0x0001,
  TLSLAB_CAN_TICKET_12 = 0x0002,
  TLSLAB_CAN_EXTERNAL_PSK_12 = 0x0004,
  TLSLAB_CAN_EXTERNAL_PSK_ONLY_12 = 0x0008,
  TLSLAB_CAN_SESSION_ID_13 = 0x0010,
  TLSLAB_CAN_TICKET_13 = 0x0020,
  TLSLAB_CAN_TICKET_REUSED_13 = 0x0040,
  TLSLAB_CAN_EXTERNAL_PSK_13 = 0x0080,
  TLSLAB_CAN_EXTERNAL_PSK_ONLY_13 = 0x0100,
};

static const tlslab_value tlslab_versions[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x0303, .name = "1.2", .iana = "TLSv1.2"},
    {.point = 0x0304, .name = "1.3", .iana = "TLSv1.3"},
    {.name = NULL},
};

static const tlslab_value tlslab_suites[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x1301, .name = "aes-128-gcm", .iana = "TLS_AES_128_GCM_SHA256", .dashed = "TLS_AES_128_GCM_SHA256", .cipher = "AES-128-GCM"},
    {.point = 0x1302, .name = "aes-256-gcm", .iana = "TLS_AES_256_GCM_SHA384", .dashed = "TLS_AES_256_GCM_SHA384", .cipher = "AES-256-GCM"},
    {.point = 0x1303, .name = "chacha20-poly1305", .iana = "TLS_CHACHA20_POLY1305_SHA256", .dashed = "TLS_CHACHA20_POLY1305_SHA256", .cipher = "CHACHA20-POLY1305"},
    {.point = 0xc02b, .name = "ecdhe-ecdsa-aes-128-gcm", .iana = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .dashed = "ECDHE-ECDSA-AES128-GCM-SHA256", .exchange = "ECDHE-ECDSA", .cipher = "AES-128-GCM"},
    {.point = 0xc02c, .name = "ecdhe-ecdsa-aes-256-gcm", .iana = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .dashed = "ECDHE-ECDSA-AES256-GCM-SHA384", .exchange = "ECDHE-ECDSA", .cipher = "AES-256-GCM"},
    {.point = 0xcca9, .name = "ecdhe-ecdsa-chacha20-poly1305", .iana = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .dashed = "ECDHE-ECDSA-CHACHA20-POLY1305", .exchange = "ECDHE-ECDSA", .cipher = "CHACHA20-POLY1305"},
    {.point = 0xc02f, .name = "ecdhe-rsa-aes-128-gcm", .iana = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .dashed = "ECDHE-RSA-AES128-GCM-SHA256", .exchange = "ECDHE-RSA", .cipher = "AES-128-GCM"},
    {.point = 0xc030, .name = "ecdhe-rsa-aes-256-gcm", .iana = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .dashed = "ECDHE-RSA-AES256-GCM-SHA384", .exchange = "ECDHE-RSA", .cipher = "AES-256-GCM"},
    {.point = 0xcca8, .name = "ecdhe-rsa-chacha20-poly1305", .iana = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .dashed = "ECDHE-RSA-CHACHA20-POLY1305", .exchange = "ECDHE-RSA", .cipher = "CHACHA20-POLY1305"},
    {.point = 0x009e, .name = "dhe-rsa-aes-128-gcm", .iana = "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", .dashed = "DHE-RSA-AES128-GCM-SHA256", .exchange = "DHE-RSA", .cipher = "AES-128-GCM"},
    {.point = 0x009f, .name = "dhe-rsa-aes-256-gcm", .iana = "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", .dashed = "DHE-RSA-AES256-GCM-SHA384", .exchange = "DHE-RSA", .cipher = "AES-256-GCM"},
    {.point = 0xccaa, .name = "dhe-rsa-chacha20-poly1305", .iana = "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .dashed = "DHE-RSA-CHACHA20-POLY1305", .exchange = "DHE-RSA", .cipher = "CHACHA20-POLY1305"},
    {.point = 0x00a8, .name = "psk-aes-128-gcm", .iana = "TLS_PSK_WITH_AES_128_GCM_SHA256", .dashed = "PSK-AES128-GCM-SHA256", .exchange = "PSK", .cipher = "AES-128-GCM"},
    {.point = 0x00a9, .name = "psk-aes-256-gcm", .iana = "TLS_PSK_WITH_AES_256_GCM_SHA384", .dashed = "PSK-AES256-GCM-SHA384", .exchange = "PSK", .cipher = "AES-256-GCM"},
    {.point = 0xccab, .name = "psk-chacha20-poly1305", .iana = "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256", .dashed = "PSK-CHACHA20-POLY1305", .exchange = "PSK", .cipher = "CHACHA20-POLY1305"},
    {.point = 0xd001, .name = "ecdhe-psk-aes-128-gcm", .iana = "TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256", .dashed = "ECDHE-PSK-AES128-GCM-SHA256", .exchange = "ECDHE-PSK", .cipher = "AES-128-GCM"},
    {.point = 0xd002, .name = "ecdhe-psk-aes-256-gcm", .iana = "TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384", .dashed = "ECDHE-PSK-AES256-GCM-SHA384", .exchange = "ECDHE-PSK", .cipher = "AES-256-GCM"},
    {.point = 0xccac, .name = "ecdhe-psk-chacha20-poly1305", .iana = "TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", .dashed = "ECDHE-PSK-CHACHA20-POLY1305", .exchange = "ECDHE-PSK", .cipher = "CHACHA20-POLY1305"},
    {.point = 0x00aa, .name = "dhe-psk-aes-128-gcm", .iana = "TLS_DHE_PSK_WITH_AES_128_GCM_SHA256", .dashed = "DHE-PSK-AES128-GCM-SHA256", .exchange = "DHE-PSK", .cipher = "AES-128-GCM"},
    {.point = 0x00ab, .name = "dhe-psk-aes-256-gcm", .iana = "TLS_DHE_PSK_WITH_AES_256_GCM_SHA384", .dashed = "DHE-PSK-AES256-GCM-SHA384", .exchange = "DHE-PSK", .cipher = "AES-256-GCM"},
    {.point = 0xccad, .name = "dhe-psk-chacha20-poly1305", .iana = "TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256", .dashed = "DHE-PSK-CHACHA20-POLY1305", .exchange = "DHE-PSK", .cipher = "CHACHA20-POLY1305"},
    {.name = NULL},
};

static const tlslab_value tlslab_groups[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x0017, .name = "p-256", .iana = "secp256r1"},
    {.point = 0x0018, .name = "p-384", .iana = "secp384r1"},
    {.point = 0x001d, .name = "x25519", .iana = "x25519"},
    {.point = 0x11ec, .name = "x25519mlkem768", .iana = "X25519MLKEM768"},
    {.point = 0x11eb, .name = "p-256mlkem768", .iana = "SecP256r1MLKEM768"},
    {.point = 0x0100, .name = "ffdhe2048", .iana = "ffdhe2048"},
    {.name = NULL},
};

static const tlslab_value tlslab_schemes[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x0403, .name = "ecdsa-p256-sha256", .iana = "ecdsa_secp256r1_sha256"},
    {.point = 0x0503, .name = "ecdsa-p384-sha384", .iana = "ecdsa_secp384r1_sha384"},
    {.point = 0x0804, .name = "rsa-pss-sha256", .iana = "rsa_pss_rsae_sha256"},
    {.point = 0x0807, .name = "ed25519", .iana = "ed25519"},
    {.point = 0x0401, .name = "rsa-pkcs1-sha256", .iana = "rsa_pkcs1_sha256"},
    {.point = 0x0904, .name = "ml-dsa-44", .iana = "mldsa44"},
    {.point = 0x0905, .name = "ml-dsa-65", .iana = "mldsa65"},
    {.point = 0x0906, .name = "ml-dsa-87", .iana = "mldsa87"},
    {.name = NULL},
};

static const tlslab_value tlslab_keys[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x0403, .bits = 256, .name = "ecdsa-p256", .iana = "ecdsa_secp256r1_sha256"},
    {.point = 0x0503, .bits = 384, .name = "ecdsa-p384", .iana = "ecdsa_secp384r1_sha384"},
    {.point = 0x0807, .bits = 256, .name = "ed25519", .iana = "ed25519"},
    {.point = 0x0804, .bits = 2048, .name = "rsa-2048", .iana = "rsa_pss_rsae_sha256"},
    {.point = 0x0804, .bits = 3072, .name = "rsa-3072", .iana = "rsa_pss_rsae_sha256"},
    {.point = 0x0804, .bits = 4096, .name = "rsa-4096", .iana = "rsa_pss_rsae_sha256"},
    {.point = 0x0904, .bits = 10496, .name = "ml-dsa-44", .iana = "mldsa44"},
    {.point = 0x0905, .bits = 15616, .name = "ml-dsa-65", .iana = "mldsa65"},
    {.name = NULL},
};

static const tlslab_value tlslab_hashes[] TLSLAB_MAYBE_UNUSED = {
    {.point = 0x0001, .name = "md5"},
    {.point = 0x0002, .name = "sha-1"},
    {.point = 0x0004, .name = "sha-256"},
    {.point = 0x0005, .name = "sha-384"},
    {.point = 0x0006, .name = "sha-512"},
    {.point = 0x0101, .name = "sha3-256"},
    {.point = 0x0102, .name = "sha3-384"},
    {.point = 0x0103, .name = "sha3-512"},
    {.name = NULL},
};

#endif
