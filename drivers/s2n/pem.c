#include "pem.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 48, MARKS = 128 };

char *pem(const char *label, const tlslab_bytes *ders, size_t count) {
  size_t room = 1;
  for (size_t at = 0; at < count; at++) room += MARKS + (ders[at].len / LINE + 1) * (LINE / 3 * 4 + 1);
  char *text = malloc(room);
  if (text == NULL) return NULL;
  char *end = text;
  for (size_t at = 0; at < count; at++) {
    end += sprintf(end, "-----BEGIN %s-----\n", label);
    for (size_t from = 0; from < ders[at].len; from += LINE) {
      size_t len = ders[at].len - from < LINE ? ders[at].len - from : LINE;
      end += EVP_EncodeBlock((uint8_t *)end, ders[at].data + from, len);
      *end++ = '\n';
    }
    end += sprintf(end, "-----END %s-----\n", label);
  }
  return text;
}
