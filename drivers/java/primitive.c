/* One cryptographic operation alone: a Primitive in Java. */
#include "driver.h"

enum { LOCALS = 16 };

struct primitive {
  jobject object;
  jbyteArray input, output; /* the object's own */
  jint made;                /* bytes of output that the last run has left */
};

static jobject make(JNIEnv *env, const tlslab_assignment *assignment, const tlslab_material *material) {
  static const tlslab_bytes nothing = {NULL, 0};
  tlslab_bytes leaf = material->chain_len == 0 ? nothing : material->chain[0];
  jbyteArray key = java_bytes(assignment->key);
  jbyteArray iv = java_bytes((tlslab_bytes){assignment->iv, sizeof assignment->iv});
  jbyteArray header = java_bytes((tlslab_bytes){assignment->header, assignment->header_len});
  jbyteArray message = java_bytes(assignment->message), shown = java_bytes(leaf), own = java_bytes(material->key);
  return (*env)->CallStaticObjectMethod(env, java()->primitive, java()->prepare, (jint)assignment->operation,
                                        (jint)assignment->algorithm, (jint)assignment->bytes, key, iv, header, message,
                                        shown, own);
}

int primitive_new(const tlslab_assignment *assignment, const tlslab_material *material, void **object,
                  tlslab_error *error) {
  const struct java *called = java();
  JNIEnv *env = called->env;
  struct primitive *primitive = calloc(1, sizeof *primitive);
  int status;
  if (primitive == NULL || (*env)->PushLocalFrame(env, LOCALS) != 0) {
    free(primitive);
    java_threw(error, &status);
    return TLSLAB_FAILED;
  }
  jobject made = make(env, assignment, material);
  if (java_threw(error, &status)) {
    free(primitive);
  } else {
    primitive->object = (*env)->NewGlobalRef(env, made);
    primitive->input = java_keep((*env)->CallObjectMethod(env, made, called->input));
    primitive->output = java_keep((*env)->CallObjectMethod(env, made, called->output));
    *object = primitive;
  }
  (*env)->PopLocalFrame(env, NULL);
  return status;
}

/* On the clock: the input is copied into Java's array, and Java is called. */
int primitive_run(void *object, int operation, uint64_t sequence, tlslab_buffer *input, tlslab_buffer *output,
                  tlslab_error *error) {
  (void)output;
  struct primitive *primitive = object;
  const struct java *called = java();
  JNIEnv *env = called->env;
  int status;
  (*env)->SetByteArrayRegion(env, primitive->input, 0, (jsize)input->len, (const jbyte *)input->data);
  primitive->made = (*env)->CallIntMethod(env, primitive->object, called->run, (jint)operation, (jlong)sequence,
                                          (jint)input->len);
  if (java_threw(error, &status)) primitive->made = 0;
  return status;
}

void primitive_collect(void *object, tlslab_bytes input, tlslab_buffer *output) {
  (void)input;
  struct primitive *primitive = object;
  JNIEnv *env = java()->env;
  size_t room = output->capacity - output->len, made = (size_t)primitive->made;
  if (made > room) return;
  (*env)->GetByteArrayRegion(env, primitive->output, 0, primitive->made, (jbyte *)output->data + output->len);
  output->len += made;
  primitive->made = 0;
}

void primitive_free(void *object) {
  struct primitive *primitive = object;
  JNIEnv *env = java()->env;
  (*env)->DeleteGlobalRef(env, primitive->object);
  (*env)->DeleteGlobalRef(env, primitive->input);
  (*env)->DeleteGlobalRef(env, primitive->output);
  free(primitive);
}
