/* A client of R1Q2's protocol 35, and of protocol 34, under test by deltaproof.
 *
 *     make
 *     deltaproof certify --profile r1q2-35 --role client -- ./r1q2_client */
#define DELTAPROOF_SHIM_IMPLEMENTATION
#include "deltaproof_shim.h"

#include "effects.h"
#include "netchan.h"
#include "wire.h"

#include <zlib.h>

enum { RESEND_US = 1000000, KEEPALIVE_US = 1000000, MAX_FILE = 1 << 20, CONFIGSTRINGS = 2080 };

/* The states of a session, as they are reported. */
typedef enum session_state { DISCONNECTED, CHALLENGING, CONNECTING, CONNECTED, LOADING, ACTIVE } session_state;
static const char *const state_names[] = {"disconnected", "challenging", "connecting", "connected", "loading", "active"};

typedef struct client {
    /* What the scenario chose. */
    uint64_t tick_us;
    int protocol_asked, qport, maxlen, always_nodelta;
    int64_t rate;
    /* The connection. */
    session_state state;
    int protocol;
    uint64_t now, resend_at, tick_at, sent_at;
    uint32_t challenge;
    netchan channel;
    int owes_datagram;
    /* The map. */
    int spawncount, playernum;
    entity baselines[MAX_ENTITIES];
    frame frames[KEPT_FRAMES];
    int32_t newest, newest_valid; /* frames; 0 for none */
    char stufftext[MAX_STRING];
    /* What the player does. */
    usercmd held, sent_commands[KEPT_FRAMES]; /* by the number of their datagram */
    uint32_t first_move;
    int wants_nodelta, ahead, ahead_moves;
    /* Where each datagram's move should take the player. */
    uint32_t predicted[KEPT_FRAMES];
    int32_t place[KEPT_FRAMES][3];
    /* A file that comes. */
    int is_downloading;
    size_t file_size;
    uint8_t *file;
} client;

/* ---- Sending ---- */

static void send_connectionless(ds_host *host, const char *text) {
    uint8_t bytes[1024] = {0xff, 0xff, 0xff, 0xff};
    size_t size = strlen(text);
    memcpy(bytes + 4, text, size);
    ds_send(host, 0, 0, bytes, 4 + size);
}

static void transmit(ds_host *host, client *c, const void *bytes, size_t size) {
    uint8_t datagram[MAX_DATAGRAM];
    size_t written = netchan_write(&c->channel, bytes, size, datagram);
    ds_send(host, 0, 0, datagram, written);
    c->sent_at = c->now;
    c->owes_datagram = 0;
}

static void say(ds_host *host, client *c, const char *command) {
    uint8_t bytes[MAX_RELIABLE];
    size_t size = strlen(command) + 1;
    if (size + 1 > sizeof bytes) {
        return;
    }
    bytes[0] = CLC_STRINGCMD;
    memcpy(bytes + 1, command, size);
    if (!netchan_queue(&c->channel, bytes, size + 1)) {
        int64_t note = (int64_t)size + 1;
        ds_note(host, "reply not sent", &note, 1);
    }
}

static void enter(ds_host *host, client *c, session_state to, const char *cause) {
    ds_state(host, 0, 0, state_names[c->state], state_names[to], cause);
    c->state = to;
}

static void forget_map(client *c) {
    for (int i = 0; i < KEPT_FRAMES; i++) {
        free_frame(&c->frames[i]);
        c->predicted[i] = 0;
    }
    memset(c->baselines, 0, sizeof c->baselines);
    memset(c->sent_commands, 0, sizeof c->sent_commands);
    c->newest = c->newest_valid = 0;
    c->first_move = 0;
    c->stufftext[0] = 0;
    c->is_downloading = 0;
}

static void ask_for_challenge(ds_host *host, client *c, const char *cause) {
    forget_map(c);
    enter(host, c, CHALLENGING, cause);
    send_connectionless(host, "getchallenge\n");
    c->resend_at = c->now + RESEND_US;
}

