//! The library that counts allocations, built as the lab builds it and loaded into a program with known
//! allocations.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use tlslab_artifact::{Event, Observer};
use tlslab_instruments::Instruments;

struct Nobody;

impl Observer for Nobody {
    fn on(&self, _: &Event) {}
}

/// A program, compiled, and the library to preload.
struct Loaded {
    folder: tempfile::TempDir,
    library: PathBuf,
}

impl Loaded {
    fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let instruments = Instruments::new(&root, &folder.path().join("cache"));
        let library = instruments.preload(&Nobody, &AtomicBool::new(false)).unwrap();
        std::fs::write(folder.path().join("main.c"), program).unwrap();
        let mut cc = Command::new("cc");
        cc.current_dir(folder.path()).args([
            "-std=gnu11",
            "-O1",
            "-fno-builtin",
            "-pthread",
            "-o",
            "main",
            "main.c",
        ]);
        let compiled = cc.arg("-I").arg(root.join("instruments/preload")).arg("-ldl").output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Self { folder, library: library.heap }
    }

    fn run(&self) -> String {
        let output: Output =
            Command::new(self.folder.path().join("main")).env("LD_PRELOAD", &self.library).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }
}

#[test]
fn every_byte_of_a_known_program_is_counted() {
    let said = Loaded::new(COUNTS).run();
    // Blocks and bytes requested, blocks and bytes released, the peak above the beginning; usable sizes are
    // at least the requested ones.
    let expected = "\
        malloc 1 100 0 0 100\n\
        free 0 0 1 100 0\n\
        calloc 1 120 0 0 120\n\
        grow 1 5000 1 120 4880\n\
        shrink 1 10 1 5000 0\n\
        realloc to nothing 0 0 1 10 0\n\
        reallocarray 1 96 0 0 96\n\
        overflow 0 0 0 0 0\n\
        aligned 4 1000 0 0 1000\n\
        free aligned 0 0 4 1000 0\n\
        strdup 1 6 0 0 6\n\
        huge fails 0 0 0 0 0\n\
        up and down 2 3000 2 3000 2000\n\
        threads 40000 2000000 40000 2000000 -1\n\
        unknown 0\n";
    assert_eq!(said, expected);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_processors_time_stamp_is_the_same_in_every_process_unless_faults_are_handled() {
    let loaded = Loaded::new(STAMPS);
    let (one, other) = (loaded.run(), loaded.run());
    assert_eq!(one, other);
    let numbers: Vec<u64> = one.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(numbers.len() == 3 && numbers[0] < numbers[1] && numbers[1] < numbers[2], "{one}");
    let handled = Loaded::new(HANDLED);
    let (one, other) = (handled.run(), handled.run());
    assert!(one.starts_with("handled ") && one != other, "{one}{other}");
    // A real fault is one.
    let faulty = Loaded::new("int main(void) { return *(volatile int *)0; }");
    let ended = Command::new(faulty.folder.path().join("main")).env("LD_PRELOAD", &faulty.library).status();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.unwrap()), Some(11));
}

/// The stamps of both instructions that read one.
#[cfg(target_arch = "x86_64")]
const STAMPS: &str = r#"
#include <stdio.h>
#include <x86intrin.h>

int main(void) {
  unsigned processor = 7;
  unsigned long long first = __rdtsc(), second = __rdtscp(&processor), third = __rdtsc();
  printf("%llu %llu %llu\n", first, second, third);
  return (int)processor;
}
"#;

/// A program that handles faults itself.
#[cfg(target_arch = "x86_64")]
const HANDLED: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <x86intrin.h>

static void handler(int signal) {
  (void)signal;
  char text[64];
  int len = snprintf(text, sizeof text, "handled %llu\n", (unsigned long long)__rdtsc());
  _exit(write(1, text, len) != len);
}

int main(void) {
  struct sigaction own = {.sa_handler = handler};
  sigaction(SIGSEGV, &own, NULL);
  __rdtsc();
  return *(volatile int *)0;
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
fn programs_that_a_weighed_one_starts_have_the_processors_own_time_stamp() {
    let said = Loaded::new(STARTS).run();
    let ways =
        "execve execv execvp execvpe fexecve execl execlp execle posix_spawn posix_spawnp system popen";
    assert_eq!(said, format!("{}forged\n", ways.replace(' ', "\n") + "\n"));
}

/// It starts itself in each way, and then forges as before. Its children print their way once they have read
/// a stamp.
#[cfg(target_arch = "x86_64")]
const STARTS: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

static int started(const char *way) {
  int mode = 0;
  prctl(PR_GET_TSC, &mode, 0, 0, 0);
  if (mode != PR_TSC_ENABLE || __rdtsc() == 0) return 1;
  puts(way);
  return 0;
}

static void ended(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) printf("ended with %d\n", status), exit(1);
}

