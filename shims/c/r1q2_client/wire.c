#include "wire.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bits of an entity's update. */
enum {
    U_ORIGIN1 = 1 << 0, U_ORIGIN2 = 1 << 1, U_ANGLE2 = 1 << 2, U_ANGLE3 = 1 << 3, U_FRAME8 = 1 << 4, U_EVENT = 1 << 5,
    U_REMOVE = 1 << 6, U_MOREBITS1 = 1 << 7, U_NUMBER16 = 1 << 8, U_ORIGIN3 = 1 << 9, U_ANGLE1 = 1 << 10, U_MODEL = 1 << 11,
    U_RENDERFX8 = 1 << 12, U_EFFECTS8 = 1 << 14, U_MOREBITS2 = 1 << 15, U_SKIN8 = 1 << 16, U_FRAME16 = 1 << 17,
    U_RENDERFX16 = 1 << 18, U_EFFECTS16 = 1 << 19, U_MODEL2 = 1 << 20, U_MOREBITS3 = 1 << 23, U_OLDORIGIN = 1 << 24,
    U_SKIN16 = 1 << 25, U_SOUND = 1 << 26, U_SOLID = 1 << 27
};
enum { RF_BEAM = 128 };

/* Bits of a player's state, and those that protocol 35 has beside them. */
enum {
    PS_M_TYPE = 1 << 0, PS_M_ORIGIN = 1 << 1, PS_M_VELOCITY = 1 << 2, PS_M_TIME = 1 << 3, PS_M_FLAGS = 1 << 4,
    PS_M_GRAVITY = 1 << 5, PS_M_DELTA_ANGLES = 1 << 6, PS_VIEWOFFSET = 1 << 7, PS_VIEWANGLES = 1 << 8, PS_KICKANGLES = 1 << 9,
    PS_BLEND = 1 << 10, PS_FOV = 1 << 11, PS_WEAPONINDEX = 1 << 12, PS_WEAPONFRAME = 1 << 13, PS_RDFLAGS = 1 << 14
};
enum {
    EPS_GUNOFFSET = 1 << 0, EPS_GUNANGLES = 1 << 1, EPS_PMOVE_VELOCITY2 = 1 << 2, EPS_PMOVE_ORIGIN2 = 1 << 3,
    EPS_VIEWANGLE2 = 1 << 4, EPS_STATS = 1 << 5
};
enum { NO_BASE = 31, MAX_AREA_BYTES = 32 };

enum { CM_ANGLE1 = 1, CM_FORWARD = 8, CM_BUTTONS = 64 };

static void *allocated(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

int32_t read_int(reader *r, size_t bytes, int is_signed) {
    uint32_t value = 0;
    if (r->is_bad || r->size - r->at < bytes) {
        r->is_bad = 1;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint32_t)r->bytes[r->at++] << 8 * i;
    }
    if (is_signed && bytes < 4 && value >> (8 * bytes - 1)) {
        value |= ~0u << 8 * bytes;
    }
    return (int32_t)value;
}

void read_string(reader *r, char *text, size_t room) {
    size_t size = 0;
    int32_t byte;
    while ((byte = read_u8(r)) != 0) {
        if (size + 1 < room) {
            text[size++] = (char)byte;
        }
    }
    text[size] = 0;
}

const uint8_t *read_bytes(reader *r, size_t count) {
    if (r->is_bad || r->size - r->at < count) {
        r->is_bad = 1;
        return NULL;
    }
    r->at += count;
    return r->bytes + r->at - count;
}

static void read_s16s(reader *r, int32_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = read_s16(r);
    }
}

static void read_s8s(reader *r, int32_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = read_s8(r);
    }
}

uint32_t read_entity_head(reader *r, uint32_t *number) {
    uint32_t bits = (uint32_t)read_u8(r);
    if (bits & U_MOREBITS1) {
        bits |= (uint32_t)read_u8(r) << 8;
    }
    if (bits & U_MOREBITS2) {
        bits |= (uint32_t)read_u8(r) << 16;
    }
    if (bits & U_MOREBITS3) {
        bits |= (uint32_t)read_u8(r) << 24;
    }
    *number = (uint32_t)(bits & U_NUMBER16 ? read_u16(r) : read_u8(r));
    r->is_bad |= *number >= MAX_ENTITIES;
    return bits;
}

