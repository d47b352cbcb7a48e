/* Sleeps a millisecond at a time. It answers at once what it finds then, and by itself tells its last peer the time every 50 ms. */
#include "engine.h"

static void sleep_one(const char *how) {
    struct timespec time = {0, 1000000}, until;
    struct timeval short_time = {0, 1000};
    if (!strcmp(how, "nanosleep")) {
        nanosleep(&time, NULL);
    } else if (!strcmp(how, "absolute")) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 1000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++, until.tv_nsec -= 1000000000;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    } else if (!strcmp(how, "select")) {
        select(0, NULL, NULL, NULL, &short_time);
    } else if (!strcmp(how, "poll")) {
        poll(NULL, 0, 1);
    } else {
        usleep(1000);
    }
}

int main(int count, char **arguments) {
    int fd = bound(27910), has_peer = 0;
    struct peer peer, from;
    for (;;) {
        sleep_one(count > 1 ? arguments[1] : "usleep");
        for (char *text; (text = receive(fd, &from, MSG_DONTWAIT)) != NULL;) {
            answer(fd, &from, "%s at %lld", text, clock_us());
            peer = from, has_peer = 1;
        }
        if (has_peer && clock_us() % 50000 == 0) {
            answer(fd, &peer, "tick %lld", clock_us());
        }
    }
}
