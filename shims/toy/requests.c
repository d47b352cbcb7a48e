/* Requests from outside of any session, and the sockets. */
#include "toy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { CCREQ_CONNECT = 1, CCREQ_SERVER_INFO = 2, CCREP_ACCEPT = 0x81, CCREP_REJECT = 0x82, CCREP_SERVER_INFO = 0x83, NET_VERSION = 3 };
static const uint32_t FLAG_CONTROL = 0x80000000u;
static const int64_t REPEAT_US = 2000000;

int main_socket = -1;
bool socket_for_each, any_address;

/* A socket that does not block, for this machine alone unless it was told otherwise. Port 0 is whichever is free. */
int open_socket(int port) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET, address.sin_port = htons((uint16_t)port), address.sin_addr.s_addr = htonl(any_address ? INADDR_ANY : INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || fcntl(fd, F_SETFL, O_NONBLOCK)) {
        perror("toy: socket");
        exit(1);
    }
    return fd;
}

static int port_of(int fd) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &size) ? 0 : ntohs(address.sin_port);
}

static void reply(const struct sockaddr_in *to, struct message *m) {
    put_big_long(m->bytes, FLAG_CONTROL | (uint32_t)m->size);
    send_bytes(main_socket, to, m->bytes, m->size);
}

static void reply_begin(struct message *m, int command) {
    message_clear(m, DATAGRAM_MOST);
    put_long(m, 0);
    put_byte(m, command);
}

static void reject(const struct sockaddr_in *to, const char *why) {
    static struct message m;
    reply_begin(&m, CCREP_REJECT);
    put_string(&m, why);
    reply(to, &m);
}

static void accept_client(int slot) {
    static struct message m;
    reply_begin(&m, CCREP_ACCEPT);
    put_long(&m, socket_for_each ? (uint32_t)port_of(clients[slot].channel.fd) : 0); /* 0: go on with the one that you asked */
    reply(&clients[slot].listens, &m);
}

static void connect_request(const struct sockaddr_in *from, int version, int64_t now_us) {
    int free_slot = -1;
    if (version != NET_VERSION && fault != ANY_VERSION) {
        reject(from, "Incompatible version.\n");
        return;
    }
    for (int slot = MOST_CLIENTS - 1; slot >= 0; slot--) {
        struct client *c = &clients[slot];
        if (c->stage == FREE) {
            free_slot = slot;
        } else if (c->listens.sin_addr.s_addr == from->sin_addr.s_addr && c->listens.sin_port == from->sin_port) {
            if (now_us - c->accepted_us >= REPEAT_US) {
                client_leaves(slot, "asks again", false); /* somebody new at the same address: the next request is accepted */
            } else if (fault == REPEAT_RESTARTS) {
                client_leaves(slot, "asks again", false);
                client_begins(slot, now_us);
                accept_client(slot);
            } else if (fault != DEAF_TO_REPEATS) {
                accept_client(slot);
            }
            return;
        }
    }
    if (free_slot < 0) {
        reject(from, "Server is full.\n");
        return;
    }
    struct client *c = &clients[free_slot];
    int fd = socket_for_each ? open_socket(0) : main_socket;
    channel_begin(&c->channel, fd, from);
    c->listens = *from;
    accept_client(free_slot);
    client_begins(free_slot, now_us);
}

static void describe(const struct sockaddr_in *to) {
    static struct message m;
    int players = 0;
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        players += clients[slot].stage != FREE;
    }
    reply_begin(&m, CCREP_SERVER_INFO);
    put_string(&m, "0.0.0.0"); /* a client knows better where it asked */
    put_string(&m, "toy");
    put_string(&m, world.map);
    put_byte(&m, players);
    put_byte(&m, MOST_CLIENTS);
    put_byte(&m, NET_VERSION);
    reply(to, &m);
}

/* A datagram that came to the main socket and has the bit of control packets. */
void request_arrives(const struct sockaddr_in *from, const uint8_t *bytes, size_t size, int64_t now_us) {
    static const char GAME[] = "QUAKE";
    if (size < 5 + sizeof GAME + 1 || big_long(bytes) != (FLAG_CONTROL | (uint32_t)size) || memcmp(bytes + 5, GAME, sizeof GAME)) {
        return;
    }
    if (bytes[4] == CCREQ_CONNECT) {
        connect_request(from, bytes[5 + sizeof GAME], now_us);
    } else if (bytes[4] == CCREQ_SERVER_INFO) {
        describe(from);
    }
}
