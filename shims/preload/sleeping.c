/* Sleeping: time passes, and nothing but time ends it, or a signal. */
#include "preload.h"

#include <sched.h>

static int look_at_nothing(void *what) {
    (void)what;
    return 0;
}

/* What is left where a signal ended it, or 0. */
static micros sleep_until(micros until) {
    if (!drives_time()) {
        real_pause(until - now_us);
        return 0;
    }
    if (until <= now_us) {
        count_spinning();
        return 0;
    }
    int answer = wait_for(look_at_nothing, NULL, until - now_us, BY_SLEEP);
    return answer < 0 && until > now_us ? until - now_us : 0;
}

static int interrupted(micros left, struct timespec *out) {
    if (out && left) {
        out->tv_sec = (time_t)(left / SECOND), out->tv_nsec = (long)(left % SECOND * 1000);
    }
    return left ? EINTR : 0;
}

OURS(int, nanosleep, (const struct timespec *time, struct timespec *left)) {
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec > 999999999) {
        errno = EINVAL;
        return -1;
    }
    int error = interrupted(sleep_until(now_us + timeout_of(time)), left);
    if (error) {
        errno = error;
    }
    return error ? -1 : 0;
}

OURS(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left)) {
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999) {
        return EINVAL;
    }
    int absolute = flags & TIMER_ABSTIME;
    return interrupted(sleep_until(absolute ? when_is(clock, time) : now_us + timeout_of(time)), absolute ? NULL : left);
}

OURS(int, usleep, (useconds_t time)) {
    int left = sleep_until(now_us + (micros)time) != 0;
    if (left) {
        errno = EINTR;
    }
    return -left;
}

OURS(unsigned, sleep, (unsigned seconds)) {
    return (unsigned)((sleep_until(now_us + seconds * SECOND) + SECOND - 1) / SECOND);
}

OURS(int, thrd_sleep, (const struct timespec *time, struct timespec *left)) {
    return interrupted(sleep_until(now_us + timeout_of(time)), left) ? -1 : 0;
}

OURS(int, sched_yield, (void)) {
    count_spinning();
    return 0;
}

OURS(int, pthread_yield, (void)) {
    return our_sched_yield();
}

OURS(void, thrd_yield, (void)) {
    our_sched_yield();
}
