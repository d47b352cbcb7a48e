/* Sockets without a network: opening, names, options. What goes through them is in datagrams.c.
 *
 * UDP over IPv4 and IPv6 works; TCP can be bound and listened to, and nobody ever connects; everything else is refused. */
#include "preload.h"

#include <netinet/tcp.h>
#include <sys/ioctl.h>

struct udp sockets[MOST_SOCKETS];
static uint8_t queues[MOST_SOCKETS][QUEUE];
static uint16_t game_ports[16];
static int n_game_ports = -1;
static uint16_t next_port = 49152;

static int failed(int error) {
    errno = error;
    return -1;
}

struct udp *udp_at(int fd) {
    struct object *object = object_at(fd);
    return object && object->kind == A_SOCKET ? object->part : NULL;
}

void release_socket(void *part) {
    struct udp *udp = part;
    udp->used = 0;
}

/* --- which port is which number --------------------------------------------------------------------------------------- */
static void read_game_ports(void) {
    if (n_game_ports >= 0) {
        return;
    }
    n_game_ports = 0;
    for (const char *at = setting_text("PORTS"); at && *at && n_game_ports < 16;) {
        char *end;
        long port = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        game_ports[n_game_ports++] = (uint16_t)port;
        at = *end == ',' ? end + 1 : end;
    }
}

static int is_game_candidate(const struct udp *udp) {
    return udp->used && udp->type == SOCK_DGRAM && udp->bound;
}

/* The main one: the first of PORTS that is bound; a client binds any port, and then it is the first that was bound at all. */
static uint16_t main_port(void) {
    read_game_ports();
    for (int k = 0; k < n_game_ports; k++) {
        for (int i = 0; i < MOST_SOCKETS; i++) {
            if (is_game_candidate(&sockets[i]) && sockets[i].port == game_ports[k]) {
                return game_ports[k];
            }
        }
    }
    const struct udp *first = NULL;
    int any = own_host || !n_game_ports || stage == RUNNING; /* while it boots, it may bind others before the one that counts */
    for (int i = 0; i < MOST_SOCKETS && any; i++) {
        if (is_game_candidate(&sockets[i]) && (!first || sockets[i].bound < first->bound)) {
            first = &sockets[i];
        }
    }
    return first ? first->port : 0;
}

int64_t port_number(const struct udp *udp) {
    return udp->port == main_port() ? 0 : udp->port;
}

int game_is_bound(void) {
    return main_port() != 0;
}

/* A socket with a peer hears it alone, before all others; one of IPv4 comes before one that hears both. */
static int score(const struct udp *udp, uint16_t port, const struct sockaddr *to, const struct sockaddr *from) {
    struct sockaddr_in peer, own, four, target;
    if (!is_game_candidate(udp) || udp->port != port || (udp->family == AF_INET6 && udp->only_v6 && from->sa_family != AF_INET6)) {
        return 0;
    }
    if (as_v4((const void *)&udp->own, &own) && own.sin_addr.s_addr != INADDR_ANY &&
        (!as_v4(to, &target) || target.sin_addr.s_addr != own.sin_addr.s_addr)) {
        return 0;
    }
    int sum = udp->family == AF_INET ? 2 : 1;
    if (udp->peer_length) {
        if (!as_v4((const void *)&udp->peer, &peer) || !as_v4(from, &four) || peer.sin_port != four.sin_port ||
            peer.sin_addr.s_addr != four.sin_addr.s_addr) {
            return 0;
        }
        sum += 8;
    }
    return sum;
}

struct udp *socket_for(uint16_t port, const struct sockaddr *to, const struct sockaddr *from) {
    struct udp *best = NULL;
    int most = 0;
    for (int i = 0; i < MOST_SOCKETS; i++) {
        int now = score(&sockets[i], port, to, from);
        if (now > most) {
            most = now, best = &sockets[i];
        }
    }
    return best;
}

struct udp *game_socket(int64_t to_port, const struct sockaddr *from) {
    struct sockaddr_in to;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET, to.sin_addr.s_addr = htonl(own_ip());
    return socket_for(to_port ? (uint16_t)to_port : main_port(), (struct sockaddr *)&to, from);
}

/* --- opening --------------------------------------------------------------------------------------------------------------- */
static int refuse(int family, int type, int error) {
    report("socket %d %d refused", family, type);
    say(2, "a socket of family %d and type %d is refused", family, type);
    return failed(error);
}