/* A number of one byte, of two, or, with both bits, of four. */
static void read_sized(reader *r, uint32_t bits, uint32_t small, uint32_t large, int32_t *value) {
    if ((bits & small) && (bits & large)) {
        *value = read_s32(r);
    } else if (bits & large) {
        *value = read_u16(r);
    } else if (bits & small) {
        *value = read_u8(r);
    }
}

entity read_entity(reader *r, uint32_t bits, const entity *from, int protocol) {
    entity to = *from;
    int32_t *f = to.field;
    /* A beam ends where it ended: protocol 35 does not repeat that, and what it ends at was in the base. */
    if (protocol == PROTOCOL_ORIGINAL || !(from->field[E_RENDERFX] & RF_BEAM)) {
        memcpy(f + E_OLD_ORIGIN, from->field + E_ORIGIN, 3 * sizeof *f);
    }
    f[E_EVENT] = 0;
    if (bits & U_MODEL) {
        f[E_MODEL] = read_u8(r);
    }
    for (int i = 0; i < 3; i++) {
        if (bits & (uint32_t)U_MODEL2 << i) {
            f[E_MODEL + 1 + i] = read_u8(r);
        }
    }
    if (bits & U_FRAME8) {
        f[E_FRAME] = read_u8(r);
    }
    if (bits & U_FRAME16) {
        f[E_FRAME] = read_u16(r);
    }
    read_sized(r, bits, U_SKIN8, U_SKIN16, f + E_SKIN);
    read_sized(r, bits, U_EFFECTS8, U_EFFECTS16, f + E_EFFECTS);
    read_sized(r, bits, U_RENDERFX8, U_RENDERFX16, f + E_RENDERFX);
    if (bits & U_ORIGIN1) {
        f[E_ORIGIN] = read_s16(r);
    }
    if (bits & U_ORIGIN2) {
        f[E_ORIGIN + 1] = read_s16(r);
    }
    if (bits & U_ORIGIN3) {
        f[E_ORIGIN + 2] = read_s16(r);
    }
    if (bits & U_ANGLE1) {
        f[E_ANGLES] = read_s8(r);
    }
    if (bits & U_ANGLE2) {
        f[E_ANGLES + 1] = read_s8(r);
    }
    if (bits & U_ANGLE3) {
        f[E_ANGLES + 2] = read_s8(r);
    }
    if (bits & U_OLDORIGIN) {
        read_s16s(r, f + E_OLD_ORIGIN, 3);
    }
    if (bits & U_SOUND) {
        f[E_SOUND] = read_u8(r);
    }
    if (bits & U_EVENT) {
        f[E_EVENT] = read_u8(r);
    }
    if (bits & U_SOLID) {
        f[E_SOLID] = read_u16(r);
    }
    return to;
}

/* Over protocol 34, what protocol 35 names by flags of its own comes along with the rest. */
static unsigned all_parts(uint32_t flags) {
    unsigned extra = EPS_STATS;
    extra |= flags & PS_M_ORIGIN ? EPS_PMOVE_ORIGIN2 : 0;
    extra |= flags & PS_M_VELOCITY ? EPS_PMOVE_VELOCITY2 : 0;
    extra |= flags & PS_VIEWANGLES ? EPS_VIEWANGLE2 : 0;
    extra |= flags & PS_WEAPONFRAME ? EPS_GUNOFFSET | EPS_GUNANGLES : 0;
    return extra;
}

