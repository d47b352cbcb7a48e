/* Game code of ours takes the scenario's commands itself: a console loses lines when many come at one moment, and is read when the
 * engine likes. They wait here, one a line, and the game code fetches them when it makes its frame. A line is the command or the verb,
 * and then all of its arguments, and when it came: `set now=0 entity=5 field=frame value=7`. */
#include "preload.h"

#include <sys/mman.h>

enum { MOST_WAITING = 64 << 20 };
static char *waiting;          /* lines, each with a 0 at its end */
static size_t filled, fetched; /* of `waiting` */

int deltaproof_game_line(char *line, size_t capacity) __attribute__((visibility("default")));
int deltaproof_game_host(const char *address) __attribute__((visibility("default")));

/* The next line, and its length; -1 where none waits. */
int deltaproof_game_line(char *line, size_t capacity) {
    if (fetched == filled) {
        filled = fetched = 0;
        return -1;
    }
    size_t size = strlen(waiting + fetched);
    snprintf(line, capacity, "%s", waiting + fetched);
    fetched += size + 1;
    return (int)(size < capacity ? size : capacity - 1);
}

/* The host that has an address, as engines write it; 0 where none has. */
int deltaproof_game_host(const char *address) {
    static const char *const forms[] = {"%u.%u.%u.%u:%u", "[%u.%u.%u.%u]:%u", "[::ffff:%u.%u.%u.%u]:%u"};
    unsigned a, b, c, d, udp;
    struct sockaddr_in of;
    int host, form = 0;
    int64_t port;
    while (address && form < 3 && sscanf(address, forms[form], &a, &b, &c, &d, &udp) != 5) {
        form++;
    }
    if (!address || form == 3) {
        return 0;
    }
    memset(&of, 0, sizeof of);
    of.sin_family = AF_INET, of.sin_port = htons((uint16_t)udp);
    of.sin_addr.s_addr = htonl((a & 255) << 24 | (b & 255) << 16 | (c & 255) << 8 | (d & 255));
    return host_of((struct sockaddr *)&of, &host, &port) ? host : 0;
}

void game_new(void) {
    filled = fetched = 0;
    numbers_new();
}

/* Lines are kept where game code has to be told again what was said. */
const char *game_log(size_t at) {
    return waiting + at;
}

size_t game_log_end(void) {
    return filled;
}

/* Lines before `to`, unless it is 0, were fetched. How far all were. */
size_t game_log_fetched(size_t to) {
    fetched = to ? to : fetched;
    return fetched;
}

static size_t put_arguments(char *out, size_t capacity, const struct json_value *all) {
    static const char *const no_arguments[] = {"seq", "op", "host", "until", "input", "command", "verb", "args"};
    struct json cursor;
    struct json_value value;
    char key[64], text[64];
    size_t size = 0;
    if (!json_open(&cursor, all->at, all->size, '{')) {
        return 0;
    }
    while (json_member(&cursor, key, sizeof key, &value)) {
        size_t i = 0;
        while (i < sizeof no_arguments / sizeof *no_arguments && strcmp(key, no_arguments[i])) {
            i++;
        }
        if (i == sizeof no_arguments / sizeof *no_arguments) {
            json_text(&value, text, sizeof text);
            int n = snprintf(out + size, capacity - size, " %s=%s", key, text);
            size += n > 0 && (size_t)n < capacity - size ? (size_t)n : 0;
        }
    }
    return size;
}

/* 1: game code of ours gets the command, and will find it when it makes its next frame. */
int game_takes(const struct request *request) {
    static const size_t LONGEST = 2048;
    const char *word = *request->verb ? request->verb : request->command;
    if (!setting("GAME", 0) || own_host || !strcmp(word, "connect") || !strcmp(word, "disconnect") || !strcmp(word, "leave")) {
        return 0;
    }
    if (!waiting) {
        waiting = mmap(NULL, MOST_WAITING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (waiting == MAP_FAILED) {
            die("no memory for the commands of the game: %s", strerror(errno));
        }
    }
    if (filled + LONGEST > MOST_WAITING) {
        die("the game code does not fetch its commands");
    }
    char *line = waiting + filled;
    size_t size = (size_t)snprintf(line, LONGEST, "%s", word);
    size += put_arguments(line + size, LONGEST - size, request->args.kind ? &request->args : &request->whole);
    filled += size + 1;
    say(3, "for the game: %s", line);
    return 1;
}
