/* epoll: sets of descriptors that are watched. Edges are counted in arrivals, so that a datagram is told once. */
#include "preload.h"

#include <sys/epoll.h>

enum { MOST_SETS = 32, MOST_WATCHED = 128 };
struct watched {
    int fd, asleep; /* EPOLLONESHOT: told once, until it is armed again */
    uint32_t events, told;
    unsigned long seen;
    epoll_data_t data;
};
struct epoll {
    int used, n, next; /* `next` is looked at first, so that nobody starves */
    struct watched of[MOST_WATCHED];
};
static struct epoll sets[MOST_SETS];

static int failed(int error) {
    errno = error;
    return -1;
}

static struct epoll *set_at(int fd) {
    struct object *object = object_at(fd);
    return object && object->kind == AN_EPOLL ? object->part : NULL;
}

void release_epoll(void *part) {
    ((struct epoll *)part)->used = 0;
}

static void take_out(struct epoll *set, int i) {
    memmove(&set->of[i], &set->of[i + 1], sizeof set->of[0] * (size_t)(set->n - i - 1));
    set->n--;
}

void epoll_forgets(int fd) {
    for (int s = 0; s < MOST_SETS; s++) {
        for (int i = sets[s].used ? sets[s].n - 1 : -1; i >= 0; i--) {
            if (sets[s].of[i].fd == fd) {
                take_out(&sets[s], i);
            }
        }
    }
}

OURS(int, epoll_create1, (int flags)) {
    (void)flags;
    int i = 0;
    while (i < MOST_SETS && sets[i].used) {
        i++;
    }
    if (i == MOST_SETS) {
        return failed(EMFILE);
    }
    memset(&sets[i], 0, sizeof sets[i]);
    sets[i].used = 1;
    int fd = object_new(AN_EPOLL, &sets[i], 0);
    sets[i].used = fd >= 0;
    return fd;
}

OURS(int, epoll_create, (int size)) {
    return size > 0 ? our_epoll_create1(0) : failed(EINVAL);
}

OURS(int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event)) {
    struct epoll *set = set_at(epoll);
    int i = 0;
    if (!set || fd == epoll) {
        return failed(EINVAL);
    }
    while (i < set->n && set->of[i].fd != fd) {
        i++;
    }
    if (what == EPOLL_CTL_ADD && i < set->n) {
        return failed(EEXIST);
    }
    if (what != EPOLL_CTL_ADD && i == set->n) {
        return failed(ENOENT);
    }
    if (what == EPOLL_CTL_DEL) {
        take_out(set, i);
        return 0;
    }
    if (what == EPOLL_CTL_ADD && KERNEL(SYS_fcntl, fd, F_GETFD, 0) < 0) {
        return failed(EBADF);
    }
    if (i == MOST_WATCHED) {
        return failed(ENOSPC);
    }
    struct watched *one = &set->of[i];
    memset(one, 0, sizeof *one);
    one->fd = fd, one->events = event->events, one->data = event->data;
    set->n += what == EPOLL_CTL_ADD;
    return 0;
}

/* What is to be told of one. With `tell` it counts as told. */
static uint32_t news(struct watched *one, int tell) {
    if (one->asleep) {
        return 0;
    }
    int is = state_of(one->fd, (one->events & EPOLLIN ? IN : 0) | (one->events & EPOLLOUT ? OUT : 0));
    uint32_t events = (is & IN ? EPOLLIN : 0) | (is & OUT ? EPOLLOUT : 0) | (is & BROKEN ? EPOLLERR : 0);
    struct udp *udp = udp_at(one->fd);
    unsigned long arrivals = udp ? udp->arrivals : 0;
    uint32_t now = events;
    if (one->events & EPOLLET) {
        events &= ~(one->told & ~(udp && arrivals != one->seen ? EPOLLIN : 0));
    }
    if (tell) {
        one->told = now, one->seen = arrivals;
        one->asleep = events && one->events & EPOLLONESHOT;
    }
    return events;
}

int epoll_ready(void *part) {
    static int depth; /* a set may watch a set; one that watches itself is ready when nothing else is */
    struct epoll *set = part;
    int ready = 0;
    if (depth < 4) {
        depth++;
        for (int i = 0; i < set->n && !ready; i++) {
            ready = news(&set->of[i], 0) != 0;
        }
        depth--;
    }
    return ready;
}

struct asked {
    struct epoll *set;
    struct epoll_event *events;
    int most;
};

static int look_epoll(void *what) {
    struct asked *asked = what;
    struct epoll *set = asked->set;
    int count = 0, begin = set->n ? set->next % set->n : 0;
    for (int i = 0; i < set->n && count < asked->most; i++) {
        struct watched *one = &set->of[(begin + i) % set->n];
        uint32_t events = news(one, 1);
        if (events) {
            asked->events[count].events = events, asked->events[count++].data = one->data;
            set->next = (begin + i + 1) % set->n;
        }
    }
    return count;
}

static int wait_epoll(int epoll, struct epoll_event *events, int most, micros timeout, const sigset_t *mask) {
    struct asked asked = {set_at(epoll), events, most};
    if (!asked.set || most <= 0) {
        return failed(EINVAL);
    }
    return wait_with_mask(mask, look_epoll, &asked, timeout, BY_EPOLL);
}

OURS(int, epoll_wait, (int epoll, struct epoll_event *events, int most, int timeout_ms)) {
    return wait_epoll(epoll, events, most, timeout_ms < 0 ? FOREVER : timeout_ms * MILLISECOND, NULL);
}

OURS(int, epoll_pwait, (int epoll, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask)) {
    return wait_epoll(epoll, events, most, timeout_ms < 0 ? FOREVER : timeout_ms * MILLISECOND, mask);
}

OURS(int, epoll_pwait2, (int epoll, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask)) {
    return wait_epoll(epoll, events, most, timeout_of(time), mask);
}
