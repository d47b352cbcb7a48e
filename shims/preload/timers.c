/* Timers in virtual time: setitimer and alarm, those of POSIX, and timerfd. They go off where the main thread waits, since time
 * stands still everywhere else. */
#include "preload.h"

#include <sys/timerfd.h>

enum { MOST_TIMERS = 64, N_CLASSIC = 3 };
struct timer {
    int used;
    clockid_t clock;
    micros deadline, interval; /* no deadline: it does not run */
    uint64_t expired;          /* of a timerfd, since it was read */
    int is_file, overrun;
    struct sigevent event;
};
static struct timer timers[MOST_TIMERS] = { /* the first are setitimer's */
    {1, CLOCK_MONOTONIC, FOREVER, 0, 0, 0, 0, {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}},
    {1, CLOCK_MONOTONIC, FOREVER, 0, 0, 0, 0, {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM}},
    {1, CLOCK_MONOTONIC, FOREVER, 0, 0, 0, 0, {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF}}};

static int failed(int error) {
    errno = error;
    return -1;
}

micros next_timer(void) {
    micros next = FOREVER;
    for (int i = 0; i < MOST_TIMERS; i++) {
        if (timers[i].used && timers[i].deadline >= 0 && (next < 0 || timers[i].deadline < next)) {
            next = timers[i].deadline;
        }
    }
    return next;
}

static void notify(struct timer *timer) {
    switch (timer->event.sigev_notify) {
    case SIGEV_THREAD: timer->event.sigev_notify_function(timer->event.sigev_value); break; /* a thread would run beside time */
    case SIGEV_NONE: break;
    default: send_signal(timer->event.sigev_signo, timer->event.sigev_value, timer < timers + N_CLASSIC ? SI_KERNEL : SI_TIMER);
    }
}

void fire_timers(void) {
    for (int i = 0; i < MOST_TIMERS; i++) {
        struct timer *timer = &timers[i];
        if (!timer->used || timer->deadline < 0 || timer->deadline > now_us) {
            continue;
        }
        micros times = timer->interval ? 1 + (now_us - timer->deadline) / timer->interval : 1;
        timer->deadline = timer->interval ? timer->deadline + times * timer->interval : FOREVER;
        timer->overrun = (int)times - 1;
        if (timer->is_file) {
            timer->expired += (uint64_t)times;
        } else {
            notify(timer);
        }
    }
}

static struct timer *timer_new(clockid_t clock) {
    for (int i = N_CLASSIC; i < MOST_TIMERS; i++) {
        if (!timers[i].used) {
            memset(&timers[i], 0, sizeof timers[i]);
            timers[i].used = 1, timers[i].clock = clock, timers[i].deadline = FOREVER;
            return &timers[i];
        }
    }
    errno = EAGAIN;
    return NULL;
}

/* What is left of the first, and the interval. */
static void tell(const struct timer *timer, micros *left, micros *interval) {
    *interval = timer->interval;
    *left = timer->deadline < 0 ? 0 : timer->deadline > now_us ? timer->deadline - now_us : 1;
}

/* --- setitimer, alarm -------------------------------------------------------------------------------------------------------- */
static struct timeval as_timeval(micros time) {
    struct timeval out = {(time_t)(time / SECOND), (suseconds_t)(time % SECOND)};
    return out;
}

OURS(int, getitimer, (int which, struct itimerval *out)) {
    micros left, interval;
    if (which < 0 || which >= N_CLASSIC) {
        return failed(EINVAL);
    }
    tell(&timers[which], &left, &interval);
    out->it_value = as_timeval(left), out->it_interval = as_timeval(interval);
    return 0;
}

OURS(int, setitimer, (int which, const struct itimerval *in, struct itimerval *before)) {
    if (which < 0 || which >= N_CLASSIC) {
        return failed(EINVAL);
    }
    if (before) {
        our_getitimer(which, before);
    }
    if (in) {
        micros first = in->it_value.tv_sec * SECOND + in->it_value.tv_usec;
        timers[which].deadline = first ? now_us + first : FOREVER;
        timers[which].interval = in->it_interval.tv_sec * SECOND + in->it_interval.tv_usec;
    }
    return 0;
}

static micros alarm_in(micros first, micros interval) {
    micros left, old;
    tell(&timers[ITIMER_REAL], &left, &old);
    timers[ITIMER_REAL].deadline = first ? now_us + first : FOREVER;
    timers[ITIMER_REAL].interval = interval;
    return left;
}

OURS(unsigned, alarm, (unsigned seconds)) {
    return (unsigned)((alarm_in(seconds * SECOND, 0) + SECOND - 1) / SECOND);
}

