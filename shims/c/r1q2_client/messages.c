/* The messages of a datagram, but for the frame: the beginning of a map, what happens in it, and files. */
#include "client.h"

/* ---- The beginning of a map ---- */

static void fall_back(client *c, int revision) {
    note(c, "fall back", 1, revision, 0, 0, 0);
    say_goodbye(c);
    c->protocol = PROTOCOL_OLD;
    forget_world(c);
    begin_handshake(c, "another revision");
}

/* The revision that the server writes for us: it stands after the length in `connect`, and without one servers take 1903. */
static int stated_revision(const client *c) {
    return c->own_minor >= 1904 && c->maxlen < 0 ? 1903 : c->own_minor;
}

/* Up to 1903, another revision than ours means protocol 34. Later ones take what both have. */
static int take_revision(client *c, int announced) {
    if (c->own_minor < 1904 && announced != c->own_minor) {
        fall_back(c, announced);
        return 0;
    }
    int stated = stated_revision(c);
    c->minor = announced < stated ? announced : stated;
    return 1;
}

/* Returns 0 where the session is over. */
static int parse_serverdata(client *c, reader *r) {
    uint32_t protocol = read_u32(r, "protocol");
    int announced = 0;
    read_u32(r, "spawncount");
    read_u8(r, "attractloop");
    read_string(r, "gamedir");
    int player_number = read_s16(r, "playernum");
    read_string(r, "levelname");
    if (!r->bad && protocol != (uint32_t)c->protocol) {
        read_fail(r, "protocol");
    }
    if (c->protocol == PROTOCOL_R1Q2) {
        read_u8(r, "enhanced"); /* of no meaning to a client */
        announced = read_u16(r, "minor");
    }
    if (r->bad) {
        return 1;
    }
    if (c->protocol == PROTOCOL_R1Q2) {
        if (!take_revision(c, announced)) {
            return 0;
        }
        if (announced >= 1903) {
            read_u8(r, "advanced deltas");
            read_u8(r, "strafejump hack");
        }
    }
    forget_world(c);
    memset(c->baselines, 0, sizeof c->baselines);
    c->player_number = player_number;
    enter(c, LOADING, "serverdata");
    return 1;
}

int solid32(const client *c) {
    return c->protocol == PROTOCOL_R1Q2 && c->minor >= 1905;
}

static void parse_baseline(client *c, reader *r) {
    entity_state nothing, state;
    memset(&nothing, 0, sizeof nothing);
    memset(&state, 0, sizeof state);
    uint32_t bits = read_entity_header(r, &state.number);
    read_entity_delta(r, c->protocol, solid32(c), bits, &nothing, &state);
    if (!r->bad) c->baselines[state.number] = state;
}

/* The number at the end of a text, or 0. */
static int64_t number_at_end(const char *text) {
    const char *place = text + strlen(text);
    while (place > text && place[-1] >= '0' && place[-1] <= '9') {
        place--;
    }
    return (int64_t)strtoll(place, NULL, 10);
}

static void parse_configstring(client *c, reader *r) {
    int index = read_u16(r, "index");
    const char *text = read_string(r, "text");
    if (index >= MAX_CONFIGSTRINGS) {
        read_fail(r, "index");
    }
    if (!r->bad && c->stage == ACTIVE) {
        note(c, "configstring", 2, index, number_at_end(text), 0, 0);
    }
}

/* ---- Things that happen ---- */

/* Sums tell parts apart by their places. */
static int64_t add_part(int64_t sum, int64_t part) {
    int64_t next = (31 * sum + part) % 1000003;
    return next < 0 ? next + 1000003 : next;
}

static void parse_sound(client *c, reader *r) {
    sound_message sound;
    read_sound(r, &sound);
    int64_t sum = add_part(add_part(add_part(0, sound.volume), sound.attenuation), sound.offset);
    for (int i = 0; i < 3; i++) {
        sum = add_part(sum, sound.place[i]);
    }
    if (!r->bad) note(c, "sound", 4, sound.sound, sound.entity, sound.channel, sum);
}

