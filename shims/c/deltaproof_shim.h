/* The shim protocol of deltaproof, version 1: put a server or a client in C or C++ under test.
 *
 * One header, no dependencies but POSIX. In exactly one file of yours, before all other includes:
 *
 *     #define DELTAPROOF_SHIM_IMPLEMENTATION
 *     #include "deltaproof_shim.h"
 *
 * Fill in a ds_shim and call ds_run from main. What the messages mean is in the document of the shim protocol (PROTOCOL.md).
 * Times are virtual microseconds. Floats are the bits of an IEEE single. Strings that you are given live until you return. */
#ifndef DELTAPROOF_SHIM_H
#define DELTAPROOF_SHIM_H

#if defined(DELTAPROOF_SHIM_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One server (number 0) or client (1 and up) of a run. */
typedef struct ds_host ds_host;

/* An instruction of the scenario. `name` is "connect", "disconnect", "baseline", "spawn", "set", "remove", "stat", "map" or
 * "verb"; the rest is 0 where it does not belong to it. */
typedef struct ds_command {
    const char *name;
    const char *field;  /* baseline, set */
    const char *verb;   /* verb; ds_argument has its arguments */
    uint32_t entity;    /* baseline, spawn, set, remove */
    int32_t value;      /* baseline, set; stat: the integer, or the bits of the float */
    int client;         /* stat */
    int stat;           /* stat */
    int is_float;       /* stat: whether the value is the bits of a float */
    const void *arguments;
} ds_command;

/* What you are, and what you do when something happens. */
typedef struct ds_shim {
    const char *name;              /* of the implementation */
    const char *build;             /* which state of it: a version, a commit */
    const char *const *profiles;   /* ends with NULL */
    int is_server, is_client;      /* what it can be */
    void *(*open)(ds_host *host);  /* a run begins, at ds_begins; returns what the others get as `self` */
    void (*command)(ds_host *host, void *self, uint64_t now, const ds_command *command);
    void (*datagram)(ds_host *host, void *self, uint64_t now, int from, int port, const uint8_t *bytes, size_t size);
    void (*timeout)(ds_host *host, void *self, uint64_t now);
    void (*observe)(ds_host *host, void *self); /* answers by ds_show_... */
    void (*close)(ds_host *host, void *self);   /* the run is over: free everything */
    const char *const *not_shown; /* what a client cannot show: fields, "stats", "statics", "prints", "note ..."; as profiles, or NULL */
    const char *const *like;      /* conforming variants that it is like (`deltaproof list --variants`); as profiles, or NULL */
    int is_codec;                 /* whether it can be one that only reads what a client receives */
    int takes_no_world;           /* whether nobody can tell its server what the world is */
} ds_shim;

/* Answers the harness until it says bye. Returns what main has to return. */
int ds_run(const ds_shim *shim);

/* The host, and the run. An option or a text that the profile does not have is the one given. */
int ds_number(const ds_host *host);
int ds_clients(const ds_host *host);
const char *ds_profile(const ds_host *host);
uint64_t ds_seed(const ds_host *host);
int64_t ds_option(const ds_host *host, const char *name, int64_t otherwise);       /* in `open` alone */
const char *ds_text(const ds_host *host, const char *name, const char *otherwise); /* in `open` alone */
int32_t ds_argument(const ds_command *command, const char *name);                  /* of a verb; 0 where it has none */
uint64_t ds_begins(const ds_host *host);  /* when the run begins for the host: not 0 where it is restarted */
uint64_t ds_until(const ds_host *host);   /* before that nothing is asked of it, unless it sends something or wants to be woken; or 0 */
int ds_to_port(const ds_host *host);      /* in `datagram`: the number of the host's port that it came to, 0 for the main one */

/* What a host does, in answer to whatever happens but `observe` and `close`. */
void ds_send(ds_host *host, int to, int port, const void *bytes, size_t size);
void ds_send_from(ds_host *host, int from_port, int to, int port, const void *bytes, size_t size); /* not from the main port */
void ds_wake(ds_host *host, uint64_t time); /* holds until it is changed or has come */
void ds_no_wake(ds_host *host);
void ds_port(ds_host *host, int port);      /* the number of the port that it sends from */
void ds_state(ds_host *host, int peer, int port, const char *from, const char *to, const char *cause);
void ds_rejected(ds_host *host, int peer, size_t offset, const char *field);
void ds_print(ds_host *host, const void *text, size_t size);
void ds_note(ds_host *host, const char *name, const int64_t *arguments, size_t count);
void ds_unsupported(ds_host *host, const char *what); /* the case is then `unsupported`, and no failure */

