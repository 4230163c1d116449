/* The settings that are known, where they come from, and how they are set and read back. */
#include "settings.h"

#include <inttypes.h>

/* What a library does not name it does not have; what it names 0 has no effect in it. */
#ifndef SSL_OP_ALLOW_CLIENT_RENEGOTIATION
#define SSL_OP_ALLOW_CLIENT_RENEGOTIATION 0
#endif
#ifndef SSL_OP_IGNORE_UNEXPECTED_EOF
#define SSL_OP_IGNORE_UNEXPECTED_EOF 0
#endif
#ifndef SSL_OP_NO_ANTI_REPLAY
#define SSL_OP_NO_ANTI_REPLAY 0
#endif
#ifndef SSL_OP_NO_RENEGOTIATION
#define SSL_OP_NO_RENEGOTIATION 0
#endif
#ifndef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
#define SSL_OP_NO_RX_CERTIFICATE_COMPRESSION 0
#endif
#ifndef SSL_OP_NO_TX_CERTIFICATE_COMPRESSION
#define SSL_OP_NO_TX_CERTIFICATE_COMPRESSION 0
#endif
#ifndef SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION
#define SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION 0
#endif
#ifndef SSL_OP_PRIORITIZE_CHACHA
#define SSL_OP_PRIORITIZE_CHACHA 0
#endif
#ifndef SSL_OP_SAFARI_ECDHE_ECDSA_BUG
#define SSL_OP_SAFARI_ECDHE_ECDSA_BUG 0
#endif
#ifndef SSL_OP_TLSEXT_PADDING
#define SSL_OP_TLSEXT_PADDING 0
#endif
#ifndef SSL_MODE_NO_AUTO_CHAIN
#define SSL_MODE_NO_AUTO_CHAIN 0
#endif
#ifndef SSL_SESS_CACHE_NO_INTERNAL_STORE
#define SSL_SESS_CACHE_NO_INTERNAL_STORE 0
#endif
#ifndef X509_V_FLAG_PARTIAL_CHAIN
#define X509_V_FLAG_PARTIAL_CHAIN 0
#endif
#ifndef X509_V_FLAG_TRUSTED_FIRST
#define X509_V_FLAG_TRUSTED_FIRST 0
#endif

enum kind { OPTION, MODE, CACHE, FLAG, NUMBERS, CACHE_SIZE = NUMBERS, TIMEOUT, READ_AHEAD, READ_BUFFER, WRITE };

/* A flag of a mask, or a number, whose flag is 0. */
struct known {
  const char *name;
  enum kind kind;
  uint64_t flag;
};

#define NAMED(kind, name) {#name, kind, (uint64_t)(name)}

static const struct known KNOWN[] = {
    NAMED(OPTION, SSL_OP_ALL),
    NAMED(OPTION, SSL_OP_ALLOW_CLIENT_RENEGOTIATION),
    NAMED(OPTION, SSL_OP_CIPHER_SERVER_PREFERENCE),
    NAMED(OPTION, SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS),
    NAMED(OPTION, SSL_OP_IGNORE_UNEXPECTED_EOF),
    NAMED(OPTION, SSL_OP_NO_ANTI_REPLAY),
    NAMED(OPTION, SSL_OP_NO_COMPRESSION),
    NAMED(OPTION, SSL_OP_NO_RENEGOTIATION),
    NAMED(OPTION, SSL_OP_NO_RX_CERTIFICATE_COMPRESSION),
    NAMED(OPTION, SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION),
    NAMED(OPTION, SSL_OP_NO_TICKET),
    NAMED(OPTION, SSL_OP_NO_TX_CERTIFICATE_COMPRESSION),
    NAMED(OPTION, SSL_OP_PRIORITIZE_CHACHA),
    NAMED(OPTION, SSL_OP_SAFARI_ECDHE_ECDSA_BUG),
    NAMED(OPTION, SSL_OP_TLSEXT_PADDING),
    NAMED(MODE, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER),
    NAMED(MODE, SSL_MODE_AUTO_RETRY),
    NAMED(MODE, SSL_MODE_ENABLE_PARTIAL_WRITE),
    NAMED(MODE, SSL_MODE_NO_AUTO_CHAIN),
    NAMED(MODE, SSL_MODE_RELEASE_BUFFERS),
    NAMED(CACHE, SSL_SESS_CACHE_CLIENT),
    NAMED(CACHE, SSL_SESS_CACHE_SERVER),
    NAMED(CACHE, SSL_SESS_CACHE_NO_AUTO_CLEAR),
    NAMED(CACHE, SSL_SESS_CACHE_NO_INTERNAL),
    NAMED(CACHE, SSL_SESS_CACHE_NO_INTERNAL_STORE),
    NAMED(FLAG, X509_V_FLAG_PARTIAL_CHAIN),
    NAMED(FLAG, X509_V_FLAG_TRUSTED_FIRST),
    NAMED(FLAG, X509_V_FLAG_X509_STRICT),
    {"SSL_CTX_sess_set_cache_size", CACHE_SIZE, 0},
    {"SSL_CTX_set_default_read_buffer_len", READ_BUFFER, 0},
    {"SSL_CTX_set_read_ahead", READ_AHEAD, 0},
    {"SSL_CTX_set_timeout", TIMEOUT, 0},
    /* No call of a library: the program passes at most so many bytes to SSL_write. */
    {"bytes_per_SSL_write", WRITE, 0},
};