OURS(useconds_t, ualarm, (useconds_t first, useconds_t interval)) {
    return (useconds_t)alarm_in((micros)first, (micros)interval);
}

/* --- POSIX ---------------------------------------------------------------------------------------------------------------------- */
static struct timespec as_timespec(micros time) {
    struct timespec out = {(time_t)(time / SECOND), (long)(time % SECOND * 1000)};
    return out;
}

static void set(struct timer *timer, int absolute, const struct itimerspec *in) {
    micros first = timeout_of(&in->it_value);
    timer->interval = timeout_of(&in->it_interval);
    timer->expired = 0;
    timer->deadline = !first ? FOREVER : absolute ? when_is(timer->clock, &in->it_value) : now_us + first;
    if (first && timer->deadline < 0) {
        timer->deadline = 0;
    }
}

static void get(const struct timer *timer, struct itimerspec *out) {
    micros left, interval;
    tell(timer, &left, &interval);
    out->it_value = as_timespec(left), out->it_interval = as_timespec(interval);
}

static struct timer *timer_of(timer_t id) {
    intptr_t i = (intptr_t)id - 1;
    return i >= N_CLASSIC && i < MOST_TIMERS && timers[i].used && !timers[i].is_file ? &timers[i] : NULL;
}

OURS(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *id)) {
    struct timer *timer = timer_new(clock);
    if (!timer) {
        return -1;
    }
    *id = (timer_t)(intptr_t)(timer - timers + 1);
    if (event) {
        timer->event = *event;
    } else {
        timer->event.sigev_notify = SIGEV_SIGNAL, timer->event.sigev_signo = SIGALRM;
        timer->event.sigev_value.sival_int = (int)(intptr_t)*id;
    }
    return 0;
}

OURS(int, timer_settime, (timer_t id, int flags, const struct itimerspec *in, struct itimerspec *before)) {
    struct timer *timer = timer_of(id);
    if (!timer) {
        return failed(EINVAL);
    }
    if (before) {
        get(timer, before);
    }
    set(timer, flags & TIMER_ABSTIME, in);
    return 0;
}

OURS(int, timer_gettime, (timer_t id, struct itimerspec *out)) {
    struct timer *timer = timer_of(id);
    if (!timer) {
        return failed(EINVAL);
    }
    get(timer, out);
    return 0;
}

OURS(int, timer_getoverrun, (timer_t id)) {
    struct timer *timer = timer_of(id);
    return timer ? timer->overrun : failed(EINVAL);
}

OURS(int, timer_delete, (timer_t id)) {
    struct timer *timer = timer_of(id);
    if (!timer) {
        return failed(EINVAL);
    }
    timer->used = 0;
    return 0;
}

/* --- timerfd ---------------------------------------------------------------------------------------------------------------------- */
int timer_expired(void *part) {
    return ((struct timer *)part)->expired != 0;
}

void release_timer(void *part) {
    ((struct timer *)part)->used = 0;
}

ssize_t timer_read(struct object *object, void *bytes, size_t size) {
    struct timer *timer = object->part;
    if (size < sizeof timer->expired) {
        return failed(EINVAL);
    }
    int answer = wait_for(timer_expired, timer, object->nonblocking ? 0 : FOREVER, BY_RECEIVING);
    if (answer <= 0) {
        return answer ? -1 : failed(EAGAIN);
    }
    memcpy(bytes, &timer->expired, sizeof timer->expired);
    timer->expired = 0;
    forget_spinning();
    return sizeof timer->expired;
}

static struct timer *timer_at(int fd) {
    struct object *object = object_at(fd);
    return object && object->kind == A_TIMER ? object->part : NULL;
}

OURS(int, timerfd_create, (int clock, int flags)) {
    struct timer *timer = timer_new(clock);
    if (!timer) {
        return -1;
    }
    timer->is_file = 1;
    int fd = object_new(A_TIMER, timer, flags & TFD_NONBLOCK);
    timer->used = fd >= 0;
    return fd;
}

OURS(int, timerfd_settime, (int fd, int flags, const struct itimerspec *in, struct itimerspec *before)) {
    struct timer *timer = timer_at(fd);
    if (!timer) {
        return failed(EINVAL);
    }
    if (before) {
        get(timer, before);
    }
    set(timer, flags & TFD_TIMER_ABSTIME, in);
    return 0;
}

OURS(int, timerfd_gettime, (int fd, struct itimerspec *out)) {
    if (!timer_at(fd)) {
        return failed(EINVAL);
    }
    get(timer_at(fd), out);
    return 0;
}
