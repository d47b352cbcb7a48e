/* Who plays: the steps of the sign-on, what clients say, and a datagram for each in every frame. */
#include "toy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client clients[MOST_CLIENTS];
static const int64_t SILENCE_US = 65 * (int64_t)1000000;
enum { CLC_NOP = 1, CLC_DISCONNECT, CLC_MOVE, CLC_STRINGCMD };
enum { STAT_SECRETS = 11, STAT_LAST = 14 };

static struct message *reliable(int slot) {
    return &clients[slot].channel.waiting;
}

static void say(int slot, int service, const char *text) {
    put_byte(reliable(slot), service);
    put_string(reliable(slot), text);
}

static void sign_on_step(int slot, int step) {
    put_byte(reliable(slot), SVC_SIGNONNUM);
    put_byte(reliable(slot), step);
}

/* The first step: what the map is. */
static void inform(int slot) {
    struct message *m = reliable(slot);
    put_byte(m, SVC_PRINT);
    put_string(m, "\x02\ntoy, a server for tests\n");
    put_byte(m, SVC_SERVERINFO);
    put_long(m, fault == ANNOUNCES_15 ? PROTOCOL_NETQUAKE : (uint32_t)protocol);
    put_byte(m, MOST_CLIENTS);
    put_byte(m, 1); /* against each other */
    put_string(m, world.map);
    for (int i = 1; i < world.models; i++) {
        put_string(m, model_name(i));
    }
    put_byte(m, 0);
    for (int i = 1; i < world.sounds; i++) {
        put_string(m, sound_name(i));
    }
    put_byte(m, 0);
    put_byte(m, SVC_CDTRACK);
    put_short(m, 2 | 2 << 8);
    put_byte(m, SVC_SETVIEW);
    put_short(m, slot + 1);
    sign_on_step(slot, 1);
    clients[slot].stage = INFORMED;
}

static void prespawn(int slot) {
    if (fault == CRASHES && ++clients[slot].prespawns > 1) {
        raise(SIGSEGV);
    }
    struct message *m = reliable(slot);
    for (int place = 0; place < world.count; place++) {
        if (world.base[place].model) {
            put_baseline(m, &world.base[place]);
        }
    }
    world_statics(m);
    sign_on_step(slot, 2);
    clients[slot].stage = PRESPAWNED;
}

static void spawn(int slot) {
    struct message *m = reliable(slot);
    put_byte(m, SVC_TIME);
    put_float(m, (float)world.ms / 1000);
    world_enter(slot);
    for (int other = 0; other < MOST_CLIENTS; other++) {
        put_byte(m, SVC_UPDATENAME);
        put_byte(m, other);
        put_string(m, clients[other].stage == FREE ? "" : clients[other].name);
        put_byte(m, SVC_UPDATEFRAGS);
        put_byte(m, other);
        put_short(m, 0);
        put_byte(m, SVC_UPDATECOLORS);
        put_byte(m, other);
        put_byte(m, clients[other].colors);
    }
    for (int style = 0; style < 3; style++) {
        put_byte(m, SVC_LIGHTSTYLE);
        put_byte(m, style);
        put_string(m, style == 2 ? "abcdefghijklmnmlkjihgfedcb" : "m");
    }
    for (int stat = STAT_SECRETS; stat <= STAT_LAST; stat++) {
        put_byte(m, SVC_UPDATESTAT);
        put_byte(m, stat);
        put_long(m, 0);
    }
    put_byte(m, SVC_SETANGLE);
    put_bytes(m, "\0\0\0", 3);
    put_clientdata(m, &world.players[slot], alpha_code(world.now[slot].alpha));
    sign_on_step(slot, 3);
    if (fault == STEP_TWICE) {
        sign_on_step(slot, 3);
    }
}

void client_begins(int slot, int64_t now_us) {
    struct client *c = &clients[slot];
    struct sockaddr_in peer = c->channel.peer;
    channel_begin(&c->channel, c->channel.fd, &peer);
    c->stage = CONNECTED, c->accepted_us = c->heard_us = now_us, c->prespawns = 0, c->colors = 0;
    snprintf(c->name, sizeof c->name, "player");
    inform(slot);
    printf("client %d asks to come in\n", slot + 1);
}

