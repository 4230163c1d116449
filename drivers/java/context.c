#include "context.h"

#include "jvm.h"

enum { LOCALS = 32 };

static jbyteArray array(JNIEnv *env, tlslab_bytes bytes) {
  jbyteArray made = (*env)->NewByteArray(env, (jsize)bytes.len);
  if (made != NULL) (*env)->SetByteArrayRegion(env, made, 0, (jsize)bytes.len, (const jbyte *)bytes.data);
  return made;
}

static jobjectArray arrays(JNIEnv *env, const tlslab_bytes *bytes, size_t len) {
  jobjectArray made = (*env)->NewObjectArray(env, (jsize)len, (*env)->FindClass(env, "[B"), NULL);
  for (size_t at = 0; made != NULL && at < len; at++) {
    (*env)->SetObjectArrayElement(env, made, (jsize)at, array(env, bytes[at]));
  }
  return made;
}

static jobject make(JNIEnv *env, int side, const tlslab_scenario *pinned, const tlslab_material *material) {
  jint version = pinned->version, suite = pinned->suite, group = pinned->group, scheme = pinned->signature_scheme;
  if (side == TLSLAB_CLIENT) {
    jbyteArray root = array(env, material->root);
    jstring name = (*env)->NewStringUTF(env, material->server_name);
    return (*env)->CallStaticObjectMethod(env, java()->context, java()->client, version, suite, group, scheme,
                                          (jint)pinned->verification, root, name);
  }
  jobjectArray chain = arrays(env, material->chain, material->chain_len);
  jbyteArray key = array(env, material->key);
  return (*env)->CallStaticObjectMethod(env, java()->context, java()->server, version, suite, group, scheme,
                                        (jint)pinned->tickets, (jint)pinned->key_bits, chain, key);
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
