/* The engine boots once. Then it is the fork server: each run is a child that begins where the boot ended, so that a run costs no
 * boot, and nothing of it stays for the next.
 *
 * What the child prints comes to us through a pipe: megabytes of it must not block it, nor fill the harness's memory. */
#include "preload.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MOST_OUTPUT = 1 << 20 };
static const int PATIENCE_MS = 1000; /* with a child whose harness is gone, and with a reader of our output */

/* Shared with the children. */
struct end {
    volatile int closed, bye;
};
static struct end *end;
static int pipe_of_child = -1; /* in a child: its end of the pipe, which tells us that it lives */

REAL(pid_t, fork, (void))

static void share_end(void) {
    if (!end) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) {
            die("no shared memory: %s", strerror(errno));
        }
        end = page;
    }
    end->closed = end->bye = 0;
}

void run_is_over(int bye) {
    end->bye = bye;
    end->closed = 1;
    KERNEL(SYS_exit_group, 0);
}

static void print(const char *bytes, size_t size) {
    while (size) {
        struct pollfd out = {2, POLLOUT, 0};
        if (KERNEL(SYS_ppoll, &out, 1, (&(struct timespec){PATIENCE_MS / 1000, 0}), NULL, 8) <= 0) {
            return; /* nobody reads it */
        }
        long n = KERNEL(SYS_write, 2, bytes, size < 4096 ? size : 4096);
        if (n <= 0) {
            return;
        }
        bytes += n, size -= (size_t)n;
    }
}

/* Passes on what a child prints, up to a bound. 0: the child has ended. */
static int pass_output(int from, size_t *printed) {
    static char bytes[65536];
    long n = KERNEL(SYS_read, from, bytes, sizeof bytes);
    if (n <= 0) {
        return n == -EINTR;
    }
    if (*printed < MOST_OUTPUT) {
        size_t left = MOST_OUTPUT - *printed;
        print(bytes, (size_t)n < left ? (size_t)n : left);
        if ((size_t)n >= left) {
            say(0, "the engine prints more than %d bytes in one run: the rest is dropped", MOST_OUTPUT);
        }
    }
    *printed += (size_t)n;
    return 1;
}

/* Waits for the end of a child, which reads the line meanwhile. */
static int watch(pid_t child, int output) {
    size_t printed = 0;
    int status = 0, patience = -1;
    for (;;) {
        struct pollfd of[2] = {{output, POLLIN, 0}, {patience < 0 ? line_fd() : -1, POLLRDHUP, 0}};
        struct timespec time = {PATIENCE_MS / 1000, 0};
        long n = KERNEL(SYS_ppoll, of, 2, patience < 0 ? NULL : &time, NULL, 8);
        if (n == 0 && patience > 0) { /* it had its time to see that the harness is gone */
            KERNEL(SYS_kill, child, SIGKILL);
            patience = 0;
        }
        if (of[1].revents) {
            patience = PATIENCE_MS;
        }
        if (of[0].revents && !pass_output(output, &printed)) {
            break;
        }
    }
    while (KERNEL(SYS_wait4, child, &status, 0, NULL) == -EINTR) {
    }
    KERNEL(SYS_close, output);
    if (patience >= 0) {
        KERNEL(SYS_exit_group, 0);
    }
    return status;
}

/* Nobody may take the end of an engine for the end of a run: this process ends in the same way. */
static void end_alike(int status) {
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        struct rlimit none = {0, 0}; /* the child has left its core */
        const char *name = sigabbrev_np(number);
        report("signal %s%s", name ? "SIG" : "", name ? name : "?");
        say(0, "the engine ended by signal %d, SIG%s (%s)", number, name ? name : "?", strsignal(number));
        setrlimit(RLIMIT_CORE, &none);
        struct {
            void *handler;
            unsigned long flags, restorer, mask[2];
        } plain;
        memset(&plain, 0, sizeof plain);
        unsigned long mask[2] = {0, 0};
        KERNEL(SYS_rt_sigaction, number, &plain, NULL, 8);
        KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, 8);
        KERNEL(SYS_kill, KERNEL(SYS_getpid), number);
        KERNEL(SYS_exit_group, 128 + number);
    }
    report("exit %d", WEXITSTATUS(status));
    say(0, "the engine ended with status %d in the middle of a run", WEXITSTATUS(status));
    KERNEL(SYS_exit_group, WEXITSTATUS(status));
}