OURS(int, socket, (int family, int type, int protocol)) {
    int base = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    int i = 0;
    if ((family != AF_INET && family != AF_INET6) || (base != SOCK_DGRAM && base != SOCK_STREAM)) {
        return refuse(family, base, base == SOCK_RAW ? EPERM : EAFNOSUPPORT);
    }
    while (i < MOST_SOCKETS && sockets[i].used) {
        i++;
    }
    if (i == MOST_SOCKETS) {
        return refuse(family, base, EMFILE);
    }
    struct udp *udp = &sockets[i];
    memset(udp, 0, sizeof *udp);
    udp->used = 1, udp->family = family, udp->type = base, udp->protocol = protocol, udp->queue = queues[i];
    udp->receive_timeout = FOREVER;
    udp->receive_buffer = udp->send_buffer = 212992;
    udp->own.ss_family = (sa_family_t)family;
    int fd = object_new(A_SOCKET, udp, type & SOCK_NONBLOCK);
    if (fd < 0) {
        udp->used = 0;
    }
    say(2, "socket %d: family %d, type %d", fd, family, base);
    return fd;
}

static int needs_size(int family) {
    return family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static int is_any(const struct udp *udp) {
    struct sockaddr_in four;
    return as_v4((const void *)&udp->own, &four) && four.sin_addr.s_addr == INADDR_ANY;
}

/* As in Linux: a socket that hears both families is in the way of one of IPv4, unless both share the port willingly. */
static int in_the_way(const struct udp *other, const struct udp *udp, uint16_t port) {
    if (other == udp || !other->used || !other->bound || other->port != port || other->type != udp->type || (other->reuse && udp->reuse)) {
        return 0;
    }
    if (other->family != udp->family && (other->family == AF_INET6 ? other : udp)->only_v6) {
        return 0;
    }
    struct sockaddr_in mine, its;
    as_v4((const void *)&udp->own, &mine), as_v4((const void *)&other->own, &its);
    return is_any(other) || is_any(udp) || mine.sin_addr.s_addr == its.sin_addr.s_addr;
}

static int take_port(struct udp *udp, uint16_t port) {
    static int order;
    for (int i = 0; i < MOST_SOCKETS; i++) {
        if (in_the_way(&sockets[i], udp, port)) {
            return 0;
        }
    }
    udp->port = port, udp->bound = ++order;
    report("bound %s %d%s", udp->type == SOCK_DGRAM ? "udp" : "tcp", port, udp->type == SOCK_DGRAM ? "" : " refused");
    say(1, "%s port %d of family %d is bound", udp->type == SOCK_DGRAM ? "udp" : "tcp", port, udp->family);
    return 1;
}

void bind_somewhere(struct udp *udp) {
    for (int i = 0; i < 16384 && !udp->bound; i++) {
        uint16_t port = next_port;
        next_port = port == 65535 ? 49152 : (uint16_t)(port + 1);
        take_port(udp, port);
    }
}

OURS(int, bind, (int fd, const struct sockaddr *address, socklen_t size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_bind, fd, address, size));
    }
    if (udp->bound || (int)size < needs_size(udp->family)) {
        return failed(EINVAL);
    }
    if (address->sa_family != udp->family && !(udp->family == AF_INET && address->sa_family == AF_UNSPEC)) {
        return failed(udp->family == AF_INET6 ? EINVAL : EAFNOSUPPORT);
    }
    struct sockaddr_storage own;
    memset(&own, 0, sizeof own);
    memcpy(&own, address, (size_t)needs_size(udp->family));
    own.ss_family = (sa_family_t)udp->family;
    if (!is_own_address((struct sockaddr *)&own)) {
        return failed(EADDRNOTAVAIL);
    }
    udp->own = own;
    uint16_t port = port_of((struct sockaddr *)&own);
    if (!port) {
        bind_somewhere(udp);
    } else if (!take_port(udp, port)) {
        return failed(EADDRINUSE);
    }
    return 0;
}

OURS(int, connect, (int fd, const struct sockaddr *address, socklen_t size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return failed(object_at(fd) ? ENOTSOCK : ECONNREFUSED);
    }
    if (udp->type != SOCK_DGRAM) {
        return failed(ECONNREFUSED);
    }
    if (address->sa_family == AF_UNSPEC) {
        udp->peer_length = 0;
        return 0;
    }
    if ((int)size < needs_size(address->sa_family)) {
        return failed(EINVAL);
    }
    bind_somewhere(udp);
    memset(&udp->peer, 0, sizeof udp->peer);
    udp->peer_length = (socklen_t)needs_size(address->sa_family);
    memcpy(&udp->peer, address, udp->peer_length);
    return 0;
}

OURS(int, listen, (int fd, int backlog)) {
    struct udp *udp = udp_at(fd);
    (void)backlog;
    if (!udp || udp->type != SOCK_STREAM) {
        return failed(udp ? EOPNOTSUPP : ENOTSOCK);
    }
    bind_somewhere(udp);
    udp->listening = 1;
    return 0;
}

static int look_never(void *what) {
    (void)what;
    return 0;
}

