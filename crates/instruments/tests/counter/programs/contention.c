/* Threads that take turns at what they contend for, each kind of it in a function of its own. Arguments: threads, turns of each and two more, file. */
#define _GNU_SOURCE
#include "measured.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

function hundred;
__asm__(".text\nhundred: movl $49, %ecx\n1: decl %ecx\n jnz 1b\n nop\n ret\n");

#define OWN_LINE __attribute__((aligned(64)))

static struct { OWN_LINE atomic_long references; } counted;
#ifdef PADDED
#define APART 8
#else
#define APART 1
#endif
static struct { OWN_LINE long slots[8 * APART]; } neighbours;
static OWN_LINE pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static OWN_LINE pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static OWN_LINE pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static OWN_LINE atomic_int flag;
static OWN_LINE pthread_spinlock_t spin;
static struct { OWN_LINE pthread_mutex_t own; } private_locks[8];
static OWN_LINE atomic_uchar byte;
static OWN_LINE atomic_long word;
static OWN_LINE atomic_uint readers;
static OWN_LINE atomic_int plain;
static OWN_LINE pthread_mutex_t waited = PTHREAD_MUTEX_INITIALIZER;
static OWN_LINE pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static OWN_LINE pthread_once_t once = PTHREAD_ONCE_INIT;
static OWN_LINE atomic_int told;
static OWN_LINE atomic_int for_good[8][64];
static atomic_long *lent;

__attribute__((noinline)) static void counts_references(void) { atomic_fetch_add(&counted.references, 1); }

__attribute__((noinline)) static void writes_beside(long thread) { *(volatile long *)&neighbours.slots[thread * APART] += 1; }

