/* The line to the harness: one JSON object a line, over loopback TCP, or over standard input and output where no port is named.
 * It is the only socket that this process opens. */
#include "preload.h"

#include <netinet/tcp.h>

static int in_fd = -1, out_fd = -1, is_tcp;
static char in[LINE_MOST + 1];
static size_t filled, taken; /* of `in` */
static struct request request;
uint64_t line_seq;

int line_fd(void) {
    return in_fd;
}

int line_is_ours(int fd) {
    return fd >= 0 && (fd == in_fd || fd == out_fd);
}

void line_write(const char *bytes, size_t size) {
    while (size) {
        long n = is_tcp ? KERNEL(SYS_sendto, out_fd, bytes, size, MSG_NOSIGNAL) : KERNEL(SYS_write, out_fd, bytes, size);
        if (n == -EINTR) {
            continue;
        }
        if (n <= 0) {
            KERNEL(SYS_exit_group, 0); /* the harness is gone */
        }
        bytes += n, size -= (size_t)n;
    }
}

static void connect_tcp(const char *port) {
    const char *token = getenv("DELTAPROOF_SHIM_TOKEN");
    struct sockaddr_in to;
    int one = 1;
    char text[200];
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET, to.sin_port = htons((uint16_t)atoi(port)), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = (int)KERNEL(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    long answer = fd < 0 ? fd : KERNEL(SYS_connect, fd, &to, sizeof to);
    if (answer < 0) {
        die("no harness at port %s of 127.0.0.1: %s", port, strerror((int)-answer));
    }
    KERNEL(SYS_setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    in_fd = out_fd = protected_fd(fd), is_tcp = 1;
    line_write(text, (size_t)snprintf(text, sizeof text, "%.150s\n", token ? token : ""));
}

static const char *port_of_harness(void) {
    const char *port = getenv("DELTAPROOF_SHIM_PORT");
    return port && *port ? port : NULL;
}

/* Before the engine can use them: what it prints must not get into the line. */
void line_take_standard(void) {
    if (!port_of_harness()) {
        in_fd = protected_fd((int)KERNEL(SYS_dup, 0)), out_fd = protected_fd((int)KERNEL(SYS_dup, 1));
    }
}

void line_connect(void) {
    if (in_fd < 0 && port_of_harness()) {
        connect_tcp(port_of_harness());
        unsetenv("DELTAPROOF_SHIM_PORT"), unsetenv("DELTAPROOF_SHIM_TOKEN");
    }
}

static char *read_line(size_t *size) {
    for (size_t looked = taken;;) {
        char *end = filled > looked ? memchr(in + looked, '\n', filled - looked) : NULL;
        if (end) {
            char *line = in + taken;
            *size = (size_t)(end - line);
            taken = (size_t)(end - in) + 1;
            return line;
        }
        if (taken == filled) {
            taken = filled = 0;
        }
        looked = filled;
        if (filled == LINE_MOST) {
            die("a request is longer than %d bytes", LINE_MOST);
        }
        long n = KERNEL(SYS_read, in_fd, in + filled, LINE_MOST - filled);
        if (n > 0) {
            filled += (size_t)n;
        } else if (n != -EINTR) {
            KERNEL(SYS_exit_group, 0); /* the harness is gone */
        }
    }
}

/* Names of these stand in replies, too: what would have to be escaped there has no place in them. */
static void make_plain(char *text) {
    for (; *text; text++) {
        *text = (unsigned char)*text < ' ' || *text == '"' || *text == '\\' ? '_' : *text;
    }
}

static void take_member(const char *key, const struct json_value *value) {
    struct {
        const char *key;
        int64_t *to;
    } const integers[] = {
        {"host", &request.host}, {"now", &request.now}, {"until", &request.until}, {"from", &request.from}, {"port", &request.port},
        {"to_port", &request.to_port}};
    struct {
        const char *key;
        char *to;
        size_t capacity;
    } const texts[] = {
        {"op", request.op, sizeof request.op}, {"input", request.input, sizeof request.input},
        {"command", request.command, sizeof request.command}, {"verb", request.verb, sizeof request.verb},
        {"seed", request.seed, sizeof request.seed}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (!strcmp(key, integers[i].key)) {
            *integers[i].to = json_integer(value, *integers[i].to);
            return;
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!strcmp(key, texts[i].key)) {
            json_text(value, texts[i].to, texts[i].capacity);
            make_plain(texts[i].to);
            return;
        }
    }
}

static void take_options(const struct json_value *options) {
    struct json cursor;
    struct json_value value;
    char key[64];
    if (json_open(&cursor, options->at, options->size, '{')) {
        while (json_member(&cursor, key, sizeof key, &value)) {
            if (!strcmp(key, "same_address")) {
                request.same_address = json_integer(&value, 0);
            }
        }
    }
}

const struct request *line_parse(const char *line, size_t size) {
    struct json cursor;
    struct json_value value;
    char key[64];
    memset(&request, 0, sizeof request);
    request.until = -1;
    request.whole.at = line, request.whole.size = size, request.whole.kind = '{';
    json_open(&cursor, line, size, '{');
    while (json_member(&cursor, key, sizeof key, &value)) {
        if (!strcmp(key, "seq")) {
            request.seq = (uint64_t)json_integer(&value, 0);
        } else if (!strcmp(key, "bytes")) {
            request.bytes = value;
        } else if (!strcmp(key, "args")) {
            request.args = value;
        } else if (!strcmp(key, "options")) {
            take_options(&value);
        } else {
            take_member(key, &value);
        }
    }
    if (cursor.bad) {
        die("a request is no JSON object: %.200s", line);
    }
    line_seq = request.seq;
    return &request;
}

const struct request *line_next(void) {
    size_t size;
    const char *line = read_line(&size);
    return line_parse(line, size);
}

void line_reply(const char *format, ...) {
    static char text[16384];
    va_list list;
    int n = snprintf(text, sizeof text, "{\"seq\":%llu", (unsigned long long)line_seq);
    va_start(list, format);
    int more = vsnprintf(text + n, sizeof text - (size_t)n - 2, format, list);
    va_end(list);
    if (more < 0 || more >= (int)sizeof text - n - 2) {
        die("a reply is too long");
    }
    n += more;
    text[n++] = '}', text[n++] = '\n';
    line_write(text, (size_t)n);
}
