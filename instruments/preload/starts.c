/* Programs that a weighed process starts have the processor's own time stamp: that reading it faults would be inherited, and
 * their loader reads it before anybody handles the fault. What C's library calls within itself never comes here, so every
 * way to start a program has its own function. */
#define _GNU_SOURCE
#include "forge.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Looked up at the start: between fork and exec a program may hold the loader's lock. */
static typeof(&execve) real_execve;
static typeof(&execvpe) real_execvpe;
static typeof(&fexecve) real_fexecve;
static typeof(&posix_spawn) real_spawn;
static typeof(&posix_spawnp) real_spawnp;
static typeof(&system) real_system;
static typeof(&popen) real_popen;

__attribute__((constructor(999))) static void look_up(void) {
  real_execve = (typeof(real_execve))dlsym(RTLD_NEXT, "execve");
  real_execvpe = (typeof(real_execvpe))dlsym(RTLD_NEXT, "execvpe");
  real_fexecve = (typeof(real_fexecve))dlsym(RTLD_NEXT, "fexecve");
  real_spawn = (typeof(real_spawn))dlsym(RTLD_NEXT, "posix_spawn");
  real_spawnp = (typeof(real_spawnp))dlsym(RTLD_NEXT, "posix_spawnp");
  real_system = (typeof(real_system))dlsym(RTLD_NEXT, "system");
  real_popen = (typeof(real_popen))dlsym(RTLD_NEXT, "popen");
}

#define WITH_TRUE_STAMPS(type, call) \
  forge_true_stamps(true);           \
  type result = call;                \
  forge_true_stamps(false);          \
  return result

int execve(const char *path, char *const arguments[], char *const environment[]) {
  WITH_TRUE_STAMPS(int, real_execve(path, arguments, environment));
}

int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }

int execvpe(const char *name, char *const arguments[], char *const environment[]) {
  WITH_TRUE_STAMPS(int, real_execvpe(name, arguments, environment));
}

int execvp(const char *name, char *const arguments[]) { return execvpe(name, arguments, environ); }

int fexecve(int file, char *const arguments[], char *const environment[]) {
  WITH_TRUE_STAMPS(int, real_fexecve(file, arguments, environment));
}

/* How many arguments there are, the first and the null pointer at the end among them. */
static size_t counted(va_list arguments) {
  size_t count = 2;
  while (va_arg(arguments, char *) != NULL) count++;
  return count;
}

/* The arguments from `first` to the null pointer as `list`; `rest` is what follows them. */
#define COLLECT(first, list, rest)                                     \
  va_list rest;                                                        \
  va_start(rest, first);                                               \
  size_t count = counted(rest);                                        \
  va_end(rest);                                                        \
  char *list[count];                                                   \
  va_start(rest, first);                                               \
  list[0] = (char *)first;                                             \
  for (size_t at = 1; at < count; at++) list[at] = va_arg(rest, char *)

int execl(const char *path, const char *first, ...) {
  COLLECT(first, list, rest);
  va_end(rest);
  return execv(path, list);
}

int execlp(const char *name, const char *first, ...) {
  COLLECT(first, list, rest);
  va_end(rest);
  return execvp(name, list);
}

int execle(const char *path, const char *first, ...) {
  COLLECT(first, list, rest);
  char *const *environment = va_arg(rest, char *const *);
  va_end(rest);
  return execve(path, list, environment);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  WITH_TRUE_STAMPS(int, real_spawn(child, path, actions, attributes, arguments, environment));
}

int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  WITH_TRUE_STAMPS(int, real_spawnp(child, name, actions, attributes, arguments, environment));
}

int system(const char *command) { WITH_TRUE_STAMPS(int, real_system(command)); }

FILE *popen(const char *command, const char *type) { WITH_TRUE_STAMPS(FILE *, real_popen(command, type)); }