__attribute__((noinline)) static void takes_mutexes(void) {
  pthread_mutex_lock(&mutex);
  hundred();
  pthread_mutex_lock(&inner);
  hundred();
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void reads_table(void) {
  pthread_rwlock_rdlock(&table);
  hundred();
  pthread_rwlock_unlock(&table);
}

__attribute__((noinline)) static void writes_table(void) {
  pthread_rwlock_wrlock(&table);
  hundred();
  pthread_rwlock_unlock(&table);
}

__attribute__((noinline)) static void sets_flag(void) {
  while (atomic_exchange(&flag, 1) != 0) {
  }
  hundred();
  atomic_store_explicit(&flag, 0, memory_order_release);
}

__attribute__((noinline)) static void spins(void) {
  pthread_spin_lock(&spin);
  hundred();
  pthread_spin_unlock(&spin);
}

/* As parking_lot has it: one byte, which an exchange sets to 1 and another to 0. */
__attribute__((noinline)) static void takes_byte(void) {
  unsigned char free = 0, taken = 1;
  while (!atomic_compare_exchange_weak(&byte, &free, 1)) free = 0;
  hundred();
  atomic_compare_exchange_strong(&byte, &taken, 0);
}

/* As Abseil has it: 8 is a writer, each reader adds 256 and the first one 1. */
__attribute__((noinline)) static void takes_word(void) {
  long free = 0, taken = 8;
  atomic_compare_exchange_strong(&word, &free, free | 8);
  hundred();
  atomic_compare_exchange_strong(&word, &taken, 0);
}

__attribute__((noinline)) static void reads_word(void) {
  long before = atomic_load(&word);
  atomic_compare_exchange_strong(&word, &before, (before | 1) + 256);
  hundred();
  long taken = atomic_load(&word);
  atomic_compare_exchange_strong(&word, &taken, 0);
}

/* As Rust's standard library has it: writers are many readers, and what is released is subtracted. */
__attribute__((noinline)) static void writes_counted(void) {
  unsigned free = 0;
  atomic_compare_exchange_strong(&readers, &free, 0x3fffffff);
  hundred();
  atomic_fetch_sub(&readers, 0x3fffffff);
}

__attribute__((noinline)) static void reads_counted(void) {
  atomic_fetch_add(&readers, 1);
  hundred();
  atomic_fetch_sub(&readers, 1);
}

/* The 0 of a release need not be known when the code is translated. */
__attribute__((noinline)) static void sets_to(int freed) {
  while (atomic_exchange(&plain, 1) != 0) {
  }
  hundred();
  atomic_store_explicit(&plain, freed, memory_order_release);
}

/* The moment until which it waits has passed. */
__attribute__((noinline)) static void waits(void) {
  struct timespec past = {0, 0};
  pthread_mutex_lock(&waited);
  hundred();
  pthread_cond_timedwait(&condition, &waited, &past);
  hundred();
  pthread_mutex_unlock(&waited);
}

static void sets_up(void) { hundred(); }

__attribute__((noinline)) static void asks_once(void) { pthread_once(&once, sets_up); }

/* A word that one thread sets and another one clears tells it something. */
__attribute__((noinline)) static void passes_on(void) {
  atomic_exchange(&told, 0);
  atomic_exchange(&told, 1);
}

/* Words that are set once, or freed while they are set, are no locks. */
__attribute__((noinline)) static void sets_for_good(long thread) {
  for (int at = 0; at < 64; at++) atomic_exchange(&for_good[thread][at], 1);
  for (int at = 0; at < 64; at++) {
    atomic_int *freed = calloc(16, sizeof *freed);
    atomic_exchange(freed, 1);
    free(freed);
  }
}

__attribute__((noinline)) static void takes_its_own(long thread) {
  pthread_mutex_lock(&private_locks[thread].own);
  hundred();
  pthread_mutex_unlock(&private_locks[thread].own);
}

/* A block that the next thread gets as well, once it is free. */
__attribute__((noinline)) static void uses_freed_memory(void) {
  long *block = malloc(4096);
  block[1] = 1;
  *(volatile long *)&block[2] = block[1];
  free(block);
}

__attribute__((noinline)) static void uses_lent_memory(void) { atomic_fetch_add(&lent[3], 1); }

static sem_t turns[8];
static long threads, rounds;
static volatile int zero;

static void *takes_turns(void *argument) {
  long thread = (long)argument;
  sets_for_good(thread);
  for (long round = 0; round < rounds; round++) {
    sem_wait(&turns[thread]);
    /* What is bound or set up at first is over after two turns of each. */
    if (round == 2 && thread == 0) tlslab_counter_zero();
    tlslab_counter_switch(1);
    counts_references();
    tlslab_counter_switch(2);
    writes_beside(thread);
    tlslab_counter_switch(3);
    takes_mutexes();
    tlslab_counter_switch(4);
    reads_table();
    tlslab_counter_switch(5);
    writes_table();
    tlslab_counter_switch(6);
    sets_flag();
    tlslab_counter_switch(7);
    spins();
    tlslab_counter_switch(8);
    takes_its_own(thread);
    tlslab_counter_switch(9);
    uses_freed_memory();
    tlslab_counter_switch(10);
    uses_lent_memory();
    tlslab_counter_switch(11);
    takes_byte();
    tlslab_counter_switch(12);
    takes_word();
    tlslab_counter_switch(13);
    reads_word();
    tlslab_counter_switch(14);
    writes_counted();
    tlslab_counter_switch(15);
    reads_counted();
    tlslab_counter_switch(16);
    sets_to(zero);
    tlslab_counter_switch(17);
    waits();
    tlslab_counter_switch(18);
    asks_once();
    tlslab_counter_switch(19);
    passes_on();
    tlslab_counter_switch(0);
    sem_post(&turns[(thread + 1) % threads]);
  }
  return NULL;
}

__attribute__((noinline)) static void lends(void) { lent = aligned_alloc(64, 128); }

int main(int count, char **arguments) {
  if (count < 4) return 2;
  threads = atol(arguments[1]);
  rounds = 2 + atol(arguments[2]);
  begin();
  lends();
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  for (int at = 0; at < 8; at++) {
    sem_init(&turns[at], 0, at == 0);
    pthread_mutex_init(&private_locks[at].own, NULL);
  }
  pthread_t all[8];
  for (long thread = 0; thread < threads; thread++) pthread_create(&all[thread], NULL, takes_turns, (void *)thread);
  for (long thread = 0; thread < threads; thread++) pthread_join(all[thread], NULL);
  printf("%d\n", tlslab_counter_dump_contention(arguments[3]));
  return 0;
}
