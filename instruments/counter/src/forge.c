/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "forge.h"

#include "options.h"

/* Kept apart, so that neither depends on how often somebody asks for the other. */
static ULong seed;
static ULong words;
static ULong stamps;
static ULong stamp;
static ULong ticks;

/* 2026-01-01 in UTC: the lab's certificates are valid then. */
#define REAL_TIME_S 1767225600
#define OTHER_TIME_S 1000000
#define TICK_NS 1000

/* SplitMix64: one well-mixed word for each number of a sequence. */
static ULong mixed(ULong first, ULong at) {
  ULong word = first + at * 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

void tl_forge_seed(ULong new_seed) {
  seed = mixed(new_seed, 1);
  words = stamps = ticks = 0;
  stamp = 1000000;
}

ULong tl_forge_word(void) { return mixed(seed, words++); }

/* The steps vary as true ones do: collectors of jitter refuse a clock that is too regular. */
ULong tl_forge_stamp(void) {
  stamp += 100 + (mixed(~seed, stamps++) & 0xfff);
  return stamp;
}

static void fill(void *room, UWord bytes) {
  UChar *at = room;
  while (bytes > 0) {
    ULong word = tl_forge_word();
    UWord part = bytes < sizeof word ? bytes : sizeof word;
    VG_(memcpy)(at, &word, part);
    at += part;
    bytes -= part;
  }
}

void tl_forge_at_random(ThreadId thread) {
  if (!tl_options.forge_random) return;
  /* The stack has the number of arguments, they, a zero, the environment, a zero, and pairs of what the kernel says. */
  UWord *at = (UWord *)VG_(get_SP)(thread);
  at += *at + 2;
  while (*at != 0) at++;
  for (at++; *at != 0; at += 2) {
    if (*at == 25 /* AT_RANDOM */) fill((void *)at[1], 16);
  }
}

static Bool is_random_device(Int descriptor) {
  struct vg_stat stat;
  /* /dev/random and /dev/urandom, by their numbers. */
  return VG_(fstat)(descriptor, &stat) == 0 && (stat.mode & VKI_S_IFMT) == VKI_S_IFCHR &&
         (stat.rdev == 0x108 || stat.rdev == 0x109);
}

static void forge_bytes(UInt number, const UWord *arguments, UWord bytes) {
  switch (number) {
  case __NR_getrandom:
    fill((void *)arguments[0], bytes);
    break;
  case __NR_read:
  case __NR_pread64:
    if (is_random_device(arguments[0])) fill((void *)arguments[1], bytes);
    break;
  case __NR_readv:
    if (!is_random_device(arguments[0])) break;
    for (const struct vki_iovec *part = (void *)arguments[1]; bytes > 0; part++) {
      UWord here = part->iov_len < bytes ? part->iov_len : bytes;
      fill(part->iov_base, here);
      bytes -= here;
    }
    break;
  }
}

/* State that other programs of the machine change all the time, used by libraries that gather their own entropy. */
static Bool is_of_the_machine(const HChar *path) {
  static const HChar *const paths[] = {"/tmp", "/var/tmp", "/usr/tmp", "/dev/urandom", "/dev/random"};
  for (UInt at = 0; at < sizeof paths / sizeof *paths; at++) {
    if (VG_(strcmp)(path, paths[at]) == 0) return True;
  }
  return VG_(strncmp)(path, "/etc/", 5) == 0;
}

static void forge_file(const HChar *path, struct vki_stat *file) {
  if (!is_of_the_machine(path)) return;
  struct vki_stat found = *file;
  VG_(memset)(file, 0, sizeof *file);
  file->st_mode = found.st_mode;
  file->st_uid = found.st_uid;
  file->st_gid = found.st_gid;
  file->st_rdev = found.st_rdev;
  file->st_size = (found.st_mode & VKI_S_IFMT) == VKI_S_IFDIR ? 0 : found.st_size;
  file->st_nlink = 1;
}

static void forge_machine(UInt number, const UWord *arguments) {
  switch (number) {
  case __NR_sysinfo: {
    struct vki_sysinfo *machine = (void *)arguments[0];
    UWord ram = machine->totalram;
    UInt unit = machine->mem_unit;
    VG_(memset)(machine, 0, sizeof *machine);
    machine->uptime = OTHER_TIME_S;
    machine->totalram = ram;
    machine->freeram = ram / 2;
    machine->procs = 100;
    machine->mem_unit = unit;
    break;
  }
  case __NR_stat:
    forge_file((const HChar *)arguments[0], (void *)arguments[1]);
    break;
  case __NR_newfstatat:
    forge_file((const HChar *)arguments[1], (void *)arguments[2]);
    break;
  }
}

/* The clock moves by one tick each time that somebody looks. */
static struct vki_timespec tick(Bool of_day) {
  ULong ns = TICK_NS * ++ticks;
  return (struct vki_timespec){(of_day ? REAL_TIME_S : OTHER_TIME_S) + ns / 1000000000, ns % 1000000000};
}

static void set_result(ThreadId thread, UWord result) {
  VG_(set_shadow_regs_area)(thread, 0, REGISTER(RAX), sizeof result, (const UChar *)&result);
}

static void forge_clock(ThreadId thread, UInt number, const UWord *arguments) {
  switch (number) {
  case __NR_clock_gettime: {
    UWord clock = arguments[0];
    Bool of_day = clock == 0 /* REALTIME */ || clock == 5 /* REALTIME_COARSE */ || clock == 11 /* TAI */;
    *(struct vki_timespec *)arguments[1] = tick(of_day);
    break;
  }
  case __NR_gettimeofday:
    if (arguments[0] != 0) {
      struct vki_timespec now = tick(True);
      *(struct vki_timeval *)arguments[0] = (struct vki_timeval){now.tv_sec, now.tv_nsec / 1000};
    }
    break;
  case __NR_time: {
    UWord now = tick(True).tv_sec;
    if (arguments[0] != 0) *(UWord *)arguments[0] = now;
    set_result(thread, now);
    break;
  }
  }
}

void tl_forge_call(ThreadId thread, UInt number, const UWord *arguments, SysRes result) {
  if (sr_isError(result)) return;
  if (tl_options.forge_random) {
    forge_bytes(number, arguments, sr_Res(result));
    forge_machine(number, arguments);
  }
  if (tl_options.forge_time) forge_clock(thread, number, arguments);
}
