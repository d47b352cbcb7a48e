/* What is sent and received. A socket's queue is a ring of bytes, as large as the kernel's, so that nothing is allocated. */
#include "preload.h"

#include <limits.h>
#include <sys/uio.h>

/* Before each datagram in the ring. `size` is SKIP where the rest of the ring is too short for the next one. */
struct head {
    uint32_t size, port;
    struct sockaddr_in from;
};
static const uint32_t SKIP = UINT32_MAX;
enum { HEAD = sizeof(struct head) };

static int failed(int error) {
    errno = error;
    return -1;
}

static size_t padded(size_t size) {
    return (size + 7) & ~(size_t)7;
}

int datagram_waits(const struct udp *udp) {
    return udp->held > 0 && !numbers_hold();
}

static struct head *first(struct udp *udp) {
    struct head *head = (void *)(udp->queue + udp->head);
    if (udp->head + HEAD > QUEUE || head->size == SKIP) {
        udp->head = 0;
        head = (void *)udp->queue;
    }
    return head;
}

int first_datagram_size(const struct udp *udp) {
    return datagram_waits(udp) ? (int)first((struct udp *)udp)->size : 0;
}

static void take_first(struct udp *udp) {
    numbers_heard(&first(udp)->from);
    udp->head += HEAD + padded(first(udp)->size);
    if (!--udp->held) {
        udp->head = udp->tail = 0; /* the same pages again: a child has fewer to copy */
    }
}

/* Where the next `size` bytes go; NULL: the queue is full. */
static uint8_t *place_for(struct udp *udp, size_t size) {
    if (udp->held && udp->tail <= udp->head) {
        return udp->tail + size <= udp->head ? udp->queue + udp->tail : NULL;
    }
    if (udp->tail + size <= QUEUE) {
        return udp->queue + udp->tail;
    }
    if (size > udp->head) {
        return NULL;
    }
    if (udp->tail + HEAD <= QUEUE) {
        ((struct head *)(void *)(udp->queue + udp->tail))->size = SKIP;
    }
    udp->tail = 0;
    return udp->queue;
}

int deliver(struct udp *udp, const struct sockaddr *from, const void *bytes, size_t size) {
    if (size > MOST_BYTES) {
        return 0;
    }
    own_lock();
    uint8_t *at = place_for(udp, HEAD + padded(size));
    if (at) {
        struct head *head = (void *)at;
        memset(head, 0, sizeof *head);
        head->size = (uint32_t)size;
        as_v4(from, &head->from);
        memcpy(at + HEAD, bytes, size);
        udp->tail = (size_t)(at - udp->queue) + HEAD + padded(size);
        udp->held++, udp->arrivals++;
    }
    own_unlock();
    return at != NULL;
}

/* --- receiving ------------------------------------------------------------------------------------------------------------ */
static int look_queue(void *what) {
    return datagram_waits(what);
}

/* 1: there is a datagram. */
static int wait_to_receive(int fd, struct udp *udp, int flags) {
    if (udp->type != SOCK_DGRAM) {
        return failed(ENOTCONN);
    }
    if (flags & (MSG_ERRQUEUE | MSG_OOB)) {
        return failed(EAGAIN);
    }
    int now = object_at(fd)->nonblocking || flags & MSG_DONTWAIT;
    int answer = wait_for(look_queue, udp, now ? 0 : udp->receive_timeout, BY_RECEIVING);
    return answer ? answer : failed(EAGAIN);
}

static void put_info(struct udp *udp, struct msghdr *message) {
    struct cmsghdr *item = message->msg_control;
    socklen_t room = (socklen_t)message->msg_controllen;
    message->msg_controllen = 0;
    if (!udp->wants_info || !item) {
        return;
    }
    if (udp->family == AF_INET && room >= CMSG_SPACE(sizeof(struct in_pktinfo))) {
        struct in_pktinfo info;
        memset(&info, 0, sizeof info);
        info.ipi_ifindex = 2, info.ipi_spec_dst.s_addr = info.ipi_addr.s_addr = htonl(own_ip());
        item->cmsg_level = IPPROTO_IP, item->cmsg_type = IP_PKTINFO, item->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(item), &info, sizeof info);
        message->msg_controllen = CMSG_SPACE(sizeof info);
    } else if (udp->family == AF_INET6 && room >= CMSG_SPACE(sizeof(struct in6_pktinfo))) {
        struct in6_pktinfo info;
        uint32_t ip = htonl(own_ip());
        memset(&info, 0, sizeof info);
        info.ipi6_ifindex = 2, info.ipi6_addr.s6_addr[10] = info.ipi6_addr.s6_addr[11] = 0xff;
        memcpy(info.ipi6_addr.s6_addr + 12, &ip, 4);
        item->cmsg_level = IPPROTO_IPV6, item->cmsg_type = IPV6_PKTINFO, item->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(item), &info, sizeof info);
        message->msg_controllen = CMSG_SPACE(sizeof info);
    }
}

static ssize_t receive(int fd, struct udp *udp, struct msghdr *message, int flags) {
    if (wait_to_receive(fd, udp, flags) < 0) {
        return -1;
    }
    own_lock();
    struct head *head = first(udp);
    const uint8_t *bytes = (const uint8_t *)head + HEAD;
    size_t whole = head->size, done = 0;
    for (size_t i = 0; i < (size_t)message->msg_iovlen && done < whole; i++) {
        size_t part = message->msg_iov[i].iov_len < whole - done ? message->msg_iov[i].iov_len : whole - done;
        memcpy(message->msg_iov[i].iov_base, bytes + done, part);
        done += part;
    }
    if (message->msg_name) {
        struct sockaddr_storage from;
        socklen_t size = as_family(udp->family, &head->from, &from);
        memcpy(message->msg_name, &from, message->msg_namelen < size ? message->msg_namelen : size);
        message->msg_namelen = size;
    }
    put_info(udp, message);
    message->msg_flags = done < whole ? MSG_TRUNC : 0;
    if (!(flags & MSG_PEEK)) {
        take_first(udp);
        forget_spinning();
    }
    own_unlock();
    return (ssize_t)(flags & MSG_TRUNC ? whole : done);
}

