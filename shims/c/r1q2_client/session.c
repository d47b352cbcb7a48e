/* A session begins and ends: the handshake, reliable commands, and the text that the server puts into the client's console. */
#include "client.h"

const char *stage_name(stage stage) {
    static const char *const names[] = {"disconnected", "challenging", "connecting", "connected", "loading", "active"};
    return names[stage];
}

/* Events that scenarios judge; the first `count` of the four arguments belong to it. */
void note(client *c, const char *name, size_t count, int64_t a, int64_t b, int64_t d, int64_t e) {
    int64_t arguments[4];
    arguments[0] = a, arguments[1] = b, arguments[2] = d, arguments[3] = e;
    ds_note(c->host, name, arguments, count);
}

void enter(client *c, stage next, const char *cause) {
    ds_state(c->host, 0, 0, stage_name(c->stage), stage_name(next), cause);
    c->stage = next;
}

/* ---- The handshake ---- */

static void send_connectionless(client *c, const char *text) {
    writer w;
    w.size = 0, w.overflowed = 0;
    write_u32(&w, 0xffffffff);
    write_data(&w, text, strlen(text));
    ds_send(c->host, 0, 0, w.bytes, w.size);
}

static void send_connect(client *c) {
    char text[256], rate[32] = "", tail[32] = "";
    if (c->rate > 0) {
        snprintf(rate, sizeof rate, "\\rate\\%d", c->rate);
    }
    if (c->protocol == PROTOCOL_R1Q2 && c->maxlen >= 0) {
        /* From revision 1904 on the client states its own, which is the last argument. */
        snprintf(tail, sizeof tail, c->own_minor >= 1904 ? " %d %d" : " %d", c->maxlen, c->own_minor);
    }
    snprintf(text, sizeof text, "connect %d %d %s \"\\name\\player%d\\skin\\male/grunt%s\"%s\n", c->protocol, c->qport, c->challenge,
             ds_number(c->host), rate, tail);
    send_connectionless(c, text);
}

void resend_handshake(client *c) {
    if (c->stage == CHALLENGING) {
        send_connectionless(c, "getchallenge\n");
    } else {
        send_connect(c);
    }
    ds_wake(c->host, c->now + RESEND_US);
}

void begin_handshake(client *c, const char *cause) {
    enter(c, CHALLENGING, cause);
    resend_handshake(c);
}

/* ---- Reliable commands ---- */

void queue_command(client *c, const writer *w) {
    if (w->overflowed || !netchan_queue(&c->channel, w->bytes, w->size)) {
        note(c, "reply not sent", 1, (int64_t)w->size, 0, 0, 0);
    }
}

void stringcmd(client *c, const char *text) {
    writer w;
    w.size = 0, w.overflowed = 0;
    write_u8(&w, 4); /* clc_stringcmd */
    write_string(&w, text);
    queue_command(c, &w);
}

/* A goodbye is not acknowledged, since nobody listens any more: three of them have to do. */
void say_goodbye(client *c) {
    static const uint8_t goodbye[] = "\4disconnect";
    writer packet;
    for (int i = 0; i < 3; i++) {
        netchan_transmit(&c->channel, goodbye, sizeof goodbye, &packet);
        ds_send(c->host, 0, 0, packet.bytes, packet.size);
    }
}

void leave(client *c, const char *cause) {
    if (c->stage >= CONNECTED) {
        say_goodbye(c);
    }
    c->has_frame = 0;
    c->file.under_way = 0;
    enter(c, DISCONNECTED, cause);
    ds_no_wake(c->host);
}

/* ---- Text that the server puts into our console ---- */

void forget_world(client *c) {
    for (int i = 0; i < UPDATE_BACKUP; i++) {
        c->frames[i].valid = 0;
    }
    c->has_frame = 0;
    c->acknowledge = -1;
    memset(c->sent, 0, sizeof c->sent);
    memset(c->recent, 0, sizeof c->recent);
}

/* `$version` is the one variable that servers ask for. */
static void forward_to_server(client *c, const char *line) {
    const char *variable = strstr(line, "$version");
    char text[512];
    if (variable) {
        snprintf(text, sizeof text, "%.*sindependent peer%s", (int)(variable - line), line, variable + strlen("$version"));
    } else {
        snprintf(text, sizeof text, "%s", line);
    }
    stringcmd(c, text);
}

void console_line(client *c, const char *line) {
    if (strncmp(line, "cmd ", 4) == 0) {
        forward_to_server(c, line + 4);
    } else if (strncmp(line, "precache ", 9) == 0) {
        char text[64];
        snprintf(text, sizeof text, "begin %.32s", line + 9);
        stringcmd(c, text);
    } else if (strcmp(line, "changing") == 0) {
        /* The world ends, and `reconnect` is to come. */
    } else if (strcmp(line, "reconnect") == 0) {
        forget_world(c);
        if (c->stage != CONNECTED) enter(c, CONNECTED, "reconnect");
        stringcmd(c, "new");
    } else if (strcmp(line, "disconnect") == 0) {
        leave(c, "the server's stufftext");
    }
}

void parse_stufftext(client *c, const char *text) {
    char line[1024];
    while (*text && c->stage >= CONNECTED) {
        size_t size = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        console_line(c, line);
        text += size + (text[size] == '\n');
    }
}

/* ---- Connectionless datagrams ---- */

static void begin_session(client *c) {
    netchan_setup(&c->channel, c->protocol, c->qport);
    c->minor = c->own_minor;
    forget_world(c);
    enter(c, CONNECTED, "client_connect");
    stringcmd(c, "new");
    ds_wake(c->host, c->now + c->tick_us);
}

static void take_challenge(client *c, const char *text) {
    snprintf(c->challenge, sizeof c->challenge, "%.*s", (int)strspn(text, "-0123456789"), text);
    enter(c, CONNECTING, "challenge");
    resend_handshake(c);
}

static void connectionless_print(client *c, const char *text) {
    ds_print(c->host, text, strlen(text));
    if (c->stage != CONNECTING) {
        return;
    }
    if (strncmp(text, "Bad challenge", 13) == 0 || strncmp(text, "No challenge", 12) == 0) {
        begin_handshake(c, "challenge refused");
    } else if (strncmp(text, "Server is ", 10) == 0 && !strstr(text, "full") && !strstr(text, "locked")) {
        c->protocol = PROTOCOL_OLD; /* it does not know protocol 35 */
        begin_handshake(c, "protocol refused");
    }
}

void connectionless_datagram(client *c, const uint8_t *bytes, size_t size) {
    char text[1024];
    size_t length = size - 4 < sizeof text - 1 ? size - 4 : sizeof text - 1;
    memcpy(text, bytes + 4, length);
    text[length] = '\0';
    if (strncmp(text, "challenge ", 10) == 0) {
        if (c->stage == CHALLENGING) take_challenge(c, text + 10);
    } else if (strncmp(text, "client_connect", 14) == 0) {
        if (c->stage == CONNECTING) begin_session(c);
    } else if (strncmp(text, "print\n", 6) == 0) {
        if (c->stage != DISCONNECTED) connectionless_print(c, text + 6);
    }
}
