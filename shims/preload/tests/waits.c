/* Waits 70 ms at most for a datagram, in one of the ways there are, and answers with the time and how often it waited in vain. */
#include "engine.h"

enum { PERIOD_MS = 70 };

static int by_select(int fd, int with_mask) {
    fd_set in;
    struct timeval time = {0, PERIOD_MS * 1000};
    struct timespec fine = {0, PERIOD_MS * 1000000};
    sigset_t none;
    sigemptyset(&none);
    FD_ZERO(&in);
    FD_SET(fd, &in);
    int n = with_mask ? pselect(fd + 1, &in, NULL, NULL, &fine, &none) : select(fd + 1, &in, NULL, NULL, &time);
    need(n == (FD_ISSET(fd, &in) != 0), "select counts what it shows");
    need(with_mask || n || (time.tv_sec == 0 && time.tv_usec == 0), "select says how much time is left");
    return n;
}

static int by_poll(int fd, int with_mask) {
    struct pollfd one[2] = {{-1, POLLIN, 0}, {fd, POLLIN | POLLPRI, 0}};
    struct timespec fine = {0, PERIOD_MS * 1000000};
    int n = with_mask ? ppoll(one, 2, &fine, NULL) : poll(one, 2, PERIOD_MS);
    need(n == (one[1].revents == POLLIN), "poll counts what it shows");
    return n;
}

static int by_epoll(int fd, uint32_t how) {
    static int set = -1;
    struct epoll_event event = {EPOLLIN | how, {.u32 = 77}};
    if (set < 0) {
        set = epoll_create1(0);
        need(!epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
        need(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) < 0 && errno == EEXIST, "it is watched once");
    }
    memset(&event, 0, sizeof event);
    int n = epoll_wait(set, &event, 1, PERIOD_MS);
    need(n == 0 || (event.events == EPOLLIN && event.data.u32 == 77), "epoll says which");
    return n;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "select";
    int fd = bound(27910), ticks = 0;
    for (;;) {
        if (!strcmp(how, "edge-lazy")) {
            usleep(5000); /* so that more than one comes before it looks */
        }
        int n = !strcmp(how, "select")    ? by_select(fd, 0)
                : !strcmp(how, "pselect") ? by_select(fd, 1)
                : !strcmp(how, "poll")    ? by_poll(fd, 0)
                : !strcmp(how, "ppoll")   ? by_poll(fd, 1)
                : !strcmp(how, "epoll")   ? by_epoll(fd, 0)
                                          : by_epoll(fd, EPOLLET);
        if (!n) {
            ticks++;
        } else if (strcmp(how, "edge-lazy")) {
            echo(fd, MSG_DONTWAIT, ticks);
        } else { /* takes one, and is not told of those that it left until another arrives */
            struct peer peer;
            char *text = receive(fd, &peer, 0);
            answer(fd, &peer, "%s at %lld after %d", text, clock_us(), ticks);
        }
    }
}
