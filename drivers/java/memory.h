/* The kit's memory as Java sees it. */
#ifndef JAVA_MEMORY_H
#define JAVA_MEMORY_H

#include "jvm.h"

/* A direct buffer over memory that holds [data, data + len), and where in it `data` is. */
struct range {
  jobject buffer;
  jint from;
};

enum use { INPUT, OUTPUT };

/* The kit's few buffers are used over and over: direct buffers are made for each when it is first seen. They stand for
 * addresses and no more, so ones that outlive the kit's own may be used for whatever lies there now, be it several of
 * the kit's later buffers. A direct buffer has but one position and one limit, though: that is why what a call reads
 * and what it writes are never the same one. NULL when Java has no memory. */
struct range memory_of(enum use use, const void *data, size_t len);

#endif