static void ask_for_connection(ds_host *host, client *c) {
    char text[512], tail[64] = "", rate[64] = "";
    if (c->rate > 0) {
        snprintf(rate, sizeof rate, "\\rate\\%lld", (long long)c->rate);
    }
    if (c->protocol == PROTOCOL_R1Q2 && c->maxlen >= 0) {
        snprintf(tail, sizeof tail, " %d", c->maxlen);
    }
    snprintf(text, sizeof text, "connect %d %d %lu \"\\name\\player%d\\skin\\male/grunt%s\"%s\n", c->protocol, c->qport,
             (unsigned long)c->challenge, ds_number(host), rate, tail);
    send_connectionless(host, text);
    c->resend_at = c->now + RESEND_US;
}

/* Says goodbye three times, as nothing is repeated afterwards. */
static void leave(ds_host *host, client *c) {
    static const uint8_t goodbye[] = "\4disconnect";
    if (c->state >= CONNECTED) {
        for (int i = 0; i < 3; i++) {
            transmit(host, c, goodbye, sizeof goodbye);
        }
    }
}

static void end_session(ds_host *host, client *c, const char *cause) {
    leave(host, c);
    forget_map(c);
    enter(host, c, DISCONNECTED, cause);
}

/* ---- Playing ---- */

static const frame *valid_frame(const client *c) {
    return c->newest_valid > 0 ? &c->frames[c->newest_valid % KEPT_FRAMES] : NULL;
}

/* Moves a player by a command: what is left below an eighth is kept in `rest`, in thousandths. */
static void move_player(const client *c, const usercmd *command, int type, int32_t place[3], int32_t velocity[3], int32_t rest[3]) {
    int32_t times = type == 1 && c->protocol == PROTOCOL_R1Q2 ? 2 : 1;
    for (int axis = 0; axis < 3 && type <= 1; axis++) {
        velocity[axis] = type == 1 ? command->moves[axis] * 8 : velocity[axis];
        int32_t covered = velocity[axis] * command->msec * times + rest[axis];
        int32_t eighths = covered / 1000 - (covered % 1000 < 0);
        rest[axis] = covered - eighths * 1000;
        place[axis] = (int16_t)(place[axis] + eighths);
    }
}

/* Where the player will be when the server has taken the datagram with this number. */
static void predict(client *c, uint32_t sequence) {
    const frame *seen = valid_frame(c);
    if (!seen || sequence - c->channel.acknowledged >= KEPT_FRAMES) {
        return;
    }
    int32_t velocity[3], rest[3] = {0, 0, 0}, *place = c->place[sequence % KEPT_FRAMES];
    memcpy(place, seen->self.field + P_ORIGIN, sizeof c->place[0]);
    memcpy(velocity, seen->self.field + P_VELOCITY, sizeof velocity);
    for (uint32_t at = c->channel.acknowledged + 1; at <= sequence; at++) {
        if (at >= c->first_move) {
            move_player(c, &c->sent_commands[at % KEPT_FRAMES], seen->self.field[P_TYPE], place, velocity, rest);
        }
    }
    c->predicted[sequence % KEPT_FRAMES] = sequence;
}

/* Compares a frame's place with the one predicted for what the server had taken by then. */
static void check_prediction(ds_host *host, const client *c, const frame *f) {
    uint32_t sequence = c->channel.acknowledged;
    if (sequence == 0 || c->predicted[sequence % KEPT_FRAMES] != sequence) {
        return;
    }
    int64_t farthest = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t off = f->self.field[P_ORIGIN + axis] - c->place[sequence % KEPT_FRAMES][axis];
        farthest = llabs(off) > llabs(farthest) ? off : farthest;
    }
    ds_note(host, "prediction error", &farthest, 1);
}

