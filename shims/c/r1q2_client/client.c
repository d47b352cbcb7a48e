/* A client of R1Q2 protocol 35, with its fall-back to protocol 34, under test by deltaproof.
 *
 * The shim gives it datagrams and the time; it has no clock, socket or randomness of its own. */
#define DELTAPROOF_SHIM_IMPLEMENTATION
#include "client.h"

/* ---- Datagrams ---- */

static void sequenced_datagram(client *c, const uint8_t *bytes, size_t size) {
    reader r = reader_of(bytes, size);
    uint32_t sequence = 0;
    if (c->stage < CONNECTED) {
        return;
    }
    switch (netchan_process(&c->channel, &r, &sequence)) {
    case PACKET_SHORT: ds_rejected(c->host, 0, r.at, r.bad); return;
    case PACKET_STALE: note(c, "stale datagram", 2, sequence, 0, 0, 0); return;
    default: break;
    }
    parse_messages(c, &r, 0);
    if (r.bad) {
        /* Where a message ends is lost, and with it everything after it: no session can go on. */
        ds_rejected(c->host, 0, r.at, r.bad);
        leave(c, "unreadable message");
    }
}

static void client_datagram(ds_host *host, void *self, uint64_t now, int from, int port, const uint8_t *bytes, size_t size) {
    static const uint8_t out_of_band[4] = {255, 255, 255, 255};
    client *c = (client *)self;
    (void)host, (void)from, (void)port;
    c->now = now;
    if (size >= 4 && memcmp(bytes, out_of_band, 4) == 0) {
        connectionless_datagram(c, bytes, size);
    } else {
        sequenced_datagram(c, bytes, size);
    }
}

/* ---- Packets of ours ---- */

static void write_move(client *c, writer *w, int32_t acknowledge, const usercmd *newest) {
    usercmd nothing;
    int compact = c->protocol == PROTOCOL_R1Q2 && c->minor >= 1904;
    memset(&nothing, 0, sizeof nothing);
    write_u8(w, 2); /* clc_move */
    if (c->protocol == PROTOCOL_OLD) {
        write_u8(w, 0); /* a checksum that servers skip */
    }
    write_u32(w, (uint32_t)acknowledge);
    write_usercmd_delta(w, compact, &nothing, &c->recent[0]);
    write_usercmd_delta(w, compact, &c->recent[0], &c->recent[1]);
    write_usercmd_delta(w, compact, &c->recent[1], newest);
}

static usercmd next_command(client *c) {
    usercmd command;
    uint64_t now_ms = c->now / 1000, msec = now_ms - c->last_move_ms;
    memset(&command, 0, sizeof command);
    memcpy(command.angles, c->look, sizeof c->look);
    memcpy(command.move, c->walk, sizeof c->walk);
    command.buttons = c->buttons;
    command.msec = msec > 250 ? 250 : (int)msec;
    c->last_move_ms = now_ms;
    return command;
}

static int32_t frame_to_acknowledge(client *c) {
    if (c->always_nodelta || c->nodelta || c->acknowledge < 0) {
        return -1;
    }
    if (c->ahead_moves > 0) {
        c->ahead_moves--;
        return c->acknowledge + c->ahead;
    }
    return c->acknowledge;
}

/* Remembers the command under the number of the packet that carries it, by which the server acknowledges it. */
static void remember_command(client *c, const usercmd *command) {
    static const int none[3];
    uint32_t sequence = c->channel.outgoing_sequence;
    const sent_command *before = command_of(c, sequence - 1);
    sent_command *slot = &c->sent[sequence % CMD_BACKUP];
    sent_command next;
    memset(&next, 0, sizeof next);
    next.sequence = sequence;
    next.command = *command;
    predict(c, before ? before->origin : c->current.player.pm_origin, before ? before->remainder : none, &next);
    *slot = next;
    c->recent[0] = c->recent[1];
    c->recent[1] = *command;
}

static void send_packet(client *c) {
    writer message, packet;
    message.size = 0, message.overflowed = 0;
    if (c->stage == ACTIVE) {
        usercmd command = next_command(c);
        write_move(c, &message, frame_to_acknowledge(c), &command);
        remember_command(c, &command);
    }
    netchan_transmit(&c->channel, message.bytes, message.size, &packet);
    ds_send(c->host, 0, 0, packet.bytes, packet.size);
    ds_wake(c->host, c->now + c->tick_us);
}

