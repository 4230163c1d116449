/* Functions whose costs are known, some of them inlined, some calling themselves or each other. */
#include "measured.h"

#include <setjmp.h>

/* Ten nops and a return, distinguished by their names. */
function leaf, through, plain;
__asm__(
    ".text\n"
    ".type leaf, @function\nleaf: .rept 10\n nop\n .endr\n ret\n.size leaf, .-leaf\n"
    /* A jump in place of a call and a return. */
    ".type through, @function\nthrough: nop\n nop\n jmp leaf\n.size through, .-through\n"
    ".type plain, @function\nplain: call leaf\n call through\n ret\n.size plain, .-plain\n");

/* 4 instructions each time, and one call but the last. */
void countdown(long left);
__asm__(".type countdown, @function\ncountdown: testq %rdi, %rdi\n jz 1f\n decq %rdi\n call countdown\n1: ret\n"
        ".size countdown, .-countdown\n");

#include "inlined.h"

__attribute__((noinline)) static void around(void) { hundred_nops(); }

static jmp_buf place;

__attribute__((noinline)) static void leaps(void) {
  leaf();
  longjmp(place, 1);
}

__attribute__((noinline)) static void lands(void) {
  if (setjmp(place) == 0) leaps();
  leaf();
}

__attribute__((noinline)) static void halves(void) {
  /* A call that spans two buckets. */
  leaf();
  tlslab_counter_switch(6);
  leaf();
  tlslab_counter_switch(5);
}

int main(int count, char **arguments) {
  begin();
  tlslab_counter_zero();
  tlslab_counter_switch(1);
  plain();
  tlslab_counter_switch(2);
  countdown(9);
  tlslab_counter_switch(3);
  around();
  tlslab_counter_switch(4);
  lands();
  plain();
  tlslab_counter_switch(5);
  halves();
  tlslab_counter_switch(0);
  printf("not written %d %d\n", tlslab_counter_dump(64, "x"), tlslab_counter_dump(1, "/nowhere/x"));
  for (uint64_t bucket = 0; bucket < 7 && count > 1; bucket++) {
    char path[256];
    snprintf(path, sizeof path, "%s.%lu", arguments[1], bucket);
    tlslab_counts counts;
    tlslab_counter_read(bucket, &counts);
    int error = tlslab_counter_dump(bucket, path);
    /* Bucket 0 goes on. */
    if (bucket > 0) printf("%d %lu %lu %lu\n", error, counts.instructions, counts.loads, counts.stores);
  }
  return 0;
}
