/* Values of axes, such as a cipher suite or a group, and functions to find them. The tables are in tlslab_names.h. */
#ifndef TLSLAB_VALUE_H
#define TLSLAB_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <strings.h>

#define TLSLAB_MAYBE_UNUSED __attribute__((unused))

/* One value of one axis. Fields that do not apply to it are 0 or NULL. */
typedef struct tlslab_value {
  uint16_t point;       /* IANA's code point; for a key, that of its scheme in TLS 1.3; for a hash, tlslab_hash; for a
                         * way to resume a session, tlslab_can_resume; for tickets, their number */
  uint16_t operation;   /* for a primitive: tlslab_operation; `point` is its algorithm, or 0 for the operation itself */
  uint32_t bits;        /* size of a key, bits */
  uint32_t is_claimed;  /* for a primitive: 1 if `can` has answered yes for the algorithm in TLS, or if TLS does not use
                         * the algorithm */
  const char *name;     /* as scenario files write it */
  const char *iana;     /* IANA's name; for a key, that of its scheme in TLS 1.3 */
  const char *dashed;   /* for a suite: ECDHE-RSA-AES128-GCM-SHA256, as in many libraries; IANA's name in TLS 1.3 */
  const char *exchange; /* for a suite of TLS 1.2: ECDHE-RSA, PSK, ... */
  const char *cipher;   /* for a suite: AES-128-GCM, ... */
} tlslab_value;

/* A library's own name for a value, if it is not the usual one. Lists of these end with a NULL name. */
typedef struct tlslab_own_name {
  uint16_t point;
  const char *name;
} tlslab_own_name;

/* Finds the value with a code point in a table; NULL if it has none. */
static inline const tlslab_value *tlslab_find(const tlslab_value *table, uint16_t point) {
  while (table->name != NULL && table->point != point) table++;
  return table->name == NULL ? NULL : table;
}

/* IANA's name for a code point; NULL if the table does not have it. */
static inline const char *tlslab_iana(const tlslab_value *table, uint16_t point) {
  const tlslab_value *found = tlslab_find(table, point);
  return found == NULL ? NULL : found->iana;
}

/* The library's own name for a code point, else IANA's. */
static inline const char *tlslab_name(const tlslab_own_name *own, const tlslab_value *table, uint16_t point) {
  while (own->name != NULL && own->point != point) own++;
  return own->name == NULL ? tlslab_iana(table, point) : own->name;
}

/* The code point for a library's name of a value: looks among its own names, then among IANA's, ignoring case. 0 for
 * NULL and for an unknown name. */
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
