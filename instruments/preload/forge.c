/* Makes a process that is weighed or counted repeatable: what is random comes from a seed, and clocks tick once a reading.
 * Nothing here protects anything; no process that is timed has it. */
#define _GNU_SOURCE
#include "forge.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SEED UINT64_C(0x746c736c61622121)

/* 2026-01-01 in UTC: the lab's certificates are valid then. */
#define REAL_TIME_S INT64_C(1767225600)
#define OTHER_TIME_S INT64_C(1000000)
#define TICK_NS UINT64_C(1000)

#define MOST_DESCRIPTORS 1024

static _Atomic uint64_t first = SEED;
static _Atomic uint64_t drawn;
static _Atomic uint64_t ticks;
static _Atomic uint64_t stamps;
static _Atomic uint64_t stamp;
static atomic_bool is_random[MOST_DESCRIPTORS];

/* SplitMix64: one well-mixed word for each number of a sequence. */
static uint64_t mix(uint64_t seed, uint64_t at) {
  uint64_t mixed = seed + at * UINT64_C(0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ (mixed >> 31);
}

#define REAL(type, name) \
  static type(*_Atomic found); \
  type(*real) = found; \
  if (real == NULL) found = real = (type(*))dlsym(RTLD_NEXT, name)

bool forge_has(void) {
#ifdef TLSLAB_COUNTED
  static __thread char is_first; /* 0 where that is not known yet, else 1 or 2 */
  if (is_first == 0) {
    typedef long syscall_call(long, ...);
    REAL(syscall_call, "syscall");
    is_first = real(SYS_gettid) == real(SYS_getpid) ? 1 : 2;
  }
  return is_first == 1;
#else
  return true;
#endif
}

void forge_seed(uint64_t seed) {
  first = mix(SEED, seed);
  drawn = ticks = stamps = stamp = 0;
}

uint64_t forge_word(void) { return mix(first, atomic_fetch_add(&drawn, 1)); }

uint64_t forge_stamp(void) {
  uint64_t step = 100 + (mix(~first, atomic_fetch_add(&stamps, 1)) & 0xfff);
  return atomic_fetch_add(&stamp, step) + step;
}

static void fill(void *room, size_t bytes) {
  unsigned char *at = room;
  while (bytes > 0) {
    uint64_t next = forge_word();
    size_t part = bytes < sizeof next ? bytes : sizeof next;
    memcpy(at, &next, part);
    at += part;
    bytes -= part;
  }
}

typedef ssize_t getrandom_call(void *, size_t, unsigned);
typedef int getentropy_call(void *, size_t);

ssize_t getrandom(void *room, size_t bytes, unsigned flags) {
  REAL(getrandom_call, "getrandom");
  if (!forge_has()) return real(room, bytes, flags);
  fill(room, bytes);
  return (ssize_t)bytes;
}

int getentropy(void *room, size_t bytes) {
  REAL(getentropy_call, "getentropy");
  if (!forge_has()) return real(room, bytes);
  fill(room, bytes);
  return 0;
}

long syscall(long number, ...) {
  static long (*_Atomic real)(long, ...);
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int at = 0; at < 6; at++) arguments[at] = va_arg(list, long);
  va_end(list);
  if (number == SYS_getrandom && forge_has()) return getrandom((void *)arguments[0], (size_t)arguments[1], 0);
  long (*call)(long, ...) = real;
  if (call == NULL) real = call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static bool names_random(const char *path) {
  return path != NULL && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

static int opened(int descriptor, const char *path) {
  if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) is_random[descriptor] = forge_has() && names_random(path);
  return descriptor;
}

typedef int open_call(const char *, int, ...);
typedef int openat_call(int, const char *, int, ...);
typedef ssize_t read_call(int, void *, size_t);
typedef int close_call(int);
typedef FILE *fopen_call(const char *, const char *);
typedef int fileno_call(FILE *);

/* The mode counts only where a file is made, and is passed on as it came. */
#define MODE(flags, mode) \
  va_list list; \
  va_start(list, flags); \
  mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
  va_end(list)

int open(const char *path, int flags, ...) {
  MODE(flags, mode);
  REAL(open_call, "open");
  return opened(real(path, flags, mode), path);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, mode);
  REAL(open_call, "open64");
  return opened(real(path, flags, mode), path);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, mode);
  REAL(openat_call, "openat");
  return opened(real(folder, path, flags, mode), path);
}