int main(int count, char **arguments) {
  if (count > 1) return started(arguments[1]);
  char *self = arguments[0], *list[] = {self, NULL, NULL}, command[4096];
  static const char *ways[] = {"execve", "execv", "execvp", "execvpe", "fexecve", "execl", "execlp", "execle"};
  for (int way = 0; way < 8; way++) {
    list[1] = (char *)ways[way];
    pid_t child = fork();
    if (child != 0) {
      ended(child);
      continue;
    }
    /* One that fails has no effect. */
    execv("/nowhere", list);
    int mode = 0;
    prctl(PR_GET_TSC, &mode, 0, 0, 0);
    if (mode != PR_TSC_SIGSEGV) _exit(2);
    switch (way) {
      case 0: execve(self, list, environ);
      case 1: execv(self, list);
      case 2: execvp(self, list);
      case 3: execvpe(self, list, environ);
      case 4: fexecve(open(self, O_RDONLY), list, environ);
      case 5: execl(self, self, list[1], NULL);
      case 6: execlp(self, self, list[1], NULL);
      case 7: execle(self, self, list[1], NULL, environ);
    }
    _exit(3);
  }
  pid_t child;
  list[1] = "posix_spawn";
  if (posix_spawn(&child, self, NULL, NULL, list, environ) != 0) return 4;
  ended(child);
  list[1] = "posix_spawnp";
  if (posix_spawnp(&child, self, NULL, NULL, list, environ) != 0) return 5;
  ended(child);
  snprintf(command, sizeof command, "%s system", self);
  if (system(command) != 0) return 6;
  snprintf(command, sizeof command, "%s popen", self);
  FILE *pipe = popen(command, "r");
  char said[16] = "";
  if (pipe == NULL || fgets(said, sizeof said, pipe) == NULL || pclose(pipe) != 0) return 7;
  fputs(said, stdout);
  int mode = 0;
  prctl(PR_GET_TSC, &mode, 0, 0, 0);
  puts(mode == PR_TSC_SIGSEGV ? "forged" : "true");
  return 0;
}
"#;

#[test]
fn what_is_random_or_tells_the_time_is_the_same_in_every_process() {
    let loaded = Loaded::new(FORGED);
    let (one, other) = (loaded.run(), loaded.run());
    assert_eq!(one, other);
    let lines: Vec<&str> = one.lines().collect();
    // Six sources of random bytes, none of which repeats another.
    let random = &lines[..6];
    assert!(random.iter().all(|line| line.len() == 32), "{one}");
    assert!((1..6).all(|at| !random[..at].contains(&random[at])), "{one}");
    // 2026-01-01, and a microsecond for each reading.
    assert_eq!(lines[6..], ["1767225600 1000", "1000000 2000", "1767225600 3", "1767225600", "2147483646"]);
}

#[test]
fn what_a_machine_is_busy_with_is_the_same_in_every_process() {
    let loaded = Loaded::new(BUSY);
    let one = loaded.run();
    // A folder within it, so that the common folder has just changed.
    let other = tempfile::tempdir_in("/tmp").unwrap();
    assert_eq!(one, loaded.run());
    drop(other);
    assert_eq!(one, "up 1000000 0, procs 100, memory 1\nfolder 1 0 1 0\nits own 1 1\n");
}

const BUSY: &str = r#"
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>

int main(int count, char **arguments) {
  struct sysinfo machine;
  struct stat folder, own;
  if (count < 1 || sysinfo(&machine) != 0 || stat("/tmp", &folder) != 0 || stat(arguments[0], &own) != 0) return 1;
  printf("up %ld %lu, procs %u, memory %d\n", machine.uptime, machine.loads[0], machine.procs, machine.totalram > 0);
  printf("folder %d %ld %lu %ld\n", S_ISDIR(folder.st_mode), (long)folder.st_mtime, (unsigned long)folder.st_nlink, (long)folder.st_size);
  printf("its own %d %d\n", S_ISREG(own.st_mode), own.st_mtime > 1000000);
  return 0;
}
"#;

const COUNTS: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tlslab_heap.h"

static void (*mark)(tlslab_heap *);
static tlslab_heap before;

static void begin(void) { mark(&before); }

static void end(const char *name, int with_peak) {
  tlslab_heap now;
  mark(&now);
  long live = (long)(before.allocated_bytes - before.freed_bytes);
  long blocks = (long)(now.allocated_blocks - before.allocated_blocks);
  long bytes = (long)(now.allocated_bytes - before.allocated_bytes);
  long room = (long)(now.allocated_room_bytes - before.allocated_room_bytes);
  /* glibc sets aside a word more than was asked for, in steps of 16 bytes, 32 at least; alignment may take more. */
  if (room < bytes + 8 * blocks || room > bytes + 4200 * blocks) printf("room %ld for %ld\n", room, bytes);
  printf("%s %ld %ld %ld %ld %ld\n", name, blocks, bytes, (long)(now.freed_blocks - before.freed_blocks),
         (long)(now.freed_bytes - before.freed_bytes), with_peak ? (long)now.peak_bytes - live : -1);
}