/* What a host shows, in `observe`: entities ascending, with the fields in the order of `deltaproof list --words`. */
void ds_show_state(ds_host *host, const char *name);
void ds_show_world(ds_host *host, int valid, uint32_t server_time, uint32_t own_entity);
void ds_show_entity(ds_host *host, uint32_t number, const int32_t *fields, size_t count);
void ds_show_static(ds_host *host, const int32_t *fields, size_t count);
void ds_show_stat_int(ds_host *host, int stat, int32_t value);
void ds_show_stat_float(ds_host *host, int stat, uint32_t bits);

/* Answers one request: `line` without its end, which is changed on the way. Returns the reply with its end, which lives until the next
 * call, or NULL where it is no request; then *why says so. For tests: ds_run does this. */
typedef struct ds_session ds_session;
ds_session *ds_begin(const ds_shim *shim);
const char *ds_answer(ds_session *session, char *line, size_t size, size_t *reply_size, const char **why);
int ds_is_over(const ds_session *session);
void ds_end(ds_session *session);

#ifdef __cplusplus
}
#endif
#endif /* DELTAPROOF_SHIM_H */

#if defined(DELTAPROOF_SHIM_IMPLEMENTATION) && !defined(DELTAPROOF_SHIM_DONE)
#define DELTAPROOF_SHIM_DONE

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DS_VERSION 1
#define DS_MAX_LINE (4u << 20) /* bytes, without the end */
#define DS_MAX_DEPTH 8         /* of objects in a request */
#define DS_MAX_HOSTS 65536

/* ---- Growing text ---- */

typedef struct ds_buffer {
    char *text;
    size_t size, room;
} ds_buffer;

static void *ds_grow(void *memory, size_t size) {
    void *grown = realloc(memory, size);
    if (!grown) {
        fputs("deltaproof_shim: out of memory\n", stderr);
        exit(2);
    }
    return grown;
}

static void ds_put(ds_buffer *buffer, const char *text, size_t size) {
    if (buffer->room - buffer->size < size + 1) {
        buffer->room = 2 * buffer->room + size + 64;
        buffer->text = (char *)ds_grow(buffer->text, buffer->room);
    }
    if (size > 0) {
        memcpy(buffer->text + buffer->size, text, size);
    }
    buffer->size += size;
    buffer->text[buffer->size] = '\0';
}

static void ds_puts(ds_buffer *buffer, const char *text) {
    ds_put(buffer, text, strlen(text));
}

static void ds_put_unsigned(ds_buffer *buffer, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    ds_put(buffer, digits + at, sizeof digits - at);
}

static void ds_put_integer(ds_buffer *buffer, int64_t number) {
    if (number < 0) {
        ds_put(buffer, "-", 1);
        ds_put_unsigned(buffer, ~(uint64_t)number + 1);
    } else {
        ds_put_unsigned(buffer, (uint64_t)number);
    }
}

static void ds_put_hex(ds_buffer *buffer, const void *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < size; i++) {
        char pair[2];
        pair[0] = digits[at[i] >> 4];
        pair[1] = digits[at[i] & 15];
        ds_put(buffer, pair, 2);
    }
}

/* A string with its quotes. Bytes above 127 are taken to be UTF-8. */
static void ds_put_string(ds_buffer *buffer, const char *text) {
    ds_put(buffer, "\"", 1);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            ds_put(buffer, "\\", 1);
            ds_put(buffer, text, 1);
        } else if (c < 0x20) {
            ds_puts(buffer, "\\u00");
            ds_put_hex(buffer, &c, 1);
        } else {
            ds_put(buffer, text, 1);
        }
    }
    ds_put(buffer, "\"", 1);
}

/* `"key":`, with a comma before it unless it is the first of its object. */
static void ds_put_key(ds_buffer *buffer, const char *key) {
    char last = buffer->size > 0 ? buffer->text[buffer->size - 1] : '{';
    if (last != '{' && last != '[') {
        ds_put(buffer, ",", 1);
    }
    ds_put_string(buffer, key);
    ds_put(buffer, ":", 1);
}

static void ds_put_field(ds_buffer *buffer, const char *key, int64_t number) {
    ds_put_key(buffer, key);
    ds_put_integer(buffer, number);
}

/* ---- Reading a request: objects, strings, integers, true, false and null ---- */

enum ds_kind { DS_NULL, DS_BOOL, DS_NUMBER, DS_STRING, DS_OBJECT };

typedef struct ds_value {
    enum ds_kind kind;
    const char *key;    /* in its object */
    const char *text;   /* of a string, with a zero after it */
    int64_t number;     /* of a number; above INT64_MAX as its bits */
    size_t next, child; /* places in the list of values, 0 for none */
} ds_value;

typedef struct ds_reader {
    char *at, *end;
    ds_value *values; /* the first is not used */
    size_t count, room;
    const char *why;
} ds_reader;