static void client_timeout(ds_host *host, void *self, uint64_t now) {
    client *c = (client *)self;
    c->now = now;
    if (c->stage == DISCONNECTED) {
        ds_no_wake(host);
    } else if (c->stage < CONNECTED) {
        resend_handshake(c);
    } else {
        send_packet(c);
    }
}

/* ---- What the scenario says ---- */

static void start_download(client *c, int number) {
    char text[64];
    if (c->stage < CONNECTED || c->file.under_way) {
        note(c, "command ignored", 0, 0, 0, 0, 0);
        return;
    }
    /* The third argument asks for compressed blocks, which only protocol 35 has. */
    snprintf(text, sizeof text, "download proof/%d.dat%s", number, c->protocol == PROTOCOL_R1Q2 ? " 0 udp-zlib" : "");
    c->file.under_way = 1;
    c->file.size = 0;
    stringcmd(c, text);
}

static void send_setting(client *c, int index, int value) {
    writer w;
    w.size = 0, w.overflowed = 0;
    if (c->stage < LOADING || c->protocol == PROTOCOL_OLD || c->minor < 1902) {
        note(c, "command ignored", 0, 0, 0, 0, 0);
        return;
    }
    write_u8(&w, 5); /* clc_setting */
    write_u16(&w, index);
    write_u16(&w, value);
    queue_command(c, &w);
}

static void client_verb(client *c, const ds_command *command) {
    static const char *const of_walk[3] = {"forward", "side", "up"}, *const of_look[3] = {"pitch", "yaw", "roll"};
    if (strcmp(command->verb, "walk") == 0) {
        for (int i = 0; i < 3; i++) c->walk[i] = (int16_t)ds_argument(command, of_walk[i]);
        c->buttons = ds_argument(command, "buttons") & 255;
    } else if (strcmp(command->verb, "look") == 0) {
        for (int i = 0; i < 3; i++) c->look[i] = (int16_t)ds_argument(command, of_look[i]);
    } else if (strcmp(command->verb, "nodelta") == 0) {
        c->nodelta = ds_argument(command, "on") != 0;
    } else if (strcmp(command->verb, "setting") == 0) {
        send_setting(c, ds_argument(command, "index"), ds_argument(command, "value"));
    } else if (strcmp(command->verb, "download") == 0) {
        start_download(c, ds_argument(command, "number"));
    } else if (strcmp(command->verb, "ack_ahead") == 0) {
        c->ahead = ds_argument(command, "frames");
        c->ahead_moves = ds_argument(command, "moves");
    } else {
        ds_unsupported(c->host, command->verb);
    }
}

static void client_command(ds_host *host, void *self, uint64_t now, const ds_command *command) {
    client *c = (client *)self;
    c->now = now;
    if (strcmp(command->name, "connect") == 0) {
        if (c->stage == DISCONNECTED) {
            c->protocol = c->wanted_protocol;
            begin_handshake(c, "connect");
        } else {
            note(c, "command ignored", 0, 0, 0, 0, 0);
        }
    } else if (strcmp(command->name, "disconnect") == 0) {
        if (c->stage == DISCONNECTED) {
            note(c, "command ignored", 0, 0, 0, 0, 0);
        } else {
            leave(c, "disconnect");
        }
    } else if (strcmp(command->name, "verb") == 0) {
        client_verb(c, command);
    } else {
        ds_unsupported(host, command->name);
    }
}

/* ---- What the player sees ---- */