static void read_movement(reader *r, uint32_t flags, unsigned extra, int32_t *f) {
    if (flags & PS_M_TYPE) {
        f[P_TYPE] = read_u8(r);
    }
    if (flags & PS_M_ORIGIN) {
        read_s16s(r, f + P_ORIGIN, 2);
    }
    if (extra & EPS_PMOVE_ORIGIN2) {
        f[P_ORIGIN + 2] = read_s16(r);
    }
    if (flags & PS_M_VELOCITY) {
        read_s16s(r, f + P_VELOCITY, 2);
    }
    if (extra & EPS_PMOVE_VELOCITY2) {
        f[P_VELOCITY + 2] = read_s16(r);
    }
    if (flags & PS_M_TIME) {
        f[P_TIME] = read_u8(r);
    }
    if (flags & PS_M_FLAGS) {
        f[P_FLAGS] = read_u8(r);
    }
    if (flags & PS_M_GRAVITY) {
        f[P_GRAVITY] = read_s16(r);
    }
    if (flags & PS_M_DELTA_ANGLES) {
        read_s16s(r, f + P_DELTA_ANGLES, 3);
    }
}

static void read_weapon(reader *r, uint32_t flags, unsigned extra, int32_t *f) {
    if (flags & PS_WEAPONINDEX) {
        f[P_GUNINDEX] = read_u8(r);
    }
    if (flags & PS_WEAPONFRAME) {
        f[P_GUNFRAME] = read_u8(r);
    }
    if (extra & EPS_GUNOFFSET) {
        read_s8s(r, f + P_GUNOFFSET, 3);
    }
    if (extra & EPS_GUNANGLES) {
        read_s8s(r, f + P_GUNANGLES, 3);
    }
}

static void read_player(reader *r, player *self, unsigned extra, int protocol) {
    uint32_t flags = (uint32_t)read_u16(r);
    int32_t *f = self->field;
    if (protocol == PROTOCOL_ORIGINAL) {
        extra = all_parts(flags);
    }
    read_movement(r, flags, extra, f);
    if (flags & PS_VIEWOFFSET) {
        read_s8s(r, f + P_VIEWOFFSET, 3);
    }
    if (flags & PS_VIEWANGLES) {
        read_s16s(r, f + P_VIEWANGLES, 2);
    }
    if (extra & EPS_VIEWANGLE2) {
        f[P_VIEWANGLES + 2] = read_s16(r);
    }
    if (flags & PS_KICKANGLES) {
        read_s8s(r, f + P_KICK, 3);
    }
    read_weapon(r, flags, extra, f);
    for (int i = 0; flags & PS_BLEND && i < 4; i++) {
        f[P_BLEND + i] = read_u8(r);
    }
    if (flags & PS_FOV) {
        f[P_FOV] = read_u8(r);
    }
    if (flags & PS_RDFLAGS) {
        f[P_RDFLAGS] = read_u8(r);
    }
    if (extra & EPS_STATS) {
        uint32_t mask = (uint32_t)read_s32(r);
        for (int i = 0; i < MAX_STATS; i++) {
            if (mask >> i & 1) {
                self->stat[i] = read_s16(r);
            }
        }
    }
}

frame_start read_frame_start(reader *r, unsigned command, int protocol) {
    frame_start start = {0, -1, 0};
    if (protocol == PROTOCOL_ORIGINAL) {
        start.number = read_s32(r);
        start.base = read_s32(r);
        read_u8(r); /* frames that were held back */
        return start;
    }
    uint32_t word = (uint32_t)read_s32(r);
    uint32_t offset = word >> 27;
    unsigned held_back = (unsigned)read_u8(r);
    start.number = (int32_t)(word & 0x07ffffff);
    start.base = offset == NO_BASE ? -1 : start.number - (int32_t)offset;
    start.extra = (command & 0xe0) >> 1 | held_back >> 4;
    return start;
}

static void keep(frame *f, uint32_t number, const entity *state) {
    if (f->count < MAX_ENTITIES) {
        f->numbers[f->count] = number;
        f->states[f->count++] = *state;
    }
}

/* What the frame does not mention is as it was, but that its event is over, and it comes from where it was. */
static void keep_old(frame *f, const frame *base, size_t place, int protocol) {
    reader nothing = {NULL, 0, 0, 0};
    entity state = read_entity(&nothing, 0, &base->states[place], protocol);
    keep(f, base->numbers[place], &state);
}