static size_t ds_new_value(ds_reader *reader) {
    if (reader->count == reader->room) {
        reader->room = 2 * reader->room + 64;
        reader->values = (ds_value *)ds_grow(reader->values, reader->room * sizeof *reader->values);
    }
    memset(&reader->values[reader->count], 0, sizeof *reader->values);
    return reader->count++;
}

static int ds_fail(ds_reader *reader, const char *why) {
    if (!reader->why) {
        reader->why = why;
    }
    return 0;
}

static void ds_blanks(ds_reader *reader) {
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r')) {
        reader->at++;
    }
}

static int ds_take(ds_reader *reader, char wanted) {
    ds_blanks(reader);
    if (reader->at < reader->end && *reader->at == wanted) {
        reader->at++;
        return 1;
    }
    return 0;
}

static int ds_nibble(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/* The four digits after \u. */
static int ds_unit(ds_reader *reader, uint32_t *unit) {
    *unit = 0;
    if (reader->end - reader->at < 4) {
        return ds_fail(reader, "an escape that ends too early");
    }
    for (int i = 0; i < 4; i++) {
        int nibble = ds_nibble(*reader->at++);
        if (nibble < 0) {
            return ds_fail(reader, "an escape without four hexadecimal digits");
        }
        *unit = *unit << 4 | (uint32_t)nibble;
    }
    return 1;
}

/* Writes a character as UTF-8 where its escape stood, which was longer. */
static char *ds_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

static int ds_escape(ds_reader *reader, char **out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t unit, low;
    char letter = reader->at < reader->end ? *reader->at++ : '\0';
    const char *place = letter ? strchr(from, letter) : NULL;
    if (place) {
        *(*out)++ = to[place - from];
        return 1;
    }
    if (letter != 'u') {
        return ds_fail(reader, "an escape that JSON does not have");
    }
    if (!ds_unit(reader, &unit)) {
        return 0;
    }
    if (unit >= 0xd800 && unit < 0xdc00) {
        if (reader->end - reader->at < 6 || reader->at[0] != '\\' || reader->at[1] != 'u') {
            return ds_fail(reader, "half a surrogate pair");
        }
        reader->at += 2;
        if (!ds_unit(reader, &low)) {
            return 0;
        }
        if (low < 0xdc00 || low >= 0xe000) {
            return ds_fail(reader, "half a surrogate pair");
        }
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    } else if (unit >= 0xdc00 && unit < 0xe000) {
        return ds_fail(reader, "half a surrogate pair");
    }
    if (unit == 0) {
        return ds_fail(reader, "a zero in a string");
    }
    *out = ds_utf8(*out, unit);
    return 1;
}

/* A string, changed to what it says where it stands; its closing quote becomes a zero. */
static int ds_string(ds_reader *reader, const char **text) {
    char *out;
    if (!ds_take(reader, '"')) {
        return ds_fail(reader, "no string where one has to be");
    }
    out = reader->at;
    *text = out;
    while (reader->at < reader->end) {
        char c = *reader->at++;
        if (c == '"') {
            *out = '\0';
            return 1;
        }
        if (c == '\\') {
            if (!ds_escape(reader, &out)) {
                return 0;
            }
        } else if ((unsigned char)c < 0x20) {
            return ds_fail(reader, "a control character in a string");
        } else {
            *out++ = c;
        }
    }
    return ds_fail(reader, "a string without an end");
}

static int ds_integer(ds_reader *reader, int64_t *number) {
    int negative = ds_take(reader, '-');
    uint64_t value = 0;
    char *first = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
        uint64_t digit = (uint64_t)(*reader->at++ - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return ds_fail(reader, "a number of more than 64 bits");
        }
        value = value * 10 + digit;
    }
    if (reader->at == first || (*first == '0' && reader->at - first > 1)) {
        return ds_fail(reader, "no value where one has to be");
    }
    if (reader->at < reader->end && strchr(".eE", *reader->at) && *reader->at) {
        return ds_fail(reader, "a number that is no integer");
    }
    if (negative && value > (uint64_t)INT64_MAX + 1) {
        return ds_fail(reader, "a number of more than 64 bits");
    }
    value = negative ? ~value + 1 : value;
    memcpy(number, &value, sizeof value);
    return 1;
}

static int ds_word(ds_reader *reader, const char *word) {
    size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) >= size && memcmp(reader->at, word, size) == 0) {
        reader->at += size;
        return 1;
    }
    return 0;
}

static int ds_read(ds_reader *reader, size_t place, int depth);

