// The wall clock of a process, which a file of eight bytes moves: nanoseconds, read again at each query. Other clocks stay as they are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_ns;

__attribute__((constructor)) static void open_offset(void) {
    const char *path = getenv("TLSLAB_FAULTS_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return;
    }
    void *mapped = mmap(NULL, sizeof *offset_ns, PROT_READ, MAP_SHARED, file, 0);
    offset_ns = mapped == MAP_FAILED ? NULL : mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (failed || !offset_ns || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) {
        return failed;
    }
    int64_t ns = at->tv_nsec + *offset_ns % 1000000000, s = at->tv_sec + *offset_ns / 1000000000;
    at->tv_sec = s + (ns < 0 ? -1 : ns / 1000000000);
    at->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *at, void *zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0) {
        *at = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    }
    return 0;
}

time_t time(time_t *at) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) {
        *at = now.tv_sec;
    }
    return now.tv_sec;
}
