/* Everything that would differ from one process to the next. With an argument, seeds; with two, twice. */
#define _GNU_SOURCE
#include "measured.h"

#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void show(const char *name, const void *bytes, int length) {
  printf("%s ", name);
  for (int at = 0; at < length; at++) printf("%02x", ((const unsigned char *)bytes)[at]);
  printf("\n");
}

static uint64_t random_word(int seed) {
  uint64_t word = 0;
  unsigned char ok;
  if (seed) __asm__ volatile("rdseed %0\n\tsetc %1" : "=r"(word), "=q"(ok) : : "cc");
  else __asm__ volatile("rdrand %0\n\tsetc %1" : "=r"(word), "=q"(ok) : : "cc");
  return ok ? word : 0;
}

static void once(void) {
  unsigned char bytes[24] = {0};
  unsigned a, b, c, d, b7, c7;
  if (getrandom(bytes, 24, 0) != 24) exit(4);
  show("getrandom", bytes, 24);
  int device = open("/dev/urandom", O_RDONLY);
  if (read(device, bytes, 24) != 24) exit(5);
  show("read", bytes, 24);
  struct iovec parts[2] = {{bytes, 10}, {bytes + 10, 14}};
  if (readv(device, parts, 2) != 24) exit(6);
  show("readv", bytes, 24);
  close(device);
  /* A file that is no such device is read as it is. */
  int zero = open("/dev/zero", O_RDONLY);
  memset(bytes, 1, 24);
  if (read(zero, bytes, 24) != 24) exit(7);
  show("zero", bytes, 24);
  close(zero);
  __get_cpuid(1, &a, &b, &c, &d);
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d);
  uint64_t word = c & bit_RDRND ? random_word(0) : 1;
  show("rdrand", &word, 8);
  word = b7 & bit_RDSEED ? random_word(1) : 2;
  show("rdseed", &word, 8);
  printf("tsc %llu\n", __builtin_ia32_rdtsc());
  printf("tscp %llu\n", __builtin_ia32_rdtscp(&a));
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("realtime %ld %ld\n", now.tv_sec, now.tv_nsec);
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("monotonic %ld %ld\n", now.tv_sec, now.tv_nsec);
  struct timeval day;
  gettimeofday(&day, NULL);
  printf("day %ld %ld\n", day.tv_sec, day.tv_usec);
  long seconds = 0, returned = syscall(SYS_time, &seconds);
  printf("time %ld %d\n", returned, returned == seconds);
}

int main(int count, char **arguments) {
  begin();
  unsigned a, b = 0, c, d;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  printf("adx %d\n", b >> 19 & 1);
  show("at_random", (void *)getauxval(AT_RANDOM), 16);
  if (count > 1) tlslab_counter_seed(strtoul(arguments[1], NULL, 10));
  once();
  if (count > 2) {
    tlslab_counter_seed(strtoul(arguments[2], NULL, 10));
    once();
  }
  return 0;
}
