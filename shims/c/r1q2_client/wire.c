#include "wire.h"

#include <string.h>
#include <zlib.h>

/* ---- Reading ---- */

reader reader_of(const uint8_t *bytes, size_t size) {
    reader r = {bytes, size, 0, NULL};
    return r;
}

void read_fail(reader *r, const char *field) {
    if (!r->bad) {
        r->bad = field;
    }
}

const uint8_t *read_data(reader *r, size_t size, const char *field) {
    const uint8_t *place = r->bytes + r->at;
    if (r->bad || r->size - r->at < size) {
        read_fail(r, field);
        return NULL;
    }
    r->at += size;
    return place;
}

int read_u8(reader *r, const char *field) {
    const uint8_t *b = read_data(r, 1, field);
    return b ? b[0] : 0;
}

int read_s8(reader *r, const char *field) {
    return (int8_t)read_u8(r, field);
}

int read_u16(reader *r, const char *field) {
    const uint8_t *b = read_data(r, 2, field);
    return b ? b[0] | b[1] << 8 : 0;
}

int read_s16(reader *r, const char *field) {
    return (int16_t)read_u16(r, field);
}

uint32_t read_u32(reader *r, const char *field) {
    const uint8_t *b = read_data(r, 4, field);
    return b ? b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24 : 0;
}

const char *read_string(reader *r, const char *field) {
    const char *text = (const char *)r->bytes + r->at;
    const void *end = r->bad ? NULL : memchr(text, 0, r->size - r->at);
    if (!end) {
        read_fail(r, field);
        return "";
    }
    r->at += (size_t)((const char *)end - text) + 1;
    return text;
}

/* ---- Writing ---- */