static void send_move(ds_host *host, client *c) {
    uint32_t sequence = c->channel.outgoing;
    usercmd commands[3];
    uint8_t bytes[64];
    int32_t acknowledged = c->newest_valid == c->newest && c->newest > 0 ? c->newest : -1;
    if (c->always_nodelta || c->wants_nodelta) {
        acknowledged = -1;
    } else if (c->ahead_moves > 0) {
        acknowledged = c->newest + c->ahead;
    }
    c->ahead_moves -= c->ahead_moves > 0;
    c->sent_commands[sequence % KEPT_FRAMES] = c->held;
    c->first_move = c->first_move ? c->first_move : sequence;
    for (uint32_t i = 0; i < 3; i++) {
        /* Before the first move there is nothing to repeat. */
        uint32_t of = sequence - 2 + i;
        if (sequence + i >= 2 && of >= c->first_move) {
            commands[i] = c->sent_commands[of % KEPT_FRAMES];
        } else {
            memset(&commands[i], 0, sizeof commands[i]);
        }
    }
    transmit(host, c, bytes, write_move(bytes, acknowledged, commands, c->protocol));
    predict(c, sequence);
}

/* ---- Reading what a server says ---- */

static void take_serverdata(ds_host *host, client *c, reader *r) {
    char text[MAX_STRING];
    int protocol = read_s32(r);
    int revision = REVISION;
    int spawncount = read_s32(r);
    read_u8(r);
    read_string(r, text, sizeof text);
    int playernum = read_s16(r);
    read_string(r, text, sizeof text);
    if (protocol == PROTOCOL_R1Q2) {
        read_u8(r); /* whether the game is an enhanced one */
        revision = read_u16(r);
    }
    if (r->is_bad || protocol != c->protocol) {
        r->is_bad = 1;
        return;
    }
    if (revision != REVISION) {
        int64_t note = revision;
        leave(host, c);
        c->protocol = PROTOCOL_ORIGINAL;
        ds_note(host, "fall back", &note, 1);
        ask_for_challenge(host, c, "another revision");
        return;
    }
    forget_map(c);
    c->spawncount = spawncount;
    c->playernum = playernum;
    enter(host, c, LOADING, "serverdata");
}

static void obey(ds_host *host, client *c, const char *line) {
    if (strncmp(line, "cmd ", 4) == 0) {
        static const char variable[] = "$version";
        char command[MAX_STRING] = "";
        const char *rest = line + 4, *found = strstr(rest, variable);
        size_t before = found ? (size_t)(found - rest) : strlen(rest);
        snprintf(command, sizeof command, "%.*s%s%s", (int)before, rest, found ? "tutorial" : "",
                 found ? found + strlen(variable) : "");
        say(host, c, command);
    } else if (strncmp(line, "precache ", 9) == 0) {
        char command[64];
        snprintf(command, sizeof command, "begin %.40s", line + 9);
        say(host, c, command);
    } else if (strcmp(line, "reconnect") == 0 && c->state > CONNECTED) {
        forget_map(c);
        enter(host, c, CONNECTED, "another map");
        say(host, c, "new");
    }
}

/* Text is carried out line by line; the end of a line may come later. */
static void take_stufftext(ds_host *host, client *c, reader *r) {
    char more[MAX_STRING];
    read_string(r, more, sizeof more);
    for (const char *at = more; *at; at++) {
        size_t size = strlen(c->stufftext);
        if (*at != '\n') {
            if (size + 1 < sizeof c->stufftext) {
                c->stufftext[size] = *at;
                c->stufftext[size + 1] = 0;
            }
            continue;
        }
        char line[MAX_STRING];
        memcpy(line, c->stufftext, sizeof line);
        c->stufftext[0] = 0;
        obey(host, c, line);
    }
}

static int64_t number_at_end(const char *text) {
    size_t at = strlen(text);
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') {
        at--;
    }
    return strtoll(text + at, NULL, 10);
}

static void take_configstring(ds_host *host, const client *c, reader *r) {
    char text[MAX_STRING];
    int64_t note[2] = {read_u16(r), 0};
    read_string(r, text, sizeof text);
    r->is_bad |= note[0] >= CONFIGSTRINGS;
    note[1] = number_at_end(text);
    if (!r->is_bad && c->state == ACTIVE) {
        ds_note(host, "configstring", note, 2);
    }
}

