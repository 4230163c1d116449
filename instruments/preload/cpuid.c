/* Hides features of the processor from a program that is timed: its CPUID instructions fault, and are answered without
 * them. Libraries ask once, at their start, so that nothing is slower for it later. The processor itself has every CPUID
 * instruction of the process fault where it and the kernel can; where they cannot, each of those whose places are told
 * becomes one that does. */
#define _GNU_SOURCE
#include "cpuid.h"

#include "faulting.h"
#include "tlslab_cpuid.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

static uint32_t mask[CPUID_WORDS];
static struct sigaction before;
static bool is_faulting;
/* How features are hidden; under a counter, by the counter. */
static const char *way = "counter";

static const uint8_t asks[2] = {0x0f, 0xa2};
static const uint8_t faults[2] = {0x0f, 0x0b};

/* Places that were answered, and how often. Further places than these are answered and not noted. */
enum { PLACES = 256 };
static _Atomic(uintptr_t) answered_at[PLACES];
static _Atomic(uint64_t) answered[PLACES];

static _Noreturn void fail(const char *what, const char *name) {
  const char *parts[] = {"the processor's features cannot be hidden: ", what, " ", name, "\n"};
  for (int at = 0; at < 5; at++) {
    if (write(STDERR_FILENO, parts[at], strlen(parts[at])) < 0) break;
  }
  _exit(1);
}

static void note(uintptr_t place) {
  for (int at = 0; at < PLACES; at++) {
    uintptr_t known = 0;
    if (atomic_compare_exchange_strong(&answered_at[at], &known, place) || known == place) {
      atomic_fetch_add(&answered[at], 1);
      return;
    }
  }
}

/* The processor's own answer. Where CPUID faults, it does not within this. */
static void ask(uint32_t leaf, uint32_t part, uint32_t words[4]) {
  if (is_faulting) cpuid_faults(0);
  cpuid(leaf, part, words);
  if (is_faulting) cpuid_faults(1);
}

static void answer(int signal, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)info;
  if (memcmp((void *)registers[REG_RIP], is_faulting ? asks : faults, sizeof faults) != 0) {
    /* Not one of ours to answer: it faults again, and whoever was there before hears of it. */
    sigaction(signal, &before, NULL);
    return;
  }
  note(registers[REG_RIP]);
  uint32_t leaf = (uint32_t)registers[REG_RAX], part = (uint32_t)registers[REG_RCX], words[4];
  ask(leaf, part, words);
  for (unsigned at = 0; at < CPUID_WORDS; at++) {
    bool is_it = cpuid_words[at].leaf == leaf && (leaf != 7 || cpuid_words[at].part == part);
    if (is_it) words[cpuid_words[at].word] &= mask[at];
  }
  registers[REG_RAX] = words[EAX];
  registers[REG_RBX] = words[EBX];
  registers[REG_RCX] = words[ECX];
  registers[REG_RDX] = words[EDX];
  registers[REG_RIP] += sizeof faults;
}

uint32_t tlslab_cpuid_abi(void) { return TLSLAB_CPUID_ABI; }

size_t tlslab_cpuid_report(char *to, size_t room) {
  size_t length = 0;
  int written = snprintf(to, room, "%s\n", way);
  for (int at = 0; written > 0 && (size_t)written < room - length; at++) {
    length += (size_t)written;
    uintptr_t place = at < PLACES ? atomic_load(&answered_at[at]) : 0;
    if (place == 0) return length;
    Dl_info object;
    struct link_map *map = NULL;
    bool is_known = dladdr1((void *)place, &object, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL;
    written = snprintf(to + length, room - length, "%llu %llx %s\n", (unsigned long long)atomic_load(&answered[at]),
                       (unsigned long long)(is_known ? place - map->l_addr : place), is_known ? object.dli_fname : "");
  }
  return length;
}

typedef struct {
  const struct stat *file;
  uintptr_t added;
  bool found;
} Search;

static int is_file(struct dl_phdr_info *info, size_t size, void *state) {
  Search *search = state;
  struct stat stat_of_it;
  const char *name = info->dlpi_name[0] == 0 ? "/proc/self/exe" : info->dlpi_name;
  (void)size;
  if (stat(name, &stat_of_it) != 0 || stat_of_it.st_dev != search->file->st_dev ||
      stat_of_it.st_ino != search->file->st_ino)
    return 0;
  search->added = info->dlpi_addr;
  search->found = true;
  return 1;
}

static void change(uintptr_t place, const char *name) {
  uintptr_t page = place & ~(uintptr_t)4095;
  /* The instruction may lie on two pages. */
  if (memcmp((void *)place, asks, sizeof asks) != 0) fail("there is no CPUID where there should be one in", name);
  if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 &&
      mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    fail("the kernel lets nobody write to the code of", name);
  memcpy((void *)place, faults, sizeof faults);
  if (mprotect((void *)page, 8192, PROT_READ | PROT_EXEC) != 0) mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
}

/* Lines of a file's name or, behind a space, of an address in it. */
static void change_all(char *text) {
  Search search = {0};
  char *name = "";
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    if (line[0] == ' ') {
      change(search.added + strtoull(line + 1, NULL, 16), name);
      continue;
    }
    struct stat file;
    name = line;
    search = (Search){.file = &file};
    if (stat(name, &file) != 0) fail("there is no", name);
    dl_iterate_phdr(is_file, &search);
    if (!search.found) fail("not loaded at the program's start is", name);
  }
}

/* Whether valgrind runs this: its tools answer CPUID themselves, and it has no place for a processor that faults. */
static bool is_under_valgrind(void) {
  uint64_t request[6] = {0x1001}, result = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "+d"(result)
                   : "a"(request)
                   : "cc", "memory");
  return result != 0;
}

static const char *variable(char **environment, const char *name) {
  size_t length = strlen(name);
  for (; *environment != NULL; environment++) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  }
  return "";
}

static void replace(const char *places) {
  static char text[1 << 16];
  int file = open(places, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (length < 0 || length == sizeof text - 1) fail("the places cannot be read from", places);
  close(file);
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, &before);
  change_all(text);
}

/* Before any other library's: those ask for features, too. The environment has no other name yet. */
__attribute__((constructor)) static void hide(int count, char **arguments, char **environment) {
  const char *masks = variable(environment, "TLSLAB_CPUID_MASK");
  const char *places = variable(environment, "TLSLAB_CPUID_PLACES");
  (void)count, (void)arguments;
  if (is_under_valgrind()) return;
  if (strlen(masks) != 8 * CPUID_WORDS) fail("there is no mask in", "TLSLAB_CPUID_MASK");
  for (unsigned at = 0; at < CPUID_WORDS; at++) {
    char word[9] = {0};
    memcpy(word, masks + 8 * at, 8);
    mask[at] = (uint32_t)strtoul(word, NULL, 16);
  }
  if (*places != 0) {
    way = "replaced";
    replace(places);
    return;
  }
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, &before);
  is_faulting = true;
  way = "faulting";
  if (cpuid_faults(1) != 0) fail("this processor has no CPUID that faults, asked for by", "TLSLAB_CPUID_MASK");
}