enum { MOST = 64, CALLS_OF_BOTH = 2, LEAST_WRITE = 512, MOST_WRITE = 16384 };

struct asked {
  const struct known *known;
  int of_side[CALLS_OF_BOTH];
  uint64_t value;
  int is_there; /* whether the library reports it once it is set */
};

static char program[64];
static struct asked asked[MOST];
static size_t asked_len;

/* The flags of a kind that are set and those that are cleared. A cleared one may be part of a name for several. */
struct flags {
  uint64_t set, clear;
};

static struct flags flags_of(enum kind kind, int side) {
  struct flags flags = {0, 0};
  for (const struct asked *one = asked; one < asked + asked_len; one++) {
    if (one->known->kind != kind || !one->of_side[side] || !one->is_there) continue;
    *(one->value ? &flags.set : &flags.clear) |= one->known->flag;
  }
  flags.set &= ~flags.clear;
  return flags;
}

/* A number that a side sets; 0 without it. */
static uint64_t number_of(enum kind kind, int side) {
  uint64_t number = 0;
  for (const struct asked *one = asked; one < asked + asked_len; one++) {
    if (one->known->kind == kind && one->of_side[side] && one->is_there) number = one->value;
  }
  return number;
}

static void set_flags(SSL_CTX *ssl, enum kind kind, struct flags flags) {
  if ((flags.set | flags.clear) == 0) return;
  X509_VERIFY_PARAM *verification = SSL_CTX_get0_param(ssl);
  switch (kind) {
    case OPTION:
      SSL_CTX_set_options(ssl, flags.set);
      SSL_CTX_clear_options(ssl, flags.clear);
      return;
    case MODE:
      SSL_CTX_set_mode(ssl, flags.set);
      SSL_CTX_clear_mode(ssl, flags.clear);
      return;
    case CACHE: SSL_CTX_set_session_cache_mode(ssl, (int)flags.set); return;
    case FLAG:
      X509_VERIFY_PARAM_set_flags(verification, flags.set);
      X509_VERIFY_PARAM_clear_flags(verification, flags.clear);
      return;
    default: return;
  }
}

static uint64_t get_flags(SSL_CTX *ssl, enum kind kind) {
  switch (kind) {
    case OPTION: return SSL_CTX_get_options(ssl);
    case MODE: return (uint64_t)SSL_CTX_get_mode(ssl);
    case CACHE: return (uint64_t)SSL_CTX_get_session_cache_mode(ssl);
    case FLAG: return X509_VERIFY_PARAM_get_flags(SSL_CTX_get0_param(ssl));
    default: return 0;
  }
}

static void set_number(SSL_CTX *ssl, enum kind kind, uint64_t number) {
  switch (kind) {
    case CACHE_SIZE: SSL_CTX_sess_set_cache_size(ssl, (unsigned long)number); return;
    case TIMEOUT: SSL_CTX_set_timeout(ssl, (long)number); return;
    case READ_AHEAD: SSL_CTX_set_read_ahead(ssl, (int)number); return;
#if HAS_READ_BUFFER_SETTER
    case READ_BUFFER: SSL_CTX_set_default_read_buffer_len(ssl, (size_t)number); return;
#endif
    default: return;
  }
}

/* A number as the library reports it; what has no call to ask for it is taken as set. */
static uint64_t get_number(SSL_CTX *ssl, enum kind kind, uint64_t number) {
  switch (kind) {
    case CACHE_SIZE: return (uint64_t)SSL_CTX_sess_get_cache_size(ssl);
    case TIMEOUT: return (uint64_t)SSL_CTX_get_timeout(ssl);
    case READ_AHEAD: return (uint64_t)SSL_CTX_get_read_ahead(ssl);
    case READ_BUFFER: return HAS_READ_BUFFER_SETTER ? number : 0;
    default: return number;
  }
}

