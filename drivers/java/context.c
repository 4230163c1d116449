/* A scenario, its keys and its certificates as an object of Context.java. */
#include "driver.h"

enum { LOCALS = 32 };

static jobjectArray arrays(JNIEnv *env, const tlslab_bytes *bytes, size_t len) {
  jobjectArray made = (*env)->NewObjectArray(env, (jsize)len, (*env)->FindClass(env, "[B"), NULL);
  for (size_t at = 0; made != NULL && at < len; at++) {
    (*env)->SetObjectArrayElement(env, made, (jsize)at, java_bytes(bytes[at]));
  }
  return made;
}

/* Both in the order of Pins.java; a missing name is null. */
static jobjectArray names(JNIEnv *env, const tlslab_scenario *pinned) {
  const char *const names[] = {
      tlslab_iana(tlslab_versions, pinned->version), tlslab_iana(tlslab_suites, pinned->suite),
      tlslab_iana(tlslab_groups, pinned->group), tlslab_iana(tlslab_schemes, pinned->signature_scheme),
      tlslab_iana(tlslab_groups, (uint16_t)pinned->certificate_curve)};
  jsize len = sizeof names / sizeof *names;
  jobjectArray made = (*env)->NewObjectArray(env, len, (*env)->FindClass(env, "java/lang/String"), NULL);
  for (jsize at = 0; made != NULL && at < len; at++) {
    if (names[at] != NULL) (*env)->SetObjectArrayElement(env, made, at, (*env)->NewStringUTF(env, names[at]));
  }
  return made;
}

static jintArray numbers(JNIEnv *env, const tlslab_scenario *pinned) {
  const jint numbers[] = {(jint)pinned->key_bits, (jint)pinned->verification, (jint)pinned->tickets,
                          (jint)pinned->resumption, (jint)pinned->mutual, (jint)pinned->defaults};
  jsize len = sizeof numbers / sizeof *numbers;
  jintArray made = (*env)->NewIntArray(env, len);
  if (made != NULL) (*env)->SetIntArrayRegion(env, made, 0, len, numbers);
  return made;
}

static jobject make(JNIEnv *env, int side, const tlslab_scenario *pinned, const tlslab_material *material) {
  jobjectArray texts = names(env, pinned);
  jintArray pins = numbers(env, pinned);
  jboolean is_client = side == TLSLAB_CLIENT;
  jbyteArray root = java_bytes(material->root), key = java_bytes(material->key);
  jstring name = (*env)->NewStringUTF(env, material->server_name);
  jobjectArray chain = arrays(env, material->chain, material->chain_len);
  return (*env)->CallStaticObjectMethod(env, java()->context, java()->side, is_client, texts, pins, root, name, chain, key);
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  JNIEnv *env = java()->env;
  int status;
  if ((*env)->PushLocalFrame(env, LOCALS) == 0) {
    jobject made = make(env, side, scenario, material);
    *handle = java_keep((*env)->PopLocalFrame(env, (*env)->ExceptionCheck(env) ? NULL : made));
  }
  java_threw(error, &status);
  return status;
}

void context_free(void *handle) { (*java()->env)->DeleteGlobalRef(java()->env, handle); }
