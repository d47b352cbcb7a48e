/* What there is to see: players, and entities of which each does one thing that an update has a bit for. All of it follows from
 * the time of the map, so that every run sees the same. */
#include "toy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct world world;

enum { FIRST_OF_MAP = MOST_CLIENTS + 1, FIRST_BOLT = 300, BOLTS = 6, BOLT_EVERY = 8, BOLT_TICKS = 30 };
enum { MODEL_MAP = 1, MODEL_PLAYER, MODEL_THING, MODEL_OTHER };
enum { GHOST = MOST_CLIENTS + 3, WALKER = MOST_CLIENTS + 1 };

/* What protocol 15 has no room for is smaller there. */
static int wide(int number) {
    return protocol == PROTOCOL_FITZQUAKE ? number : number & 127;
}

static struct entity *entity_new(int number, int model, float x, float y, float z) {
    struct entity *e = &world.now[world.count++];
    memset(e, 0, sizeof *e);
    e->number = number, e->model = model, e->shown = true;
    e->origin[0] = x, e->origin[1] = y, e->origin[2] = z;
    return e;
}

enum kind { WALKS, TURNS, FADES, CHANGES, RESTS, DRESSES, BLINKS, RISES, COUNTS_DOWN, N_KINDS };

void world_begin(const char *map) {
    snprintf(world.map, sizeof world.map, "%s", map);
    /* Maps of other names differ in what the numbers stand for, so that nothing of the one before fits. */
    int shift = strcmp(map, "start") ? 3 : 0;
    world.ms = 1000, world.count = 0;
    world.models = protocol == PROTOCOL_FITZQUAKE ? 310 : 140;
    world.sounds = protocol == PROTOCOL_FITZQUAKE ? 270 : 130;
    for (int slot = 0; slot < MOST_CLIENTS; slot++) {
        struct entity *e = entity_new(slot + 1, MODEL_PLAYER, 0, 0, 0);
        e->colormap = slot + 1, e->shown = false;
    }
    for (int i = 0; i < 3 * N_KINDS; i++) {
        int kind = (i + shift) % N_KINDS;
        struct entity *e = entity_new(FIRST_OF_MAP + i, MODEL_THING + i % 2, 60.0f * (float)(i % 6) - 150, 40.0f * (float)(i / 6) - 90, 24);
        e->skin = i % 3;
        if (kind == CHANGES) {
            e->model = wide(301);
        } else if (kind == COUNTS_DOWN) {
            e->frame = wide(300);
        } else if (kind == FADES && i >= N_KINDS) {
            e->alpha = 0.5f;
        }
        e->steps = kind == WALKS || kind == COUNTS_DOWN;
    }
    memcpy(world.base, world.now, sizeof world.base);
    for (int i = 0; i < BOLTS; i++) { /* nothing announces them: their baseline is empty */
        memset(&world.base[world.count], 0, sizeof *world.base);
        entity_new(FIRST_BOLT + i, MODEL_OTHER, 0, 0, 0)->shown = false;
    }
    message_clear(&world.events, DATAGRAM_MOST / 4);
}

const char *model_name(int index) {
    static char name[48];
    if (index == MODEL_MAP) {
        snprintf(name, sizeof name, "maps/%s.bsp", world.map);
    } else {
        snprintf(name, sizeof name, "progs/%d.mdl", index);
    }
    return name;
}

const char *sound_name(int index) {
    static char name[48];
    snprintf(name, sizeof name, "toy/%d.wav", index);
    return name;
}

void world_statics(struct message *m) {
    struct entity torch = {.model = MODEL_THING, .frame = 2, .origin = {100, 20.5f, 30}, .angles = {0, 90, 0}};
    put_static(m, &torch);
    torch.origin[0] = -100, torch.frame = wide(290), torch.alpha = 0.25f;
    put_static(m, &torch);
    put_static_sound(m, torch.origin, 3, 255, 64);
    put_static_sound(m, torch.origin, wide(260), 128, 192);
}

void world_enter(int slot) {
    struct entity *e = &world.now[slot];
    struct player player = {.health = 100, .armor = 300, .ammo = {300, 300, 20, 5, 400}, .weapon_model = wide(305), .weapon_bit = 1};
    player.on_ground = true;
    *e = world.base[slot];
    e->shown = true;
    e->origin[0] = 32.0f * (float)slot, e->origin[2] = 24;
    world.players[slot] = player;
}

void world_leave(int slot) {
    world.now[slot].shown = false;
}

static void make_sound(int number, int entity, int channel, const float origin[3], int volume, int attenuation) {
    struct sound sound = {number, entity, channel, volume, attenuation, {origin[0], origin[1], origin[2]}};
    put_sound(&world.events, &sound);
}

void world_move(int slot, const struct move *move) {
    struct entity *e = &world.now[slot];
    struct player *p = &world.players[slot];
    e->angles[0] = -move->angles[0] / 3; /* a player's body leans less than he looks */
    e->angles[1] = move->angles[1];
    float yaw = move->angles[1] * 3.14159265f / 180;
    p->velocity[0] = cosf(yaw) * (float)move->forward + sinf(yaw) * (float)move->side;
    p->velocity[1] = sinf(yaw) * (float)move->forward - cosf(yaw) * (float)move->side;
    if (move->impulse >= 1 && move->impulse <= 8) {
        p->weapon_bit = 1 << (move->impulse - 1);
    }
    if (move->buttons & 1 && !p->weapon_frame && p->ammo[0] > 0) {
        p->ammo[0]--, p->ammo[1]--;
        p->weapon_frame = wide(250), p->punch = -2;
        make_sound(4, slot + 1, 1, e->origin, 255, 64);
    }
}

