/* The engine's standard input is a pipe, and we type into it. */
#include "preload.h"

#include <sys/ioctl.h>

static int typing = -1;      /* our end */
static int stands = 0;       /* descriptor 0 is the pipe */
static int nonblocking = 0;  /* as the engine asked; the pipe itself never blocks, since a read must not stop the world */
static int may_have = 0;     /* something was typed, and perhaps not read */

void console_new(void) {
    int ends[2];
    int nothing_was = typing < 0;
    if (!nothing_was && !stands) {
        return; /* the engine has put another file in its place */
    }
    if (KERNEL(SYS_pipe2, ends, O_NONBLOCK) < 0) {
        return;
    }
    if (ends[0]) {
        KERNEL(SYS_dup3, ends[0], 0, 0);
        KERNEL(SYS_close, ends[0]);
    }
    unprotect(typing);
    typing = protected_fd(ends[1]);
    stands = 1, may_have = 0;
}

int console_is(int fd) {
    return fd == 0 && stands;
}

void console_gone(void) {
    stands = 0;
}

int console_nonblocking(int change) {
    if (change >= 0) {
        nonblocking = change;
    }
    return nonblocking;
}

int console_waits(void) {
    int n = 0;
    if (stands && may_have) {
        may_have = KERNEL(SYS_ioctl, 0, FIONREAD, &n) == 0 && n > 0;
    }
    return stands && may_have;
}

void console_line(const char *text, size_t size) {
    if (!stands) {
        say(0, "it has closed its console: %.*s is not typed", (int)size, text);
        return;
    }
    char line[4096];
    if (size > sizeof line - 1) {
        size = sizeof line - 1;
    }
    memcpy(line, text, size);
    line[size] = '\n';
    KERNEL(SYS_write, typing, line, size + 1);
    may_have = 1;
    say(1, "types %.*s", (int)size, text);
}

/* Lines in an environment variable stand apart by \n, or by what a shell makes of it. */
void console_boot(void) {
    const char *text = setting_text("BOOT_TYPE");
    while (text && *text) {
        const char *end = text;
        while (*end && *end != '\n' && strncmp(end, "\\n", 2)) {
            end++;
        }
        if (end > text) {
            console_line(text, (size_t)(end - text));
        }
        text = *end == '\n' ? end + 1 : *end ? end + 2 : end;
    }
}

/* Puts the value of a placeholder; it must not be able to type a line of its own. */
static size_t put_value(char *out, size_t capacity, const struct request *request, const char *name) {
    const struct json_value *all = request->args.kind ? &request->args : &request->whole;
    struct json cursor;
    struct json_value value;
    char key[64];
    if (!strcmp(name, "server")) {
        struct sockaddr_in server;
        address_of(0, 0, &server);
        uint32_t ip = ntohl(server.sin_addr.s_addr);
        return (size_t)snprintf(out, capacity, "%u.%u.%u.%u:%d", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255, ntohs(server.sin_port));
    }
    if (json_open(&cursor, all->at, all->size, '{')) {
        while (json_member(&cursor, key, sizeof key, &value)) {
            if (strcmp(key, name)) {
                continue;
            }
            size_t n = json_text(&value, out, capacity);
            for (size_t i = 0; i < n; i++) {
                out[i] = (unsigned char)out[i] < ' ' ? ' ' : out[i];
            }
            return n;
        }
    }
    return (size_t)snprintf(out, capacity, "{%s}", name);
}

/* 0: no placeholder stands here. */
static size_t placeholder(const char *at, char *name, size_t capacity) {
    size_t n = *at == '{' ? strcspn(at + 1, "{} \n") : 0;
    if (!n || n >= capacity || at[n + 1] != '}') {
        return 0;
    }
    memcpy(name, at + 1, n);
    name[n] = 0;
    return n + 2;
}

int console_instruct(const struct request *request) {
    char variable[128] = "TYPE_", text[2048], name[64];
    const char *of = *request->verb ? request->verb : request->command;
    size_t n = strlen(variable), size = 0;
    for (; *of && n < sizeof variable - 1; of++) {
        int plain = (*of >= '0' && *of <= '9') || ((*of | 32) >= 'a' && (*of | 32) <= 'z');
        variable[n++] = plain ? *of : '_';
    }
    variable[n] = 0;
    const char *format = setting_text(variable);
    if (!format || !*format) {
        return 0;
    }
    while (*format && size < sizeof text - 300) {
        size_t taken = placeholder(format, name, sizeof name);
        if (taken) {
            size += put_value(text + size, 256, request, name);
            format += taken;
        } else {
            text[size++] = *format++;
        }
    }
    console_line(text, size);
    return 1;
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */
static int look_console(void *what) {
    (void)what;
    return console_waits();
}

/* Once: whether what is typed reaches anybody. */
static void report_reading(void) {
    static int said;
    if (!said && console_waits()) {
        said = 1;
        report("console read");
    }
}

ssize_t console_read(void *bytes, size_t size) {
    if (!console_waits() && wait_for(look_console, NULL, nonblocking ? 0 : FOREVER, BY_CONSOLE) <= 0) {
        if (nonblocking) {
            errno = EAGAIN;
        }
        return -1;
    }
    forget_spinning();
    report_reading();
    return result_of(KERNEL(SYS_read, 0, bytes, size));
}

/* The C library reads for a stream by itself: what it would block on is waited for here, where time passes. */
static void before_stream(FILE *stream) {
    if (stream != stdin || !stands) {
        return;
    }
    if (!nonblocking && stream->_IO_read_ptr >= stream->_IO_read_end) {
        wait_for(look_console, NULL, FOREVER, BY_CONSOLE);
    }
    forget_spinning();
    report_reading();
}

REAL(char *, fgets, (char *, int, FILE *))
REAL(int, fgetc, (FILE *))
REAL(size_t, fread, (void *, size_t, size_t, FILE *))
REAL(ssize_t, getdelim, (char **, size_t *, int, FILE *))
REAL(int, vfscanf, (FILE *, const char *, va_list))

OURS(char *, fgets, (char *line, int size, FILE *stream)) {
    before_stream(stream);
    return real_fgets()(line, size, stream);
}

OURS(char *, __fgets_chk, (char *line, size_t capacity, int size, FILE *stream)) {
    (void)capacity;
    return our_fgets(line, size, stream);
}

OURS(int, fgetc, (FILE * stream)) {
    before_stream(stream);
    return real_fgetc()(stream);
}

OURS(int, getc, (FILE * stream)) {
    return our_fgetc(stream);
}

OURS(int, getchar, (void)) {
    return our_fgetc(stdin);
}

OURS(size_t, fread, (void *bytes, size_t size, size_t n, FILE *stream)) {
    before_stream(stream);
    return real_fread()(bytes, size, n, stream);
}

OURS(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *stream)) {
    before_stream(stream);
    return real_getdelim()(line, size, end, stream);
}

OURS(ssize_t, getline, (char **line, size_t *size, FILE *stream)) {
    return our_getdelim(line, size, '\n', stream);
}

static int scan(const char *format, va_list list) {
    before_stream(stdin);
    return real_vfscanf()(stdin, format, list);
}

OURS(int, scanf, (const char *format, ...)) {
    va_list list;
    va_start(list, format);
    int n = scan(format, list);
    va_end(list);
    return n;
}

OURS(int, __isoc99_scanf, (const char *format, ...)) {
    va_list list;
    va_start(list, format);
    int n = scan(format, list);
    va_end(list);
    return n;
}