static int ds_object(ds_reader *reader, size_t place, int depth) {
    size_t last = 0;
    if (depth >= DS_MAX_DEPTH) {
        return ds_fail(reader, "objects in objects, too deep");
    }
    reader->values[place].kind = DS_OBJECT;
    if (ds_take(reader, '}')) {
        return 1;
    }
    do {
        const char *key;
        size_t value;
        if (!ds_string(reader, &key)) {
            return 0;
        }
        for (value = reader->values[place].child; value; value = reader->values[value].next) {
            if (strcmp(reader->values[value].key, key) == 0) {
                return ds_fail(reader, "a key twice in an object");
            }
        }
        if (!ds_take(reader, ':')) {
            return ds_fail(reader, "a key without a colon");
        }
        value = ds_new_value(reader);
        reader->values[value].key = key;
        *(last ? &reader->values[last].next : &reader->values[place].child) = value;
        last = value;
        if (!ds_read(reader, value, depth + 1)) {
            return 0;
        }
    } while (ds_take(reader, ','));
    return ds_take(reader, '}') || ds_fail(reader, "an object without an end");
}

static int ds_read(ds_reader *reader, size_t place, int depth) {
    ds_blanks(reader);
    if (reader->at == reader->end) {
        return ds_fail(reader, "it ends too early");
    }
    switch (*reader->at) {
    case '{':
        reader->at++;
        return ds_object(reader, place, depth);
    case '"': {
        const char *text;
        if (!ds_string(reader, &text)) {
            return 0;
        }
        reader->values[place].kind = DS_STRING;
        reader->values[place].text = text;
        return 1;
    }
    default:
        if (ds_word(reader, "null")) {
            return 1;
        }
        if (ds_word(reader, "true") || ds_word(reader, "false")) {
            reader->values[place].kind = DS_BOOL;
            return 1;
        }
        reader->values[place].kind = DS_NUMBER;
        return ds_integer(reader, &reader->values[place].number);
    }
}

/* ---- Hosts ---- */

struct ds_host {
    struct ds_session *session;
    int number, clients, port, to_port, is_open, wakes;
    uint64_t seed, wake, begins, until;
    char *profile;
    void *self;
};

struct ds_session {
    const ds_shim *shim;
    ds_reader reader;
    size_t request;               /* the request's place among the reader's values */
    ds_host **hosts;              /* by number */
    size_t host_count;
    int is_over;
    const char *refused;          /* by ds_unsupported */
    ds_buffer refusal, reply, tx, events, entities, statics, stats, shown;
    uint8_t *bytes;               /* of a datagram */
    size_t byte_room;
};

static const ds_value *ds_member(const ds_session *session, size_t object, const char *key, enum ds_kind kind) {
    const ds_value *values = session->reader.values;
    for (size_t place = values[object].child; place; place = values[place].next) {
        if (strcmp(values[place].key, key) == 0) {
            return values[place].kind == kind ? &values[place] : NULL;
        }
    }
    return NULL;
}

static size_t ds_object_of(const ds_session *session, const char *key) {
    const ds_value *value = ds_member(session, session->request, key, DS_OBJECT);
    return value ? (size_t)(value - session->reader.values) : 0;
}

static const char *ds_text_of(const ds_session *session, const char *key) {
    const ds_value *value = ds_member(session, session->request, key, DS_STRING);
    return value ? value->text : "";
}

static int64_t ds_number_of(const ds_session *session, const char *key) {
    const ds_value *value = ds_member(session, session->request, key, DS_NUMBER);
    return value ? value->number : 0;
}

int ds_number(const ds_host *host) { return host->number; }
int ds_clients(const ds_host *host) { return host->clients; }
const char *ds_profile(const ds_host *host) { return host->profile; }
uint64_t ds_seed(const ds_host *host) { return host->seed; }
uint64_t ds_begins(const ds_host *host) { return host->begins; }
uint64_t ds_until(const ds_host *host) { return host->until; }
int ds_to_port(const ds_host *host) { return host->to_port; }

int64_t ds_option(const ds_host *host, const char *name, int64_t otherwise) {
    size_t options = ds_object_of(host->session, "options");
    const ds_value *value = options ? ds_member(host->session, options, name, DS_NUMBER) : NULL;
    return value ? value->number : otherwise;
}

const char *ds_text(const ds_host *host, const char *name, const char *otherwise) {
    size_t texts = ds_object_of(host->session, "texts");
    const ds_value *value = texts ? ds_member(host->session, texts, name, DS_STRING) : NULL;
    return value ? value->text : otherwise;
}

int32_t ds_argument(const ds_command *command, const char *name) {
    const ds_session *session = (const ds_session *)command->arguments;
    size_t arguments = session ? ds_object_of(session, "args") : 0;
    const ds_value *value = arguments ? ds_member(session, arguments, name, DS_NUMBER) : NULL;
    return value ? (int32_t)value->number : 0;
}

/* The beginning of one more object in a list. */
static ds_buffer *ds_item(ds_buffer *list) {
    ds_puts(list, list->size > 0 ? ",{" : "{");
    return list;
}