OURS(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags)) {
    struct udp *udp = udp_at(fd);
    return udp ? receive(fd, udp, message, flags) : result_of(KERNEL(SYS_recvmsg, fd, message, flags));
}

OURS(ssize_t, recvfrom, (int fd, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *from_size)) {
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return result_of(KERNEL(SYS_recvfrom, fd, bytes, size, flags, from, from_size));
    }
    struct iovec part = {bytes, size};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_name = from_size ? from : NULL, message.msg_namelen = from && from_size ? *from_size : 0;
    ssize_t n = receive(fd, udp, &message, flags);
    if (n >= 0 && from && from_size) {
        *from_size = message.msg_namelen;
    }
    return n;
}

OURS(ssize_t, recv, (int fd, void *bytes, size_t size, int flags)) {
    return our_recvfrom(fd, bytes, size, flags, NULL, NULL);
}

OURS(ssize_t, __recvfrom_chk, (int fd, void *bytes, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *from_size)) {
    (void)room;
    return our_recvfrom(fd, bytes, size, flags, from, from_size);
}

OURS(ssize_t, __recv_chk, (int fd, void *bytes, size_t size, size_t room, int flags)) {
    (void)room;
    return our_recvfrom(fd, bytes, size, flags, NULL, NULL);
}

/* The time-out of the kernel's is looked at only after each datagram; so is ours. */
OURS(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout)) {
    unsigned i = 0;
    struct udp *udp = udp_at(fd);
    if (!udp) {
        return (int)result_of(KERNEL(SYS_recvmmsg, fd, messages, n, flags, timeout));
    }
    micros until = timeout ? now_us + timeout->tv_sec * SECOND + timeout->tv_nsec / 1000 : FOREVER;
    int each = flags & ~MSG_WAITFORONE;
    while (i < n && (!i || (until < 0 || now_us < until))) {
        if (i && (object_at(fd)->nonblocking || flags & (MSG_WAITFORONE | MSG_DONTWAIT)) && !datagram_waits(udp)) {
            break;
        }
        ssize_t size = receive(fd, udp, &messages[i].msg_hdr, each);
        if (size < 0) {
            break;
        }
        messages[i++].msg_len = (unsigned)size;
    }
    return i ? (int)i : -1;
}

/* --- sending ------------------------------------------------------------------------------------------------------------------ */
static void to_ourselves(struct udp *udp, const struct sockaddr *to, const void *bytes, size_t size) {
    struct sockaddr_in from, target;
    as_v4(to, &target);
    memset(&from, 0, sizeof from);
    from.sin_family = AF_INET, from.sin_port = htons(udp->port), from.sin_addr = target.sin_addr;
    if (from.sin_addr.s_addr == INADDR_ANY) {
        from.sin_addr.s_addr = target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    struct udp *other = socket_for(ntohs(target.sin_port), (struct sockaddr *)&target, (struct sockaddr *)&from);
    if (other) {
        deliver(other, (struct sockaddr *)&from, bytes, size);
    }
}

static ssize_t send_to(struct udp *udp, const void *bytes, size_t size, const struct sockaddr *to, socklen_t to_size) {
    int host;
    int64_t port;
    if (udp->type != SOCK_DGRAM) {
        return failed(EPIPE);
    }
    if (!to || !to_size) {
        to = udp->peer_length ? (const void *)&udp->peer : NULL;
    } else if (to_size < sizeof(struct sockaddr_in)) {
        return failed(EINVAL);
    }
    if (!to) {
        return failed(EDESTADDRREQ);
    }
    if (size > MOST_BYTES) {
        return failed(EMSGSIZE);
    }
    bind_somewhere(udp);
    if (is_own_address(to)) {
        to_ourselves(udp, to, bytes, size);
    } else if (host_of(to, &host, &port)) {
        run_transmit(host, port, port_number(udp), bytes, size);
    } else {
        say(3, "%zu bytes to an address that nobody has", size);
    }
    return (ssize_t)size;
}

OURS(ssize_t, sendto, (int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t to_size)) {
    struct udp *udp = udp_at(fd);
    return udp ? send_to(udp, bytes, size, to, to_size) : result_of(KERNEL(SYS_sendto, fd, bytes, size, flags, to, to_size));
}

OURS(ssize_t, send, (int fd, const void *bytes, size_t size, int flags)) {
    return our_sendto(fd, bytes, size, flags, NULL, 0);
}

OURS(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags)) {
    struct udp *udp = udp_at(fd);
    uint8_t all[MOST_BYTES];
    size_t size = 0;
    if (!udp) {
        return result_of(KERNEL(SYS_sendmsg, fd, message, flags));
    }
    for (size_t i = 0; i < (size_t)message->msg_iovlen; i++) {
        size_t part = message->msg_iov[i].iov_len;
        if (part > sizeof all - size) {
            return failed(EMSGSIZE);
        }
        memcpy(all + size, message->msg_iov[i].iov_base, part);
        size += part;
    }
    return send_to(udp, all, size, message->msg_name, message->msg_namelen);
}

OURS(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned n, int flags)) {
    for (unsigned i = 0; i < n; i++) {
        ssize_t size = our_sendmsg(fd, &messages[i].msg_hdr, flags);
        if (size < 0) {
            return i ? (int)i : -1;
        }
        messages[i].msg_len = (unsigned)size;
    }
    return (int)n;
}