static void take_baseline(client *c, reader *r) {
    static const entity nothing;
    uint32_t number, bits = read_entity_head(r, &number);
    entity state = read_entity(r, bits, &nothing, c->protocol);
    if (!r->is_bad) {
        c->baselines[number] = state;
    }
}

static void take_frame(ds_host *host, client *c, reader *r, unsigned command) {
    frame_start start = read_frame_start(r, command, c->protocol);
    const frame *base = start.base > 0 ? &c->frames[start.base % KEPT_FRAMES] : NULL;
    int is_valid = start.base <= 0 || (base->number == start.base && base->is_valid);
    if (base && !is_valid) {
        base = NULL; /* it is read all the same, for what follows it */
    }
    frame f = read_frame(r, &start, base, c->baselines, c->protocol);
    int64_t note = start.number;
    if (r->is_bad || start.number <= 0) {
        r->is_bad = 1;
        free_frame(&f);
        return;
    }
    f.is_valid = is_valid;
    free_frame(&c->frames[start.number % KEPT_FRAMES]);
    c->frames[start.number % KEPT_FRAMES] = f;
    c->newest = start.number;
    ds_note(host, is_valid ? "frame" : "invalid frame", &note, 1);
    if (!is_valid) {
        return;
    }
    c->newest_valid = start.number;
    check_prediction(host, c, &f);
    if (c->state == LOADING) {
        enter(host, c, ACTIVE, "frame");
        c->tick_at = c->now + c->tick_us;
    }
}

static void take_download(ds_host *host, client *c, reader *r, int is_packed) {
    int size = read_s16(r), percent = read_u8(r);
    if (size == -1) {
        ds_note(host, "download refused", NULL, 0);
        c->is_downloading = 0;
        return;
    }
    size_t length = is_packed ? (size_t)read_u16(r) : (size_t)(size < 0 ? 0 : size);
    const uint8_t *bytes = size < 0 ? NULL : read_bytes(r, (size_t)size);
    r->is_bad |= size < 0;
    if (r->is_bad || !c->is_downloading || c->file_size + length > MAX_FILE) {
        return;
    }
    if (!is_packed) {
        memcpy(c->file + c->file_size, bytes, length);
    } else if (!inflate_raw(bytes, (size_t)size, c->file + c->file_size, length)) {
        r->is_bad = 1;
        return;
    }
    c->file_size += length;
    if (percent < 100) {
        say(host, c, "nextdl");
        return;
    }
    int64_t note = (int64_t)c->file_size, sum = (int64_t)adler32(1, c->file, (uInt)c->file_size);
    ds_note(host, "download bytes", &note, 1);
    ds_note(host, "download sum", &sum, 1);
    c->is_downloading = 0;
}

static void take_message(ds_host *host, client *c, reader *r, int is_inflated);

static void take_zpacket(ds_host *host, client *c, reader *r, int is_inflated) {
    uint8_t *bytes;
    size_t packed_size = (size_t)read_u16(r), size = (size_t)read_u16(r);
    const uint8_t *packed = read_bytes(r, packed_size);
    /* One inside another could go on without end. */
    if (r->is_bad || size == 0 || is_inflated || c->protocol == PROTOCOL_ORIGINAL) {
        r->is_bad = 1;
        return;
    }
    bytes = (uint8_t *)malloc(size);
    if (!bytes || !inflate_raw(packed, packed_size, bytes, size)) {
        r->is_bad = 1;
    } else {
        reader inner = {bytes, size, 0, 0};
        take_message(host, c, &inner, 1);
        r->is_bad |= inner.is_bad;
    }
    free(bytes);
}

static void take_text(ds_host *host, reader *r, int is_layout) {
    char text[MAX_STRING];
    read_string(r, text, sizeof text);
    if (r->is_bad) {
        return;
    }
    if (is_layout) {
        int64_t number = number_at_end(text);
        ds_note(host, "layout", &number, 1);
    } else {
        ds_print(host, text, strlen(text));
    }
}

