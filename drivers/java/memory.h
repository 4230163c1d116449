/* The kit's memory as Java sees it. */
#ifndef JAVA_MEMORY_H
#define JAVA_MEMORY_H

#include "jvm.h"

/* A direct buffer over memory that holds [data, data + len), and where in it `data` is. */
struct range {
  jobject buffer;
  jint from;
};

/* The kit's few buffers are used over and over: a direct buffer is made for each when it is first seen. It stands for
 * addresses and no more, so one that outlives the kit's own harms nobody. NULL when Java has no memory. */
struct range memory_of(const void *data, size_t len);

#endif
