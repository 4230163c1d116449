/* Buckets within buckets, in children and in threads. */
#define _GNU_SOURCE
#include "measured.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

function hundred, thousand;

__asm__(
    ".text\nhundred: movl $49, %ecx\n1: decl %ecx\n jnz 1b\n nop\n ret\n"
    "thousand: movl $499, %ecx\n1: decl %ecx\n jnz 1b\n nop\n ret\n");

static void report_bucket(const char *name, uint64_t bucket) {
  tlslab_counts counts;
  if (tlslab_counter_read(bucket, &counts) != 0) exit(4);
  printf("%s %lu\n", name, counts.instructions);
}

/* A switch to bucket 2, a hundred nops, and a switch to bucket 3, all of it written out. */
__attribute__((noinline)) static void written_out(void) {
#define TO(bucket) "movq $" bucket ", %%rdx\n\tleaq 1b(%%rip), %%rax\n\t" TLSLAB_COUNTER_MAGIC
  __asm__ volatile(".pushsection .rodata\n1: .quad 0x544c0001\n.popsection\n" TO("2") ".rept 100\n nop\n .endr\n" TO("3")
                   TO("0") : : : "rax", "rdx", "rdi", "cc", "memory");
}

static void *inherits(void *unused) {
  hundred();
  tlslab_counter_switch(9);
  thousand();
  return unused;
}

int main(void) {
  begin();
  tlslab_counter_zero();
  report_bucket("zeroed", 1);
  written_out();
  report_bucket("a hundred and a switch", 2);
  report_bucket("a switch", 3);

  uint64_t first = tlslab_counter_switch(4), second = tlslab_counter_switch(5), third = tlslab_counter_switch(second);
  uint64_t fourth = tlslab_counter_switch(first);
  printf("nested %lu %lu %lu %lu\n", first, second, third, fourth);
  printf("no such bucket %d %ld\n", tlslab_counter_read(64, &empty), (long)tlslab_counter_switch(64));
  printf("bad place %d\n", tlslab_counter_read(1, (tlslab_counts *)16) == EFAULT);
  printf("still outside %lu\n", tlslab_counter_switch(0));

  tlslab_counter_zero();
  begin();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    tell("child", thousand);
    fflush(stdout);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  tell("parent", hundred);

  pthread_t thread;
  uint64_t outside = tlslab_counter_switch(8);
  pthread_create(&thread, NULL, inherits, NULL);
  tlslab_counter_switch(outside);
  pthread_join(thread, NULL);
  printf("creator's bucket %lu\n", tlslab_counter_switch(0));
  tlslab_counts begun, own;
  tlslab_counter_read(8, &begun);
  tlslab_counter_read(9, &own);
  /* Starting and ending a thread take a few hundred more. */
  printf("thread %d %d\n", begun.instructions >= 100 && begun.instructions < 5000,
         own.instructions >= 1000 && own.instructions < 5000);
  return status;
}