void client_leaves(int slot, const char *why, bool say_so) {
    struct client *c = &clients[slot];
    if (say_so) {
        static struct message m;
        message_clear(&m, DATAGRAM_MOST);
        put_byte(&m, SVC_DISCONNECT);
        channel_unreliable(&c->channel, &m);
    }
    if (c->channel.fd != main_socket) {
        close(c->channel.fd);
    }
    c->stage = FREE;
    world_leave(slot);
    printf("client %d leaves: %s\n", slot + 1, why);
}

static void set_name(struct client *c, const char *text) {
    size_t n = 0;
    text += strspn(text, " \"");
    while (text[n] && text[n] != '"' && n + 1 < sizeof c->name) {
        c->name[n] = text[n], n++;
    }
    c->name[n] = 0;
}

static bool is_word(const char *text, const char *word) {
    size_t n = strlen(word);
    return !strncmp(text, word, n) && (!text[n] || text[n] == ' ' || text[n] == '\n');
}

/* Each step is taken once, in its place: what belongs to the map before comes late, and is no answer to this one. */
static void heed(int slot, const char *text) {
    struct client *c = &clients[slot];
    bool old_spawn = fault == TAKES_AN_OLD_SPAWN && c->stage == INFORMED;
    if (is_word(text, "prespawn") && c->stage == INFORMED) {
        prespawn(slot);
    } else if (is_word(text, "spawn") && (c->stage == PRESPAWNED || old_spawn)) {
        spawn(slot);
        clients[slot].stage = old_spawn ? INFORMED : SPAWNED;
    } else if (is_word(text, "begin") && c->stage == SPAWNED) {
        c->stage = ACTIVE;
        printf("%s is in the game\n", c->name);
    } else if (is_word(text, "name")) {
        set_name(c, text + 4);
    } else if (is_word(text, "color")) {
        int top = 0, bottom = 0;
        sscanf(text + 5, "%d %d", &top, &bottom);
        c->colors = (top & 15) << 4 | (bottom & 15);
    } else if (is_word(text, "drop")) {
        client_leaves(slot, "drops", false);
    }
}

static int short_at(const uint8_t *at) {
    return (int16_t)(at[0] | at[1] << 8);
}

/* The length of a move, 0 if it is cut off. */
static size_t read_move(int slot, const uint8_t *at, size_t size) {
    bool narrow = protocol == PROTOCOL_NETQUAKE || fault == ANNOUNCES_15;
    size_t angle = narrow ? 1 : 2, need = 4 + 3 * angle + 6 + 2;
    struct move move;
    if (size < need) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        const uint8_t *code = at + 4 + angle * (size_t)axis;
        move.angles[axis] = narrow ? (float)(int8_t)*code * 360 / 256 : (float)short_at(code) * 360 / 65536;
    }
    at += 4 + 3 * angle;
    move.forward = short_at(at), move.side = short_at(at + 2), move.up = short_at(at + 4), move.buttons = at[6], move.impulse = at[7];
    if (clients[slot].stage == ACTIVE) {
        world_move(slot, &move);
    }
    return need;
}

static void read_message(int slot, const uint8_t *bytes, size_t size) {
    char text[256];
    for (size_t at = 0; at < size && clients[slot].stage != FREE;) {
        uint8_t command = bytes[at++];
        const uint8_t *end;
        size_t length;
        switch (command) {
        case CLC_NOP:
            break;
        case CLC_DISCONNECT:
            client_leaves(slot, "says so", false);
            return;
        case CLC_MOVE:
            length = read_move(slot, bytes + at, size - at);
            if (!length) {
                return;
            }
            at += length;
            break;
        case CLC_STRINGCMD:
            end = memchr(bytes + at, 0, size - at);
            if (!end) {
                return;
            }
            snprintf(text, sizeof text, "%s", (const char *)bytes + at);
            at = (size_t)(end - bytes) + 1;
            heed(slot, text);
            break;
        default:
            return; /* what follows means nothing */
        }
    }
}

