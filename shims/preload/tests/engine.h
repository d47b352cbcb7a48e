/* What the small engines of the tests share: a socket that is bound, the engine's own clock, an answer. */
#ifndef ENGINE_H
#define ENGINE_H
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static UNUSED void need(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "not so: %s (%s)\n", what, strerror(errno));
        exit(99);
    }
}

/* Since the engine began. */
static UNUSED long long clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - 1000) * 1000000LL + now.tv_nsec / 1000;
}

static UNUSED int try_bind(int family, int port, int only_v6) {
    struct sockaddr_storage all;
    int fd = socket(family, SOCK_DGRAM, 0);
    memset(&all, 0, sizeof all);
    all.ss_family = (sa_family_t)family;
    ((struct sockaddr_in *)&all)->sin_port = htons((uint16_t)port); /* it stands at the same place in both */
    if (family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof only_v6);
    }
    if (bind(fd, (struct sockaddr *)&all, family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6))) {
        close(fd);
        return -1;
    }
    return fd;
}

static UNUSED int bound(int port) {
    int fd = try_bind(AF_INET, port, 0);
    need(fd >= 0, "the port can be bound");
    return fd;
}

struct peer {
    struct sockaddr_storage address;
    socklen_t size;
};

static UNUSED void answer(int fd, const struct peer *peer, const char *format, ...) {
    char text[8192];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    need(sendto(fd, text, (size_t)n, 0, (const struct sockaddr *)&peer->address, peer->size) == n, "it can be sent");
}

/* The text of a datagram, or NULL where there is none. */
static UNUSED char *receive(int fd, struct peer *peer, int flags) {
    static char text[65536];
    peer->size = sizeof peer->address;
    ssize_t n = recvfrom(fd, text, sizeof text - 1, flags, (struct sockaddr *)&peer->address, &peer->size);
    if (n < 0) {
        return NULL;
    }
    text[n] = 0;
    return text;
}

static UNUSED void echo(int fd, int flags, int ticks) {
    struct peer peer;
    for (char *text; (text = receive(fd, &peer, flags)) != NULL; flags = MSG_DONTWAIT) {
        answer(fd, &peer, "%s at %lld after %d", text, clock_us(), ticks);
    }
}
#endif