ssize_t read(int descriptor, void *room, size_t bytes) {
  if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS && is_random[descriptor]) {
    fill(room, bytes);
    return (ssize_t)bytes;
  }
  REAL(read_call, "read");
  return real(descriptor, room, bytes);
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) is_random[descriptor] = false;
  REAL(close_call, "close");
  return real(descriptor);
}

static ssize_t cookie_read(void *cookie, char *room, size_t bytes) {
  (void)cookie;
  fill(room, bytes);
  return (ssize_t)bytes;
}

/* Some open a stream and then read from its descriptor: a stream of ours has the device's. */
static FILE *_Atomic last_stream;
static _Atomic int last_device = -1;

static int cookie_close(void *cookie) {
  (void)cookie;
  last_stream = NULL;
  int device = atomic_exchange(&last_device, -1);
  return device < 0 ? 0 : close(device);
}

int fileno(FILE *stream) {
  REAL(fileno_call, "fileno");
  if (stream != last_stream || stream == NULL) return real(stream);
  if (last_device < 0) last_device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  return last_device;
}

FILE *fopen(const char *path, const char *mode) {
  if (forge_has() && names_random(path)) {
    cookie_io_functions_t calls = {.read = cookie_read, .close = cookie_close};
    return last_stream = fopencookie(NULL, mode, calls);
  }
  REAL(fopen_call, "fopen");
  return real(path, mode);
}

/* State that other programs of the machine change all the time. Libraries that gather their own entropy use it: how busy the
 * machine is, and when its common folders were changed. */
typedef int sysinfo_call(struct sysinfo *);
typedef int stat_call(const char *restrict, struct stat *restrict);

int sysinfo(struct sysinfo *machine) {
  REAL(sysinfo_call, "sysinfo");
  int code = real(machine);
  if (code != 0 || !forge_has()) return code;
  unsigned long ram = machine->totalram;
  unsigned unit = machine->mem_unit;
  *machine = (struct sysinfo){.uptime = OTHER_TIME_S, .totalram = ram, .freeram = ram / 2, .procs = 100, .mem_unit = unit};
  return code;
}

static bool is_of_the_machine(const char *path) {
  static const char *const paths[] = {"/tmp", "/var/tmp", "/usr/tmp", "/dev/urandom", "/dev/random"};
  for (size_t at = 0; at < sizeof paths / sizeof *paths; at++) {
    if (strcmp(path, paths[at]) == 0) return true;
  }
  return strncmp(path, "/etc/", 5) == 0;
}

int stat(const char *restrict path, struct stat *restrict file) {
  REAL(stat_call, "stat");
  int code = real(path, file);
  if (code != 0 || !forge_has() || !is_of_the_machine(path)) return code;
  off_t size = S_ISDIR(file->st_mode) ? 0 : file->st_size;
  struct stat known = *file;
  *file = (struct stat){.st_mode = known.st_mode, .st_uid = known.st_uid, .st_gid = known.st_gid, .st_rdev = known.st_rdev};
  file->st_size = size;
  file->st_nlink = 1;
  return code;
}

