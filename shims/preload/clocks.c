/* What is it o'clock? Every clock is counted from when the engine began: the wall's begins in November 2023, on every machine. */
#include "preload.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/timeb.h>
#include <sys/times.h>

static micros begin_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return WALL_EPOCH_S * SECOND;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return MONOTONIC_S * SECOND;
    default: return 0; /* of a process or a thread */
    }
}

/* For absolute times: when is it by `now_us`? */
micros when_is(clockid_t clock, const struct timespec *time) {
    return time->tv_sec * SECOND + (time->tv_nsec + 999) / 1000 - begin_of(clock);
}

static micros read_clock(clockid_t clock) {
    count_spinning();
    return begin_of(clock) + now_us;
}

/* Counts every read, so that no interval of it is zero: programs divide by it. */
uint64_t time_stamp_counter(void) {
    static uint64_t last;
    uint64_t now = (uint64_t)read_clock(CLOCK_MONOTONIC) * 1000;
    last = now > last ? now : last + 1;
    return last;
}

OURS(int, clock_gettime, (clockid_t clock, struct timespec *out)) {
    micros now = read_clock(clock);
    out->tv_sec = (time_t)(now / SECOND), out->tv_nsec = (long)(now % SECOND * 1000);
    return 0;
}

OURS(int, clock_getres, (clockid_t clock, struct timespec *out)) {
    (void)clock;
    if (out) {
        out->tv_sec = 0, out->tv_nsec = 1;
    }
    return 0;
}

OURS(int, clock_settime, (clockid_t clock, const struct timespec *time)) {
    (void)clock, (void)time;
    errno = EPERM;
    return -1;
}

OURS(int, gettimeofday, (struct timeval *out, void *zone)) {
    micros now = read_clock(CLOCK_REALTIME);
    if (out) {
        out->tv_sec = (time_t)(now / SECOND), out->tv_usec = (suseconds_t)(now % SECOND);
    }
    if (zone) {
        memset(zone, 0, sizeof(struct timezone));
    }
    return 0;
}

OURS(time_t, time, (time_t * out)) {
    time_t now = (time_t)(read_clock(CLOCK_REALTIME) / SECOND);
    if (out) {
        *out = now;
    }
    return now;
}

OURS(int, timespec_get, (struct timespec * out, int base)) {
    our_clock_gettime(base == TIME_UTC ? CLOCK_REALTIME : CLOCK_MONOTONIC, out);
    return base;
}

OURS(int, ftime, (struct timeb * out)) {
    micros now = read_clock(CLOCK_REALTIME);
    memset(out, 0, sizeof *out);
    out->time = (time_t)(now / SECOND), out->millitm = (unsigned short)(now % SECOND / 1000);
    return 0;
}

OURS(clock_t, clock, (void)) {
    return (clock_t)read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

OURS(clock_t, times, (struct tms * out)) {
    micros now = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    if (out) {
        memset(out, 0, sizeof *out);
        out->tms_utime = (clock_t)(now / 10000);
    }
    return (clock_t)((now + MONOTONIC_S * SECOND) / 10000);
}

OURS(int, getrusage, (int who, struct rusage *out)) {
    micros now = who == RUSAGE_CHILDREN ? 0 : read_clock(CLOCK_PROCESS_CPUTIME_ID);
    memset(out, 0, sizeof *out);
    out->ru_utime.tv_sec = (time_t)(now / SECOND), out->ru_utime.tv_usec = (suseconds_t)(now % SECOND);
    out->ru_maxrss = 65536;
    return 0;
}

OURS(int, sysinfo, (struct sysinfo * out)) {
    memset(out, 0, sizeof *out);
    out->uptime = (long)(MONOTONIC_S + now_us / SECOND);
    out->totalram = 1024UL << 20, out->freeram = 512UL << 20, out->mem_unit = 1, out->procs = 1;
    return 0;
}

OURS(int, getloadavg, (double loads[], int n)) {
    for (int i = 0; i < n && i < 3; i++) {
        loads[i] = 0;
    }
    return n < 3 ? n : 3;
}

#if defined(__i386__)
/* What programs with times of 64 bits call. */
struct timespec64 {
    int64_t seconds;
    int32_t nanoseconds, unused;
};
struct timeval64 {
    int64_t seconds, microseconds;
};

OURS(int, __clock_gettime64, (clockid_t clock, struct timespec64 *out)) {
    micros now = read_clock(clock);
    out->seconds = now / SECOND, out->nanoseconds = (int32_t)(now % SECOND * 1000), out->unused = 0;
    return 0;
}

OURS(int, __gettimeofday64, (struct timeval64 * out, void *zone)) {
    micros now = read_clock(CLOCK_REALTIME);
    out->seconds = now / SECOND, out->microseconds = now % SECOND;
    if (zone) {
        memset(zone, 0, sizeof(struct timezone));
    }
    return 0;
}

OURS(int64_t, __time64, (int64_t * out)) {
    int64_t now = read_clock(CLOCK_REALTIME) / SECOND;
    if (out) {
        *out = now;
    }
    return now;
}
#endif
