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

static void *takes_turns(void *argument) {
  long thread = (long)argument;
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