/* Tries one setting on a context that is thrown away. */
static int takes(const struct asked *one) {
  SSL_CTX *ssl = SSL_CTX_new(TLS_method());
  if (ssl == NULL) return 0;
  const struct known *known = one->known;
  int is_there;
  if (known->kind >= NUMBERS) {
    set_number(ssl, known->kind, one->value);
    is_there = get_number(ssl, known->kind, one->value) == one->value;
  } else {
    struct flags flags = {one->value ? known->flag : 0, one->value ? 0 : known->flag};
    set_flags(ssl, known->kind, flags);
    uint64_t found = get_flags(ssl, known->kind) & known->flag;
    /* What there is not cannot be set, and need not be cleared. */
    is_there = known->flag == 0 ? one->value == 0 : found == flags.set;
  }
  SSL_CTX_free(ssl);
  return is_there;
}

static const struct known *known_as(const char *name) {
  for (size_t at = 0; at < sizeof KNOWN / sizeof *KNOWN; at++) {
    if (strcmp(KNOWN[at].name, name) == 0) return &KNOWN[at];
  }
  return NULL;
}

static int take(const char *side, const char *name, uint64_t value, char *why, size_t room) {
  const struct known *known = known_as(name);
  if (known == NULL) {
    snprintf(why, room, "the setting %s is not known here; drivers/libssl/settings.c lists those that are", name);
    return 0;
  }
  int is_both = strcmp(side, "both") == 0;
  struct asked one = {known, {is_both || strcmp(side, "client") == 0, is_both || strcmp(side, "server") == 0}, value, 0};
  if (!one.of_side[TLSLAB_CLIENT] && !one.of_side[TLSLAB_SERVER]) {
    snprintf(why, room, "the setting %s is for the side \"%s\"; write client, server or both", name, side);
    return 0;
  }
  if (known->kind == WRITE && (value < LEAST_WRITE || value > MOST_WRITE)) {
    snprintf(why, room, "%s is %" PRIu64 "; write %d to %d, as a record holds no more", name, value, LEAST_WRITE, MOST_WRITE);
    return 0;
  }
  if (known->kind < NUMBERS && value > 1) {
    snprintf(why, room, "the setting %s is %" PRIu64 "; write 1 to set the flag and 0 to clear it", name, value);
    return 0;
  }
  if (asked_len == MOST) {
    snprintf(why, room, "there are more than %d settings", MOST);
    return 0;
  }
  one.is_there = takes(&one);
  asked[asked_len++] = one;
  return 1;
}

int settings_read(char *why, size_t room) {
  const char *text = getenv("TLSLAB_SETTINGS"), *name = getenv("TLSLAB_SETTINGS_OF");
  if (text == NULL) return 1;
  snprintf(program, sizeof program, "%s", name == NULL ? "a program" : name);
  while (*text != '\0') {
    char side[8], setting[64];
    uint64_t value;
    int length = 0;
    if (sscanf(text, "%7[a-z] %63[A-Za-z0-9_] %" SCNu64 "%n", side, setting, &value, &length) != 3 ||
        (text[length] != ',' && text[length] != '\0')) {
      snprintf(why, room, "the settings are not SIDE NAME NUMBER with commas between them, from \"%.40s\" on", text);
      return 0;
    }
    if (!take(side, setting, value, why, room)) return 0;
    text += length;
    if (*text == ',') text++;
  }
  ERR_clear_error();
  return 1;
}

/* The kinds that a scenario leaves to the program. How sessions are kept is the scenario's where it resumes or sends any. */
static int leaves(const tlslab_scenario *scenario, enum kind kind) {
  int has_sessions =
      scenario->resumption != TLSLAB_RESUME_NOTHING || scenario->tickets > 0 || scenario->early_data > 0;
  return !has_sessions || (kind != CACHE && kind != CACHE_SIZE && kind != TIMEOUT);
}

/* The options without the one that would turn off tickets that the scenario has. */
static struct flags left(const tlslab_scenario *scenario, enum kind kind, int side) {
  struct flags flags = flags_of(kind, side);
  if (kind == OPTION && scenario->tickets > 0) flags.set &= ~(uint64_t)SSL_OP_NO_TICKET;
  return flags;
}

