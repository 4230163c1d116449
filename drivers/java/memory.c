/* The kit's memory as Java sees it. */
#include "driver.h"

enum { KNOWN = 16 };

/* Memory that was seen, and a direct buffer over it for each use that it was put to. */
struct known {
  uintptr_t start, end;
  jobject buffers[OUTPUT + 1];
};

static struct known known[KNOWN];
static unsigned next, last;

static struct range within(struct known *found, enum use use, uintptr_t start) {
  JNIEnv *env = java()->env;
  jobject *buffer = &found->buffers[use];
  if (*buffer == NULL) {
    *buffer = java_keep((*env)->NewDirectByteBuffer(env, (void *)found->start, (jlong)(found->end - found->start)));
  }
  last = (unsigned)(found - known);
  return (struct range){*buffer, (jint)(start - found->start)};
}

static void forget(struct known *old) {
  JNIEnv *env = java()->env;
  for (int use = INPUT; use <= OUTPUT; use++) (*env)->DeleteGlobalRef(env, old->buffers[use]);
  *old = (struct known){0};
}

struct range memory_of(enum use use, const void *data, size_t len) {
  uintptr_t start = (uintptr_t)data, end = start + len;
  for (unsigned at = 0; at < KNOWN; at++) {
    if (known[at].start <= start && end <= known[at].end) return within(&known[at], use, start);
  }
  /* The oldest makes room, but not the one that the call at hand has asked for before. */
  unsigned at = next++ % KNOWN;
  if (at == last) at = next++ % KNOWN;
  forget(&known[at]);
  known[at].start = start;
  known[at].end = end;
  return within(&known[at], use, start);
}
