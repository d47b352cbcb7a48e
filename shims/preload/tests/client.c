/* A client: connects where its console says, and repeats what the server says, to where it came from. */
#include "engine.h"

int main(void) {
    int fd = bound(0), n = 0;
    char line[512];
    for (;;) {
        struct pollfd both[2] = {{fd, POLLIN, 0}, {0, POLLIN, 0}};
        struct peer peer;
        need(poll(both, 2, -1) > 0, "poll");
        if (both[1].revents) {
            need(fgets(line, sizeof line, stdin) != NULL, "fgets");
            char *colon = strrchr(line, ':');
            struct addrinfo hints, *found;
            memset(&hints, 0, sizeof hints);
            hints.ai_socktype = SOCK_DGRAM, hints.ai_family = AF_INET;
            need(!strncmp(line, "connect ", 8) && colon, "it is told where to");
            *colon = 0, colon[strcspn(colon + 1, "\n") + 1] = 0;
            need(!getaddrinfo(line + 8, colon + 1, &hints, &found), "getaddrinfo");
            memcpy(&peer.address, found->ai_addr, found->ai_addrlen);
            peer.size = found->ai_addrlen;
            freeaddrinfo(found);
            answer(fd, &peer, "hello from %s", line + 8);
        }
        if (both[0].revents) {
            char *text = receive(fd, &peer, 0);
            answer(fd, &peer, "%s back %d", text, ++n);
        }
    }
}
