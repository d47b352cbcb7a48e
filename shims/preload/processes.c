/* Other processes. A shell that starts the engine may do as it likes; the engine itself starts none: what a second process did could
 * be neither timed nor repeated. */
#include "preload.h"

#include <spawn.h>

static int failed(int error) {
    errno = error;
    return -1;
}

static int refused(const char *what) {
    report("process %s refused", what);
    say(1, "%s is refused: no other process is started", what);
    return failed(EAGAIN);
}

REAL(pid_t, fork, (void))

OURS(pid_t, fork, (void)) {
    return stage == PASSIVE ? real_fork()() : refused("fork");
}

OURS(pid_t, vfork, (void)) { /* it returns twice to its caller, which no function in between can do; a whole copy serves as well */
    return stage == PASSIVE ? real_fork()() : refused("vfork");
}

REAL(int, system, (const char *))
REAL(FILE *, popen, (const char *, const char *))
REAL(int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]))
REAL(int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]))

OURS(int, system, (const char *command)) {
    if (stage == PASSIVE) {
        return real_system()(command);
    }
    return command ? refused("system") : 0;
}

OURS(FILE *, popen, (const char *command, const char *how)) {
    if (stage == PASSIVE) {
        return real_popen()(command, how);
    }
    refused("popen");
    return NULL;
}

OURS(int, posix_spawn, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const arguments[],
                        char *const environment[])) {
    if (stage == PASSIVE) {
        return real_posix_spawn()(pid, path, actions, how, arguments, environment);
    }
    refused("posix_spawn");
    return EAGAIN;
}

OURS(int, posix_spawnp, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *how, char *const arguments[],
                         char *const environment[])) {
    if (stage == PASSIVE) {
        return real_posix_spawnp()(pid, path, actions, how, arguments, environment);
    }
    refused("posix_spawnp");
    return EAGAIN;
}

/* A server that goes into the background stays where it is, and in the group that the harness ends. */
OURS(int, daemon, (int stay, int keep)) {
    (void)stay, (void)keep;
    return 0;
}

OURS(pid_t, setsid, (void)) {
    return OWN_PID;
}

OURS(int, setpgid, (pid_t pid, pid_t group)) {
    (void)pid, (void)group;
    return 0;
}

OURS(int, setpgrp, (void)) {
    return 0;
}