void write_data(writer *w, const void *bytes, size_t size) {
    if (sizeof w->bytes - w->size < size) {
        w->overflowed = 1;
        return;
    }
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

void write_u8(writer *w, int value) {
    uint8_t byte = (uint8_t)value;
    write_data(w, &byte, 1);
}

void write_u16(writer *w, int value) {
    write_u8(w, value & 255);
    write_u8(w, value >> 8 & 255);
}

void write_u32(writer *w, uint32_t value) {
    write_u16(w, (int)(value & 65535));
    write_u16(w, (int)(value >> 16));
}

void write_string(writer *w, const char *text) {
    write_data(w, text, strlen(text) + 1);
}

/* ---- Entities ---- */

enum {
    U_ORIGIN1 = 1 << 0, U_ORIGIN2 = 1 << 1, U_ANGLE2 = 1 << 2, U_ANGLE3 = 1 << 3, U_FRAME8 = 1 << 4, U_EVENT = 1 << 5,
    U_MOREBITS1 = 1 << 7, U_NUMBER16 = 1 << 8, U_ORIGIN3 = 1 << 9, U_ANGLE1 = 1 << 10, U_MODEL = 1 << 11,
    U_RENDERFX8 = 1 << 12, U_EFFECTS8 = 1 << 14, U_MOREBITS2 = 1 << 15, U_SKIN8 = 1 << 16, U_FRAME16 = 1 << 17,
    U_RENDERFX16 = 1 << 18, U_EFFECTS16 = 1 << 19, U_MODEL2 = 1 << 20, U_MODEL3 = 1 << 21, U_MODEL4 = 1 << 22,
    U_MOREBITS3 = 1 << 23, U_OLDORIGIN = 1 << 24, U_SKIN16 = 1 << 25, U_SOUND = 1 << 26, U_SOLID = 1 << 27
};

uint32_t read_entity_header(reader *r, int *number) {
    uint32_t bits = (uint32_t)read_u8(r, "U bits 0-7");
    if (bits & U_MOREBITS1) bits |= (uint32_t)read_u8(r, "U bits 8-15") << 8;
    if (bits & U_MOREBITS2) bits |= (uint32_t)read_u8(r, "U bits 16-23") << 16;
    if (bits & U_MOREBITS3) bits |= (uint32_t)read_u8(r, "U bits 24-31") << 24;
    *number = bits & U_NUMBER16 ? read_u16(r, "number") : read_u8(r, "number");
    if (*number >= MAX_EDICTS) {
        read_fail(r, "number");
    }
    return bits;
}

/* Skin, effects and renderfx have two flags: one alone is 8 or 16 bits, both together are 32. */
static void read_sized(reader *r, int narrow, int wide, uint32_t *value, const char *field) {
    if (narrow && wide) {
        *value = read_u32(r, field);
    } else if (wide) {
        *value = (uint32_t)read_u16(r, field);
    } else if (narrow) {
        *value = (uint32_t)read_u8(r, field);
    }
}

void read_entity_delta(reader *r, int protocol, int solid32, uint32_t bits, const entity_state *from, entity_state *state) {
    static const uint32_t of_model[4] = {U_MODEL, U_MODEL2, U_MODEL3, U_MODEL4};
    static const uint32_t of_origin[3] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
    static const uint32_t of_angle[3] = {U_ANGLE1, U_ANGLE2, U_ANGLE3};
    const entity_state base = *from;
    int number = state->number;
    *state = base;
    state->number = number;
    /* Where the thing was in the base. Over protocol 35, the other end of a beam is a field like others, and stays. */
    if (protocol == PROTOCOL_OLD || !(base.renderfx & RF_BEAM)) {
        memcpy(state->old_origin, base.origin, sizeof base.origin);
    }
    for (int i = 0; i < 4; i++) {
        if (bits & of_model[i]) state->model[i] = read_u8(r, "model");
    }
    if (bits & U_FRAME8) state->frame = read_u8(r, "frame");
    if (bits & U_FRAME16) state->frame = read_u16(r, "frame");
    read_sized(r, (bits & U_SKIN8) != 0, (bits & U_SKIN16) != 0, &state->skin, "skin");
    read_sized(r, (bits & U_EFFECTS8) != 0, (bits & U_EFFECTS16) != 0, &state->effects, "effects");
    read_sized(r, (bits & U_RENDERFX8) != 0, (bits & U_RENDERFX16) != 0, &state->renderfx, "renderfx");
    for (int i = 0; i < 3; i++) {
        if (bits & of_origin[i]) state->origin[i] = read_s16(r, "origin");
    }
    for (int i = 0; i < 3; i++) {
        if (bits & of_angle[i]) state->angles[i] = read_s8(r, "angle"); /* half a circle either way */
    }
    for (int i = 0; i < 3 && bits & U_OLDORIGIN; i++) {
        state->old_origin[i] = read_s16(r, "old origin");
    }
    if (bits & U_SOUND) state->sound = read_u8(r, "sound");
    /* An event lasts one frame: it is never taken from the base. */
    state->event = bits & U_EVENT ? read_u8(r, "event") : 0;
    if (bits & U_SOLID) state->solid = solid32 ? read_u32(r, "solid") : (uint32_t)read_u16(r, "solid");
}

/* ---- Players ---- */

enum {
    PS_M_TYPE = 1 << 0, PS_M_ORIGIN = 1 << 1, PS_M_VELOCITY = 1 << 2, PS_M_TIME = 1 << 3, PS_M_FLAGS = 1 << 4,
    PS_M_GRAVITY = 1 << 5, PS_M_DELTA_ANGLES = 1 << 6, PS_VIEWOFFSET = 1 << 7, PS_VIEWANGLES = 1 << 8, PS_KICKANGLES = 1 << 9,
    PS_BLEND = 1 << 10, PS_FOV = 1 << 11, PS_WEAPONINDEX = 1 << 12, PS_WEAPONFRAME = 1 << 13, PS_RDFLAGS = 1 << 14,
    EPS_GUNOFFSET = 1 << 0, EPS_GUNANGLES = 1 << 1, EPS_PMOVE_VELOCITY2 = 1 << 2, EPS_PMOVE_ORIGIN2 = 1 << 3,
    EPS_VIEWANGLE2 = 1 << 4, EPS_STATS = 1 << 5
};

static void read_s16s(reader *r, int *values, int count, const char *field) {
    for (int i = 0; i < count; i++) values[i] = read_s16(r, field);
}

static void read_s8s(reader *r, int *values, int count, const char *field) {
    for (int i = 0; i < count; i++) values[i] = read_s8(r, field);
}

static void read_stats(reader *r, int *stats) {
    uint32_t mask = read_u32(r, "stat bits");
    for (int i = 0; i < MAX_STATS; i++) {
        if (mask >> i & 1) stats[i] = read_s16(r, "stat");
    }
}

/* Over protocol 34 the flags that protocol 35 has of their own go with those that they were split from. */
static int flags_of_old_protocol(int flags) {
    int extra = EPS_STATS;
    if (flags & PS_M_ORIGIN) extra |= EPS_PMOVE_ORIGIN2;
    if (flags & PS_M_VELOCITY) extra |= EPS_PMOVE_VELOCITY2;
    if (flags & PS_VIEWANGLES) extra |= EPS_VIEWANGLE2;
    if (flags & PS_WEAPONFRAME) extra |= EPS_GUNOFFSET | EPS_GUNANGLES;
    return extra;
}

void read_player_delta(reader *r, int protocol, int extraflags, player_state *state) {
    int flags = read_u16(r, "PS flags");
    if (protocol == PROTOCOL_OLD) {
        extraflags = flags_of_old_protocol(flags);
    }
    if (flags & PS_M_TYPE) state->pm_type = read_u8(r, "pm_type");
    if (flags & PS_M_ORIGIN) read_s16s(r, state->pm_origin, 2, "pmove origin");
    if (extraflags & EPS_PMOVE_ORIGIN2) read_s16s(r, state->pm_origin + 2, 1, "pmove origin");
    if (flags & PS_M_VELOCITY) read_s16s(r, state->pm_velocity, 2, "pmove velocity");
    if (extraflags & EPS_PMOVE_VELOCITY2) read_s16s(r, state->pm_velocity + 2, 1, "pmove velocity");
    if (flags & PS_M_TIME) state->pm_time = read_u8(r, "pm_time");
    if (flags & PS_M_FLAGS) state->pm_flags = read_u8(r, "pm_flags");
    if (flags & PS_M_GRAVITY) read_s16s(r, &state->gravity, 1, "gravity");
    if (flags & PS_M_DELTA_ANGLES) read_s16s(r, state->delta_angles, 3, "delta_angles");
    if (flags & PS_VIEWOFFSET) read_s8s(r, state->viewoffset, 3, "viewoffset");
    if (flags & PS_VIEWANGLES) read_s16s(r, state->viewangles, 2, "viewangles");
    if (extraflags & EPS_VIEWANGLE2) read_s16s(r, state->viewangles + 2, 1, "viewangles");
    if (flags & PS_KICKANGLES) read_s8s(r, state->kick, 3, "kick_angles");
    if (flags & PS_WEAPONINDEX) state->gunindex = read_u8(r, "gunindex");
    if (flags & PS_WEAPONFRAME) state->gunframe = read_u8(r, "gunframe");
    if (extraflags & EPS_GUNOFFSET) read_s8s(r, state->gunoffset, 3, "gunoffset");
    if (extraflags & EPS_GUNANGLES) read_s8s(r, state->gunangles, 3, "gunangles");
    for (int i = 0; i < 4 && flags & PS_BLEND; i++) {
        state->blend[i] = read_u8(r, "blend");
    }
    if (flags & PS_FOV) state->fov = read_u8(r, "fov");
    if (flags & PS_RDFLAGS) state->rdflags = read_u8(r, "rdflags");
    if (extraflags & EPS_STATS) read_stats(r, state->stats);
}

/* ---- Commands of the player ---- */

enum {
    CM_ANGLE1 = 1, CM_ANGLE2 = 2, CM_ANGLE3 = 4, CM_FORWARD = 8, CM_SIDE = 16, CM_UP = 32, CM_BUTTONS = 64, CM_IMPULSE = 128,
    BUTTON_FORWARD = 4, BUTTON_SIDE = 8, BUTTON_UP = 16, BUTTON_MASK = 1 | 2 | 128
};

/* Which of the speeds that are sent fit a signed byte of fives, as button bits. */
static int short_moves(int bits, const usercmd *to) {
    static const int of_move[3] = {BUTTON_FORWARD, BUTTON_SIDE, BUTTON_UP};
    int found = 0;
    for (int i = 0; i < 3; i++) {
        if (bits & CM_FORWARD << i && to->move[i] % 5 == 0 && to->move[i] >= -640 && to->move[i] <= 635) {
            found |= of_move[i];
        }
    }
    return found;
}

void write_usercmd_delta(writer *w, int compact, const usercmd *from, const usercmd *to) {
    int bits = 0, shorts = 0;
    for (int i = 0; i < 3; i++) {
        if (to->angles[i] != from->angles[i]) bits |= CM_ANGLE1 << i;
        if (to->move[i] != from->move[i]) bits |= CM_FORWARD << i;
    }
    if (to->impulse != from->impulse) bits |= CM_IMPULSE;
    if (to->buttons != from->buttons) bits |= CM_BUTTONS;
    if (compact) {
        shorts = short_moves(bits, to);
        if (shorts) bits |= CM_BUTTONS; /* they stand among the buttons */
    }
    write_u8(w, bits);
    if (compact && bits & CM_BUTTONS) write_u8(w, (to->buttons & BUTTON_MASK) | shorts);
    for (int i = 0; i < 3; i++) {
        if (bits & CM_ANGLE1 << i) write_u16(w, to->angles[i]);
    }
    for (int i = 0; i < 3; i++) {
        if (!(bits & CM_FORWARD << i)) continue;
        if (shorts & BUTTON_FORWARD << i) {
            write_u8(w, to->move[i] / 5);
        } else {
            write_u16(w, to->move[i]);
        }
    }
    if (!compact && bits & CM_BUTTONS) write_u8(w, to->buttons);
    if (bits & CM_IMPULSE) write_u8(w, to->impulse);
    write_u8(w, to->msec);
    write_u8(w, to->lightlevel);
}

/* ---- Sounds and effects ---- */

enum { SND_VOLUME = 1, SND_ATTENUATION = 2, SND_POS = 4, SND_ENT = 8, SND_OFFSET = 16 };

void read_sound(reader *r, sound_message *sound) {
    int flags = read_u8(r, "sound flags");
    sound->sound = read_u8(r, "sound");
    sound->volume = flags & SND_VOLUME ? read_u8(r, "volume") : -1;
    sound->attenuation = flags & SND_ATTENUATION ? read_u8(r, "attenuation") : -1;
    sound->offset = flags & SND_OFFSET ? read_u8(r, "offset") : -1;
    int both = flags & SND_ENT ? read_u16(r, "entity and channel") : 0;
    sound->entity = both >> 3;
    sound->channel = both & 7;
    memset(sound->place, 0, sizeof sound->place);
    if (flags & SND_POS) read_s16s(r, sound->place, 3, "sound place");
}

/* What each kind carries, in its order: P a place, D a direction, N a count, C a colour, E an entity, M a magnitude, and T a time
 * that is there unless the entity before it is -1. Kinds without a letter do not exist on the wire. */
static const char *const temp_entity_parts[] = {
    "PD", "PD", "PD", "PP", "PD", "P", "P", "P", "P", "PD",                /* 0 gunshot ... 9 sparks */
    "NPDC", "PP", "PD", "PD", "PD", "NPDC", "EPP", "P", "P", "EPP",        /* 10 splash ... 19 medic cable */
    "P", "P", "P", "PP", "EPPP", "NPDC", "PD", "PP", "P", "NPDC",          /* 20 BFG ... 29 tunnel sparks */
    "PD", "", "", "EEPP", "PP", "P", "PE", "PPC", "EPP", "EPP",            /* 30 blaster ... 39 monster's heat beam */
    "ENPDCMT", "PP", "PD", "PD", "PD", "P", "PD", "P", "P", "P",           /* 40 steam ... 49 goal */
    "EP", "P", "P", "P", "P", "PD"                                         /* 50 widow's beam ... 55 flechette */
};

void read_temp_entity(reader *r, temp_entity *effect) {
    int places = 0, entities = 0;
    memset(effect, 0, sizeof *effect);
    effect->kind = read_u8(r, "temp entity");
    if (effect->kind >= (int)(sizeof temp_entity_parts / sizeof *temp_entity_parts) || !*temp_entity_parts[effect->kind]) {
        read_fail(r, "temp entity");
        return;
    }
    for (const char *part = temp_entity_parts[effect->kind]; *part; part++) {
        switch (*part) {
        case 'P': read_s16s(r, effect->place[places++], 3, "place"); break;
        case 'D': effect->direction = read_u8(r, "direction"); break;
        case 'N': effect->count = read_u8(r, "count"); break;
        case 'C': effect->colour = read_u8(r, "colour"); break;
        case 'E': effect->entity[entities++] = read_s16(r, "entity"); break;
        case 'M': effect->magnitude = read_s16(r, "magnitude"); break;
        default:
            if (effect->entity[0] != -1) effect->time = (int32_t)read_u32(r, "time");
        }
    }
}

/* ---- zlib ---- */

int inflate_exactly(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -15) != Z_OK) {
        return 0;
    }
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)out_size;
    int end = inflate(&stream, Z_FINISH);
    int exact = end == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return exact;
}

uint32_t adler32_of(const uint8_t *bytes, size_t size) {
    return (uint32_t)adler32(adler32(0, NULL, 0), bytes, (uInt)size);
}
