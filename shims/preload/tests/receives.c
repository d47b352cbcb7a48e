/* Receives without asking first: blocking, with a time-out, not blocking, several at once, or by looking how much there is. */
#include "engine.h"

static void several(int fd) {
    static char bytes[8][64];
    static struct peer peers[8];
    struct iovec parts[8];
    struct mmsghdr messages[8];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 8; i++) {
        parts[i].iov_base = bytes[i], parts[i].iov_len = sizeof bytes[i];
        messages[i].msg_hdr.msg_iov = &parts[i], messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &peers[i].address, messages[i].msg_hdr.msg_namelen = sizeof peers[i].address;
    }
    int n = recvmmsg(fd, messages, 8, MSG_WAITFORONE, NULL);
    need(n > 0, "recvmmsg");
    usleep(5000); /* so that more than one comes together */
    for (int i = 0; i < n; i++) {
        parts[i].iov_len = messages[i].msg_len;
    }
    need(sendmmsg(fd, messages, (unsigned)n, 0) == n, "sendmmsg");
    answer(fd, &(struct peer){peers[0].address, messages[0].msg_hdr.msg_namelen}, "%d at %lld", n, clock_us());
}

static void peeking(int fd) {
    char small[3];
    struct iovec part = {small, sizeof small};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part, message.msg_iovlen = 1;
    ssize_t peeked = recv(fd, small, sizeof small, MSG_PEEK);
    ssize_t whole = recv(fd, small, sizeof small, MSG_PEEK | MSG_TRUNC);
    need(recvmsg(fd, &message, MSG_PEEK) == 3 && message.msg_flags == MSG_TRUNC, "recvmsg says that it is cut");
    struct peer peer;
    char *text = receive(fd, &peer, 0);
    answer(fd, &peer, "%s: %d of %d, %.3s", text, (int)peeked, (int)whole, small);
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "blocking";
    int fd = bound(27910), one = 1, ticks = 0;
    struct timeval time = {0, 30000}, got;
    socklen_t size = sizeof got;
    if (!strcmp(how, "timeout")) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
        need(!getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got, &size) && got.tv_usec == 30000, "the time-out is kept");
    } else if (!strcmp(how, "busy")) {
        need(!fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK) && fcntl(fd, F_GETFL, 0) & O_NONBLOCK, "O_NONBLOCK");
    } else if (!strcmp(how, "looking") || !strcmp(how, "ioctl")) {
        need(!ioctl(fd, FIONBIO, &one) && fcntl(fd, F_GETFL) & O_NONBLOCK, "FIONBIO");
    }
    int again = dup(fd);
    close(fd); /* the copy keeps it open */
    for (;;) {
        struct peer peer;
        int waiting = 0;
        if (!strcmp(how, "several")) {
            several(again);
        } else if (!strcmp(how, "peeking")) {
            peeking(again);
        } else if (!strcmp(how, "looking") && (ioctl(again, FIONREAD, &waiting) || !waiting)) {
            ticks++;
        } else {
            errno = 0;
            char *text = receive(again, &peer, !strcmp(how, "dontwait") ? MSG_DONTWAIT : 0);
            if (text) {
                need(!waiting || waiting == (int)strlen(text), "FIONREAD says how long it is");
                answer(again, &peer, "%s at %lld after %d", text, clock_us(), ticks);
            } else {
                need(errno == EAGAIN, "EAGAIN");
                ticks++;
            }
        }
    }
}
