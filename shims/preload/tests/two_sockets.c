/* Sockets of both families and on several ports, and who can be heard where. */
#include "engine.h"

static const char *name_of(const struct peer *peer) {
    static char text[80];
    char host[64] = "?";
    if (peer->address.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)&peer->address;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(text, sizeof text, "%s:%d", host, ntohs(four->sin_port));
    } else {
        const struct sockaddr_in6 *six = (const void *)&peer->address;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(text, sizeof text, "[%s]:%d", host, ntohs(six->sin6_port));
    }
    return text;
}

static int port_of(int fd) {
    struct sockaddr_storage all;
    socklen_t size = sizeof all;
    need(!getsockname(fd, (struct sockaddr *)&all, &size), "getsockname");
    return ntohs(((struct sockaddr_in *)&all)->sin_port);
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "both";
    struct pollfd all[4];
    int n = 0;
    if (!strcmp(how, "both")) {
        all[n++].fd = try_bind(AF_INET6, 27910, 1);
        all[n++].fd = try_bind(AF_INET, 27910, 0);
        all[n++].fd = try_bind(AF_INET, 27911, 0);
        all[n++].fd = try_bind(AF_INET, 0, 0);
        need(try_bind(AF_INET, 27910, 0) < 0 && errno == EADDRINUSE, "a port is bound once");
    } else if (!strcmp(how, "dual")) {
        all[n++].fd = try_bind(AF_INET6, 27910, 0);
        need(try_bind(AF_INET, 27910, 0) < 0 && errno == EADDRINUSE, "a socket of both families has the port of both");
    } else { /* connected: hears its peer alone */
        all[n++].fd = try_bind(AF_INET, 27910, 0);
    }
    for (int i = 0; i < n; i++) {
        need(all[i].fd >= 0, "it is bound");
        all[i].events = POLLIN;
    }
    for (;;) {
        need(poll(all, (nfds_t)n, -1) > 0, "poll");
        for (int i = 0; i < n; i++) {
            struct peer peer, self;
            char *text = all[i].revents ? receive(all[i].fd, &peer, 0) : NULL;
            if (text) {
                answer(all[i].fd, &peer, "%s from %s at socket %d", text, name_of(&peer), i);
            }
            if (text && !strcmp(text, "other")) { /* answers from the port that nobody chose, too, and says which it is */
                answer(all[3].fd, &peer, "here is %d", port_of(all[3].fd));
            }
            if (text && !strcmp(text, "connect")) {
                need(!connect(all[i].fd, (struct sockaddr *)&peer.address, peer.size), "connect");
                self.size = sizeof self.address;
                getsockname(all[i].fd, (struct sockaddr *)&self.address, &self.size);
                need(send(all[i].fd, name_of(&self), strlen(name_of(&self)), 0) > 0, "send");
                self.size = sizeof self.address;
                need(!getpeername(all[i].fd, (struct sockaddr *)&self.address, &self.size), "getpeername");
                need(write(all[i].fd, name_of(&self), strlen(name_of(&self))) > 0, "write");
            }
        }
    }
}
