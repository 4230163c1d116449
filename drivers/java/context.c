#include "context.h"

#include "jvm.h"

static jbyteArray array(tlslab_bytes bytes) {
  JNIEnv *env = java()->env;
  jbyteArray made = (*env)->NewByteArray(env, (jsize)bytes.len);
  if (made != NULL) (*env)->SetByteArrayRegion(env, made, 0, (jsize)bytes.len, (const jbyte *)bytes.data);
  return made;
}

static jobjectArray arrays(const tlslab_bytes *bytes, size_t len) {
  JNIEnv *env = java()->env;
  jobjectArray made = (*env)->NewObjectArray(env, (jsize)len, (*env)->FindClass(env, "[B"), NULL);
  for (size_t at = 0; made != NULL && at < len; at++) {
    (*env)->SetObjectArrayElement(env, made, (jsize)at, array(bytes[at]));
  }
  return made;
}

int context_new(int side, const tlslab_scenario *scenario, const tlslab_material *material, void **handle,
                tlslab_error *error) {
  const struct java *java_ = java();
  JNIEnv *env = java_->env;
  jint version = scenario->version, suite = scenario->suite, group = scenario->group;
  jint scheme = scenario->signature_scheme, status;
  jobject made = NULL;
  if ((*env)->PushLocalFrame(env, 32) == 0) {
    if (side == TLSLAB_CLIENT) {
      made = (*env)->CallStaticObjectMethod(env, java_->context, java_->client, version, suite, group, scheme,
                                            (jint)scenario->verification, array(material->root),
                                            (*env)->NewStringUTF(env, material->server_name));
    } else {
      made = (*env)->CallStaticObjectMethod(env, java_->context, java_->server, version, suite, group, scheme,
                                            (jint)scenario->tickets, (jint)scenario->key_bits,
                                            arrays(material->chain, material->chain_len), array(material->key));
    }
    *handle = made == NULL ? NULL : (*env)->NewGlobalRef(env, made);
  }
  if (!java_threw(error, &status)) return TLSLAB_OK;
  (*env)->PopLocalFrame(env, NULL);
  return status;
}

void context_free(void *handle) { (*java()->env)->DeleteGlobalRef(java()->env, handle); }