frame read_frame(reader *r, const frame_start *start, const frame *base, const entity *baselines, int protocol) {
    frame f = {start->number, 1, {{0}, {0}}, 0, NULL, NULL};
    size_t old = 0, olds = base ? base->count : 0;
    size_t areas = (size_t)read_u8(r);
    f.numbers = (uint32_t *)allocated(MAX_ENTITIES, sizeof *f.numbers);
    f.states = (entity *)allocated(MAX_ENTITIES, sizeof *f.states);
    r->is_bad |= areas > MAX_AREA_BYTES;
    read_bytes(r, areas);
    if (base) {
        f.self = base->self;
    }
    if (protocol == PROTOCOL_ORIGINAL) {
        r->is_bad |= read_u8(r) != SVC_PLAYERINFO;
    }
    read_player(r, &f.self, start->extra, protocol);
    if (protocol == PROTOCOL_ORIGINAL) {
        r->is_bad |= read_u8(r) != SVC_PACKETENTITIES;
    }
    while (!r->is_bad) {
        uint32_t number, bits = read_entity_head(r, &number);
        if (r->is_bad || number == 0) {
            break;
        }
        for (; old < olds && base->numbers[old] < number; old++) {
            keep_old(&f, base, old, protocol);
        }
        const entity *from = &baselines[number];
        if (old < olds && base->numbers[old] == number) {
            from = &base->states[old++];
        }
        if (!(bits & U_REMOVE)) {
            entity state = read_entity(r, bits, from, protocol);
            keep(&f, number, &state);
        }
    }
    for (; old < olds; old++) {
        keep_old(&f, base, old, protocol);
    }
    return f;
}

void free_frame(frame *f) {
    free(f->numbers);
    free(f->states);
    memset(f, 0, sizeof *f);
}

int inflate_raw(const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    /* Fifteen bits of window, negative: without a header. */
    if (inflateInit2(&stream, -15) != Z_OK) {
        return 0;
    }
    stream.next_in = (Bytef *)(uintptr_t)packed;
    stream.avail_in = (uInt)packed_size;
    stream.next_out = bytes;
    stream.avail_out = (uInt)size;
    int result = inflate(&stream, Z_FINISH);
    int is_good = result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return is_good;
}

static size_t write_s16(uint8_t *bytes, int16_t value) {
    bytes[0] = (uint8_t)((uint16_t)value & 0xff);
    bytes[1] = (uint8_t)((uint16_t)value >> 8);
    return 2;
}

static size_t write_usercmd(uint8_t *bytes, const usercmd *from, const usercmd *to) {
    size_t size = 1;
    bytes[0] = 0;
    for (int i = 0; i < 3; i++) {
        if (to->angles[i] != from->angles[i]) {
            bytes[0] |= (uint8_t)(CM_ANGLE1 << i);
            size += write_s16(bytes + size, to->angles[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (to->moves[i] != from->moves[i]) {
            bytes[0] |= (uint8_t)(CM_FORWARD << i);
            size += write_s16(bytes + size, to->moves[i]);
        }
    }
    if (to->buttons != from->buttons) {
        bytes[0] |= CM_BUTTONS;
        bytes[size++] = to->buttons;
    }
    bytes[size++] = to->msec;
    bytes[size++] = 0; /* how light it is where the player stands */
    return size;
}

size_t write_move(uint8_t *bytes, int32_t acknowledged, const usercmd commands[3], int protocol) {
    static const usercmd nothing = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    size_t size = 0;
    bytes[size++] = CLC_MOVE;
    if (protocol == PROTOCOL_ORIGINAL) {
        bytes[size++] = 0; /* a checksum, which no server of protocol 35 looks at, and which protocol 35 itself does not have */
    }
    for (int i = 0; i < 4; i++) {
        bytes[size++] = (uint8_t)((uint32_t)acknowledged >> 8 * i);
    }
    for (int i = 0; i < 3; i++) {
        size += write_usercmd(bytes + size, i > 0 ? &commands[i - 1] : &nothing, &commands[i]);
    }
    return size;
}