void ds_send(ds_host *host, int to, int port, const void *bytes, size_t size) {
    ds_send_from(host, 0, to, port, bytes, size);
}

void ds_send_from(ds_host *host, int from_port, int to, int port, const void *bytes, size_t size) {
    ds_buffer *tx = ds_item(&host->session->tx);
    ds_put_field(tx, "to", to);
    if (port != 0) {
        ds_put_field(tx, "port", port);
    }
    if (from_port != 0) {
        ds_put_field(tx, "from_port", from_port);
    }
    ds_puts(tx, ",\"bytes\":\"");
    ds_put_hex(tx, bytes, size);
    ds_puts(tx, "\"}");
}

void ds_wake(ds_host *host, uint64_t time) {
    host->wakes = 1;
    host->wake = time;
}

void ds_no_wake(ds_host *host) { host->wakes = 0; }
void ds_port(ds_host *host, int port) { host->port = port; }

static ds_buffer *ds_event(ds_host *host, const char *name) {
    ds_buffer *events = ds_item(&host->session->events);
    ds_put_key(events, "event");
    ds_put_string(events, name);
    return events;
}

void ds_state(ds_host *host, int peer, int port, const char *from, const char *to, const char *cause) {
    ds_buffer *event = ds_event(host, "state");
    ds_put_field(event, "peer", peer);
    if (port != 0) {
        ds_put_field(event, "port", port);
    }
    ds_put_key(event, "from");
    ds_put_string(event, from);
    ds_put_key(event, "to");
    ds_put_string(event, to);
    ds_put_key(event, "cause");
    ds_put_string(event, cause);
    ds_puts(event, "}");
}

void ds_rejected(ds_host *host, int peer, size_t offset, const char *field) {
    ds_buffer *event = ds_event(host, "rejected");
    ds_put_field(event, "peer", peer);
    ds_put_field(event, "offset", (int64_t)offset);
    ds_put_key(event, "field");
    ds_put_string(event, field);
    ds_puts(event, "}");
}

void ds_print(ds_host *host, const void *text, size_t size) {
    ds_buffer *event = ds_event(host, "print");
    ds_puts(event, ",\"text\":\"");
    ds_put_hex(event, text, size);
    ds_puts(event, "\"}");
}

static void ds_put_list(ds_buffer *buffer, const int64_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ds_puts(buffer, i > 0 ? "," : "");
        ds_put_integer(buffer, numbers[i]);
    }
}

void ds_note(ds_host *host, const char *name, const int64_t *arguments, size_t count) {
    ds_buffer *event = ds_event(host, "note");
    ds_put_key(event, "note");
    ds_put_string(event, name);
    ds_puts(event, ",\"args\":[");
    ds_put_list(event, arguments, count);
    ds_puts(event, "]}");
}

void ds_unsupported(ds_host *host, const char *what) {
    ds_session *session = host->session;
    if (!session->refused) {
        session->refusal.size = 0;
        ds_puts(&session->refusal, what);
        session->refused = session->refusal.text;
    }
}

void ds_show_state(ds_host *host, const char *name) {
    ds_buffer *shown = &host->session->shown;
    ds_put_key(shown, "state");
    ds_put_string(shown, name);
}

void ds_show_world(ds_host *host, int valid, uint32_t server_time, uint32_t own_entity) {
    ds_buffer *shown = &host->session->shown;
    ds_put_key(shown, "valid");
    ds_puts(shown, valid ? "true" : "false");
    ds_put_field(shown, "server_time", server_time);
    ds_put_field(shown, "own_entity", own_entity);
}

static void ds_row(ds_buffer *list, const uint32_t *number, const int32_t *fields, size_t count) {
    ds_puts(list, list->size > 0 ? ",[" : "[");
    if (number) {
        ds_put_unsigned(list, *number);
    }
    for (size_t i = 0; i < count; i++) {
        ds_puts(list, number || i > 0 ? "," : "");
        ds_put_integer(list, fields[i]);
    }
    ds_puts(list, "]");
}

void ds_show_entity(ds_host *host, uint32_t number, const int32_t *fields, size_t count) {
    ds_row(&host->session->entities, &number, fields, count);
}

void ds_show_static(ds_host *host, const int32_t *fields, size_t count) {
    ds_row(&host->session->statics, NULL, fields, count);
}

static void ds_show_stat(ds_host *host, int stat, const char *kind, int64_t value) {
    ds_buffer *stats = ds_item(&host->session->stats);
    ds_put_field(stats, "stat", stat);
    ds_put_field(stats, kind, value);
    ds_puts(stats, "}");
}

void ds_show_stat_int(ds_host *host, int stat, int32_t value) { ds_show_stat(host, stat, "int", value); }
void ds_show_stat_float(ds_host *host, int stat, uint32_t bits) { ds_show_stat(host, stat, "float", bits); }

