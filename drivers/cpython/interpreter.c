#define _GNU_SOURCE
#include <dlfcn.h>

#include "driver.h"

extern const char endpoint_source[];

PyObject *context_class, *connection_class, *hash_class, *code_class, *hash_object_class, *client_class;
PyObject *name_handshake, *name_send, *name_receive, *name_run;

static PyStatus search(PyConfig *config, const char *folder) {
  wchar_t *decoded = Py_DecodeLocale(folder, NULL);
  if (decoded == NULL) return PyStatus_NoMemory();
  PyStatus status = PyWideStringList_Append(&config->module_search_paths, decoded);
  PyMem_RawFree(decoded);
  return status;
}

/* Python allocates small objects in its own arenas. In a process that is weighed it calls malloc for each of them,
 * because only then can they be counted. */
static int choose_allocator(void) {
  if (dlsym(RTLD_DEFAULT, "tlslab_heap_abi") == NULL) return 1;
  PyPreConfig config;
  PyPreConfig_InitIsolatedConfig(&config);
  config.allocator = PYMEM_ALLOCATOR_MALLOC;
  return !PyStatus_Exception(Py_PreInitialize(&config));
}

static int initialise(void) {
  if (!choose_allocator()) return 0;
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.site_import = 0;
  config.write_bytecode = 0;
  /* As the addresses are: the same in each process. */
  config.use_hash_seed = 1;
  config.module_search_paths_set = 1;
  PyStatus status = search(&config, STANDARD_LIBRARY);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) fprintf(stderr, "%s\n", status.err_msg);
  return !PyStatus_Exception(status);
}

static int add_modules(void) {
  return PyImport_AppendInittab("_ssl", PyInit__ssl) == 0 && PyImport_AppendInittab("_hashlib", PyInit__hashlib) == 0;
}

int interpreter_main(int count, char **arguments) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.pathconfig_warnings = 0;
  /* The library's folder may be shared with others. */
  config.write_bytecode = 0;
  config.module_search_paths_set = 1;
  PyStatus status = add_modules() ? search(&config, STANDARD_LIBRARY) : PyStatus_NoMemory();
  if (!PyStatus_Exception(status)) status = PyConfig_SetBytesArgv(&config, count, arguments);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
  return Py_RunMain();
}

int interpreter_start(void) {
  if (!add_modules() || !initialise()) return 0;
  PyObject *code = Py_CompileString(endpoint_source, "endpoint.py", Py_file_input);
  PyObject *module = code == NULL ? NULL : PyImport_ExecCodeModule("endpoint", code);
  if (module != NULL) {
    context_class = PyObject_GetAttrString(module, "Context");
    connection_class = PyObject_GetAttrString(module, "Connection");
    hash_class = PyObject_GetAttrString(module, "Hash");
    code_class = PyObject_GetAttrString(module, "Code");
    hash_object_class = PyObject_GetAttrString(module, "HashObject");
    client_class = PyObject_GetAttrString(module, "Client");
    name_handshake = PyUnicode_InternFromString("handshake");
    name_send = PyUnicode_InternFromString("send");
    name_receive = PyUnicode_InternFromString("receive");
    name_run = PyUnicode_InternFromString("run");
  }
  if (PyErr_Occurred()) {
    PyErr_Print();
    return 0;
  }
  return 1;
}

PyObject *view_of(tlslab_bytes bytes) {
  /* An empty slice may point nowhere, which a view may not. */
  char *data = bytes.len == 0 ? "" : (char *)bytes.data;
  return PyMemoryView_FromMemory(data, (Py_ssize_t)bytes.len, PyBUF_READ);
}

PyObject *view_of_room(tlslab_buffer *buffer) {
  return PyMemoryView_FromMemory((char *)buffer->data + buffer->len, (Py_ssize_t)(buffer->capacity - buffer->len),
                                 PyBUF_WRITE);
}

int exception(tlslab_error *error) {
  PyObject *raised = PyErr_GetRaisedException();
  PyObject *text = raised == NULL ? NULL : PyObject_Str(raised);
  const char *message = text == NULL ? NULL : PyUnicode_AsUTF8(text);
  snprintf(error->text, sizeof error->text, "%s: %s", raised == NULL ? "no exception" : Py_TYPE(raised)->tp_name,
           message == NULL ? "" : message);
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(raised);
  return TLSLAB_FAILED;
}
