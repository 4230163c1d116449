/* What the cryptography of one library costs, called as its own TLS calls it. One source for OpenSSL, BoringSSL, AWS-LC.
 *
 *   primitives PKI MILLISECONDS
 *
 * PKI holds rsa-2048/leaf-key.der and ecdsa-p256/leaf-key.der. Every primitive runs about that long. A line per primitive:
 * its name, a tab, microseconds per call. */
#include <cpuid.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef OPENSSL_IS_BORINGSSL /* AWS-LC defines it, too */
#include <openssl/aead.h>
#include <openssl/curve25519.h>
#endif

enum { RECORD = 16384, TAG = 16, WRITE = 64 * RECORD };

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static EVP_PKEY *key_of(const char *pki, const char *type) {
  char path[4096];
  unsigned char der[8192];
  const unsigned char *p = der;
  snprintf(path, sizeof path, "%s/%s/leaf-key.der", pki, type);
  FILE *f = fopen(path, "rb");
  check(f != NULL, path);
  long n = fread(der, 1, sizeof der, f);
  fclose(f);
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &p, n);
  check(key != NULL, path);
  return key;
}

/* Signatures over what TLS 1.3 signs with a hash of 32 bytes: 130 bytes. A context per signature, as TLS has. */

static EVP_PKEY *rsa_key, *ecdsa_key;
static unsigned char to_sign[130], signature[512];
static size_t signature_length;

static EVP_MD_CTX *start(EVP_PKEY *key, int signs) {
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();
  EVP_PKEY_CTX *pctx;
  check((signs ? EVP_DigestSignInit(ctx, &pctx, EVP_sha256(), NULL, key) : EVP_DigestVerifyInit(ctx, &pctx, EVP_sha256(), NULL, key)) == 1, "start");
  if (key == rsa_key)
    check(EVP_PKEY_CTX_set_rsa_padding(pctx, RSA_PKCS1_PSS_PADDING) == 1 && EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, -1) == 1, "PSS");
  return ctx;
}

static void sign(EVP_PKEY *key) {
  EVP_MD_CTX *ctx = start(key, 1);
  signature_length = sizeof signature;
  check(EVP_DigestSign(ctx, signature, &signature_length, to_sign, sizeof to_sign) == 1, "sign");
  EVP_MD_CTX_free(ctx);
}

static void verify(EVP_PKEY *key) {
  EVP_MD_CTX *ctx = start(key, 0);
  check(EVP_DigestVerify(ctx, signature, signature_length, to_sign, sizeof to_sign) == 1, "verify");
  EVP_MD_CTX_free(ctx);
}

static void rsa_sign(void) { sign(rsa_key); }
static void rsa_verify(void) { verify(rsa_key); }
static void ecdsa_sign(void) { sign(ecdsa_key); }
static void ecdsa_verify(void) { verify(ecdsa_key); }

/* X25519: a new key pair and a shared secret, what either side of a handshake does. */

static unsigned char shared[32];
#ifdef OPENSSL_IS_BORINGSSL
static unsigned char peer[32];

static void x25519_setup(void) {
  unsigned char private_key[32];
  X25519_keypair(peer, private_key);
}

static void x25519(void) {
  unsigned char public_key[32], private_key[32];
  X25519_keypair(public_key, private_key);
  check(X25519(shared, private_key, peer), "derive");
}
#else
static EVP_PKEY *peer;

static EVP_PKEY *x25519_key(void) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, NULL);
  check(EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_keygen(ctx, &key) == 1, "key pair");
  EVP_PKEY_CTX_free(ctx);
  return key;
}

static void x25519_setup(void) { peer = x25519_key(); }

static void x25519(void) {
  size_t n = sizeof shared;
  EVP_PKEY *key = x25519_key();
  EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
  check(EVP_PKEY_derive_init(ctx) == 1 && EVP_PKEY_derive_set_peer(ctx, peer) == 1 && EVP_PKEY_derive(ctx, shared, &n) == 1, "derive");
  EVP_PKEY_CTX_free(ctx);
  EVP_PKEY_free(key);
}
#endif

/* AES-128-GCM on a record of 16 KiB with a key that is set up and a nonce and 5 bytes of header per record. */

static const unsigned char aes_key[16] = "sixteen bytes...";
static unsigned char nonce[12], header[5];
static unsigned char write_data[WRITE], record[RECORD + TAG], sealed[RECORD + TAG], out[RECORD + TAG];

#ifdef OPENSSL_IS_BORINGSSL
static EVP_AEAD_CTX aead;

static void aead_setup(void) {
  check(EVP_AEAD_CTX_init(&aead, EVP_aead_aes_128_gcm(), aes_key, sizeof aes_key, TAG, NULL), "AES-128-GCM");
}

static void seal(unsigned char *to, const unsigned char *from) {
  size_t n;
  check(EVP_AEAD_CTX_seal(&aead, to, &n, RECORD + TAG, nonce, sizeof nonce, from, RECORD, header, sizeof header), "seal");
}

