/* Goes past the C library: system calls of its own, the processor's counter, and what the kernel maps into the process. */
#include "engine.h"

#include <dlfcn.h>

static unsigned long long counter(void) {
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

static unsigned long long counter_and_processor(void) {
    unsigned low, high, processor;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(processor));
    return (unsigned long long)high << 32 | low;
}

static long long by_system_call(void) {
    struct timespec now;
    need(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now), "clock_gettime");
    return (now.tv_sec - 1000) * 1000000LL + now.tv_nsec / 1000;
}

/* The C library reads the clock by itself here, and does not ask us. */
static long long by_library(void) {
    struct timespec now;
    int (*inside)(int, struct timespec *) = (int (*)(int, struct timespec *))dlsym(dlopen("libc.so.6", RTLD_NOW), "clock_gettime");
    need(inside != NULL && !inside(CLOCK_MONOTONIC, &now), "the C library's own clock_gettime");
    return (now.tv_sec - 1000) * 1000000LL + now.tv_nsec / 1000;
}

int main(void) {
    int fd = bound(27910);
    for (;;) {
        struct peer peer;
        struct timespec ten = {0, 10000000};
        struct pollfd one = {fd, POLLIN, 0};
        need(syscall(SYS_poll, &one, 1, -1) == 1, "poll by a system call");
        char *text = receive(fd, &peer, 0);
        unsigned long long before = counter();
        need(!syscall(SYS_nanosleep, &ten, NULL), "nanosleep by a system call");
        unsigned long long passed = counter() - before, twice = counter_and_processor() - counter();
        int opened = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0), error = errno;
        unsigned random = 0;
        need(syscall(SYS_getrandom, &random, sizeof random, 0) == sizeof random, "getrandom");
        need(syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == ENOSYS, "io_uring");
        answer(fd, &peer, "%s at %lld, %lld, %lld; counter %llu, %lld; socket %d %s; random %u", text, clock_us(), by_system_call(), by_library(),
               passed / 1000, (long long)twice, opened, error == EAFNOSUPPORT ? "unsupported" : "?", random);
    }
}
