/* Signals: which handlers the engine has, and waiting for one. Those that we need ourselves it has only in appearance; what is not
 * meant for us is passed on. */
#include "preload.h"

enum { N_SIGNALS = 65 };
static char is_ours[N_SIGNALS];
static struct sigaction of_engine[N_SIGNALS]; /* what it wants for those of ours */
unsigned long signals_handled;
int signal_restarts;

REAL(int, sigaction, (int, const struct sigaction *, struct sigaction *))
REAL(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))

static int in_range(int number) {
    return number > 0 && number < N_SIGNALS;
}

/* A system call that is trapped while SIGSYS is blocked would end the process. */
static void spare_ours(sigset_t *set) {
    for (int i = 1; i < N_SIGNALS; i++) {
        if (is_ours[i]) {
            sigdelset(set, i);
        }
    }
}

void own_handler(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler, action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (!real_sigaction()(number, &action, &of_engine[number])) {
        is_ours[number] = 1;
    }
}

void pass_to_engine(int number, siginfo_t *info, void *context) {
    struct sigaction action = of_engine[number];
    if (action.sa_flags & SA_RESETHAND) {
        of_engine[number].sa_handler = SIG_DFL;
    }
    if (action.sa_flags & SA_SIGINFO) {
        action.sa_sigaction(number, info, context);
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
        action.sa_handler(number);
    } else { /* what brought us here happens again, and this time it ends the process */
        is_ours[number] = 0;
        action.sa_handler = SIG_DFL;
        real_sigaction()(number, &action, NULL);
        if (info->si_code <= 0) {
            send_signal(number, info->si_value, info->si_code);
        }
    }
}

OURS(int, sigaction, (int number, const struct sigaction *action, struct sigaction *before)) {
    struct sigaction mine;
    if (in_range(number) && is_ours[number]) {
        struct sigaction was = of_engine[number];
        if (action) {
            of_engine[number] = *action;
        }
        if (before) {
            *before = was;
        }
        return 0;
    }
    if (action) {
        mine = *action;
        spare_ours(&mine.sa_mask);
    }
    return real_sigaction()(number, action ? &mine : NULL, before);
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler, action.sa_flags = flags;
    return our_sigaction(number, &action, &before) ? SIG_ERR : before.sa_handler;
}

OURS(sighandler_t, signal, (int number, sighandler_t handler)) {
    return set_handler(number, handler, SA_RESTART);
}

OURS(sighandler_t, __sysv_signal, (int number, sighandler_t handler)) {
    return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

OURS(sighandler_t, sysv_signal, (int number, sighandler_t handler)) {
    return our___sysv_signal(number, handler);
}

static int has_handler(int number) {
    struct sigaction action;
    return !real_sigaction()(number, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

/* A handler that runs because its signal is let in counts as one that ran while we waited. */
static void count_let_in(int how, const sigset_t *set) {
    sigset_t pending;
    if (sigpending(&pending) || sigisemptyset(&pending)) {
        return;
    }
    for (int i = 1; i < N_SIGNALS; i++) {
        if (sigismember(&pending, i) == 1 && sigismember(set, i) == (how == SIG_UNBLOCK) && has_handler(i)) {
            signals_handled++, signal_restarts = 0;
        }
    }
}

OURS(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before)) {
    sigset_t mine;
    if (!set) {
        return real_pthread_sigmask()(how, NULL, before);
    }
    mine = *set;
    if (how != SIG_UNBLOCK) {
        spare_ours(&mine);
    }
    if (how != SIG_BLOCK && drives_time()) {
        count_let_in(how, &mine);
    }
    return real_pthread_sigmask()(how, &mine, before);
}

OURS(int, sigprocmask, (int how, const sigset_t *set, sigset_t *before)) {
    int error = our_pthread_sigmask(how, set, before);
    if (error) {
        errno = error;
    }
    return error ? -1 : 0;
}

/* A real signal: the kernel keeps it if it is blocked, and calls the handler on the stack that it was given. */
void send_signal(int number, union sigval value, int code) {
    struct sigaction action;
    siginfo_t info;
    sigset_t blocked;
    memset(&info, 0, sizeof info);
    info.si_signo = number, info.si_code = code, info.si_value = value;
    real_sigaction()(number, NULL, &action);
    real_pthread_sigmask()(SIG_BLOCK, NULL, &blocked);
    int handled = sigismember(&blocked, number) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    if (handled) {
        signals_handled++;
        signal_restarts = (action.sa_flags & SA_RESTART) != 0;
    }
    KERNEL(SYS_rt_tgsigqueueinfo, KERNEL(SYS_getpid), KERNEL(SYS_gettid), number, &info);
}

/* --- waiting for a signal --------------------------------------------------------------------------------------------------- */
static int look_at_nothing(void *what) {
    (void)what;
    return 0;
}

OURS(int, pause, (void)) {
    return wait_for(look_at_nothing, NULL, FOREVER, BY_SIGNAL);
}

OURS(int, sigsuspend, (const sigset_t *mask)) {
    return wait_with_mask(mask, look_at_nothing, NULL, FOREVER, BY_SIGNAL);
}

struct awaited {
    const sigset_t *set;
    siginfo_t *info;
};

static int look_signal(void *what) {
    struct awaited *awaited = what;
    struct timespec none = {0, 0};
    long number = KERNEL(SYS_rt_sigtimedwait, awaited->set, awaited->info, &none, 8);
    return number > 0 ? (int)number : 0;
}

OURS(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time)) {
    struct awaited awaited = {set, info};
    int number = wait_for(look_signal, &awaited, timeout_of(time), BY_SIGNAL);
    if (!number) {
        errno = EAGAIN;
    }
    return number ? number : -1;
}

OURS(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info)) {
    return our_sigtimedwait(set, info, NULL);
}

OURS(int, sigwait, (const sigset_t *set, int *number)) {
    int got = our_sigtimedwait(set, NULL, NULL);
    *number = got;
    return got > 0 ? 0 : EINTR;
}

/* --- the fork server ----------------------------------------------------------------------------------------------------------- */
/* While we serve, nothing of the engine runs: its handlers would keep us from being ended, or hide how a child ended. */
static const int of_server[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
enum { N_OF_SERVER = sizeof of_server / sizeof *of_server };
static struct sigaction kept[N_OF_SERVER];
static int are_kept;

void signals_for_server(void) {
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    for (int i = 0; i < N_OF_SERVER; i++) {
        plain.sa_handler = of_server[i] == SIGPIPE ? SIG_IGN : SIG_DFL;
        real_sigaction()(of_server[i], &plain, are_kept ? NULL : &kept[i]);
    }
    are_kept = 1;
}

void signals_for_engine(void) {
    for (int i = 0; i < N_OF_SERVER; i++) {
        real_sigaction()(of_server[i], &kept[i], NULL);
    }
}
