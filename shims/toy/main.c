/* Options, and the loop: wait, receive, read the console, run a frame. */
#include "toy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static bool sleeps_1ms, console_ended;

static int64_t clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void receive(int fd, int own_slot, int64_t now_us) {
    uint8_t bytes[65536];
    struct sockaddr_in from;
    for (;;) {
        socklen_t length = sizeof from;
        ssize_t size = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length);
        if (size < 0) {
            return;
        }
        if (fd == main_socket && size >= 4 && bytes[0] & 0x80) {
            request_arrives(&from, bytes, (size_t)size, now_us);
            continue;
        }
        for (int slot = 0; slot < MOST_CLIENTS; slot++) {
            const struct sockaddr_in *peer = &clients[slot].channel.peer;
            bool is_here = own_slot < 0 ? clients[slot].channel.fd == fd : slot == own_slot;
            if (clients[slot].stage != FREE && is_here && peer->sin_port == from.sin_port &&
                peer->sin_addr.s_addr == from.sin_addr.s_addr) {
                client_hears(slot, bytes, (size_t)size, now_us);
                break;
            }
        }
        if (own_slot >= 0 && clients[own_slot].stage == FREE) {
            return; /* its socket is closed */
        }
    }
}

static void command(char *line, int64_t now_us) {
    char *word = strtok(line, " \t\r\n"), *argument = word ? strtok(NULL, " \t\r\n") : NULL;
    if (!word) {
        return;
    }
    if (!strcmp(word, "map") && argument) {
        clients_change_map(argument, now_us);
    } else if (!strcmp(word, "quit")) {
        for (int slot = 0; slot < MOST_CLIENTS; slot++) {
            if (clients[slot].stage != FREE) {
                client_leaves(slot, "the server ends", true);
            }
        }
        exit(0);
    } else {
        printf("there is no %s: map NAME, quit\n", word);
    }
}

static bool is_readable(int fd) {
    fd_set set;
    struct timeval none = {0, 0};
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return select(fd + 1, &set, NULL, NULL, &none) > 0;
}

static void read_console(int64_t now_us) {
    static char line[256];
    static size_t size;
    while (!console_ended && is_readable(STDIN_FILENO)) {
        char byte;
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n <= 0) {
            console_ended = n == 0 || errno != EINTR;
        } else if (byte == '\n') {
            line[size] = 0, size = 0;
            command(line, now_us);
        } else if (size + 1 < sizeof line) {
            line[size++] = byte;
        }
    }
}

static void wait_until(int64_t target_us) {
    if (sleeps_1ms) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        return;
    }
    int64_t now_us = clock_us();
    int most = main_socket;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(main_socket, &set);
    if (!console_ended) {
        FD_SET(STDIN_FILENO, &set);
    }
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        int fd = clients[slot].channel.fd;
        if (clients[slot].stage != FREE) {
            FD_SET(fd, &set);
            most = fd > most ? fd : most;
        }
    }
    int64_t left = target_us > now_us ? target_us - now_us : 0;
    struct timeval timeout = {(time_t)(left / 1000000), (suseconds_t)(left % 1000000)};
    select(most + 1, &set, NULL, NULL, &timeout);
}

static int64_t next_resend(int64_t otherwise) {
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        int64_t at = clients[slot].stage == FREE ? -1 : channel_wakes(&clients[slot].channel);
        otherwise = at >= 0 && at < otherwise ? at : otherwise;
    }
    return otherwise;
}

static void serve(void) {
    int64_t before_us = clock_us(), next_us = before_us + TICK_MS * 1000;
    for (;;) {
        wait_until(next_resend(next_us));
        int64_t now_us = clock_us();
        receive(main_socket, -1, now_us);
        for (int slot = 0; slot < MOST_CLIENTS; slot++) {
            if (clients[slot].stage != FREE && clients[slot].channel.fd != main_socket) {
                receive(clients[slot].channel.fd, slot, now_us);
            }
        }
        read_console(now_us);
        if (now_us >= next_us) {
            world_tick((now_us - before_us) / 1000);
            before_us = now_us, next_us += TICK_MS * 1000;
            next_us = next_us <= now_us ? now_us + TICK_MS * 1000 : next_us;
            clients_tick(now_us);
            if (first_player_us() >= 0) {
                fault_in_game(now_us - first_player_us());
            }
        } else {
            for (int slot = 0; slot < MOST_CLIENTS; slot++) {
                if (clients[slot].stage != FREE) {
                    channel_poll(&clients[slot].channel, now_us);
                }
            }
        }
    }
}

static int usage(void) {
    fputs("toy [-port N] [-ip any] [-protocol 15|666] [-map NAME] [-sleep 1ms] [-sockets each] [-fault NAME [-after SECONDS]] [-list-faults]\n", stderr);
    return 2;
}

int main(int argc, char **argv) {
    int port = 26000;
    const char *map = "start";
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(name, "-list-faults")) {
            list_faults();
            return 0;
        }
        if (!value) {
            return usage();
        }
        i++;
        if (!strcmp(name, "-port")) {
            port = atoi(value);
        } else if (!strcmp(name, "-protocol") && (!strcmp(value, "15") || !strcmp(value, "666"))) {
            protocol = atoi(value);
        } else if (!strcmp(name, "-map")) {
            map = value;
        } else if (!strcmp(name, "-sleep") && !strcmp(value, "1ms")) {
            sleeps_1ms = true;
        } else if (!strcmp(name, "-sockets") && !strcmp(value, "each")) {
            socket_for_each = true;
        } else if (!strcmp(name, "-ip") && !strcmp(value, "any")) {
            any_address = true;
        } else if (!strcmp(name, "-after")) {
            fault_after_us = (int64_t)(atof(value) * 1e6);
        } else if (strcmp(name, "-fault") || !fault_named(value)) {
            return usage();
        }
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    main_socket = open_socket(port);
    fault_at_boot();
    world_begin(map);
    printf("toy serves %s at port %d with protocol %d\n", map, port, protocol);
    serve();
}