static void take_happening(ds_host *host, reader *r, int command) {
    int64_t note[4];
    if (command == SVC_SOUND) {
        read_sound(r, note);
    } else if (command == SVC_INVENTORY) {
        read_inventory(r, note);
    } else if (command == SVC_TEMP_ENTITY) {
        note[0] = read_effect(r, &note[1]);
    } else {
        note[0] = read_s16(r);
        note[1] = read_u8(r);
    }
    if (r->is_bad) {
        return;
    }
    switch (command) {
    case SVC_SOUND: ds_note(host, "sound", note, 4); break;
    case SVC_INVENTORY: ds_note(host, "inventory", note, 3); break;
    case SVC_TEMP_ENTITY: ds_note(host, "temp entity", note, 2); break;
    case SVC_MUZZLEFLASH: ds_note(host, "muzzleflash", note, 2); break;
    default: break; /* a monster's shot is seen and not heard of */
    }
}

static void take_message(ds_host *host, client *c, reader *r, int is_inflated) {
    while (!r->is_bad && r->at < r->size && c->state >= CONNECTED) {
        unsigned byte = (unsigned)read_u8(r);
        /* Protocol 34 does not divide it: upper bits are an unknown command there. */
        unsigned command = c->protocol == PROTOCOL_R1Q2 ? byte & 0x1f : byte;
        switch (command) {
        case SVC_MUZZLEFLASH:
        case SVC_MUZZLEFLASH2:
        case SVC_TEMP_ENTITY:
        case SVC_INVENTORY:
        case SVC_SOUND: take_happening(host, r, (int)command); break;
        case SVC_NOP: break;
        case SVC_DISCONNECT:
            forget_map(c);
            enter(host, c, DISCONNECTED, "the server ends it");
            return;
        case SVC_RECONNECT: ask_for_challenge(host, c, "the server asks for it"); return;
        case SVC_PRINT: read_u8(r); take_text(host, r, 0); break;
        case SVC_CENTERPRINT: take_text(host, r, 0); break;
        case SVC_LAYOUT: take_text(host, r, 1); break;
        case SVC_STUFFTEXT: take_stufftext(host, c, r); break;
        case SVC_SERVERDATA: take_serverdata(host, c, r); break;
        case SVC_CONFIGSTRING: take_configstring(host, c, r); break;
        case SVC_SPAWNBASELINE: take_baseline(c, r); break;
        case SVC_DOWNLOAD: take_download(host, c, r, 0); break;
        case SVC_ZDOWNLOAD: take_download(host, c, r, 1); break;
        case SVC_FRAME: take_frame(host, c, r, byte); break;
        case SVC_ZPACKET: take_zpacket(host, c, r, is_inflated); break;
        default: r->is_bad = 1; break;
        }
    }
}

static void take_connectionless(ds_host *host, client *c, const char *text) {
    if (strncmp(text, "challenge ", 10) == 0 && c->state == CHALLENGING) {
        c->challenge = (uint32_t)strtoul(text + 10, NULL, 10);
        enter(host, c, CONNECTING, "challenge");
        ask_for_connection(host, c);
    } else if (strncmp(text, "client_connect", 14) == 0 && c->state == CONNECTING) {
        netchan_begin(&c->channel, c->qport, c->protocol == PROTOCOL_R1Q2 ? 1 : 2);
        enter(host, c, CONNECTED, "client_connect");
        say(host, c, "new");
        c->tick_at = c->now + c->tick_us;
    } else if (strncmp(text, "print\n", 6) == 0 && c->state != DISCONNECTED) {
        ds_print(host, text + 6, strlen(text + 6));
    }
}

/* ---- What the harness calls ---- */

static void ask_for_wake(ds_host *host, const client *c) {
    if (c->state == DISCONNECTED) {
        ds_no_wake(host);
    } else {
        ds_wake(host, c->state < CONNECTED ? c->resend_at : c->tick_at);
    }
}

