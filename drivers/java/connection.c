/* A connection: the contract's calls as calls of Connection.java. */
#include "driver.h"

int connection_new(void *context, void **handle, tlslab_error *error) {
  const struct java *called = java();
  int status;
  jobject made = (*called->env)->CallStaticObjectMethod(called->env, called->connection, called->make, context);
  if (!java_threw(error, &status)) *handle = java_keep(made);
  return status;
}

/* A session is the number of a port, under which Java keeps the rest. */
int connection_session(void *handle, void **session, tlslab_error *error) {
  const struct java *called = java();
  int status;
  jint port = (*called->env)->CallIntMethod(called->env, handle, called->session);
  if (!java_threw(error, &status) && port > 0) *session = (void *)(intptr_t)port;
  return status;
}

void session_free(void *session) { (void)session; }

int connection_resume(void *context, void *session, void **handle, tlslab_error *error) {
  const struct java *called = java();
  int status;
  jobject made = (*called->env)->CallStaticObjectMethod(called->env, called->connection, called->resume, context,
                                                        (jint)(intptr_t)session);
  if (!java_threw(error, &status)) *handle = java_keep(made);
  return status;
}

void connection_free(void *handle) { (*java()->env)->DeleteGlobalRef(java()->env, handle); }

/* One call of Java. The output's end that it answers with is a complement where a handshake is done. */
static int exchange(jmethodID method, void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  const struct java *called = java();
  int status;
  struct range to = memory_of(OUTPUT, output->data, output->capacity);
  /* A client's first call has no input. */
  struct range from = input.len == 0 ? (struct range){NULL, 0} : memory_of(INPUT, input.data, input.len);
  jlong end = (*called->env)->CallLongMethod(called->env, handle, method, from.buffer,
                                             from.from, from.from + (jint)input.len, to.buffer,
                                             to.from + (jint)output->len, to.from + (jint)output->capacity);
  if (java_threw(error, &status)) return status;
  output->len = (size_t)((end < 0 ? ~end : end) - to.from);
  return end < 0 ? TLSLAB_OK : TLSLAB_CONTINUES;
}

int connection_handshake(void *handle, tlslab_bytes input, tlslab_buffer *output, tlslab_error *error) {
  return exchange(java()->handshake, handle, input, output, error);
}

int connection_send(void *handle, tlslab_bytes plaintext, tlslab_buffer *output, tlslab_error *error) {
  int status = exchange(java()->send, handle, plaintext, output, error);
  return status == TLSLAB_CONTINUES ? TLSLAB_OK : status;
}

int connection_receive(void *handle, tlslab_bytes input, tlslab_buffer *plaintext, tlslab_error *error) {
  int status = exchange(java()->receive, handle, input, plaintext, error);
  return status == TLSLAB_CONTINUES ? TLSLAB_OK : status;
}

/* The code point of the version, or of the suite. */
static uint16_t negotiated(void *handle, jboolean suite, const tlslab_value *table) {
  static const tlslab_own_name none[] = {{0, NULL}};
  char name[64];
  java_text((*java()->env)->CallStaticObjectMethod(java()->env, java()->report, java()->negotiated, handle, suite), name,
            sizeof name);
  return tlslab_point(none, table, name);
}

/* Unknown facts keep the kit's preset values: Java shows neither group nor signature scheme. */
void connection_facts(void *handle, tlslab_facts *facts) {
  const struct java *called = java();
  JNIEnv *env = called->env;
  tlslab_error ignored;
  int status;
  facts->version = negotiated(handle, JNI_FALSE, tlslab_versions);
  facts->suite = negotiated(handle, JNI_TRUE, tlslab_suites);
  jbyteArray der = (*env)->CallStaticObjectMethod(env, called->report, called->certificate, handle);
  if (java_threw(&ignored, &status) || der == NULL) return;
  jsize len = (*env)->GetArrayLength(env, der);
  void *bytes = (*env)->GetPrimitiveArrayCritical(env, der, NULL);
  if (bytes != NULL) tlslab_give_certificate(facts, bytes, (size_t)len);
  if (bytes != NULL) (*env)->ReleasePrimitiveArrayCritical(env, der, bytes, JNI_ABORT);
  (*env)->DeleteLocalRef(env, der);
}
