/* Timers and signals: what goes off, how often, and what it interrupts. */
#include "engine.h"

static volatile sig_atomic_t alarms, noted;
static void on_alarm(int number) {
    (void)number;
    alarms++;
}

static void on_value(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    noted += info->si_value.sival_int;
}

static void on_thread(union sigval value) {
    noted += value.sival_int;
}

static void classic(int fd) {
    struct itimerval every = {{0, 30000}, {0, 30000}}, left;
    int interrupted = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (;;) {
        struct peer peer;
        struct pollfd one = {fd, POLLIN, 0};
        int n = poll(&one, 1, -1), error = errno;
        getitimer(ITIMER_REAL, &left);
        if (n > 0) {
            char *text = receive(fd, &peer, 0);
            answer(fd, &peer, "%s at %lld: %d alarms, %d times interrupted, next in %ld", text, clock_us(), alarms, interrupted,
                   (long)left.it_value.tv_usec);
        } else {
            need(error == EINTR, "poll is interrupted");
            interrupted++;
        }
    }
}

static void posix(int fd) {
    struct sigevent event;
    struct sigaction action;
    struct itimerspec every = {{0, 40000000}, {0, 40000000}}, once = {{0, 0}, {0, 25000000}};
    timer_t first, second;
    memset(&event, 0, sizeof event), memset(&action, 0, sizeof action);
    action.sa_sigaction = on_value, action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    event.sigev_notify = SIGEV_SIGNAL, event.sigev_signo = SIGUSR1, event.sigev_value.sival_int = 1;
    need(!timer_create(CLOCK_MONOTONIC, &event, &first) && !timer_settime(first, 0, &every, NULL), "timer");
    event.sigev_notify = SIGEV_THREAD, event.sigev_notify_function = on_thread, event.sigev_notify_attributes = NULL;
    event.sigev_value.sival_int = 100;
    need(!timer_create(CLOCK_REALTIME, &event, &second) && !timer_settime(second, 0, &once, NULL), "timer with a function");
    for (;;) { /* the handler asks that receiving goes on */
        struct peer peer;
        char *text = receive(fd, &peer, 0);
        need(text != NULL, "receiving goes on after a signal");
        answer(fd, &peer, "%s at %lld: %d", text, clock_us(), noted);
    }
}

static void file(int fd) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec every = {{0, 20000000}, {0, 50000000}};
    uint64_t times = 0;
    unsigned long long sum = 0;
    need(!timerfd_settime(timer, 0, &every, NULL), "timerfd");
    usleep(75000); /* at 50 and 70 it went off */
    for (;;) {
        struct pollfd both[2] = {{fd, POLLIN, 0}, {timer, POLLIN, 0}};
        struct peer peer;
        need(poll(both, 2, -1) > 0, "poll");
        if (both[1].revents) {
            need(read(timer, &times, sizeof times) == sizeof times, "read");
            sum = sum * 10 + times;
        }
        if (both[0].revents) {
            char *text = receive(fd, &peer, 0);
            answer(fd, &peer, "%s at %lld: %llu", text, clock_us(), sum);
        }
    }
}

static void sleeping(int fd) {
    struct peer peer;
    struct timespec two = {2, 0}, left = {0, 0};
    sigset_t set;
    int number = 0;
    signal(SIGALRM, on_alarm);
    for (;;) {
        char *text = receive(fd, &peer, 0);
        long long began = clock_us();
        alarm(1);
        int n = nanosleep(&two, &left);
        long long slept = clock_us() - began;
        alarm(1);
        pause();
        long long paused = clock_us() - began;
        sigemptyset(&set);
        sigaddset(&set, SIGALRM);
        sigprocmask(SIG_BLOCK, &set, NULL);
        alarm(1);
        sleep(3);
        long long blocked = clock_us() - began;
        need(!sigwait(&set, &number) && number == SIGALRM, "sigwait");
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        answer(fd, &peer, "%s: %d, slept %lld, left %ld, paused until %lld, blocked until %lld, %d alarms", text, n, slept, (long)left.tv_sec, paused,
               blocked, alarms);
    }
}

int main(int count, char **arguments) {
    int fd = bound(27910);
    const char *how = count > 1 ? arguments[1] : "classic";
    !strcmp(how, "classic") ? classic(fd) : !strcmp(how, "posix") ? posix(fd) : !strcmp(how, "file") ? file(fd) : sleeping(fd);
    return 0;
}
