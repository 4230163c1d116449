#include "names.h"

#include <string.h>

const struct algorithm versions[VERSIONS] = {
    {0x0303, "TLS1.2", "1.2"},
    {0x0304, "TLS1.3", "1.3"},
};

const struct algorithm groups[GROUPS] = {
    {0x0017, "SECP256R1", "p-256"},
    {0x0018, "SECP384R1", "p-384"},
    {0x001d, "X25519", "x25519"},
    {0x11ec, "X25519-MLKEM768", "x25519mlkem768"},
    {0x11eb, "SECP256R1-MLKEM768", "p-256mlkem768"},
    {0x0100, "FFDHE2048", "ffdhe2048"},
};

const struct algorithm suites[SUITES] = {
    {0x1301, "AES-128-GCM", "aes-128-gcm"},
    {0x1302, "AES-256-GCM", "aes-256-gcm"},
    {0x1303, "CHACHA20-POLY1305", "chacha20-poly1305"},
    {0xc02b, "ECDHE-ECDSA:+AES-128-GCM", "ecdhe-ecdsa-aes-128-gcm"},
    {0xc02c, "ECDHE-ECDSA:+AES-256-GCM", "ecdhe-ecdsa-aes-256-gcm"},
    {0xcca9, "ECDHE-ECDSA:+CHACHA20-POLY1305", "ecdhe-ecdsa-chacha20-poly1305"},
    {0xc02f, "ECDHE-RSA:+AES-128-GCM", "ecdhe-rsa-aes-128-gcm"},
    {0xc030, "ECDHE-RSA:+AES-256-GCM", "ecdhe-rsa-aes-256-gcm"},
    {0xcca8, "ECDHE-RSA:+CHACHA20-POLY1305", "ecdhe-rsa-chacha20-poly1305"},
    {0x009e, "DHE-RSA:+AES-128-GCM", "dhe-rsa-aes-128-gcm"},
    {0x009f, "DHE-RSA:+AES-256-GCM", "dhe-rsa-aes-256-gcm"},
    {0xccaa, "DHE-RSA:+CHACHA20-POLY1305", "dhe-rsa-chacha20-poly1305"},
    {0x00a8, "PSK:+AES-128-GCM", "psk-aes-128-gcm"},
    {0x00a9, "PSK:+AES-256-GCM", "psk-aes-256-gcm"},
    {0xccab, "PSK:+CHACHA20-POLY1305", "psk-chacha20-poly1305"},
    {0xccac, "ECDHE-PSK:+CHACHA20-POLY1305", "ecdhe-psk-chacha20-poly1305"},
    {0x00aa, "DHE-PSK:+AES-128-GCM", "dhe-psk-aes-128-gcm"},
    {0x00ab, "DHE-PSK:+AES-256-GCM", "dhe-psk-aes-256-gcm"},
    {0xccad, "DHE-PSK:+CHACHA20-POLY1305", "dhe-psk-chacha20-poly1305"},
};

const struct algorithm schemes[VERSIONS][SCHEMES] = {
    {{0x0403, "ECDSA-SHA256", "ecdsa-p256-sha256"},
     {0x0503, "ECDSA-SHA384", "ecdsa-p384-sha384"},
     {0x0807, "EdDSA-Ed25519", "ed25519"},
     {0x0401, "RSA-SHA256", "rsa-pkcs1-sha256"}},
    {{0x0403, "ECDSA-SECP256R1-SHA256", "ecdsa-p256-sha256"},
     {0x0503, "ECDSA-SECP384R1-SHA384", "ecdsa-p384-sha384"},
     {0x0807, "EdDSA-Ed25519", "ed25519"},
     {0x0804, "RSA-PSS-RSAE-SHA256", "rsa-pss-sha256"},
     {0x0904, "MLDSA44", "ml-dsa-44"},
     {0x0905, "MLDSA65", "ml-dsa-65"}},
};

const struct algorithm *algorithm_by_point(const struct algorithm *list, size_t len, uint16_t point) {
  for (size_t at = 0; at < len; at++) {
    if (list[at].point == point) return &list[at];
  }
  return NULL;
}

uint16_t point_by_name(const struct algorithm *list, size_t len, const char *name) {
  for (size_t at = 0; name != NULL && at < len; at++) {
    if (list[at].library != NULL && strcmp(list[at].library, name) == 0) return list[at].point;
  }
  return 0;
}