static struct timespec tick(bool of_day) {
  uint64_t ns = TICK_NS * (atomic_fetch_add(&ticks, 1) + 1);
  int64_t first_s = of_day ? REAL_TIME_S : OTHER_TIME_S;
  return (struct timespec){.tv_sec = first_s + (int64_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

typedef int clock_gettime_call(clockid_t, struct timespec *);
typedef int gettimeofday_call(struct timeval *restrict, void *restrict);
typedef time_t time_call(time_t *);

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime_call, "clock_gettime");
  if (!forge_has()) return real(clock, time);
  *time = tick(clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI);
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  REAL(gettimeofday_call, "gettimeofday");
  if (!forge_has()) return real(time, zone);
  struct timespec now = tick(true);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *place) {
  REAL(time_call, "time");
  if (!forge_has()) return real(place);
  time_t now = tick(true).tv_sec;
  if (place != NULL) *place = now;
  return now;
}

/* If the code itself is watched, instructions that ask the processor for a number are answered from the seed. Elsewhere
 * libraries of OpenSSL's family can be told that it has no generator: bit 62 of what they read of CPUID. */
static void hide_generator(void) {
  const char *mask = getenv("OPENSSL_ia32cap");
  char both[256];
  if (mask == NULL) {
    setenv("OPENSSL_ia32cap", "~0x4000000000000000", 1);
  } else if (mask[0] == ':') {
    snprintf(both, sizeof both, "~0x4000000000000000%s", mask);
    setenv("OPENSSL_ia32cap", both, 1);
  }
}

/* The processor's time stamp, if a program reads it directly: some libraries take entropy from it. The instruction is made to fault, and the
 * handler answers with a stamp from the seed. A runtime that handles faults itself keeps the true stamp: one that says so by sigaction gets
 * it back, and Go, which asks the kernel for its handler, is known by a symbol that its programs export. */
#if defined(__x86_64__) && !defined(TLSLAB_COUNTED) && !defined(TLSLAB_SAME_CODE)
static struct sigaction before_fault;
static atomic_bool stamps_fault;

static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *code = (const unsigned char *)registers[REG_RIP];
  int is_short = code[0] == 0x0f && code[1] == 0x31;                    /* rdtsc */
  int is_long = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9; /* rdtscp */
  if (!is_short && !is_long) {
    sigaction(signal, &before_fault, NULL);
    return; /* and it faults again */
  }
  uint64_t next = forge_stamp();
  registers[REG_RAX] = (greg_t)(next & 0xffffffff);
  registers[REG_RDX] = (greg_t)(next >> 32);
  if (is_long) registers[REG_RCX] = 0;
  registers[REG_RIP] += is_short ? 2 : 3;
}

typedef int sigaction_call(int, const struct sigaction *, struct sigaction *);

int sigaction(int signal, const struct sigaction *next, struct sigaction *before) {
  REAL(sigaction_call, "sigaction");
  if (signal == SIGSEGV && next != NULL && atomic_exchange(&stamps_fault, false)) {
    prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
  }
  return real(signal, next, before);
}

static void forge_stamps(void) {
  if (dlsym(RTLD_DEFAULT, "crosscall2") != NULL) return;
  /* Not on the stack whose use is weighed. */
  static char room[65536];
  stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  if (sigaltstack(&stack, NULL) != 0) return;
  struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (sigaction(SIGSEGV, &own, &before_fault) != 0) return;
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0) stamps_fault = true;
}

void forge_true_stamps(bool are_true) {
  if (stamps_fault) prctl(PR_SET_TSC, are_true ? PR_TSC_ENABLE : PR_TSC_SIGSEGV, 0, 0, 0);
}
#else
static void forge_stamps(void) {}
void forge_true_stamps(bool are_true) { (void)are_true; }
#endif

/* Before the code of this library that waits for an agent. */
__attribute__((constructor(1000))) static void forge(void) {
#ifdef TLSLAB_COUNTED
  const char *seed = getenv("TLSLAB_SEED");
  if (seed != NULL) forge_seed(strtoull(seed, NULL, 10));
  (void)hide_generator;
#elif defined(TLSLAB_SAME_CODE)
  /* Hiding the generator may hide more features, and then another function is counted. */
  (void)hide_generator;
#else
  hide_generator();
  forge_stamps();
#endif
  /* Children of a driver are neither weighed nor counted. */
  unsetenv("LD_PRELOAD");
}
