/* select and poll, in all their forms. Descriptors that are not ours, such as pipes, are asked of the kernel without waiting. */
#include "preload.h"

#include <sys/select.h>

static int failed(int error) {
    errno = error;
    return -1;
}

static int real_state(int fd, int wanted) {
    struct pollfd one = {fd, (short)((wanted & IN ? POLLIN : 0) | (wanted & OUT ? POLLOUT : 0)), 0};
    struct timespec none = {0, 0};
    if (KERNEL(SYS_ppoll, &one, 1, &none, NULL, 8) <= 0) {
        return 0;
    }
    return (one.revents & (POLLIN | POLLHUP) ? IN : 0) | (one.revents & POLLOUT ? OUT : 0) | (one.revents & (POLLERR | POLLNVAL) ? BROKEN : 0);
}

int state_of(int fd, int wanted) {
    struct object *object = object_at(fd);
    if (!object) {
        return console_is(fd) ? (console_waits() ? IN & wanted : 0) : real_state(fd, wanted);
    }
    struct udp *udp = object->part;
    int is = 0;
    switch (object->kind) {
    case A_SOCKET: is = udp->type == SOCK_DGRAM ? OUT | (datagram_waits(udp) ? IN : 0) : udp->listening ? 0 : OUT; break;
    case A_TIMER: is = timer_expired(object->part) ? IN : 0; break;
    case AN_EPOLL: is = epoll_ready(object->part) ? IN : 0; break;
    case RANDOM_BYTES: is = IN; break;
    }
    return is & wanted;
}

micros timeout_of(const struct timespec *time) {
    return time ? time->tv_sec * SECOND + (time->tv_nsec + 999) / 1000 : FOREVER;
}

/* A mask for the time of a wait: a signal that it lets in at once ends the wait, too. */
int wait_with_mask(const sigset_t *mask, looking *look, void *what, micros timeout, enum waits how) {
    sigset_t before;
    unsigned long handled = signals_handled;
    if (!mask) {
        return wait_for(look, what, timeout, how);
    }
    pthread_sigmask(SIG_SETMASK, mask, &before);
    int n = signals_handled == handled ? wait_for(look, what, timeout, how) : look(what), error = errno;
    if (signals_handled != handled && !n) {
        n = -1, error = EINTR;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return n;
}

/* --- poll ------------------------------------------------------------------------------------------------------------------ */
struct polled {
    struct pollfd *of;
    nfds_t n;
};

static int look_poll(void *what) {
    struct polled *polled = what;
    int count = 0;
    for (nfds_t i = 0; i < polled->n; i++) {
        struct pollfd *one = &polled->of[i];
        one->revents = 0;
        if (one->fd < 0) {
            continue;
        }
        int wanted = (one->events & (POLLIN | POLLRDNORM) ? IN : 0) | (one->events & (POLLOUT | POLLWRNORM) ? OUT : 0);
        int is = state_of(one->fd, wanted);
        one->revents = (short)((is & IN ? one->events & (POLLIN | POLLRDNORM) : 0) | (is & OUT ? one->events & (POLLOUT | POLLWRNORM) : 0) |
                               (is & BROKEN ? POLLERR : 0));
        count += one->revents != 0;
    }
    return count;
}

OURS(int, poll, (struct pollfd *of, nfds_t n, int timeout_ms)) {
    struct polled polled = {of, n};
    return wait_for(look_poll, &polled, timeout_ms < 0 ? FOREVER : timeout_ms * MILLISECOND, BY_POLL);
}

OURS(int, __poll_chk, (struct pollfd *of, nfds_t n, int timeout_ms, size_t room)) {
    (void)room;
    return our_poll(of, n, timeout_ms);
}

OURS(int, ppoll, (struct pollfd *of, nfds_t n, const struct timespec *timeout, const sigset_t *mask)) {
    struct polled polled = {of, n};
    return wait_with_mask(mask, look_poll, &polled, timeout_of(timeout), BY_POLL);
}

OURS(int, __ppoll_chk, (struct pollfd *of, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room)) {
    (void)room;
    return our_ppoll(of, n, timeout, mask);
}

/* --- select ---------------------------------------------------------------------------------------------------------------- */
enum { WORD = 8 * sizeof(long), MOST_SELECTED = FD_SETSIZE };
struct selected {
    int n;
    fd_set *in, *out, *broken;  /* the engine's, which may be shorter than an fd_set */
    fd_set want_in, want_out;
};

static size_t bytes_of(int n) {
    return (size_t)(n + WORD - 1) / WORD * sizeof(long);
}

static int look_select(void *what) {
    struct selected *s = what;
    int count = 0;
    size_t bytes = bytes_of(s->n);
    s->in ? memset(s->in, 0, bytes) : NULL, s->out ? memset(s->out, 0, bytes) : NULL, s->broken ? memset(s->broken, 0, bytes) : NULL;
    for (int fd = 0; fd < s->n; fd++) {
        int wanted = (FD_ISSET(fd, &s->want_in) ? IN : 0) | (FD_ISSET(fd, &s->want_out) ? OUT : 0);
        int is = wanted ? state_of(fd, wanted) : 0;
        if (is & IN) {
            FD_SET(fd, s->in), count++;
        }
        if (is & OUT) {
            FD_SET(fd, s->out), count++;
        }
    }
    return count;
}

static void prepare(struct selected *s, int n, fd_set *in, fd_set *out, fd_set *broken) {
    memset(s, 0, sizeof *s);
    s->n = n < 0 ? 0 : n > MOST_SELECTED ? MOST_SELECTED : n;
    s->in = in, s->out = out, s->broken = broken;
    if (in) {
        memcpy(&s->want_in, in, bytes_of(s->n));
    }
    if (out) {
        memcpy(&s->want_out, out, bytes_of(s->n));
    }
}

OURS(int, select, (int n, fd_set *in, fd_set *out, fd_set *broken, struct timeval *time)) {
    struct selected selected;
    if (time && (time->tv_sec < 0 || time->tv_usec < 0)) {
        return failed(EINVAL);
    }
    prepare(&selected, n, in, out, broken);
    micros began = now_us, timeout = time ? time->tv_sec * SECOND + time->tv_usec : FOREVER;
    int count = wait_for(look_select, &selected, timeout, BY_SELECT);
    if (time) { /* Linux says how much is left, and some loop on it */
        micros left = timeout - (now_us - began);
        left = left < 0 ? 0 : left;
        time->tv_sec = (time_t)(left / SECOND), time->tv_usec = (suseconds_t)(left % SECOND);
    }
    return count;
}

OURS(int, pselect, (int n, fd_set *in, fd_set *out, fd_set *broken, const struct timespec *time, const sigset_t *mask)) {
    struct selected selected;
    prepare(&selected, n, in, out, broken);
    return wait_with_mask(mask, look_select, &selected, timeout_of(time), BY_SELECT);
}
