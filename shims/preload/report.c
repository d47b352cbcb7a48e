/* What people are told: a log on standard error, and facts for the doctor in a file. */
#include "preload.h"

int log_level;
static int facts = -1;

const char *setting_text(const char *name) {
    char all[128];
    snprintf(all, sizeof all, "DELTAPROOF_ENGINE_%s", name);
    return getenv(all);
}

long setting(const char *name, long otherwise) {
    const char *text = setting_text(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void put(int fd, const char *format, va_list list) {
    char text[800];
    int n = vsnprintf(text, sizeof text - 1, format, list);
    if (n < 0) {
        return;
    }
    if (n > (int)sizeof text - 2) {
        n = sizeof text - 2;
    }
    text[n++] = '\n';
    KERNEL(SYS_write, fd, text, n);
}

static void put_said(const char *format, va_list list) {
    char all[400];
    snprintf(all, sizeof all, "deltaproof [%lld.%06d] %s", (long long)(now_us / SECOND), (int)(now_us % SECOND), format);
    put(2, all, list);
}

void say(int level, const char *format, ...) {
    if (log_level < level) {
        return;
    }
    int before = errno;
    va_list list;
    va_start(list, format);
    put_said(format, list);
    va_end(list);
    errno = before;
}

void die(const char *format, ...) {
    va_list list;
    va_start(list, format);
    put_said(format, list);
    va_end(list);
    KERNEL(SYS_exit_group, 70);
    abort();
}

void report(const char *format, ...) {
    int before = errno;
    va_list list;
    if (facts < 0) {
        const char *path = setting_text("REPORT");
        if (!path || !*path) {
            return;
        }
        int fd = (int)KERNEL(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (fd < 0) {
            return;
        }
        facts = protected_fd(fd);
    }
    va_start(list, format);
    put(facts, format, list);
    va_end(list);
    errno = before;
}

/* Once for each kind: how an engine waits tells where to look when it hangs. */
void report_wait(enum waits how) {
    static const char *const names[N_WAITS] = {"select", "poll", "epoll", "nanosleep", "busy", "recvfrom", "signal", "console", "condition"};
    static unsigned said;
    if (said & 1u << how) {
        return;
    }
    said |= 1u << how;
    report("waits %s", names[how]);
    say(1, "waits by %s", names[how]);
}
