/* Hashes and authentication codes. On the clock: an existing object is reset, fed and finished; a code's key is set. */
#include "driver.h"

#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

struct symmetric {
  struct primitive head;
  int is_384;
  wc_Sha256 sha256;
  wc_Sha384 sha384;
  Hmac hmac;
  tlslab_bytes key;
};

static int run(struct primitive *head, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output) {
  struct symmetric *s = (struct symmetric *)head;
  uint8_t *to = output->data + output->len;
  int code;
  (void)sequence;
  if (operation == TLSLAB_HMAC) {
    code = wc_HmacSetKey(&s->hmac, s->is_384 ? WC_SHA384 : WC_SHA256, s->key.data, (word32)s->key.len);
    if (code == 0) code = wc_HmacUpdate(&s->hmac, input->data, (word32)input->len);
    if (code == 0) code = wc_HmacFinal(&s->hmac, to);
  } else if (s->is_384) {
    code = wc_Sha384Update(&s->sha384, input->data, (word32)input->len);
    if (code == 0) code = wc_Sha384Final(&s->sha384, to); /* and resets it */
  } else {
    code = wc_Sha256Update(&s->sha256, input->data, (word32)input->len);
    if (code == 0) code = wc_Sha256Final(&s->sha256, to);
  }
  if (code == 0) output->len += s->is_384 ? WC_SHA384_DIGEST_SIZE : WC_SHA256_DIGEST_SIZE;
  return code;
}

static void release(struct primitive *head) {
  struct symmetric *s = (struct symmetric *)head;
  wc_Sha256Free(&s->sha256);
  wc_Sha384Free(&s->sha384);
  wc_HmacFree(&s->hmac);
  free(s);
}

int symmetric_new(const tlslab_assignment *assignment, struct primitive **primitive) {
  struct symmetric *s = calloc(1, sizeof *s);
  if (s == NULL) return MEMORY_E;
  s->head = (struct primitive){run, release};
  s->is_384 = assignment->algorithm == TLSLAB_SHA384;
  s->key = assignment->key;
  int code = wc_InitSha256(&s->sha256);
  if (code == 0) code = wc_InitSha384(&s->sha384);
  if (code == 0) code = wc_HmacInit(&s->hmac, NULL, INVALID_DEVID);
  *primitive = &s->head;
  return code;
}