/* ---- Requests ---- */

static void ds_refuse(ds_session *session, const char *what, const char *name) {
    if (!session->refused) {
        session->refusal.size = 0;
        ds_puts(&session->refusal, what);
        ds_puts(&session->refusal, name);
        session->refused = session->refusal.text;
    }
}

static ds_host *ds_host_of(ds_session *session) {
    int64_t number = ds_number_of(session, "host");
    ds_host *host = number >= 0 && (uint64_t)number < session->host_count ? session->hosts[number] : NULL;
    if (!host || !host->is_open) {
        ds_refuse(session, "a host that is not open", "");
        return NULL;
    }
    return host;
}

static void ds_close_host(ds_session *session, ds_host *host) {
    if (host && host->is_open) {
        session->shim->close(host, host->self);
        host->is_open = 0;
        free(host->profile);
        host->profile = NULL;
    }
}

static void ds_open_host(ds_session *session) {
    int64_t number = ds_number_of(session, "host");
    const char *profile = ds_text_of(session, "profile"), *seed = ds_text_of(session, "seed");
    const char *const *known = session->shim->profiles;
    ds_host *host;
    while (*known && strcmp(*known, profile) != 0) {
        known++;
    }
    if (!*known) {
        ds_refuse(session, "the profile ", profile);
        return;
    }
    if (number < 0 || number >= DS_MAX_HOSTS || (number == 0 ? !session->shim->is_server : !(session->shim->is_client || session->shim->is_codec))) {
        ds_refuse(session, number == 0 ? "a server" : "clients", "");
        return;
    }
    if ((size_t)number >= session->host_count) {
        size_t count = (size_t)number + 1;
        session->hosts = (ds_host **)ds_grow(session->hosts, count * sizeof *session->hosts);
        while (session->host_count < count) {
            session->hosts[session->host_count++] = NULL;
        }
    }
    ds_close_host(session, session->hosts[number]);
    free(session->hosts[number]);
    host = (ds_host *)ds_grow(NULL, sizeof *host);
    memset(host, 0, sizeof *host);
    session->hosts[number] = host;
    host->session = session;
    host->number = (int)number;
    host->clients = (int)ds_number_of(session, "clients");
    host->begins = (uint64_t)ds_number_of(session, "now");
    host->until = (uint64_t)ds_number_of(session, "until");
    host->profile = (char *)ds_grow(NULL, strlen(profile) + 1);
    memcpy(host->profile, profile, strlen(profile) + 1);
    for (; *seed; seed++) {
        int nibble = ds_nibble(*seed);
        host->seed = host->seed << 4 | (uint64_t)(nibble < 0 ? 0 : nibble);
    }
    host->is_open = 1;
    host->self = session->shim->open(host);
}

static void ds_obey(ds_session *session, ds_host *host, uint64_t now) {
    ds_command command;
    const ds_value *bits = ds_member(session, session->request, "float", DS_NUMBER);
    memset(&command, 0, sizeof command);
    command.name = ds_text_of(session, "command");
    command.field = ds_text_of(session, "field");
    command.verb = ds_text_of(session, "verb");
    command.entity = (uint32_t)ds_number_of(session, "entity");
    command.client = (int)ds_number_of(session, "client");
    command.stat = (int)ds_number_of(session, "stat");
    command.is_float = bits != NULL;
    command.value = (int32_t)ds_number_of(session, strcmp(command.name, "stat") == 0 ? "int" : "value");
    if (bits) {
        uint32_t value = (uint32_t)bits->number;
        memcpy(&command.value, &value, sizeof value);
    }
    command.arguments = session;
    session->shim->command(host, host->self, now, &command);
}

static void ds_receive(ds_session *session, ds_host *host, uint64_t now) {
    const char *digits = ds_text_of(session, "bytes");
    size_t size = strlen(digits) / 2;
    if (session->byte_room < size || !session->bytes) {
        session->byte_room = size + 64;
        session->bytes = (uint8_t *)ds_grow(session->bytes, session->byte_room);
    }
    for (size_t i = 0; i < size; i++) {
        int high = ds_nibble(digits[2 * i]), low = ds_nibble(digits[2 * i + 1]);
        if (high < 0 || low < 0) {
            ds_refuse(session, "bytes that are no hexadecimal digits", "");
            return;
        }
        session->bytes[i] = (uint8_t)(high << 4 | low);
    }
    session->shim->datagram(host, host->self, now, (int)ds_number_of(session, "from"), (int)ds_number_of(session, "port"),
                            session->bytes, size);
}

