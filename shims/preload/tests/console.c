/* Reads its console beside its socket, and tells its last peer what was typed. */
#include "engine.h"

int main(int count, char **arguments) {
    int fd = bound(27910), has_peer = 0, ticks = 0;
    int by_stream = count > 1 && !strcmp(arguments[1], "stream"), lazy = count > 1 && !strcmp(arguments[1], "lazy");
    long long frame = 0;
    struct peer peer;
    char line[512], boot[512] = "nothing";
    fcntl(0, F_SETFL, fcntl(0, F_GETFL, 0) | O_NONBLOCK);
    for (;;) {
        struct pollfd both[2] = {{fd, POLLIN, 0}, {0, POLLIN, 0}};
        ticks += poll(both, 2, !lazy ? 500 : frame > clock_us() ? (int)((frame - clock_us()) / 1000) : 0) == 0;
        if (lazy && clock_us() < frame) { /* takes what was typed in its next frame, and is told of it all the time until then */
            continue;
        }
        frame = clock_us() + 50000;
        if (both[1].revents) {
            if (by_stream) {
                need(fgets(line, sizeof line, stdin) != NULL, "fgets");
            } else {
                ssize_t n = read(0, line, sizeof line - 1);
                need(n > 0, "read");
                line[n] = 0;
            }
            for (char *at = line; *at; at++) {
                *at = *at == '\n' ? '|' : *at;
            }
            has_peer ? answer(fd, &peer, "typed %s at %lld", line, clock_us()) : (void)strcpy(boot, line);
        } else {
            errno = 0;
            need(read(0, line, 1) < 0 && errno == EAGAIN, "nothing is there, and nothing blocks");
        }
        if (both[0].revents) {
            char *text = receive(fd, &peer, 0);
            has_peer = 1;
            answer(fd, &peer, "%s after %s", text, boot);
        }
    }
}