static int32_t float_bits(double value) {
    float single = (float)value;
    int32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static int32_t *put_integers(int32_t *at, const int *values, int count) {
    for (int i = 0; i < count; i++) *at++ = values[i];
    return at;
}

static int32_t *put_scaled(int32_t *at, const int *values, double scale) {
    for (int i = 0; i < 3; i++) *at++ = float_bits(values[i] * scale);
    return at;
}

static int32_t *put_player(int32_t *at, const player_state *p) {
    *at++ = p->pm_type;
    at = put_integers(at, p->pm_origin, 3);
    at = put_integers(at, p->pm_velocity, 3);
    *at++ = p->pm_time;
    *at++ = p->pm_flags;
    *at++ = p->gravity;
    at = put_integers(at, p->delta_angles, 3);
    at = put_integers(at, p->viewoffset, 3);
    at = put_integers(at, p->viewangles, 3);
    at = put_integers(at, p->kick, 3);
    *at++ = p->gunindex;
    *at++ = p->gunframe;
    at = put_integers(at, p->gunoffset, 3);
    at = put_integers(at, p->gunangles, 3);
    at = put_integers(at, p->blend, 4);
    *at++ = p->fov;
    *at++ = p->rdflags;
    return at;
}

enum { ENTITY_FIELDS = 20, PLAYER_FIELDS = 36 };

static void show_entity(client *c, const entity_state *e) {
    int32_t row[ENTITY_FIELDS + PLAYER_FIELDS], *at = row;
    memset(row, 0, sizeof row);
    at = put_integers(at, e->model, 4);
    *at++ = e->frame;
    *at++ = (int32_t)e->skin;
    *at++ = (int32_t)e->effects;
    *at++ = (int32_t)e->renderfx;
    at = put_scaled(at, e->origin, 0.125);
    at = put_scaled(at, e->angles, 360.0 / 256);
    at = put_scaled(at, e->old_origin, 0.125);
    *at++ = e->sound;
    *at++ = e->event;
    *at++ = (int32_t)e->solid;
    if (e->number == c->player_number + 1) {
        put_player(at, &c->current.player);
    }
    ds_show_entity(c->host, (uint32_t)e->number, row, sizeof row / sizeof *row);
}

static void client_observe(ds_host *host, void *self) {
    client *c = (client *)self;
    ds_show_state(host, stage_name(c->stage));
    if (!c->has_frame) {
        ds_show_world(host, 0, 0, 0);
        return;
    }
    /* A frame stands for a tenth of a second: nothing on the wire says otherwise. */
    double seconds = (double)c->current.number / 10;
    ds_show_world(host, 1, (uint32_t)float_bits(seconds), (uint32_t)(c->player_number + 1));
    for (int i = 0; i < c->current.count; i++) {
        show_entity(c, &c->current.entities[i]);
    }
    for (int i = 0; i < MAX_STATS; i++) {
        if (c->current.player.stats[i]) ds_show_stat_int(host, i, c->current.player.stats[i]);
    }
}

/* ---- A run begins, and ends ---- */

static int revision_of(const char *profile) {
    return strcmp(profile, "r1q2-35") == 0 ? 1901 : (int)strtol(profile + strlen("r1q2-"), NULL, 10);
}

/* Clients behind one address have to differ in their numbers, so that these go on from one drawn from the seed. */
static int draw_qport(ds_host *host) {
    uint64_t seed = ds_seed(host) * 6364136223846793005u + 1442695040888963407u;
    return 1 + (int)(((seed >> 33) + 51u * (uint64_t)ds_number(host)) % 255);
}

static void *client_open(ds_host *host) {
    client *c = (client *)calloc(1, sizeof *c);
    char option[32];
    if (!c) {
        abort();
    }
    c->host = host;
    snprintf(option, sizeof option, "client%d_protocol", ds_number(host));
    c->wanted_protocol = (int)ds_option(host, option, PROTOCOL_R1Q2);
    c->own_minor = revision_of(ds_profile(host));
    c->tick_us = (uint64_t)ds_option(host, "client_tick_us", 50000);
    c->qport = (int)ds_option(host, "qport", -1);
    if (c->qport < 0) c->qport = draw_qport(host);
    c->maxlen = (int)ds_option(host, "maxlen", 1390);
    c->rate = (int)ds_option(host, "rate", 0);
    c->always_nodelta = ds_option(host, "nodelta", 0) != 0;
    return c;
}

static void client_close(ds_host *host, void *self) {
    client *c = (client *)self;
    (void)host;
    free(c->file.bytes);
    free(c);
}

int main(void) {
    static const char *const profiles[] = {"r1q2-35", "r1q2-1903", "r1q2-1904", "r1q2-1905", NULL};
    ds_shim shim;
    memset(&shim, 0, sizeof shim);
    shim.name = "R1Q2 client in C99";
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