static void *work(void *nothing) {
  for (int at = 0; at < 10000; at++) {
    char *volatile block = malloc(50);
    block[49] = 1;
    free(block);
  }
  return nothing;
}

int main(void) {
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  mark = (void (*)(tlslab_heap *))dlsym(RTLD_DEFAULT, "tlslab_heap_mark");
  char *volatile one;
  char *volatile all[4];
  begin(); one = malloc(100); end("malloc", 1);
  begin(); free(one); end("free", 1);
  begin(); one = calloc(12, 10); end("calloc", 1);
  begin(); one = realloc(one, 5000); end("grow", 1);
  begin(); one = realloc(one, 10); end("shrink", 1);
  begin(); one = realloc(one, 0); end("realloc to nothing", 1);
  begin(); one = reallocarray(NULL, 12, 8); end("reallocarray", 1);
  free(one);
  begin(); one = reallocarray(NULL, SIZE_MAX, 8); end("overflow", 1);
  begin();
  if (posix_memalign((void **)&all[0], 64, 100) != 0) return 1;
  all[1] = aligned_alloc(128, 256);
  all[2] = memalign(256, 344);
  all[3] = valloc(300);
  end("aligned", 1);
  begin();
  for (int at = 0; at < 4; at++) free(all[at]);
  end("free aligned", 1);
  begin(); one = strdup("hello"); end("strdup", 1);
  free(one);
  begin(); one = malloc(SIZE_MAX / 2); end("huge fails", 1);
  begin();
  one = malloc(2000);
  free(one);
  one = malloc(1000);
  free(one);
  end("up and down", 1);
  pthread_t threads[4];
  for (int at = 0; at < 4; at++) pthread_create(&threads[at], NULL, work, NULL);
  for (int at = 0; at < 4; at++) pthread_join(threads[at], NULL);
  begin();
  uint64_t known = before.unknown_blocks;
  /* Starting a thread takes a few blocks, too; what is short of a whole round is cut off, and a lost block costs one. */
  for (int at = 0; at < 4; at++) pthread_create(&threads[at], NULL, work, NULL);
  for (int at = 0; at < 4; at++) pthread_join(threads[at], NULL);
  tlslab_heap now;
  mark(&now);
  printf("threads %d %d %d %d -1\n", (int)(now.allocated_blocks - before.allocated_blocks) / 40000 * 40000,
         (int)(now.allocated_bytes - before.allocated_bytes) / 2000000 * 2000000,
         (int)(now.freed_blocks - before.freed_blocks) / 40000 * 40000,
         (int)(now.freed_bytes - before.freed_bytes) / 2000000 * 2000000);
  printf("unknown %d\n", (int)(now.unknown_blocks - known));
  return 0;
}
"#;

const FORGED: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void show(const unsigned char *bytes) {
  for (int at = 0; at < 16; at++) printf("%02x", bytes[at]);
  printf("\n");
}

int main(void) {
  unsigned char bytes[16];
  if (getrandom(bytes, 16, 0) != 16) return 1;
  show(bytes);
  if (getentropy(bytes, 16) != 0) return 2;
  show(bytes);
  if (syscall(SYS_getrandom, bytes, 16, 0) != 16) return 3;
  show(bytes);
  int device = open("/dev/urandom", O_RDONLY);
  if (read(device, bytes, 16) != 16) return 4;
  close(device);
  show(bytes);
  FILE *file = fopen("/dev/random", "r");
  if (file == NULL || fread(bytes, 1, 16, file) != 16) return 5;
  show(bytes);
  if (read(fileno(file), bytes, 16) != 16) return 7;
  fclose(file);
  show(bytes);
  /* A file that is no such device is read as it is, also under a descriptor that was one. */
  char letter = 0;
  int plain = open("/proc/self/comm", O_RDONLY);
  if (plain != device || read(plain, &letter, 1) != 1 || letter != 'm') return 6;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%ld %ld\n", (long)now.tv_sec, now.tv_nsec);
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%ld %ld\n", (long)now.tv_sec, now.tv_nsec);
  struct timeval day;
  gettimeofday(&day, NULL);
  printf("%ld %ld\n", (long)day.tv_sec, (long)day.tv_usec);
  printf("%ld\n", (long)time(NULL));
  printf("%d\n", (int)getpid());
  return 0;
}
"#;
