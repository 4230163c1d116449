/* One value of one axis, such as a suite or a group, and how a driver finds it. The values are in tlslab_names.h. */
#ifndef TLSLAB_VALUE_H
#define TLSLAB_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <strings.h>

#define TLSLAB_MAYBE_UNUSED __attribute__((unused))

/* What a value does not have is 0 or NULL. */
typedef struct tlslab_value {
  uint16_t point;       /* IANA's code point; of a key that of its scheme in TLS 1.3; of a hash tlslab_hash; of a way to take
                         * up a session tlslab_can_resume; of tickets how many */
  uint16_t operation;   /* of a primitive: tlslab_operation; `point` is its algorithm, or 0 for the operation as such */
  uint32_t bits;        /* of a key */
  uint32_t is_claimed;  /* of a primitive: 1 where `can` has said yes to the algorithm as a part of TLS, or it is no such part */
  const char *name;     /* as scenario files write it */
  const char *iana;     /* IANA's name; of a key that of its scheme in TLS 1.3 */
  const char *dashed;   /* of a suite: ECDHE-RSA-AES128-GCM-SHA256, as many libraries call it; IANA's name in TLS 1.3 */
  const char *exchange; /* of a suite of TLS 1.2: ECDHE-RSA, PSK, ... */
  const char *cipher;   /* of a suite: AES-128-GCM, ... */
} tlslab_value;

/* What a library calls a value, where it does not call it as others do. Lists of these end with a NULL. */
typedef struct tlslab_own_name {
  uint16_t point;
  const char *name;
} tlslab_own_name;

/* The value of one of the tables with this code point; NULL where there is none. */
static inline const tlslab_value *tlslab_find(const tlslab_value *table, uint16_t point) {
  while (table->name != NULL && table->point != point) table++;
  return table->name == NULL ? NULL : table;
}

/* IANA's name for a code point; NULL where the table does not have it. */
static inline const char *tlslab_iana(const tlslab_value *table, uint16_t point) {
  const tlslab_value *found = tlslab_find(table, point);
  return found == NULL ? NULL : found->iana;
}

/* The library's own name for a code point, else IANA's. */
static inline const char *tlslab_name(const tlslab_own_name *own, const tlslab_value *table, uint16_t point) {
  while (own->name != NULL && own->point != point) own++;
  return own->name == NULL ? tlslab_iana(table, point) : own->name;
}

/* The code point of what the library calls so, by its own names and then by IANA's, in capitals or not; 0 for NULL and for what has none. */
static inline uint16_t tlslab_point(const tlslab_own_name *own, const tlslab_value *table, const char *name) {
  if (name == NULL) return 0;
  for (; own->name != NULL; own++) {
    if (strcasecmp(own->name, name) == 0) return own->point;
  }
  for (; table->name != NULL; table++) {
    if (strcasecmp(table->iana, name) == 0) return table->point;
  }
  return 0;
}

#endif
