/* The beginning: before anything of the engine runs. */
#include "preload.h"

#include <sys/personality.h>

static const char *own_path(void) {
    static char path[4096];
    long n = KERNEL(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return path;
}

/* A shell or the like that only starts the engine, and hands the environment on. */
static int is_launcher(void) {
    static const char *const names[] = {"sh", "bash", "dash", "ash", "zsh", "ksh", "busybox", "env", "nice", "setarch", "stdbuf", "setpriv", "strace",
                                        "gdb"};
    const char *path = own_path();
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i])) {
            return 1;
        }
    }
    return 0;
}

/* What a script calls on its way is left alone; the engine is what the script becomes at last, by `exec`. */
static int is_engine(void) {
    const char *first = setting_text("PROCESS");
    char number[24];
    if (is_launcher()) {
        snprintf(number, sizeof number, "%ld", KERNEL(SYS_getpid));
        setenv("DELTAPROOF_ENGINE_PROCESS", number, 0);
        return 0;
    }
    return !first || atol(first) == KERNEL(SYS_getpid);
}

/* Addresses reach decisions, by way of hashes of pointers and of what was never set: so they are the same each time, where that is
 * allowed. DELTAPROOF_ENGINE_ASLR=keep leaves them as they are. */
static void start_again_without_randomization(void) {
    static char all[1 << 17];
    static char *arguments[8192];
    const char *keep = setting_text("ASLR");
    long is = KERNEL(SYS_personality, 0xffffffff);
    if ((keep && !strcmp(keep, "keep")) || is < 0 || is & ADDR_NO_RANDOMIZE || KERNEL(SYS_personality, is | ADDR_NO_RANDOMIZE) < 0 ||
        !(KERNEL(SYS_personality, 0xffffffff) & ADDR_NO_RANDOMIZE)) {
        return;
    }
    int fd = (int)KERNEL(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    size_t size = 0;
    for (long n; size < sizeof all - 1 && (n = KERNEL(SYS_read, fd, all + size, sizeof all - 1 - size)) > 0;) {
        size += (size_t)n;
    }
    KERNEL(SYS_close, fd);
    int count = 0;
    for (char *at = all; at < all + size && count < 8191; at += strlen(at) + 1) {
        arguments[count++] = at;
    }
    if (count && size < sizeof all - 1) {
        execv(own_path(), arguments);
    }
}

static void ends(int status, void *unused) {
    (void)unused;
    if (stage == BOOTING) {
        report("exit %d", status);
        say(status ? 0 : 1, "the engine ends with status %d before it was ready", status);
    }
}

__attribute__((constructor(101))) static void begin(void) {
    log_level = (int)setting("LOG", 0);
    if (!is_engine()) {
        return;
    }
    start_again_without_randomization();
    boot_ends_us = setting("BOOT_MS", 3000) * MILLISECOND;
    spin_limit = setting("SPIN", 2000);
    spin_limit = spin_limit < 1 ? 1 : spin_limit;
    const char *threads = setting_text("THREADS");
    threads_allowed = threads && !strcmp(threads, "allow");
    own_host = !has_role(0) && has_role(1);
    line_take_standard();
    KERNEL(SYS_dup3, 2, 1, 0); /* what the engine prints is for people */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    sterilize_environment();
    random_begins(NULL, 0);
    patch_vdso();
    trap_system_calls();
    if (threads_allowed) {
        supervise();
    }
    console_new();
    on_exit(ends, NULL);
    stage = BOOTING;
    drives_time(); /* this is the main thread */
}
