/* The virtual machine in this process, and how C calls what is in it. */
#ifndef JAVA_JVM_H
#define JAVA_JVM_H

#include <jni.h>

#include "tlslab_endpoint.h"

/* What is called in Java, looked up once: classes, and the methods of contexts, connections and the rest. */
struct java {
  JNIEnv *env;
  jclass context, connection, pin, primitive, report, warm;
  jmethodID client, server;
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

#endif
