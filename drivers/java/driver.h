/* Declarations shared by the driver's files. Handles are global references: of a context a Context in Java, of a connection a
 * Connection. */
#ifndef JAVA_DRIVER_H
#define JAVA_DRIVER_H

#include <jni.h>

#include "tlslab_driver.h"

/* Java entities that C calls, looked up once: classes, and the methods of contexts, connections and the rest. */
struct java {
  JNIEnv *env;
  jclass context, connection, pin, primitive, report, warm;
  jmethodID side;
  jmethodID make, resume, session, handshake, send, receive;
  jmethodID has, warm_up;
  jmethodID prepare, run, input, output;
  jmethodID reason, is_unsupported, property, negotiated, certificate;
};

/* The machine, started by the first call: by then standard output is the protocol's, and nobody else's. */
const struct java *java(void);

/* Ends the machine, if it was started. */
void java_end(void);

/* A global reference in place of a local one; NULL stays NULL. */
jobject java_keep(jobject local);

/* Whether Java threw something. If so, it is told in `error` and forgotten, and `*status` is what a call returns. */
int java_threw(tlslab_error *error, int *status);

/* A new array with these bytes. */
jbyteArray java_bytes(tlslab_bytes bytes);

/* Copies a Java text, and drops the local reference. No text, or one that Java failed to give, is the empty one. */
void java_text(jstring from, char *to, size_t room);

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

/* Work before the first answer, so that what is measured later is compiled code: the first call makes connections that nobody
 * measures, and then waits for the compiler's threads to come to rest. */
void warm_up(void);

#endif
