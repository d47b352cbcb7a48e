/* Files that would let the machine in: random devices, and what names the machine or tells how busy it is. */
#include "preload.h"

#include <sys/mman.h>

static int is_random(const char *path) {
    return path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random") || !strcmp(path, "/dev/hwrng"));
}

/* What stands in the files that would name the machine; NULL where the path is any other. */
static const char *stand_in(const char *path) {
    static const struct {
        const char *path, *text;
    } files[] = {{"/etc/hostname", "engine\n"},
                 {"/etc/machine-id", "00000000000000000000000000004242\n"},
                 {"/proc/sys/kernel/hostname", "engine\n"},
                 {"/proc/sys/kernel/random/boot_id", "00000000-0000-0000-0000-000000004242\n"},
                 {"/proc/sys/kernel/random/uuid", "00000000-0000-4000-8000-000000004242\n"},
                 {"/proc/loadavg", "0.00 0.00 0.00 1/1 4242\n"},
                 {"/proc/uptime", "1000.00 1000.00\n"},
                 {"/proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\n"},
                 {"/proc/meminfo", "MemTotal: 1048576 kB\nMemFree: 524288 kB\nMemAvailable: 524288 kB\n"},
                 {"/proc/cpuinfo", "processor : 0\nmodel name : engine\ncpu MHz : 1000.000\n"},
                 {"/proc/net/route", ""},
                 {"/proc/net/dev", ""},
                 {"/proc/net/if_inet6", ""}};
    for (size_t i = 0; path && i < sizeof files / sizeof *files; i++) {
        if (!strcmp(path, files[i].path)) {
            return files[i].text;
        }
    }
    return NULL;
}

static int file_with(const char *text) {
    int fd = (int)result_of(KERNEL(SYS_memfd_create, "stand-in", 0));
    if (fd >= 0 && KERNEL(SYS_write, fd, text, strlen(text)) >= 0) {
        lseek(fd, 0, SEEK_SET);
    }
    return fd;
}

/* -2: it is an ordinary file. */
static int instead(const char *path, int flags) {
    if (stage == PASSIVE || !path || (*path != '/')) {
        return -2;
    }
    if (is_random(path)) {
        return object_new(RANDOM_BYTES, NULL, flags & O_NONBLOCK);
    }
    const char *text = stand_in(path);
    return text ? file_with(text) : -2;
}

static int do_open(int folder, const char *path, int flags, mode_t mode) {
    int fd = instead(path, flags);
    return fd != -2 ? fd : (int)result_of(KERNEL(SYS_openat, folder, path, flags, mode));
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

OURS(int, open, (const char *path, int flags, ...)) {
    MODE_OF(flags)
    return do_open(AT_FDCWD, path, flags, mode);
}

OURS(int, open64, (const char *path, int flags, ...)) {
    MODE_OF(flags)
    return do_open(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

OURS(int, openat, (int folder, const char *path, int flags, ...)) {
    MODE_OF(flags)
    return do_open(folder, path, flags, mode);
}

OURS(int, openat64, (int folder, const char *path, int flags, ...)) {
    MODE_OF(flags)
    return do_open(folder, path, flags | O_LARGEFILE, mode);
}

OURS(int, __open_2, (const char *path, int flags)) {
    return do_open(AT_FDCWD, path, flags, 0);
}

OURS(int, __open64_2, (const char *path, int flags)) {
    return do_open(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

/* --- streams ------------------------------------------------------------------------------------------------------------------ */
REAL(FILE *, fopen, (const char *, const char *))
REAL(FILE *, fopen64, (const char *, const char *))

static ssize_t read_random(void *cookie, char *bytes, size_t size) {
    (void)cookie;
    random_fill(bytes, size);
    return (ssize_t)size;
}

/* NULL: it is an ordinary file. */
static FILE *stream_instead(const char *path, const char *how) {
    if (stage == PASSIVE || !path || *path != '/') {
        return NULL;
    }
    if (is_random(path)) {
        cookie_io_functions_t functions = {read_random, NULL, NULL, NULL};
        FILE *stream = fopencookie(NULL, "r", functions);
        if (stream) {
            setvbuf(stream, NULL, _IONBF, 0); /* what was read ahead would not know the seed of the run */
        }
        return stream;
    }
    const char *text = stand_in(path);
    return text ? fdopen(file_with(text), how) : NULL;
}

OURS(FILE *, fopen, (const char *path, const char *how)) {
    FILE *stream = stream_instead(path, how);
    return stream ? stream : real_fopen()(path, how);
}

OURS(FILE *, fopen64, (const char *path, const char *how)) {
    FILE *stream = stream_instead(path, how);
    return stream ? stream : real_fopen64()(path, how);
}