static void tick_player(int slot, int64_t tick) {
    struct entity *e = &world.now[slot];
    struct player *p = &world.players[slot];
    for (int axis = 0; axis < 2; axis++) {
        float at = e->origin[axis] + p->velocity[axis] * TICK_MS / 1000;
        e->origin[axis] = at < -500 ? -500 : at > 500 ? 500 : at;
    }
    if (p->weapon_frame) {
        p->weapon_frame++, p->punch = 0;
        p->weapon_frame = p->weapon_frame > wide(250) + 10 ? 0 : p->weapon_frame;
    }
    /* A ring of shadows: every player is half seen for two seconds of ten, and his weapon with him. */
    e->alpha = (tick / 20 + slot) % 10 < 2 ? 0.5f : 0;
    p->armor = 300 - (int)(tick / 10 % 200);
}

static void tick_kind(struct entity *e, const struct entity *base, enum kind kind, int64_t tick) {
    int number = e->number;
    int64_t own = tick + number;
    switch (kind) {
    case WALKS: /* thinks every 300 ms, and moves and changes its frame then */
        e->thinks_ms = (world.ms / 300 + 1) * 300;
        e->frame = (int)(world.ms / 300 % 6);
        e->origin[0] = base->origin[0] + 8.0f * (float)(world.ms / 300 % 12);
        break;
    case TURNS:
        e->angles[1] = (float)(own * 7 % 360);
        e->angles[number % 3] = (float)(own * 3 % 360);
        break;
    case FADES: { /* all of invisible, faint, opaque, and no opacity of its own */
        static const float STEPS[8] = {0, -1, 0.002f, 0.25f, 0.5f, 0.75f, 0.999f, 1};
        e->alpha = STEPS[own / 8 % 8];
        break;
    }
    case CHANGES:
        e->model = own / 10 % 2 ? wide(302) : own / 20 % 2 ? MODEL_THING : wide(301);
        break;
    case RESTS: /* as it was announced, and mentioned all the same */
        break;
    case DRESSES:
        e->skin = (int)(own / 4 % 4), e->effects = (int)(own / 6 % 5), e->colormap = (int)(own / 5 % 3);
        break;
    case BLINKS:
        e->shown = own / 20 % 2;
        break;
    case RISES:
        e->origin[2] = base->origin[2] + 1.3f * (float)(own % 60);
        e->origin[1] = base->origin[1] + 0.05f; /* less than an update mentions */
        break;
    case COUNTS_DOWN: /* over the border of a byte, and back */
        e->thinks_ms = (world.ms / 700 + 1) * 700;
        e->frame = wide(250) + (int)(own / 14 % 60);
        break;
    case N_KINDS:
        break;
    }
}

static void tick_bolt(struct entity *e, int64_t tick) {
    int64_t own = tick - BOLT_EVERY * (e->number - FIRST_BOLT), age = own % (BOLT_EVERY * BOLTS);
    e->shown = own >= 0 && age < BOLT_TICKS;
    if (!e->shown) {
        return;
    }
    float way = (float)((own / (BOLT_EVERY * BOLTS)) * 40 % 360) * 3.14159265f / 180;
    e->origin[0] = cosf(way) * 10 * (float)age, e->origin[1] = sinf(way) * 10 * (float)age, e->origin[2] = 40;
    e->angles[1] = way * 180 / 3.14159265f;
    if (age == 0) {
        make_sound(5, e->number, 0, e->origin, 200, 32);
    }
}

static void tick_events(int64_t tick) {
    if (tick % 10 == 0) {
        const float *origin = world.now[WALKER].origin;
        int wide_sound = protocol == PROTOCOL_FITZQUAKE ? 256 : 6;
        bool far = tick % 40 == 20 && protocol == PROTOCOL_FITZQUAKE; /* more numbers than 13 bits have */
        int number = tick % 30 == 0 ? wide_sound : 1 + (int)(tick / 10 % 3);
        make_sound(number, far ? 8200 : world.now[WALKER].number, (int)(tick / 10 % 8), origin, tick % 20 ? 255 : 128, tick % 50 ? 64 : 20);
    }
    if (tick % 25 == 0) {
        put_byte(&world.events, SVC_PARTICLE);
        for (int axis = 0; axis < 3; axis++) {
            put_coord(&world.events, world.now[GHOST].origin[axis]);
        }
        put_bytes(&world.events, "\0\0\x10", 3); /* upwards */
        put_byte(&world.events, 20);
        put_byte(&world.events, 73);
    }
}

void world_tick(int64_t elapsed_ms) {
    /* As engines do, it does not make up for time in which it could not run. */
    world.ms += elapsed_ms > 2 * TICK_MS ? 2 * TICK_MS : elapsed_ms;
    int64_t tick = world.ms / TICK_MS;
    int shift = strcmp(world.map, "start") ? 3 : 0;
    message_clear(&world.events, DATAGRAM_MOST / 4);
    for (int place = 0; place < world.count; place++) {
        struct entity *e = &world.now[place];
        if (place < MOST_CLIENTS) {
            if (e->shown) {
                tick_player(place, tick);
            }
        } else if (e->number >= FIRST_BOLT) {
            tick_bolt(e, tick);
        } else {
            tick_kind(e, &world.base[place], (enum kind)((e->number - FIRST_OF_MAP + shift) % N_KINDS), tick);
        }
    }
    world.now[WALKER].angles[1] = (float)(fault_noise() & 255) * 360 / 256; /* another code for each */
    tick_events(tick);
}
