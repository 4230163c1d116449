#include "library.h"

const struct algorithm groups[GROUPS] = {
    {0x0017, "SECP256R1", "p-256"},
    {0x0018, "SECP384R1", "p-384"},
    {0x001d, "X25519", "x25519"},
    {0x11ec, "X25519MLKEM768", "x25519mlkem768"},
    {0x11eb, "SecP256r1MLKEM768", "p-256mlkem768"},
    {0x0100, "FFDHE_2048", "ffdhe2048"},
};

const struct algorithm suites[SUITES] = {
    {0x1301, "TLS13-AES128-GCM-SHA256", "aes-128-gcm"},
    {0x1302, "TLS13-AES256-GCM-SHA384", "aes-256-gcm"},
    {0x1303, "TLS13-CHACHA20-POLY1305-SHA256", "chacha20-poly1305"},
    {0xc02b, "ECDHE-ECDSA-AES128-GCM-SHA256", "ecdhe-ecdsa-aes-128-gcm"},
    {0xc02c, "ECDHE-ECDSA-AES256-GCM-SHA384", "ecdhe-ecdsa-aes-256-gcm"},
    {0xcca9, "ECDHE-ECDSA-CHACHA20-POLY1305", "ecdhe-ecdsa-chacha20-poly1305"},
    {0xc02f, "ECDHE-RSA-AES128-GCM-SHA256", "ecdhe-rsa-aes-128-gcm"},
    {0xc030, "ECDHE-RSA-AES256-GCM-SHA384", "ecdhe-rsa-aes-256-gcm"},
    {0xcca8, "ECDHE-RSA-CHACHA20-POLY1305", "ecdhe-rsa-chacha20-poly1305"},
    {0x009e, "DHE-RSA-AES128-GCM-SHA256", "dhe-rsa-aes-128-gcm"},
    {0x009f, "DHE-RSA-AES256-GCM-SHA384", "dhe-rsa-aes-256-gcm"},
    {0xccaa, "DHE-RSA-CHACHA20-POLY1305", "dhe-rsa-chacha20-poly1305"},
    {0x00a8, "PSK-AES128-GCM-SHA256", "psk-aes-128-gcm"},
    {0x00a9, "PSK-AES256-GCM-SHA384", "psk-aes-256-gcm"},
    {0xccab, "PSK-CHACHA20-POLY1305", "psk-chacha20-poly1305"},
    {0xd001, "ECDHE-PSK-AES128-GCM-SHA256", "ecdhe-psk-aes-128-gcm"},
    {0xd002, "ECDHE-PSK-AES256-GCM-SHA384", "ecdhe-psk-aes-256-gcm"},
    {0xccac, "ECDHE-PSK-CHACHA20-POLY1305", "ecdhe-psk-chacha20-poly1305"},
    {0x00aa, "DHE-PSK-AES128-GCM-SHA256", "dhe-psk-aes-128-gcm"},
    {0x00ab, "DHE-PSK-AES256-GCM-SHA384", "dhe-psk-aes-256-gcm"},
    {0xccad, "DHE-PSK-CHACHA20-POLY1305", "dhe-psk-chacha20-poly1305"},
};

const struct algorithm schemes[SCHEMES] = {
    {0x0403, "ECDSA+SHA256", "ecdsa-p256-sha256"},
    {0x0503, "ECDSA+SHA384", "ecdsa-p384-sha384"},
    {0x0807, "ED25519", "ed25519"},
    {0x0804, "RSA-PSS+SHA256", "rsa-pss-sha256"},
    {0x0401, "RSA+SHA256", "rsa-pkcs1-sha256"},
    /* The setter has no names for these. */
    {0x0904, NULL, "ml-dsa-44"},
    {0x0905, NULL, "ml-dsa-65"},
};

const struct algorithm *algorithm_by_point(const struct algorithm *list, size_t len, uint16_t point) {
  for (size_t at = 0; at < len; at++) {
    if (list[at].point == point) return &list[at];
  }
  return NULL;
}