static void become_child(const int ends[2], long parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (KERNEL(SYS_getppid) != parent) {
        KERNEL(SYS_exit_group, 0);
    }
    KERNEL(SYS_close, ends[0]);
    KERNEL(SYS_dup3, ends[1], 1, 0);
    KERNEL(SYS_dup3, ends[1], 2, 0);
    unprotect(pipe_of_child);
    pipe_of_child = protected_fd(ends[1]);
}

/* 1: in the child. 0: it has ended, and its run was closed. */
static int run_in_child(void) {
    int ends[2];
    share_end();
    fflush(stdout), fflush(stderr);
    if (KERNEL(SYS_pipe2, ends, O_CLOEXEC) < 0) {
        die("no pipe");
    }
    long self = KERNEL(SYS_getpid);
    signals_for_server();
    pid_t child = real_fork()();
    if (child < 0) {
        die("no child: %s", strerror(errno));
    }
    if (!child) {
        become_child(ends, self);
        signals_for_engine();
        return 1;
    }
    KERNEL(SYS_close, ends[1]);
    int status = watch(child, ends[0]);
    if (!end->closed) {
        end_alike(status);
    }
    end->closed = 0;
    if (end->bye) {
        KERNEL(SYS_exit_group, 0);
    }
    return 0;
}

/* Whether HELLO says that the engine can be host `host`. */
int has_role(int64_t host) {
    const char *hello = setting_text("HELLO");
    const char *wanted = host ? "client" : "server";
    struct json all, roles;
    struct json_value value, role;
    char key[64], name[32], text[8192];
    snprintf(text, sizeof text, "{%s}", hello ? hello : "");
    if (!json_open(&all, text, strlen(text), '{')) {
        return 0;
    }
    while (json_member(&all, key, sizeof key, &value)) {
        if (strcmp(key, "roles") || !json_open(&roles, value.at, value.size, '[')) {
            continue;
        }
        while (json_element(&roles, &role)) {
            json_text(&role, name, sizeof name);
            if (!strcmp(name, wanted)) {
                return 1;
            }
        }
    }
    return 0;
}

static void hello(void) {
    const char *members = setting_text("HELLO");
    if (!members || !*members) {
        members = "\"version\":1,\"name\":\"engine\",\"build\":\"as it is\",\"roles\":[\"server\"],\"profiles\":[]";
    }
    line_reply(",%s", members);
}

void fork_server(void) {
    line_connect();
    list_files();
    say(1, "waits for runs");
    for (;;) {
        const struct request *request = line_next();
        if (!strcmp(request->op, "hello")) {
            hello();
        } else if (!strcmp(request->op, "open") && !has_role(request->host)) {
            line_reply(",\"error\":{\"unsupported\":\"being a %s\"}", request->host ? "client" : "server");
        } else if (!strcmp(request->op, "open")) {
            /* Threads are lost by a fork: the run is this process, and the supervisor starts the engine again for the next. */
            int here = threads_alive > 0;
            if (here || run_in_child()) {
                if (!here) {
                    reopen_files();
                }
                run_begins(request);
                return;
            }
        } else if (!strcmp(request->op, "close") || !strcmp(request->op, "observe")) {
            line_reply("%s", "");
        } else if (!strcmp(request->op, "bye")) {
            line_reply("%s", "");
            if (end) {
                end->bye = end->closed = 1;
            }
            KERNEL(SYS_exit_group, 0);
        } else {
            line_reply(",\"error\":{\"unsupported\":\"%s without a run\"}", request->op);
        }
    }
}

void supervise(void) {
    line_connect();
    while (!run_in_child()) {
    }
}
