/* The engine boots once. Then it is the fork server: each run is a child that begins where the boot ended, so that a run costs no
 * boot, and nothing of it stays for the next.
 *
 * What the child prints comes to us through a pipe: megabytes of it must not block it, nor fill the harness's memory. */
#include "preload.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MOST_OUTPUT = 1 << 20 };
static const int PATIENCE_MS = 1000; /* with a child whose harness is gone, and with a reader of our output */

struct child {
    pid_t pid;
    int output; /* its end tells that it has ended */
    size_t printed;
};
static struct child children[MOST_HOSTS]; /* by slot */
static int pipe_of_child = -1;            /* in a child: its end of the pipe */
static int patience = -1;                 /* not negative: the harness is gone */

REAL(pid_t, fork, (void))

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

static const char *name_of(int number) {
    static const char *const names[] = {[SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT", [SIGILL] = "SIGILL",   [SIGTRAP] = "SIGTRAP",
                                        [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS",   [SIGFPE] = "SIGFPE",   [SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1",
                                        [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2", [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
                                        [SIGXCPU] = "SIGXCPU", [SIGSYS] = "SIGSYS"};
    const char *name = number >= 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
    return name ? name : "another";
}

/* Nobody may take the end of an engine for the end of a run: this process ends in the same way. */
static void end_alike(int status) {
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        struct rlimit none = {0, 0}; /* the child has left its core */
        report("signal %s", name_of(number));
        say(0, "the engine ended by signal %d, %s (%s)", number, name_of(number), strsignal(number));
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

static void end_children(void) {
    for (int i = 0; i < MOST_HOSTS; i++) {
        if (children[i].pid) {
            KERNEL(SYS_kill, children[i].pid, SIGKILL);
            KERNEL(SYS_wait4, children[i].pid, NULL, 0, NULL);
        }
    }
}

static void child_ended(int slot) {
    int status = 0;
    while (KERNEL(SYS_wait4, children[slot].pid, &status, 0, NULL) == -EINTR) {
    }
    KERNEL(SYS_close, children[slot].output);
    children[slot].pid = 0;
    int closed = turn_is_closed(slot);
    if (patience >= 0 || turn_bye()) {
        end_children();
        KERNEL(SYS_exit_group, 0);
    }
    if (!closed) {
        end_children();
        end_alike(status);
    }
}

static void output_of(int slot) {
    if (!pass_output(children[slot].output, &children[slot].printed)) {
        child_ended(slot);
    }
}

/* Waits for a word of a child's, or for its end. 1: our turn has come. */
static int look_after(int bell) {
    struct pollfd of[MOST_HOSTS + 2] = {{bell, POLLIN, 0}, {patience < 0 ? line_fd() : -1, POLLRDHUP, 0}};
    struct timespec time = {PATIENCE_MS / 1000, 0};
    for (int i = 0; i < MOST_HOSTS; i++) {
        of[i + 2].fd = children[i].pid ? children[i].output : -1, of[i + 2].events = POLLIN;
    }
    long n = KERNEL(SYS_ppoll, of, MOST_HOSTS + 2, patience < 0 ? NULL : &time, NULL, 8);
    if (n == 0 && patience >= 0) { /* they had their time to see that the harness is gone */
        end_children();
        KERNEL(SYS_exit_group, 0);
    }
    if (of[1].revents) {
        patience = PATIENCE_MS;
    }
    for (int i = 0; i < MOST_HOSTS && n > 0; i++) {
        if (of[i + 2].revents) {
            output_of(i);
        }
    }
    return n > 0 && of[0].revents;
}

/* The next request is ours: it was handed to us, or a child has closed its run, and we read on. */
static const struct request *await_turn(void) {
    while (!look_after(turn_bell())) {
    }
    const struct request *request = turn_arrived();
    for (int i = 1; i < MOST_HOSTS && !request; i++) {
        while (children[i].pid && turn_has_closed(i)) { /* all that it printed comes before what follows */
            output_of(i);
        }
    }
    return request ? request : line_next();
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

/* 1: in the child. */
static int start_child(int slot) {
    int ends[2];
    fflush(stdout), fflush(stderr);
    if (KERNEL(SYS_pipe2, ends, O_CLOEXEC) < 0) {
        die("no pipe");
    }
    long self = KERNEL(SYS_getpid);
    signals_for_server();
    pid_t pid = real_fork()();
    if (pid < 0) {
        die("no child: %s", strerror(errno));
    }
    if (!pid) {
        become_child(ends, self);
        signals_for_engine();
        return 1;
    }
    KERNEL(SYS_close, ends[1]);
    children[slot].pid = pid, children[slot].output = ends[0], children[slot].printed = 0;
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

/* 1: this process is in the run. -1: a child is. 0: nobody. */
static int open_run(const struct request *request) {
    if (!has_role(request->host)) {
        line_reply(",\"error\":{\"unsupported\":\"being a %s\"}", request->host ? "client" : "server");
        return 0;
    }
    if (threads_alive > 0) { /* a fork would lose them: the supervisor starts the engine again for the next run */
        run_begins(request);
        return 1;
    }
    int slot = turn_slot_of(request->host) ? 0 : turn_take_slot(request->host);
    if (!slot) {
        line_reply(",\"error\":{\"unsupported\":\"a host twice, or more than %d\"}", MOST_HOSTS - 1);
        return 0;
    }
    if (!start_child(slot)) {
        return -1;
    }
    turn_enter(slot, 1);
    reopen_files();
    run_begins(request);
    return 1;
}

void fork_server(void) {
    int ours = 1; /* to read the line */
    line_connect();
    list_files();
    if (!threads_alive) {
        turns_prepare();
    }
    say(1, "waits for runs");
    for (;;) {
        const struct request *request = ours ? line_next() : await_turn();
        int slot = is_for_a_host(request) && !threads_alive ? turn_slot_of(request->host) : 0;
        ours = 1;
        if (slot) {
            turn_pass(request, slot);
            ours = 0;
        } else if (!strcmp(request->op, "hello")) {
            hello();
        } else if (!strcmp(request->op, "open")) {
            int opened = open_run(request);
            if (opened > 0) {
                return;
            }
            ours = !opened; /* a child has it */
        } else if (!strcmp(request->op, "close") || !strcmp(request->op, "observe")) {
            line_reply("%s", "");
        } else if (!strcmp(request->op, "bye")) {
            end_children();
            line_reply("%s", "");
            run_is_over(1);
        } else {
            line_reply(",\"error\":{\"unsupported\":\"%s without a run\"}", request->op);
        }
    }
}

void supervise(void) {
    line_connect();
    turns_prepare();
    for (;;) {
        int slot = turn_take_slot(0);
        if (start_child(slot)) {
            turn_enter(slot, 0);
            return;
        }
        while (children[slot].pid) {
            look_after(-1);
        }
    }
}