static void *client_open(ds_host *host) {
    char option[] = "client0_protocol";
    client *c = (client *)calloc(1, sizeof *c);
    int64_t qport = ds_option(host, "qport", -1);
    if (!c || !(c->file = (uint8_t *)malloc(MAX_FILE))) {
        abort();
    }
    option[6] = (char)('0' + ds_number(host) % 10);
    c->tick_us = (uint64_t)ds_option(host, "client_tick_us", 50000);
    c->protocol_asked = (int)ds_option(host, option, PROTOCOL_R1Q2);
    c->maxlen = (int)ds_option(host, "maxlen", 1390);
    c->rate = ds_option(host, "rate", 0);
    c->always_nodelta = ds_option(host, "nodelta", 0) != 0;
    /* Some number that others at this address hardly have. */
    c->qport = qport >= 0 ? (int)qport : (int)(1 + (ds_seed(host) + 37 * (uint64_t)ds_number(host)) % 255);
    c->held.msec = (uint8_t)(c->tick_us / 1000 > 250 ? 250 : c->tick_us / 1000);
    return c;
}

static void take_verb(ds_host *host, client *c, const ds_command *command) {
    const char *verb = command->verb;
    if (strcmp(verb, "walk") == 0) {
        c->held.moves[0] = (int16_t)ds_argument(command, "forward");
        c->held.moves[1] = (int16_t)ds_argument(command, "side");
        c->held.moves[2] = (int16_t)ds_argument(command, "up");
        c->held.buttons = (uint8_t)ds_argument(command, "buttons");
    } else if (strcmp(verb, "look") == 0) {
        c->held.angles[0] = (int16_t)ds_argument(command, "pitch");
        c->held.angles[1] = (int16_t)ds_argument(command, "yaw");
        c->held.angles[2] = (int16_t)ds_argument(command, "roll");
    } else if (strcmp(verb, "nodelta") == 0) {
        c->wants_nodelta = ds_argument(command, "on") != 0;
    } else if (strcmp(verb, "ack_ahead") == 0) {
        c->ahead = ds_argument(command, "frames");
        c->ahead_moves = ds_argument(command, "moves");
    } else if (strcmp(verb, "download") == 0 && c->state == ACTIVE) {
        char text[96];
        const char *tail = c->protocol == PROTOCOL_R1Q2 ? " 0 udp-zlib" : "";
        snprintf(text, sizeof text, "download proof/%ld.dat%s", (long)ds_argument(command, "number"), tail);
        c->is_downloading = 1;
        c->file_size = 0;
        say(host, c, text);
    } else if (strcmp(verb, "download") == 0 || strcmp(verb, "setting") == 0) {
        ds_note(host, "command ignored", NULL, 0); /* settings came with a later revision */
    } else {
        ds_unsupported(host, verb);
    }
}

static void client_command(ds_host *host, void *self, uint64_t now, const ds_command *command) {
    client *c = (client *)self;
    c->now = now;
    if (strcmp(command->name, "connect") == 0 && c->state == DISCONNECTED) {
        c->protocol = c->protocol_asked;
        ask_for_challenge(host, c, "connect");
    } else if (strcmp(command->name, "disconnect") == 0 && c->state != DISCONNECTED) {
        end_session(host, c, "disconnect");
    } else if (strcmp(command->name, "verb") == 0) {
        take_verb(host, c, command);
    } else if (strcmp(command->name, "connect") == 0 || strcmp(command->name, "disconnect") == 0) {
        ds_note(host, "command ignored", NULL, 0);
    } else {
        ds_unsupported(host, command->name);
    }
    ask_for_wake(host, c);
}