void client_hears(int slot, const uint8_t *bytes, size_t size, int64_t now_us) {
    struct client *c = &clients[slot];
    const uint8_t *message;
    size_t length;
    static uint8_t copy[MESSAGE_MOST]; /* what it says may have it leave, and somebody come in its place */
    c->heard_us = now_us;
    if (channel_receive(&c->channel, now_us, bytes, size, &message, &length) != NOTHING && length <= sizeof copy) {
        memcpy(copy, message, length);
        read_message(slot, copy, length);
    }
    if (c->stage != FREE) {
        channel_poll(&c->channel, now_us); /* what it asked for need not wait for the next frame */
    }
}

/* Everything that is seen now: it needs no datagram of before. */
static void send_frame(int slot) {
    static struct message m;
    int own = alpha_code(world.now[slot].alpha);
    message_clear(&m, fault == CUTS_UPDATES ? 200 : DATAGRAM_MOST - 8);
    put_byte(&m, SVC_TIME);
    put_float(&m, (float)world.ms / 1000);
    put_clientdata(&m, &world.players[slot], own);
    for (int place = 0; place < world.count; place++) {
        const struct entity *e = &world.now[place];
        if (e->shown && (alpha_code(e->alpha) != 1 || e->effects || place == slot)) {
            put_update(&m, e, &world.base[place], world.ms);
            if (fault == MENTIONS_TWICE && place == slot) {
                put_update(&m, e, &world.base[place], world.ms);
            }
        }
    }
    if (m.size + world.events.size <= m.limit) {
        put_bytes(&m, world.events.bytes, world.events.size);
    }
    channel_unreliable(&clients[slot].channel, &m);
}

/* Things that have to arrive: a line of text, a statistic and a light, in turns. */
static void say_something(int slot, int64_t tick) {
    struct message *m = reliable(slot);
    char text[48];
    switch (tick / 30 % 3) {
    case 0:
        snprintf(text, sizeof text, "a clock strikes %d\n", (int)(tick / 90));
        say(slot, SVC_PRINT, text);
        break;
    case 1:
        put_byte(m, SVC_UPDATESTAT);
        put_byte(m, STAT_LAST);
        put_long(m, (uint32_t)(tick / 90));
        break;
    default:
        put_byte(m, SVC_LIGHTSTYLE);
        put_byte(m, 32);
        put_string(m, tick / 90 % 2 ? "a" : "m");
    }
}

void clients_tick(int64_t now_us) {
    int64_t tick = world.ms / TICK_MS;
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        struct client *c = &clients[slot];
        if (c->stage == FREE) {
            continue;
        }
        if (now_us - c->heard_us > SILENCE_US || c->channel.waiting.overflowed) {
            client_leaves(slot, c->channel.waiting.overflowed ? "takes nothing" : "is silent", true);
            continue;
        }
        if (c->stage == ACTIVE) {
            if (fault == FALLS_SILENT && now_us - first_player_us() > fault_after_us) {
                continue;
            }
            if (tick % 30 == 0) {
                say_something(slot, tick);
            }
            send_frame(slot);
        }
        channel_poll(&c->channel, now_us);
    }
}

void clients_change_map(const char *map, int64_t now_us) {
    world_begin(map);
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        if (clients[slot].stage != FREE) {
            say(slot, SVC_STUFFTEXT, "reconnect\n");
            inform(slot);
            if (fault == NUMBERS_START_OVER) {
                clients[slot].channel.unreliable_out = 0;
            }
            channel_poll(&clients[slot].channel, now_us);
        }
    }
    printf("the map is %s\n", map);
}

int64_t first_player_us(void) {
    static int64_t first = -1;
    for (int slot = 0; slot < MOST_CLIENTS && first < 0; slot++) {
        if (clients[slot].stage == ACTIVE) {
            first = clients[slot].heard_us;
        }
    }
    return first;
}
