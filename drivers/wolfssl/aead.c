/* Authenticated encryption of one message into another place. AES has its key scheduled before; ChaCha20-Poly1305 takes
 * it in with each message, the library's only call of its kind that works on a whole message. */
#include "driver.h"

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

enum { TAG = 16 };

struct aead {
  struct primitive head;
  int is_chacha;
  Aes aes;
  tlslab_assignment given;
};

static int run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  struct aead *a = (struct aead *)head;
  uint8_t nonce[12], *to = output->data + output->len;
  int seals = operation == TLSLAB_AEAD_SEAL;
  if (!seals && input->len < TAG) return BUFFER_E;
  size_t message = seals ? input->len : input->len - TAG;
  uint8_t *tag = seals ? to + message : input->data + message;
  tlslab_nonce(a->given.iv, sequence, nonce);
  const uint8_t *header = a->given.header;
  word32 header_len = (word32)a->given.header_len;
  int code;
  if (a->is_chacha) {
    code = seals ? wc_ChaCha20Poly1305_Encrypt(a->given.key.data, nonce, header, header_len, input->data, (word32)message, to, tag)
                 : wc_ChaCha20Poly1305_Decrypt(a->given.key.data, nonce, header, header_len, input->data, (word32)message, tag, to);
  } else {
    code = seals ? wc_AesGcmEncrypt(&a->aes, to, input->data, (word32)message, nonce, sizeof nonce, tag, TAG, header, header_len)
                 : wc_AesGcmDecrypt(&a->aes, to, input->data, (word32)message, nonce, sizeof nonce, tag, TAG, header, header_len);
  }
  if (code == 0) output->len += seals ? message + TAG : message;
  return code;
}

static void release(struct primitive *head) {
  struct aead *a = (struct aead *)head;
  wc_AesFree(&a->aes);
  free(a);
}

int aead_new(const tlslab_assignment *assignment, struct primitive **primitive) {
  struct aead *a = calloc(1, sizeof *a);
  if (a == NULL) return MEMORY_E;
  a->head = (struct primitive){run, release};
  a->is_chacha = assignment->algorithm == TLSLAB_CHACHA20_POLY1305;
  a->given = *assignment;
  int code = wc_AesInit(&a->aes, NULL, INVALID_DEVID);
  if (code == 0 && !a->is_chacha) code = wc_AesGcmSetKey(&a->aes, a->given.key.data, (word32)a->given.key.len);
  *primitive = &a->head;
  return code;
}
