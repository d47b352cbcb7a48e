/* What stands in a datagram: numbers, and the messages that have a layout of their own. */
#include "toy.h"

#include <math.h>
#include <string.h>

int protocol = PROTOCOL_FITZQUAKE;

void message_clear(struct message *m, size_t limit) {
    m->size = 0, m->limit = limit, m->overflowed = false;
}

void put_bytes(struct message *m, const void *bytes, size_t size) {
    if (m->overflowed || m->size + size > m->limit) {
        m->overflowed = true;
        return;
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

void put_byte(struct message *m, long value) {
    uint8_t byte = (uint8_t)(value & 255);
    put_bytes(m, &byte, 1);
}

void put_short(struct message *m, long value) {
    uint8_t bytes[2] = {(uint8_t)(value & 255), (uint8_t)(value >> 8 & 255)};
    put_bytes(m, bytes, 2);
}

void put_long(struct message *m, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put_bytes(m, bytes, 4);
}

void put_float(struct message *m, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_long(m, bits);
}

void put_string(struct message *m, const char *text) {
    put_bytes(m, text, strlen(text) + 1);
}

void put_coord(struct message *m, float value) {
    put_short(m, lround(value * 8.0));
}

void put_angle(struct message *m, float value) {
    put_byte(m, lround(value * 256.0 / 360.0));
}

/* 0 is no opacity of its own, 1 is invisible, 255 is opaque. */
int alpha_code(float alpha) {
    if (alpha == 0 || protocol == PROTOCOL_NETQUAKE) {
        return 0;
    }
    long code = lround(alpha * 254.0 + 1.0);
    return code < 1 ? 1 : code > 255 ? 255 : (int)code;
}

enum { B_LARGEMODEL = 1, B_LARGEFRAME = 2, B_ALPHA = 4 };

static int base_flags(const struct entity *e) {
    return (e->model > 255 ? B_LARGEMODEL : 0) | (e->frame > 255 ? B_LARGEFRAME : 0) | (alpha_code(e->alpha) ? B_ALPHA : 0);
}

/* What baselines and static entities have in common. */
static void put_look(struct message *m, const struct entity *e, int flags) {
    flags & B_LARGEMODEL ? put_short(m, e->model) : put_byte(m, e->model);
    flags & B_LARGEFRAME ? put_short(m, e->frame) : put_byte(m, e->frame);
    put_byte(m, e->colormap);
    put_byte(m, e->skin);
    for (int axis = 0; axis < 3; axis++) {
        put_coord(m, e->origin[axis]);
        put_angle(m, e->angles[axis]);
    }
    if (flags & B_ALPHA) {
        put_byte(m, alpha_code(e->alpha));
    }
}

void put_baseline(struct message *m, const struct entity *base) {
    int flags = base_flags(base);
    put_byte(m, flags ? SVC_SPAWNBASELINE2 : SVC_SPAWNBASELINE);
    if (flags && fault == BASELINE_FLAGS) {
        put_byte(m, flags);
        put_short(m, base->number);
    } else {
        put_short(m, base->number);
        if (flags) {
            put_byte(m, flags);
        }
    }
    put_look(m, base, flags);
}

void put_static(struct message *m, const struct entity *e) {
    int flags = base_flags(e);
    put_byte(m, flags ? SVC_SPAWNSTATIC2 : SVC_SPAWNSTATIC);
    if (flags) {
        put_byte(m, flags);
    }
    put_look(m, e, flags);
}

void put_static_sound(struct message *m, const float origin[3], int sound, int volume, int attenuation) {
    put_byte(m, sound > 255 ? SVC_SPAWNSTATICSOUND2 : SVC_SPAWNSTATICSOUND);
    for (int axis = 0; axis < 3; axis++) {
        put_coord(m, origin[axis]);
    }
    sound > 255 ? put_short(m, sound) : put_byte(m, sound);
    put_byte(m, volume);
    put_byte(m, attenuation);
}

enum { SND_VOLUME = 1, SND_ATTENUATION = 2, SND_LARGEENTITY = 8, SND_LARGESOUND = 16 };

void put_sound(struct message *m, const struct sound *sound) {
    bool wide = sound->entity > 8191 || sound->channel > 7;
    int mask = (sound->volume != 255 ? SND_VOLUME : 0) | (sound->attenuation != 64 ? SND_ATTENUATION : 0) |
               (wide ? SND_LARGEENTITY : 0) | (sound->number > 255 && fault != SOUND_BYTE ? SND_LARGESOUND : 0);
    put_byte(m, SVC_SOUND);
    put_byte(m, mask);
    if (mask & SND_VOLUME) {
        put_byte(m, sound->volume);
    }
    if (mask & SND_ATTENUATION) {
        put_byte(m, sound->attenuation);
    }
    if (wide) {
        put_short(m, sound->entity);
        put_byte(m, sound->channel);
    } else {
        put_short(m, sound->entity << 3 | sound->channel);
    }
    mask & SND_LARGESOUND ? put_short(m, sound->number) : put_byte(m, sound->number);
    for (int axis = 0; axis < 3; axis++) {
        put_coord(m, sound->origin[axis]);
    }
}

enum {
    SU_VIEWHEIGHT = 1 << 0, SU_PUNCH1 = 1 << 2, SU_VELOCITY1 = 1 << 5, SU_ITEMS = 1 << 9, SU_ONGROUND = 1 << 10, SU_WEAPONFRAME = 1 << 12,
    SU_ARMOR = 1 << 13, SU_WEAPON = 1 << 14, SU_EXTEND1 = 1 << 15, SU_WEAPON2 = 1 << 16, SU_ARMOR2 = 1 << 17, SU_AMMO2 = 1 << 18,
    SU_EXTEND2 = 1 << 23, SU_WEAPONFRAME2 = 1 << 24, SU_WEAPONALPHA = 1 << 25
};

static long player_bits(const struct player *p, int alpha) {
    long bits = SU_ITEMS | SU_WEAPON | (p->on_ground ? SU_ONGROUND : 0) | (p->punch != 0 ? SU_PUNCH1 : 0);
    for (int axis = 0; axis < 3; axis++) {
        bits |= (int)p->velocity[axis] / 16 != 0 ? SU_VELOCITY1 << axis : 0;
    }
    bits |= (p->weapon_frame ? SU_WEAPONFRAME : 0) | (p->armor ? SU_ARMOR : 0);
    if (protocol == PROTOCOL_NETQUAKE) {
        return bits;
    }
    bits |= (p->weapon_model > 255 ? SU_WEAPON2 : 0) | (p->armor > 255 ? SU_ARMOR2 : 0);
    for (int kind = 0; kind < 5; kind++) {
        bits |= p->ammo[kind] > 255 ? SU_AMMO2 << kind : 0;
    }
    bits |= (p->weapon_frame > 255 ? SU_WEAPONFRAME2 : 0) | (alpha ? SU_WEAPONALPHA : 0);
    bits |= bits >> 24 ? SU_EXTEND2 : 0;
    return bits | (bits >> 16 ? SU_EXTEND1 : 0);
}

void put_clientdata(struct message *m, const struct player *p, int alpha) {
    if (alpha && fault == WEAPON_ALPHA) {
        alpha = alpha_code(0.9f);
    }
    long bits = player_bits(p, alpha);
    put_byte(m, SVC_CLIENTDATA);
    put_short(m, bits & 0xffff);
    if (bits & SU_EXTEND1) {
        put_byte(m, bits >> 16);
    }
    if (bits & SU_EXTEND2) {
        put_byte(m, bits >> 24);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (bits & SU_PUNCH1 << axis) {
            put_byte(m, (long)p->punch);
        }
        if (bits & SU_VELOCITY1 << axis) {
            put_byte(m, (long)p->velocity[axis] / 16);
        }
    }
    put_long(m, 0x1000u | (uint32_t)p->weapon_bit);
    if (bits & SU_WEAPONFRAME) {
        put_byte(m, p->weapon_frame);
    }
    if (bits & SU_ARMOR) {
        put_byte(m, p->armor);
    }
    put_byte(m, p->weapon_model);
    put_short(m, p->health);
    for (int kind = 0; kind < 5; kind++) {
        put_byte(m, p->ammo[kind]);
    }
    put_byte(m, p->weapon_bit);
    if (bits & SU_WEAPON2) {
        put_byte(m, p->weapon_model >> 8);
    }
    if (bits & SU_ARMOR2) {
        put_byte(m, p->armor >> 8);
    }
    for (int kind = 0; kind < 5; kind++) {
        if (bits & SU_AMMO2 << kind) {
            put_byte(m, p->ammo[kind] >> 8);
        }
    }
    if (bits & SU_WEAPONFRAME2) {
        put_byte(m, p->weapon_frame >> 8);
    }
    if (bits & SU_WEAPONALPHA) {
        put_byte(m, alpha);
    }
}

enum {
    U_MOREBITS = 1 << 0, U_ORIGIN1 = 1 << 1, U_ORIGIN2 = 1 << 2, U_ORIGIN3 = 1 << 3, U_ANGLE2 = 1 << 4, U_STEP = 1 << 5, U_FRAME = 1 << 6,
    U_SIGNAL = 1 << 7, U_ANGLE1 = 1 << 8, U_ANGLE3 = 1 << 9, U_MODEL = 1 << 10, U_COLORMAP = 1 << 11, U_SKIN = 1 << 12, U_EFFECTS = 1 << 13,
    U_LONGENTITY = 1 << 14, U_EXTEND1 = 1 << 15, U_ALPHA = 1 << 16, U_FRAME2 = 1 << 17, U_MODEL2 = 1 << 18, U_LERPFINISH = 1 << 19
};
static const int ORIGIN_BITS[3] = {U_ORIGIN1, U_ORIGIN2, U_ORIGIN3};
static const int ANGLE_BITS[3] = {U_ANGLE1, U_ANGLE2, U_ANGLE3};

/* Until its next think, in 1/255 of a second; -1 if that needs not be said. A tenth is what clients assume. */
static int hint_of(const struct entity *e, int64_t now_ms) {
    int64_t left = e->thinks_ms - now_ms;
    if (!e->steps || left <= 0 || left > 1000) {
        return -1;
    }
    int hint = (int)lround((double)left * (fault == HUNDREDTHS ? 100.0 : 255.0) / 1000.0);
    return hint == 25 || hint == 26 ? -1 : hint;
}

static long update_bits(const struct entity *e, const struct entity *base, int hint) {
    long bits = U_SIGNAL | (e->steps ? U_STEP : 0);
    for (int axis = 0; axis < 3; axis++) {
        bits |= fabsf(e->origin[axis] - base->origin[axis]) > 0.1f ? ORIGIN_BITS[axis] : 0;
        bits |= e->angles[axis] != base->angles[axis] ? ANGLE_BITS[axis] : 0;
    }
    bits |= (e->model != base->model ? U_MODEL : 0) | (e->frame != base->frame ? U_FRAME : 0) | (e->skin != base->skin ? U_SKIN : 0) |
            (e->colormap != base->colormap ? U_COLORMAP : 0) | (e->effects != base->effects ? U_EFFECTS : 0);
    if (protocol == PROTOCOL_FITZQUAKE) {
        int code = alpha_code(e->alpha);
        bits |= (code != (fault == ALPHA_ALWAYS ? 0 : alpha_code(base->alpha)) ? U_ALPHA : 0) | (hint >= 0 ? U_LERPFINISH : 0);
        bits |= (bits & U_FRAME && e->frame > 255 ? U_FRAME2 : 0) | (bits & U_MODEL && e->model > 255 ? U_MODEL2 : 0);
        bits |= bits >> 16 ? U_EXTEND1 : 0;
    }
    bits |= e->number > 255 ? U_LONGENTITY : 0;
    return bits | (bits >> 8 ? U_MOREBITS : 0);
}

/* Whether the update fits; otherwise nothing of it is there. */
bool put_update(struct message *m, const struct entity *e, const struct entity *base, int64_t now_ms) {
    size_t before = m->size;
    int hint = hint_of(e, now_ms), alpha = alpha_code(e->alpha);
    long bits = update_bits(e, base, hint);
    put_byte(m, bits);
    if (bits & U_MOREBITS) {
        put_byte(m, fault == EXTEND_BIT ? (bits | U_EXTEND1) >> 8 : bits >> 8);
    }
    if (bits & U_EXTEND1) {
        put_byte(m, bits >> 16);
    }
    bits & U_LONGENTITY ? put_short(m, e->number) : put_byte(m, e->number);
    const struct { int bit, value; } bytes[] = {
        {U_MODEL, e->model}, {U_FRAME, e->frame}, {U_COLORMAP, e->colormap}, {U_SKIN, e->skin}, {U_EFFECTS, e->effects}
    };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        if (bits & bytes[i].bit) {
            put_byte(m, bytes[i].value);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        if (bits & ORIGIN_BITS[axis]) {
            put_coord(m, e->origin[axis]);
        }
        if (bits & ANGLE_BITS[axis]) {
            put_angle(m, e->angles[axis]);
        }
    }
    const struct { int bit, value; } high[] = {
        {U_ALPHA, alpha}, {fault == FRAME_BYTE ? 0 : U_FRAME2, e->frame >> 8}, {U_MODEL2, e->model >> 8},
        {U_LERPFINISH, hint}
    };
    for (size_t i = 0; i < sizeof high / sizeof *high; i++) {
        if (bits & high[i].bit) {
            put_byte(m, high[i].value);
        }
    }
    if (m->overflowed && fault != CUTS_UPDATES) {
        m->size = before, m->overflowed = false;
        return false;
    }
    return !m->overflowed;
}