OURS(int, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags)) {
    struct udp *udp = udp_at(fd);
    (void)address, (void)size, (void)flags;
    if (!udp || !udp->listening) {
        return failed(EINVAL);
    }
    int answer = wait_for(look_never, NULL, object_at(fd)->nonblocking ? 0 : udp->receive_timeout, BY_RECEIVING);
    return answer < 0 ? -1 : failed(EAGAIN);
}

OURS(int, accept, (int fd, struct sockaddr *address, socklen_t *size)) {
    return our_accept4(fd, address, size, 0);
}

OURS(int, shutdown, (int fd, int how)) {
    (void)how;
    return udp_at(fd) && !udp_at(fd)->peer_length ? failed(ENOTCONN) : udp_at(fd) ? 0 : (int)result_of(KERNEL(SYS_shutdown, fd, how));
}

/* --- names ----------------------------------------------------------------------------------------------------------------- */
static int give_name(const struct sockaddr_storage *name, socklen_t length, struct sockaddr *out, socklen_t *size) {
    memcpy(out, name, *size < length ? *size : length);
    *size = length;
    return 0;
}

OURS(int, getsockname, (int fd, struct sockaddr *address, socklen_t *size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_getsockname, fd, address, size));
    }
    struct sockaddr_storage name = udp->own;
    if (udp->peer_length && is_any(udp)) { /* the kernel then knows from which of its addresses it sends */
        struct sockaddr_in four;
        memset(&four, 0, sizeof four);
        four.sin_addr.s_addr = htonl(own_ip());
        four.sin_family = AF_INET;
        as_family(udp->family, &four, &name);
    }
    *(udp->family == AF_INET6 ? &((struct sockaddr_in6 *)&name)->sin6_port : &((struct sockaddr_in *)&name)->sin_port) = htons(udp->port);
    return give_name(&name, (socklen_t)needs_size(udp->family), address, size);
}

OURS(int, getpeername, (int fd, struct sockaddr *address, socklen_t *size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_getpeername, fd, address, size));
    }
    return udp->peer_length ? give_name(&udp->peer, udp->peer_length, address, size) : failed(ENOTCONN);
}

/* --- options ---------------------------------------------------------------------------------------------------------------- */
static int *option_of(struct udp *udp, int level, int option) {
    if (level == SOL_SOCKET) {
        switch (option) {
        case SO_REUSEADDR: return &udp->reuse;
        case SO_BROADCAST: return &udp->broadcast;
        case SO_RCVBUF: return &udp->receive_buffer;
        case SO_SNDBUF: return &udp->send_buffer;
        case SO_TYPE: return &udp->type;
        case SO_DOMAIN: return &udp->family;
        case SO_PROTOCOL: return &udp->protocol;
        case SO_ACCEPTCONN: return &udp->listening;
        default: return NULL;
        }
    }
    if ((level == IPPROTO_IP && option == IP_PKTINFO) || (level == IPPROTO_IPV6 && option == IPV6_RECVPKTINFO)) {
        return &udp->wants_info;
    }
    return level == IPPROTO_IPV6 && option == IPV6_V6ONLY ? &udp->only_v6 : NULL;
}

OURS(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_setsockopt, fd, level, option, value, size));
    }
    if (level == SOL_SOCKET && option == SO_RCVTIMEO && size >= sizeof(struct timeval)) {
        const struct timeval *time = value;
        micros timeout = time->tv_sec * SECOND + time->tv_usec;
        udp->receive_timeout = timeout > 0 ? timeout : FOREVER;
        return 0;
    }
    int *known = size >= sizeof(int) ? option_of(udp, level, option) : NULL;
    if (known && known != &udp->type && known != &udp->family && known != &udp->protocol) {
        int doubled = known == &udp->receive_buffer || known == &udp->send_buffer; /* as the kernel does */
        memcpy(known, value, sizeof(int));
        *known = doubled ? (*known < 1152 ? 2304 : *known > 212992 ? 425984 : 2 * *known) : *known != 0;
    }
    return 0;
}

OURS(int, getsockopt, (int fd, int level, int option, void *value, socklen_t *size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_getsockopt, fd, level, option, value, size));
    }
    if (level == SOL_SOCKET && option == SO_RCVTIMEO && *size >= sizeof(struct timeval)) {
        struct timeval time;
        micros timeout = udp->receive_timeout < 0 ? 0 : udp->receive_timeout;
        time.tv_sec = (time_t)(timeout / SECOND), time.tv_usec = (suseconds_t)(timeout % SECOND);
        memcpy(value, &time, *size = sizeof time);
        return 0;
    }
    int *known = option_of(udp, level, option);
    int now = known ? *known : 0;
    *size = *size < sizeof now ? *size : sizeof now;
    memcpy(value, &now, *size);
    return 0;
}