static void parse_temp_entity(client *c, reader *r) {
    temp_entity effect;
    int64_t sum = 0;
    read_temp_entity(r, &effect);
    for (int i = 0; i < 9; i++) {
        sum = add_part(sum, effect.place[i / 3][i % 3]);
    }
    sum = add_part(add_part(add_part(sum, effect.count), effect.direction), effect.colour);
    sum = add_part(add_part(sum, effect.entity[0]), effect.entity[1]);
    sum = add_part(add_part(sum, effect.magnitude), effect.time);
    if (!r->bad) note(c, "temp entity", 2, effect.kind, sum, 0, 0);
}

static void parse_inventory(client *c, reader *r) {
    int64_t sum = 0, first = -1, of_first = 0;
    for (int i = 0; i < MAX_ITEMS; i++) {
        int count = read_s16(r, "inventory");
        sum = add_part(sum, count);
        if (count != 0 && first < 0) {
            first = i;
            of_first = count;
        }
    }
    if (!r->bad) note(c, "inventory", 3, first, of_first, sum, 0);
}

static void parse_print(client *c, reader *r) {
    const char *text = read_string(r, "text");
    if (!r->bad) ds_print(c->host, text, strlen(text));
}

/* ---- Files ---- */

static void add_block(client *c, const uint8_t *bytes, size_t size) {
    uint8_t *grown = (uint8_t *)realloc(c->file.bytes, c->file.size + size + 1);
    if (!grown) {
        abort();
    }
    c->file.bytes = grown;
    if (size > 0) memcpy(grown + c->file.size, bytes, size);
    c->file.size += size;
}

static void after_block(client *c, int percent) {
    if (!c->file.under_way) {
        return;
    }
    if (percent < 100) {
        stringcmd(c, "nextdl");
        return;
    }
    c->file.under_way = 0;
    note(c, "download bytes", 1, (int64_t)c->file.size, 0, 0, 0);
    note(c, "download sum", 1, (int64_t)adler32_of(c->file.bytes, c->file.size), 0, 0, 0);
}

static void parse_download(client *c, reader *r, int zipped) {
    static uint8_t block[MAX_UNZIPPED];
    int size = read_s16(r, "size"), percent = read_u8(r, "percent");
    if (size == -1 || r->bad) {
        /* Refused: neither a length nor data. */
        if (!r->bad && c->file.under_way) note(c, "download refused", 0, 0, 0, 0, 0);
        c->file.under_way = 0;
        return;
    }
    size_t length = zipped ? (size_t)read_u16(r, "uncompressed length") : (size_t)size;
    if (size < 0) {
        read_fail(r, "size");
    }
    const uint8_t *data = read_data(r, (size_t)size, "data");
    if (data && zipped) {
        if (!inflate_exactly(data, (size_t)size, block, length)) {
            read_fail(r, "compressed data");
            return;
        }
        data = block;
    }
    if (data) {
        if (c->file.under_way) add_block(c, data, length);
        after_block(c, percent);
    }
}

/* ---- Messages ---- */

enum {
    SVC_MUZZLEFLASH = 1, SVC_MUZZLEFLASH2, SVC_TEMP_ENTITY, SVC_LAYOUT, SVC_INVENTORY, SVC_NOP, SVC_DISCONNECT, SVC_RECONNECT,
    SVC_SOUND, SVC_PRINT, SVC_STUFFTEXT, SVC_SERVERDATA, SVC_CONFIGSTRING, SVC_SPAWNBASELINE, SVC_CENTERPRINT, SVC_DOWNLOAD,
    SVC_FRAME = 20, SVC_ZPACKET, SVC_ZDOWNLOAD, SVC_SETTING = 24
};