void settings_apply(SSL_CTX *ssl, int side, const tlslab_scenario *scenario) {
  for (int kind = OPTION; kind < NUMBERS; kind++) {
    if (leaves(scenario, kind)) set_flags(ssl, kind, left(scenario, kind, side));
  }
  for (int kind = NUMBERS; kind <= WRITE; kind++) {
    uint64_t number = number_of(kind, side);
    if (number > 0 && leaves(scenario, kind)) set_number(ssl, kind, number);
  }
}

int settings_check(SSL_CTX *ssl, int side, const tlslab_scenario *scenario, tlslab_error *error) {
  for (int kind = OPTION; kind < NUMBERS; kind++) {
    struct flags flags = left(scenario, kind, side);
    uint64_t found = get_flags(ssl, kind);
    if (!leaves(scenario, kind) || ((found & flags.set) == flags.set && (found & flags.clear) == 0)) continue;
    static const char *const names[] = {"options", "modes", "modes of the session cache", "flags of verification"};
    return tlslab_failed(error, "the library reports the %s 0x%" PRIx64 ", and %s sets 0x%" PRIx64 " and clears 0x%" PRIx64,
                         names[kind], found, program, flags.set, flags.clear);
  }
  for (int kind = NUMBERS; kind <= WRITE; kind++) {
    uint64_t number = number_of(kind, side), found = get_number(ssl, kind, number);
    if (number == 0 || !leaves(scenario, kind) || found == number) continue;
    return tlslab_failed(error, "the library reports %" PRIu64 " where %s sets %" PRIu64, found, program, number);
  }
  return TLSLAB_OK;
}

int settings_read_ahead(int side) { return number_of(READ_AHEAD, side) > 0; }

size_t settings_write_at_most(int side) { return (size_t)number_of(WRITE, side); }

int settings_write_parts(int side) {
  return settings_write_at_most(side) > 0 || (flags_of(MODE, side).set & SSL_MODE_ENABLE_PARTIAL_WRITE) != 0;
}

/* Appends the settings of a side that are there, or are not. A side of -1 is both. */
static void list(char *text, size_t room, int side, int is_there) {
  for (const struct asked *one = asked; one < asked + asked_len; one++) {
    const struct asked *before = asked;
    while (before < one && before->known != one->known) before++;
    if (!is_there && before < one) continue;
    int of_both = one->of_side[TLSLAB_CLIENT] && one->of_side[TLSLAB_SERVER];
    if (one->is_there != is_there || (is_there && (side < 0 ? !of_both : of_both || !one->of_side[side]))) continue;
    size_t len = strlen(text);
    snprintf(text + len, room - len, len == 0 || text[len - 1] == ' ' ? "%s" : ", %s", one->known->name);
    len = strlen(text);
    if (one->known->kind >= NUMBERS && one->value != 1) snprintf(text + len, room - len, " %" PRIu64, one->value);
    if (one->known->kind < NUMBERS && one->value == 0) snprintf(text + len, room - len, " off");
  }
}

static void add(const char **texts, size_t room, const char *text) {
  size_t at = 0;
  while (at < room && texts[at] != NULL) at++;
  if (at + 1 < room) texts[at] = text;
}

void settings_describe(tlslab_identity *identity) {
  static char note[1024], detail[2048];
  if (asked_len == 0) return;
  char missing[768] = "";
  list(missing, sizeof missing, -1, 0);
  const char *without = missing[0] == '\0' ? "" : ", without what the library does not have: ";
  snprintf(note, sizeof note, "Set up as %s%s%s.", program, without, missing);
  snprintf(detail, sizeof detail, "What %s sets, as the library reports it", program);
  static const char *const sides[] = {"; both sides: ", "; client: ", "; server: "};
  for (int side = -1; side <= TLSLAB_SERVER; side++) {
    char found[768] = "";
    list(found, sizeof found, side, 1);
    size_t len = strlen(detail);
    if (found[0] != '\0') snprintf(detail + len, sizeof detail - len, "%s%s", sides[side + 1] + (len == 0), found);
  }
  size_t len = strlen(detail);
  snprintf(detail + len, sizeof detail - len, ".");
  add(identity->notes, sizeof identity->notes / sizeof *identity->notes, note);
  add(identity->details, sizeof identity->details / sizeof *identity->details, detail);
  uint32_t most = (uint32_t)settings_write_at_most(TLSLAB_SERVER), other = (uint32_t)settings_write_at_most(TLSLAB_CLIENT);
  if (most == other && most < MOST_WRITE) identity->record_plaintext_bytes = most;
}
