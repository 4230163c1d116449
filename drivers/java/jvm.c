/* Starts Java's virtual machine in this process, and looks up what C calls in it. */
#include <limits.h>
#include <unistd.h>

#include "driver.h"

/* Signals are left alone, so that the process ends at SIGTERM as any other. Only the log is written. */
#define OWN_OPTIONS \
  "-Xrs", "-XX:-UsePerfData", "-XX:+DisplayVMOutputToStderr", "-XX:+ErrorFileToStderr", "-XX:-CreateCoredumpOnCrash"
enum { MOST_OPTIONS = 32 };

static JavaVM *machine;
static struct java called;

static void fail(const char *what) {
  if (called.env != NULL && (*called.env)->ExceptionCheck(called.env)) (*called.env)->ExceptionDescribe(called.env);
  fprintf(stderr, "the Java virtual machine: %s\n", what);
  exit(1);
}

/* "-Djava.class.path=" and the archive next to this program. */
static void class_path(char *text, size_t room) {
  char program[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
  if (len <= 0) fail("the program's own path cannot be read");
  program[len] = '\0';
  *strrchr(program, '/') = '\0';
  if ((size_t)snprintf(text, room, "-Djava.class.path=%s/endpoint.jar", program) >= room) fail("a path is too long");
}

static void start(void) {
  static char path[PATH_MAX + 64], given[] = JVM_OPTIONS;
  static char *own[] = {path, OWN_OPTIONS};
  JavaVMOption options[MOST_OPTIONS] = {0};
  JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .options = options};
  class_path(path, sizeof path);
  for (size_t at = 0; at < sizeof own / sizeof *own; at++) options[arguments.nOptions++].optionString = own[at];
  for (char *word = strtok(given, " "); word != NULL; word = strtok(NULL, " ")) {
    if (arguments.nOptions == MOST_OPTIONS) fail("too many options");
    options[arguments.nOptions++].optionString = word;
  }
  if (JNI_CreateJavaVM(&machine, (void **)&called.env, &arguments) != JNI_OK) fail("it does not start");
}

static jclass class(const char *name) {
  jclass found = java_keep((*called.env)->FindClass(called.env, name));
  if (found == NULL) fail("a class is missing from endpoint.jar");
  return found;
}

static jmethodID method(jclass of, const char *name, const char *signature) {
  jmethodID found = (*called.env)->GetStaticMethodID(called.env, of, name, signature);
  if (found == NULL) fail("a method is missing from endpoint.jar");
  return found;
}

static jmethodID own_method(jclass of, const char *name, const char *signature) {
  jmethodID found = (*called.env)->GetMethodID(called.env, of, name, signature);
  if (found == NULL) fail("a method is missing from endpoint.jar");
  return found;
}

static jmethodID connection_method(const char *name) {
  return own_method(called.connection, name, "(Ljava/nio/ByteBuffer;IILjava/nio/ByteBuffer;II)J");
}

static void look_up(void) {
  called.context = class("Context");
  called.connection = class("Connection");
  called.pin = class("Pin");
  called.primitive = class("Primitive");
  called.report = class("Report");
  called.warm = class("WarmUp");
  called.side = method(called.context, "side", "(Z[Ljava/lang/String;[I[BLjava/lang/String;[[B[B)LContext;");
  called.make = method(called.connection, "make", "(LContext;)LConnection;");
  called.resume = method(called.connection, "resume", "(LContext;I)LConnection;");
  called.session = own_method(called.connection, "session", "()I");
  called.handshake = connection_method("handshake");
  called.send = connection_method("send");
  called.receive = connection_method("receive");
  called.prepare = method(called.primitive, "make", "(III[B[B[B[B[B[B)LPrimitive;");
  called.run = own_method(called.primitive, "run", "(IJI)I");
  called.input = own_method(called.primitive, "input", "()[B");
  called.output = own_method(called.primitive, "output", "()[B");
  called.has = method(called.pin, "has", "(Ljava/lang/String;)Z");
  called.reason = method(called.report, "reason", "(Ljava/lang/Throwable;)Ljava/lang/String;");
  called.is_unsupported = method(called.report, "isUnsupported", "(Ljava/lang/Throwable;)Z");
  called.negotiated = method(called.report, "negotiated", "(LConnection;Z)Ljava/lang/String;");
  called.property = method(called.report, "property", "(Ljava/lang/String;)Ljava/lang/String;");
  called.warm_up = method(called.warm, "run", "(I)V");
  called.certificate = method(called.report, "certificate", "(LConnection;)[B");
}

const struct java *java(void) {
  if (machine == NULL) {
    start();
    look_up();
  }
  return &called;
}

void java_end(void) {
  if (machine != NULL) (*machine)->DestroyJavaVM(machine);
}

jobject java_keep(jobject local) {
  if (local == NULL) return NULL;
  jobject global = (*called.env)->NewGlobalRef(called.env, local);
  (*called.env)->DeleteLocalRef(called.env, local);
  return global;
}

jbyteArray java_bytes(tlslab_bytes bytes) {
  JNIEnv *env = called.env;
  jbyteArray made = (*env)->NewByteArray(env, (jsize)bytes.len);
  if (made != NULL) (*env)->SetByteArrayRegion(env, made, 0, (jsize)bytes.len, (const jbyte *)bytes.data);
  return made;
}

void java_text(jstring from, char *to, size_t room) {
  (*called.env)->ExceptionClear(called.env);
  const char *text = from == NULL ? NULL : (*called.env)->GetStringUTFChars(called.env, from, NULL);
  snprintf(to, room, "%s", text == NULL ? "" : text);
  if (text != NULL) (*called.env)->ReleaseStringUTFChars(called.env, from, text);
  (*called.env)->DeleteLocalRef(called.env, from);
}

int java_threw(tlslab_error *error, int *status) {
  JNIEnv *env = called.env;
  jthrowable thrown = (*env)->ExceptionOccurred(env);
  *status = TLSLAB_OK;
  if (thrown == NULL) return 0;
  (*env)->ExceptionClear(env);
  *status = TLSLAB_FAILED;
  if ((*env)->CallStaticBooleanMethod(env, called.report, called.is_unsupported, thrown)) {
    *status = TLSLAB_UNSUPPORTED;
  }
  (*env)->ExceptionClear(env);
  java_text((*env)->CallStaticObjectMethod(env, called.report, called.reason, thrown), error->text,
            sizeof error->text);
  (*env)->ExceptionClear(env);
  (*env)->DeleteLocalRef(env, thrown);
  return 1;
}
