/* Authenticated encryption of one message into another place. On the clock: the nonce is set, the header and the message
 * are worked on, and the tag is made or checked. The key is scheduled before. */
#include "driver.h"

#if HAS_EVP_AEAD && !IS_LIBRESSL
#include <openssl/aead.h>
#endif

enum { TAG = 16 };

struct aead {
  struct primitive head;
  tlslab_assignment given;
#if HAS_EVP_AEAD
#if !MAKES_AEAD_CONTEXTS
  EVP_AEAD_CTX room;
#endif
  EVP_AEAD_CTX *context;
#else
  EVP_CIPHER_CTX *sealing, *opening;
#endif
};

#if HAS_EVP_AEAD

static const EVP_AEAD *algorithm(uint16_t suite) {
  switch (suite) {
    case TLSLAB_AES_128_GCM: return EVP_aead_aes_128_gcm();
    case TLSLAB_AES_256_GCM: return EVP_aead_aes_256_gcm();
    case TLSLAB_CHACHA20_POLY1305: return EVP_aead_chacha20_poly1305();
    default: return NULL;
  }
}

static int aead_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                    tlslab_buffer *output) {
  struct aead *aead = (struct aead *)head;
  uint8_t nonce[12];
  tlslab_nonce(aead->given.iv, sequence, nonce);
  uint8_t *to = output->data + output->len;
  size_t length, room = output->capacity - output->len;
  int done = operation == TLSLAB_AEAD_SEAL
                 ? EVP_AEAD_CTX_seal(aead->context, to, &length, room, nonce, sizeof nonce, input->data, input->len,
                                     aead->given.header, aead->given.header_len)
                 : EVP_AEAD_CTX_open(aead->context, to, &length, room, nonce, sizeof nonce, input->data, input->len,
                                     aead->given.header, aead->given.header_len);
  if (done) output->len += length;
  return done;
}

static void aead_free(struct primitive *head) {
  struct aead *aead = (struct aead *)head;
#if MAKES_AEAD_CONTEXTS
  EVP_AEAD_CTX_free(aead->context);
#else
  EVP_AEAD_CTX_cleanup(&aead->room);
#endif
  free(aead);
}

static int aead_init(struct aead *aead, uint16_t suite, tlslab_bytes key) {
#if MAKES_AEAD_CONTEXTS
  aead->context = EVP_AEAD_CTX_new();
#else
  aead->context = &aead->room; /* of zeros, which is a context that can be freed */
#endif
  return algorithm(suite) != NULL && aead->context != NULL && EVP_AEAD_key_length(algorithm(suite)) == key.len &&
         EVP_AEAD_CTX_init(aead->context, algorithm(suite), key.data, key.len, TAG, NULL);
}

#else

static const EVP_CIPHER *algorithm(uint16_t suite) {
  switch (suite) {
    case TLSLAB_AES_128_GCM: return EVP_aes_128_gcm();
    case TLSLAB_AES_256_GCM: return EVP_aes_256_gcm();
    case TLSLAB_CHACHA20_POLY1305: return EVP_chacha20_poly1305();
    default: return NULL;
  }
}

static int seal(struct aead *aead, const uint8_t *nonce, tlslab_buffer *input, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  EVP_CIPHER_CTX *context = aead->sealing;
  int length, last;
  if (!EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) ||
      !EVP_EncryptUpdate(context, NULL, &length, aead->given.header, (int)aead->given.header_len) ||
      !EVP_EncryptUpdate(context, to, &length, input->data, (int)input->len) ||
      !EVP_EncryptFinal_ex(context, to + length, &last) ||
      !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, to + length + last))
    return 0;
  output->len += (size_t)length + (size_t)last + TAG;
  return 1;
}

static int unseal(struct aead *aead, const uint8_t *nonce, tlslab_buffer *input, tlslab_buffer *output) {
  uint8_t *to = output->data + output->len;
  EVP_CIPHER_CTX *context = aead->opening;
  int length, last;
  if (input->len < TAG) return 0;
  size_t message = input->len - TAG;
  if (!EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) ||
      !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, input->data + message) ||
      !EVP_DecryptUpdate(context, NULL, &length, aead->given.header, (int)aead->given.header_len) ||
      !EVP_DecryptUpdate(context, to, &length, input->data, (int)message) ||
      !EVP_DecryptFinal_ex(context, to + length, &last))
    return 0;
  output->len += (size_t)length + (size_t)last;
  return 1;
}

static int aead_run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input,
                    tlslab_buffer *output) {
  struct aead *aead = (struct aead *)head;
  uint8_t nonce[12];
  tlslab_nonce(aead->given.iv, sequence, nonce);
  return operation == TLSLAB_AEAD_SEAL ? seal(aead, nonce, input, output) : unseal(aead, nonce, input, output);
}

static void aead_free(struct primitive *head) {
  struct aead *aead = (struct aead *)head;
  EVP_CIPHER_CTX_free(aead->sealing);
  EVP_CIPHER_CTX_free(aead->opening);
  free(aead);
}

static int aead_init(struct aead *aead, uint16_t suite, tlslab_bytes key) {
  const EVP_CIPHER *cipher = algorithm(suite);
  aead->sealing = EVP_CIPHER_CTX_new();
  aead->opening = EVP_CIPHER_CTX_new();
  return cipher != NULL && (size_t)EVP_CIPHER_key_length(cipher) == key.len && aead->sealing != NULL &&
         aead->opening != NULL && EVP_EncryptInit_ex(aead->sealing, cipher, NULL, key.data, aead->given.iv) &&
         EVP_DecryptInit_ex(aead->opening, cipher, NULL, key.data, aead->given.iv);
}

#endif

struct primitive *aead_new(const tlslab_assignment *assignment) {
  struct aead *aead = calloc(1, sizeof *aead);
  if (aead == NULL) return NULL;
  aead->head = (struct primitive){aead_run, aead_free};
  aead->given = *assignment;
  if (aead_init(aead, assignment->algorithm, assignment->key)) return &aead->head;
  aead_free(&aead->head);
  return NULL;
}