static void ds_step(ds_session *session, ds_host *host) {
    const char *input = ds_text_of(session, "input");
    uint64_t now = (uint64_t)ds_number_of(session, "now");
    host->until = (uint64_t)ds_number_of(session, "until");
    host->to_port = (int)ds_number_of(session, "to_port");
    if (strcmp(input, "datagram") == 0) {
        ds_receive(session, host, now);
    } else if (strcmp(input, "timeout") == 0) {
        host->wakes = 0;
        session->shim->timeout(host, host->self, now);
    } else if (strcmp(input, "command") == 0) {
        ds_obey(session, host, now);
    } else {
        ds_refuse(session, "the input ", input);
    }
}

static void ds_put_array(ds_buffer *reply, const char *key, const ds_buffer *items) {
    if (items->size > 0) {
        ds_put_key(reply, key);
        ds_puts(reply, "[");
        ds_put(reply, items->text, items->size);
        ds_puts(reply, "]");
    }
}

static void ds_put_step(ds_session *session, const ds_host *host) {
    ds_put_array(&session->reply, "tx", &session->tx);
    ds_put_array(&session->reply, "ev", &session->events);
    if (host->wakes) {
        ds_put_key(&session->reply, "wake");
        ds_put_unsigned(&session->reply, host->wake);
    }
    if (host->port != 0) {
        ds_put_field(&session->reply, "port", host->port);
    }
}

static void ds_put_names(ds_buffer *reply, const char *key, const char *const *names) {
    ds_put_key(reply, key);
    ds_puts(reply, "[");
    for (size_t i = 0; names[i]; i++) {
        ds_puts(reply, i > 0 ? "," : "");
        ds_put_string(reply, names[i]);
    }
    ds_puts(reply, "]");
}

static void ds_put_hello(ds_session *session) {
    const ds_shim *shim = session->shim;
    ds_buffer *reply = &session->reply;
    const char *roles[4] = {NULL};
    size_t count = 0;
    ds_put_field(reply, "version", DS_VERSION);
    ds_put_key(reply, "name");
    ds_put_string(reply, shim->name);
    ds_put_key(reply, "build");
    ds_put_string(reply, shim->build);
    if (shim->is_server) {
        roles[count++] = "server";
    }
    if (shim->is_client) {
        roles[count++] = "client";
    }
    if (shim->is_codec) {
        roles[count++] = "codec";
    }
    ds_put_names(reply, "roles", roles);
    ds_put_names(reply, "profiles", shim->profiles);
    if (shim->not_shown) {
        ds_put_names(reply, "not_shown", shim->not_shown);
    }
    if (shim->like) {
        ds_put_names(reply, "like", shim->like);
    }
    if (shim->takes_no_world) {
        ds_put_key(reply, "takes_world");
        ds_puts(reply, "false");
    }
}

static void ds_carry_out(ds_session *session, const char *operation) {
    ds_host *host;
    if (strcmp(operation, "hello") == 0) {
        ds_put_hello(session);
    } else if (strcmp(operation, "bye") == 0) {
        session->is_over = 1;
    } else if (strcmp(operation, "open") == 0) {
        ds_open_host(session);
        if (!session->refused) {
            ds_put_step(session, ds_host_of(session));
        }
    } else if (strcmp(operation, "step") == 0) {
        if ((host = ds_host_of(session)) != NULL) {
            ds_step(session, host);
            ds_put_step(session, host);
        }
    } else if (strcmp(operation, "observe") == 0) {
        if ((host = ds_host_of(session)) != NULL) {
            session->shim->observe(host, host->self);
            ds_puts(&session->reply, session->shown.size > 0 ? "," : "");
            ds_put(&session->reply, session->shown.text, session->shown.size);
            ds_put_array(&session->reply, "entities", &session->entities);
            ds_put_array(&session->reply, "statics", &session->statics);
            ds_put_array(&session->reply, "stats", &session->stats);
        }
    } else if (strcmp(operation, "close") == 0) {
        if ((host = ds_host_of(session)) != NULL) {
            ds_close_host(session, host);
        }
    } else {
        ds_refuse(session, "the operation ", operation);
    }
}

ds_session *ds_begin(const ds_shim *shim) {
    ds_session *session = (ds_session *)ds_grow(NULL, sizeof *session);
    memset(session, 0, sizeof *session);
    session->shim = shim;
    return session;
}

int ds_is_over(const ds_session *session) { return session->is_over; }

static void ds_put_seq(ds_session *session, const ds_value *seq) {
    session->reply.size = 0;
    ds_puts(&session->reply, "{\"seq\":");
    ds_put_unsigned(&session->reply, (uint64_t)seq->number);
}

