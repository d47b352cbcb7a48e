/* Reads one-line JSON objects. Values are spans of the line, so that nothing is allocated, and a long run of hexadecimal digits is
 * walked once. A key that stands in a text is no key: this is why nothing here searches for strings. */
#include "preload.h"

enum { DEEPEST = 64 };

static void skip_spaces(struct json *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n')) {
        c->at++;
    }
}

static int take(struct json *c, char wanted) {
    skip_spaces(c);
    if (c->at < c->end && *c->at == wanted) {
        c->at++;
        return 1;
    }
    return 0;
}

static int fail(struct json *c) {
    c->bad = 1;
    return 0;
}

static int read_string(struct json *c, struct json_value *value) {
    value->at = c->at, value->kind = '"';
    while (c->at < c->end && *c->at != '"') {
        c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
    }
    if (c->at >= c->end) {
        return fail(c);
    }
    value->size = (size_t)(c->at++ - value->at);
    return 1;
}

/* Brackets need not be told apart: the harness's own lines are well-formed, and a span that is not ends the line. */
static int read_nested(struct json *c, struct json_value *value) {
    struct json_value text;
    int depth = 0;
    value->at = c->at, value->kind = *c->at;
    while (c->at < c->end) {
        char now = *c->at++;
        if (now == '"' && !read_string(c, &text)) {
            return 0;
        }
        if ((now == '{' || now == '[') && ++depth > DEEPEST) {
            return fail(c);
        }
        if ((now == '}' || now == ']') && --depth == 0) {
            value->size = (size_t)(c->at - value->at);
            return 1;
        }
    }
    return fail(c);
}

static int read_value(struct json *c, struct json_value *value) {
    skip_spaces(c);
    if (c->at >= c->end) {
        return fail(c);
    }
    if (take(c, '"')) {
        return read_string(c, value);
    }
    if (*c->at == '{' || *c->at == '[') {
        return read_nested(c, value);
    }
    value->at = c->at;
    while (c->at < c->end && !strchr(",]} \t\r\n", *c->at)) {
        c->at++;
    }
    value->size = (size_t)(c->at - value->at);
    if (!value->size) {
        return fail(c);
    }
    switch (*value->at) {
    case 't': value->kind = 't'; break;
    case 'f': value->kind = 'f'; break;
    case 'n': value->kind = 'z'; break;
    default: value->kind = 'n';
    }
    return 1;
}

int json_open(struct json *c, const char *text, size_t size, char bracket) {
    c->at = text, c->end = text + size, c->bad = 0;
    return take(c, bracket) || fail(c);
}

static int another(struct json *c, char closing) {
    if (c->bad || take(c, closing)) {
        return 0;
    }
    take(c, ',');
    skip_spaces(c);
    return c->at < c->end ? 1 : fail(c);
}

int json_member(struct json *c, char *key, size_t capacity, struct json_value *value) {
    struct json_value name;
    if (!another(c, '}')) {
        return 0;
    }
    if (!take(c, '"') || !read_string(c, &name)) {
        return fail(c);
    }
    json_text(&name, key, capacity);
    return (take(c, ':') || fail(c)) && read_value(c, value);
}

int json_element(struct json *c, struct json_value *value) {
    return another(c, ']') && read_value(c, value);
}

int64_t json_integer(const struct json_value *value, int64_t otherwise) {
    if (value->kind == 't' || value->kind == 'f') {
        return value->kind == 't';
    }
    if (value->kind != 'n') {
        return otherwise;
    }
    uint64_t sum = 0;
    size_t i = *value->at == '-';
    for (; i < value->size && value->at[i] >= '0' && value->at[i] <= '9' && sum < (uint64_t)1 << 59; i++) {
        sum = sum * 10 + (uint64_t)(value->at[i] - '0');
    }
    return *value->at == '-' ? -(int64_t)sum : (int64_t)sum;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t utf8(unsigned code, char *out) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    out[0] = (char)(0xe0 | code >> 12), out[1] = (char)(0x80 | (code >> 6 & 63)), out[2] = (char)(0x80 | (code & 63));
    return 3;
}

/* The text of a string without its escapes, or a number as it stands; cut where it is too long. */
size_t json_text(const struct json_value *value, char *out, size_t capacity) {
    size_t n = 0;
    for (size_t i = 0; i < value->size && n + 4 < capacity; i++) {
        if (value->kind != '"' || value->at[i] != '\\' || i + 1 == value->size) {
            out[n++] = value->at[i];
            continue;
        }
        char escaped = value->at[++i];
        const char *found = strchr("n\nt\tr\rb\bf\f", escaped);
        if (escaped == 'u' && i + 4 < value->size) {
            unsigned code = 0;
            for (int k = 1; k <= 4; k++) {
                code = code << 4 | (unsigned)(hex_digit(value->at[i + (size_t)k]) & 15);
            }
            n += utf8(code, out + n), i += 4;
        } else {
            out[n++] = found && escaped >= 'b' ? found[1] : escaped;
        }
    }
    out[n] = 0;
    return n;
}