static void open_record(unsigned char *to, const unsigned char *from) {
  size_t n;
  check(EVP_AEAD_CTX_open(&aead, to, &n, RECORD + TAG, nonce, sizeof nonce, from, RECORD + TAG, header, sizeof header), "open");
}
#else
static EVP_CIPHER_CTX *sealing, *opening;

static void aead_setup(void) {
  sealing = EVP_CIPHER_CTX_new(), opening = EVP_CIPHER_CTX_new();
  check(EVP_EncryptInit_ex(sealing, EVP_aes_128_gcm(), NULL, aes_key, nonce) == 1, "AES-128-GCM");
  check(EVP_DecryptInit_ex(opening, EVP_aes_128_gcm(), NULL, aes_key, nonce) == 1, "AES-128-GCM");
}

static void seal(unsigned char *to, const unsigned char *from) {
  int n;
  check(EVP_EncryptInit_ex(sealing, NULL, NULL, NULL, nonce) == 1 && EVP_EncryptUpdate(sealing, NULL, &n, header, sizeof header) == 1 &&
            EVP_EncryptUpdate(sealing, to, &n, from, RECORD) == 1 && EVP_EncryptFinal_ex(sealing, to + RECORD, &n) == 1 &&
            EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, TAG, to + RECORD) == 1, "seal");
}

static void open_record(unsigned char *to, const unsigned char *from) {
  int n;
  check(EVP_DecryptInit_ex(opening, NULL, NULL, NULL, nonce) == 1 && EVP_DecryptUpdate(opening, NULL, &n, header, sizeof header) == 1 &&
            EVP_DecryptUpdate(opening, to, &n, from, RECORD) == 1 &&
            EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)(from + RECORD)) == 1 &&
            EVP_DecryptFinal_ex(opening, to + RECORD, &n) == 1, "open");
}
#endif

/* Where the plaintext of the next record of a 1 MiB write lies: over and over through more than the first cache holds. */
static const unsigned char *next(void) {
  static size_t at;
  at = (at + RECORD) % WRITE;
  return write_data + at;
}

static void copy(void *to, const void *from, size_t n) {
  memcpy(to, from, n);
  __asm__ volatile("" ::"r"(to) : "memory");
}

static void seal_in_place(void) { seal(record, record); }
static void seal_apart(void) { seal(record, write_data); }
static void seal_write(void) { seal(record, next()); }
static void copy_then_seal_write(void) {
  copy(record, next(), RECORD);
  seal(record, record);
}
/* Opening in place spoils the record, so it is fetched again, as from the wire; 'copy' is what to take off. */
static void copy_then_open_in_place(void) {
  copy(record, sealed, RECORD + TAG);
  open_record(record, record);
}
static void open_apart(void) { open_record(out, sealed); }
static void copy_near(void) { copy(record, write_data, RECORD); }
static void copy_write(void) { copy(record, next(), RECORD); }

static void cpuid(void) {
  unsigned a, b, c, d;
  __cpuid(1, a, b, c, d); /* volatile */
}

static const struct {
  const char *name;
  void (*call)(void);
} primitives[] = {
    {"RSA-2048 PSS sign", rsa_sign},
    {"RSA-2048 PSS verify", rsa_verify},
    {"ECDSA P-256 sign", ecdsa_sign},
    {"ECDSA P-256 verify", ecdsa_verify},
    {"X25519 key pair + derive", x25519},
    {"AES-128-GCM seal 16 KiB in place", seal_in_place},
    {"AES-128-GCM seal 16 KiB apart", seal_apart},
    {"AES-128-GCM seal 16 KiB of 1 MiB apart", seal_write},
    {"copy 16 KiB of 1 MiB, then seal in place", copy_then_seal_write},
    {"AES-128-GCM open 16 KiB apart", open_apart},
    {"copy 16 KiB, then open in place", copy_then_open_in_place},
    {"copy 16 KiB", copy_near},
    {"copy 16 KiB of 1 MiB", copy_write},
    {"CPUID", cpuid},
};

int main(int argc, char **argv) {
  check(argc == 3, "usage: primitives PKI MILLISECONDS");
  double enough_us = atof(argv[2]) * 1e3;
  rsa_key = key_of(argv[1], "rsa-2048"), ecdsa_key = key_of(argv[1], "ecdsa-p256");
  memset(to_sign, 7, sizeof to_sign);
  memset(write_data, 42, sizeof write_data);
  x25519_setup(), aead_setup(), seal(sealed, write_data);
  for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
    /* The number of calls doubles until they take long enough; what came before is the warm-up. */
    double us = 0;
    for (long calls = 1; us < enough_us; calls *= 2) {
      double from = now_us();
      for (long call = 0; call < calls; call++) primitives[i].call();
      us = now_us() - from;
      if (us >= enough_us) printf("%s\t%.4f\n", primitives[i].name, us / calls);
    }
  }
  check(!memcmp(out, write_data, RECORD), "what was opened is not what was sealed");
  return 0;
}