static void client_datagram(ds_host *host, void *self, uint64_t now, int from, int port, const uint8_t *bytes, size_t size) {
    static const uint8_t connectionless[4] = {0xff, 0xff, 0xff, 0xff};
    client *c = (client *)self;
    (void)from, (void)port;
    c->now = now;
    if (size >= 4 && memcmp(bytes, connectionless, 4) == 0) {
        char text[MAX_STRING];
        size_t length = size - 4 < sizeof text - 1 ? size - 4 : sizeof text - 1;
        memcpy(text, bytes + 4, length);
        text[length] = 0;
        take_connectionless(host, c, text);
    } else if (c->state >= CONNECTED) {
        uint32_t sequence;
        size_t header = netchan_take(&c->channel, bytes, size, &sequence);
        if (header == 0) {
            int64_t note[2] = {sequence, 0};
            ds_note(host, "stale datagram", note, 2);
        } else {
            reader r = {bytes, size, header, 0};
            c->owes_datagram = 1;
            take_message(host, c, &r, 0);
            if (r.is_bad && c->state >= CONNECTED) {
                end_session(host, c, "unreadable message");
                ds_rejected(host, 0, r.at, "message");
            }
        }
    }
    ask_for_wake(host, c);
}

static void client_timeout(ds_host *host, void *self, uint64_t now) {
    client *c = (client *)self;
    c->now = now;
    if (c->state == CHALLENGING && now >= c->resend_at) {
        send_connectionless(host, "getchallenge\n");
        c->resend_at = now + RESEND_US;
    } else if (c->state == CONNECTING && now >= c->resend_at) {
        ask_for_connection(host, c);
    } else if (c->state >= CONNECTED && now >= c->tick_at) {
        c->tick_at = now + c->tick_us;
        if (c->state == ACTIVE) {
            send_move(host, c);
        } else if (c->owes_datagram || netchan_has_reliable(&c->channel) || now - c->sent_at >= KEEPALIVE_US) {
            transmit(host, c, NULL, 0);
        }
    }
    ask_for_wake(host, c);
}

/* The bits of a float, as places and angles are shown. */
static int32_t bits_of(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void show_entity(ds_host *host, uint32_t number, const entity *state, const player *self) {
    int32_t fields[E_FIELDS + P_FIELDS] = {0};
    memcpy(fields, state->field, sizeof state->field);
    for (int axis = 0; axis < 3; axis++) {
        fields[E_ORIGIN + axis] = bits_of((float)state->field[E_ORIGIN + axis] / 8);
        fields[E_ANGLES + axis] = bits_of((float)state->field[E_ANGLES + axis] * 360 / 256);
        fields[E_OLD_ORIGIN + axis] = bits_of((float)state->field[E_OLD_ORIGIN + axis] / 8);
    }
    if (self) {
        memcpy(fields + E_FIELDS, self->field, sizeof self->field);
    }
    ds_show_entity(host, number, fields, E_FIELDS + P_FIELDS);
}

static void client_observe(ds_host *host, void *self) {
    const client *c = (const client *)self;
    const frame *f = valid_frame(c);
    uint32_t own = c->state >= LOADING ? (uint32_t)(c->playernum + 1) : 0;
    /* Ten frames a second. */
    uint32_t time = f ? (uint32_t)bits_of((float)f->number / 10) : 0;
    ds_show_state(host, state_names[c->state]);
    ds_show_world(host, f != NULL, time, own);
    for (size_t i = 0; f && i < f->count; i++) {
        show_entity(host, f->numbers[i], &f->states[i], f->numbers[i] == own ? &f->self : NULL);
    }
    for (int i = 0; f && i < MAX_STATS; i++) {
        if (f->self.stat[i] != 0) {
            ds_show_stat_int(host, i, f->self.stat[i]);
        }
    }
}

static void client_close(ds_host *host, void *self) {
    client *c = (client *)self;
    (void)host;
    forget_map(c);
    free(c->file);
    free(c);
}

int main(void) {
    static const char *const profiles[] = {"r1q2-35", NULL};
    ds_shim shim;
    memset(&shim, 0, sizeof shim);
    shim.name = "R1Q2 client in C";
    shim.build = "1";
    shim.profiles = profiles;
    shim.is_client = 1;
    shim.open = client_open;
    shim.command = client_command;
    shim.datagram = client_datagram;
    shim.timeout = client_timeout;
    shim.observe = client_observe;
    shim.close = client_close;
    return ds_run(&shim);
}