/* Messages in a zpacket are as good as any others; what comes after it goes on in the outer packet. */
static void parse_zpacket(client *c, reader *r) {
    static uint8_t unzipped[MAX_UNZIPPED];
    size_t size = (size_t)read_u16(r, "compressed length");
    size_t length = (size_t)read_u16(r, "uncompressed length");
    if (length == 0) {
        read_fail(r, "uncompressed length");
    }
    const uint8_t *data = read_data(r, size, "compressed data");
    if (!data) {
        return;
    }
    if (!inflate_exactly(data, size, unzipped, length)) {
        read_fail(r, "compressed data");
        return;
    }
    reader inner = reader_of(unzipped, length);
    parse_messages(c, &inner, 1);
    if (inner.bad) {
        read_fail(r, inner.bad);
    }
}

static void parse_muzzleflash(client *c, reader *r, int of_player) {
    int entity = read_s16(r, "entity"), weapon = read_u8(r, "weapon");
    if (!r->bad && of_player) note(c, "muzzleflash", 2, entity, weapon, 0, 0);
}

static void parse_layout(client *c, reader *r) {
    const char *text = read_string(r, "text");
    if (!r->bad) note(c, "layout", 1, number_at_end(text), 0, 0, 0);
}

static void parse_stufftext_message(client *c, reader *r) {
    const char *text = read_string(r, "text");
    if (!r->bad) parse_stufftext(c, text);
}

/* What only protocol 35 has. */
static void parse_new_message(client *c, reader *r, int kind, int zipped) {
    if (c->protocol == PROTOCOL_OLD) {
        read_fail(r, "svc");
    } else if (kind == SVC_ZPACKET && !zipped) {
        parse_zpacket(c, r);
    } else if (kind == SVC_ZDOWNLOAD) {
        parse_download(c, r, 1);
    } else if (kind == SVC_SETTING) {
        read_u32(r, "setting");
        read_u32(r, "value");
    } else {
        read_fail(r, "svc");
    }
}

static void parse_message(client *c, reader *r, int command, int zipped) {
    /* Over protocol 35 the upper three bits belong to the message; over 34 they are not there. */
    int kind = c->protocol == PROTOCOL_OLD ? command : command & 0x1f;
    if (command != kind && kind != SVC_FRAME) {
        read_fail(r, "svc");
        return;
    }
    switch (kind) {
    case SVC_MUZZLEFLASH: parse_muzzleflash(c, r, 1); break;
    case SVC_MUZZLEFLASH2: parse_muzzleflash(c, r, 0); break;
    case SVC_TEMP_ENTITY: parse_temp_entity(c, r); break;
    case SVC_LAYOUT: parse_layout(c, r); break;
    case SVC_INVENTORY: parse_inventory(c, r); break;
    case SVC_NOP: break;
    case SVC_DISCONNECT: leave(c, "the server says so"); break;
    case SVC_RECONNECT: console_line(c, "reconnect"); break;
    case SVC_SOUND: parse_sound(c, r); break;
    case SVC_PRINT: read_u8(r, "level"); parse_print(c, r); break;
    case SVC_STUFFTEXT: parse_stufftext_message(c, r); break;
    case SVC_SERVERDATA: (void)parse_serverdata(c, r); break;
    case SVC_CONFIGSTRING: parse_configstring(c, r); break;
    case SVC_SPAWNBASELINE: parse_baseline(c, r); break;
    case SVC_CENTERPRINT: parse_print(c, r); break;
    case SVC_DOWNLOAD: parse_download(c, r, 0); break;
    case SVC_FRAME: parse_frame(c, r, command); break;
    default: parse_new_message(c, r, kind, zipped);
    }
}

void parse_messages(client *c, reader *r, int zipped) {
    /* A fall-back or a goodbye in the middle: the rest is for a session that is over. */
    while (r->at < r->size && !r->bad && c->stage >= CONNECTED) {
        parse_message(c, r, read_u8(r, "svc"), zipped);
    }
}
