/* The only place where time moves: when the main thread waits, or has looked often enough without waiting. */
#include "preload.h"

/* An engine that has not bound its port by the end of its boot may still be loading: it gets this much more. */
static const micros LONGEST_BOOT = 60 * SECOND;
/* No sleep is shorter in the kernel (timer slack), and one of a nanosecond would cost a round trip each. */
static const micros SHORTEST_WAIT = 50;

enum stage stage = PASSIVE;
micros now_us;
micros boot_ends_us;
long spin_limit = 2000;
static long spins;
enum { MOST_UNHEEDED = 32 };
static int unheeded;
static pthread_t main_thread;
static int typed_at_boot;

int drives_time(void) {
    if (stage == PASSIVE) {
        return 0;
    }
    if (!main_thread) {
        main_thread = pthread_self();
    }
    return pthread_equal(pthread_self(), main_thread);
}

/* Until the engine is ready for a run, nobody is asked: it sleeps as long as it likes. 1: the wait is over. */
static int boot_wait(micros target) {
    if (target >= 0 && target < boot_ends_us) {
        now_us = target;
        return 1;
    }
    if (now_us < boot_ends_us) {
        now_us = boot_ends_us;
    }
    if (!typed_at_boot) {
        typed_at_boot = 1;
        const char *lines = setting_text("BOOT_TYPE");
        if (lines && *lines) {
            console_boot();
            boot_ends_us += SECOND;
            return 1;
        }
    }
    if (!own_host && !game_is_bound() && now_us < LONGEST_BOOT) { /* a client may bind when it connects */
        boot_ends_us += 100 * MILLISECOND;
        return 1;
    }
    report("booted %lld", (long long)(now_us / MILLISECOND));
    if (!own_host && !game_is_bound()) {
        say(0, "it has bound none of its ports after %lld ms: it may wait for input at its console", (long long)(now_us / MILLISECOND));
    }
    fork_server();
    return 0;
}

/* Waits until `target`, or until something happened; callers look again, and come back. */
void wait_until(micros target) {
    spins = 0;
    if (!drives_time()) {
        return;
    }
    micros timer = next_timer();
    if (timer >= 0 && (target < 0 || timer < target)) {
        target = timer;
    }
    if (target < 0 || target > now_us) {
        if (stage != BOOTING || !boot_wait(target)) {
            run_wait(target);
        }
    }
    fire_timers();
}

void forget_spinning(void) {
    spins = 0, unheeded = 0;
}

/* Calls are counted and never measured: a loop that does the same makes the same number of them on any machine. */
void count_spinning(void) {
    if (!drives_time() || ++spins < spin_limit) {
        return;
    }
    report_wait(BY_SPINNING);
    wait_until(now_us + MILLISECOND);
}

micros deadline_of(micros timeout) {
    if (timeout < 0) {
        return FOREVER;
    }
    if (timeout > 0 && timeout < SHORTEST_WAIT) {
        timeout = SHORTEST_WAIT;
    }
    return now_us + timeout;
}

/* Another thread waits in real time, and looks now and then: it must not move the time of the main thread. */
static int wait_aside(looking *look, void *what, micros timeout) {
    for (micros slept = 0;; slept += MILLISECOND) {
        int n = look(what);
        if (n || (timeout >= 0 && slept >= timeout)) {
            return n;
        }
        real_pause(MILLISECOND);
    }
}

/* Something is there that the engine was told of, and does not take: input at its console, between two of its frames. In real time it
 * would ask again and again until the time that it waits for has come; after some of that it waits here. */
static int is_unheeded(micros timeout) {
    static micros since;
    if (since != now_us) {
        since = now_us, unheeded = 0;
    }
    return unheeded > MOST_UNHEEDED && timeout != 0;
}

/* What is there already. */
static int look_at_once(looking *look, void *what, micros timeout, enum waits how) {
    int asks_only = how == BY_SELECT || how == BY_POLL || how == BY_EPOLL;
    if (asks_only && is_unheeded(timeout)) {
        return 0;
    }
    int n = look(what);
    if (timeout == 0 && (!n || asks_only)) {
        count_spinning();
        n = n ? n : look(what); /* what came while it counted is found in the same call */
    }
    unheeded += n && asks_only;
    return n;
}

int wait_for(looking *look, void *what, micros timeout, enum waits how) {
    if (!drives_time()) {
        return wait_aside(look, what, timeout);
    }
    int n = look_at_once(look, what, timeout, how);
    if (n || timeout == 0) {
        return n;
    }
    report_wait(how);
    micros until = deadline_of(timeout);
    for (unsigned long before = signals_handled; until < 0 || now_us < until;) {
        wait_until(until);
        if ((n = look(what))) {
            return n;
        }
        if (signals_handled != before && !(signal_restarts && how == BY_RECEIVING && timeout < 0)) {
            errno = EINTR;
            return -1;
        }
    }
    return 0;
}
