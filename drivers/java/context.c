#include "context.h"

#include "jvm.h"

enum { LOCALS = 32 };

static jobjectArray arrays(JNIEnv *env, const tlslab_bytes *bytes, size_t len) {
  jobjectArray made = (*env)->NewObjectArray(env, (jsize)len, (*env)->FindClass(env, "[B"), NULL);
  for (size_t at = 0; made != NULL && at < len; at++) {
    (*env)->SetObjectArrayElement(env, made, (jsize)at, java_bytes(bytes[at]));
  }
  return made;
}

/* In the order of Pins.java. */
static jintArray numbers(JNIEnv *env, const tlslab_scenario *pinned) {
  const jint numbers[] = {pinned->version,       pinned->suite,             pinned->group,
                          pinned->signature_scheme, (jint)pinned->key_bits, (jint)pinned->verification,
                          (jint)pinned->tickets, (jint)pinned->resumption,  (jint)pinned->mutual};
  jsize len = sizeof numbers / sizeof *numbers;
  jintArray made = (*env)->NewIntArray(env, len);
  if (made != NULL) (*env)->SetIntArrayRegion(env, made, 0, len, numbers);
  return made;
}

static jobject make(JNIEnv *env, int side, const tlslab_scenario *pinned, const tlslab_material *material) {
  jintArray pins = numbers(env, pinned);
  if (side == TLSLAB_CLIENT) {
    jbyteArray root = java_bytes(material->root), key = java_bytes(material->client_key);
    jstring name = (*env)->NewStringUTF(env, material->server_name);
    jobjectArray chain = arrays(env, material->client_chain, material->client_chain_len);
    return (*env)->CallStaticObjectMethod(env, java()->context, java()->client, pins, root, name, chain, key);
  }
  jobjectArray chain = arrays(env, material->chain, material->chain_len);
  jbyteArray key = java_bytes(material->key), root = java_bytes(material->client_root);
  return (*env)->CallStaticObjectMethod(env, java()->context, java()->server, pins, chain, key, root);
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