const char *ds_answer(ds_session *session, char *line, size_t size, size_t *reply_size, const char **why) {
    ds_reader *reader = &session->reader;
    const ds_value *seq, *operation;
    ds_buffer *lists[6];
    reader->at = line;
    reader->end = line + size;
    reader->count = 0;
    reader->why = NULL;
    ds_new_value(reader);
    session->request = ds_new_value(reader);
    if (ds_read(reader, session->request, 0)) {
        ds_blanks(reader);
        if (reader->at != reader->end) {
            ds_fail(reader, "something after the object");
        }
    }
    seq = reader->why ? NULL : ds_member(session, session->request, "seq", DS_NUMBER);
    operation = reader->why ? NULL : ds_member(session, session->request, "op", DS_STRING);
    if (!seq || !operation) {
        *why = reader->why ? reader->why : "no `seq` or no `op`";
        return NULL;
    }
    lists[0] = &session->tx, lists[1] = &session->events, lists[2] = &session->entities;
    lists[3] = &session->statics, lists[4] = &session->stats, lists[5] = &session->shown;
    for (size_t i = 0; i < 6; i++) {
        lists[i]->size = 0;
    }
    ds_puts(&session->shown, "");
    session->refused = NULL;
    ds_put_seq(session, seq);
    ds_carry_out(session, operation->text);
    if (session->refused) {
        ds_put_seq(session, seq);
        ds_puts(&session->reply, ",\"error\":{\"unsupported\":");
        ds_put_string(&session->reply, session->refused);
        ds_puts(&session->reply, "}");
    }
    ds_puts(&session->reply, "}\n");
    *reply_size = session->reply.size;
    return session->reply.text;
}

void ds_end(ds_session *session) {
    for (size_t i = 0; i < session->host_count; i++) {
        ds_close_host(session, session->hosts[i]);
        free(session->hosts[i]);
    }
    free(session->hosts);
    free(session->reader.values);
    free(session->bytes);
    free(session->refusal.text);
    free(session->reply.text);
    free(session->tx.text);
    free(session->events.text);
    free(session->entities.text);
    free(session->statics.text);
    free(session->stats.text);
    free(session->shown.text);
    free(session);
}

/* ---- Lines ---- */

static int ds_write(int to, const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(to, text, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return 0;
        }
        text += written;
        size -= (size_t)written;
    }
    return 1;
}

/* Where requests come from and replies go to: a TCP connection where the harness listens, else standard input and output. */
static int ds_connect(int *from, int *to) {
    const char *port = getenv("DELTAPROOF_SHIM_PORT"), *token = getenv("DELTAPROOF_SHIM_TOKEN");
    struct sockaddr_in address;
    int one = 1, stream;
    if (!port || !token) {
        /* What your code prints must not stand between replies. */
        *from = 0;
        *to = dup(1);
        return *to >= 0 && dup2(2, 1) >= 0;
    }
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
    stream = socket(AF_INET, SOCK_STREAM, 0);
    *from = *to = stream;
    if (stream < 0 || connect(stream, (const struct sockaddr *)&address, sizeof address) != 0) {
        return 0;
    }
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return ds_write(stream, token, strlen(token)) && ds_write(stream, "\n", 1);
}

/* Answers the whole lines of `input`, and keeps the rest. Returns 0 to go on, 1 at the end, 2 for what is no request. */
static int ds_answer_lines(ds_session *session, ds_buffer *input, int to) {
    char *line = input->text, *end = input->text + input->size, *newline;
    while (!session->is_over && (newline = (char *)memchr(line, '\n', (size_t)(end - line))) != NULL) {
        size_t reply_size = 0;
        const char *why = "";
        const char *reply = ds_answer(session, line, (size_t)(newline - line), &reply_size, &why);
        if (!reply) {
            fprintf(stderr, "deltaproof_shim: this is no request: %s\n", why);
            return 2;
        }
        if (!ds_write(to, reply, reply_size)) {
            return 1;
        }
        line = newline + 1;
    }
    input->size = (size_t)(end - line);
    memmove(input->text, line, input->size);
    if (input->size > DS_MAX_LINE) {
        fprintf(stderr, "deltaproof_shim: this is no request: a line of more than %u bytes\n", DS_MAX_LINE);
        return 2;
    }
    return session->is_over;
}

int ds_run(const ds_shim *shim) {
    static char chunk[1 << 16];
    ds_session *session = ds_begin(shim);
    ds_buffer input = {NULL, 0, 0};
    int from = 0, to = 1, result = 0;
    if (!ds_connect(&from, &to)) {
        fprintf(stderr, "deltaproof_shim: no line to the harness: %s\n", strerror(errno));
        result = 2;
    }
    while (result == 0) {
        ssize_t size = read(from, chunk, sizeof chunk);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            break;
        }
        ds_put(&input, chunk, (size_t)size);
        result = ds_answer_lines(session, &input, to);
    }
    free(input.text);
    ds_end(session);
    return result == 2 ? 2 : 0;
}

#endif /* DELTAPROOF_SHIM_IMPLEMENTATION */
