/* The world as a scenario has it, and how it is put into what the engine sends: exactly, and in the same frame. There is no physics. */
#include "proof.h"

#include <stdlib.h>
#include <string.h>

static const char *const field_names[FIELDS] = {
    "model", "model2", "model3", "model4", "frame", "skin", "effects", "renderfx", "origin_x", "origin_y", "origin_z", "pitch", "yaw",
    "roll", "old_origin_x", "old_origin_y", "old_origin_z", "sound", "event", "solid", "ps_pm_type", "ps_pm_origin_x",
    "ps_pm_origin_y", "ps_pm_origin_z", "ps_pm_velocity_x", "ps_pm_velocity_y", "ps_pm_velocity_z", "ps_pm_time", "ps_pm_flags",
    "ps_gravity", "ps_delta_pitch", "ps_delta_yaw", "ps_delta_roll", "ps_viewoffset_x", "ps_viewoffset_y", "ps_viewoffset_z",
    "ps_view_pitch", "ps_view_yaw", "ps_view_roll", "ps_kick_pitch", "ps_kick_yaw", "ps_kick_roll", "ps_gunindex", "ps_gunframe",
    "ps_gunoffset_x", "ps_gunoffset_y", "ps_gunoffset_z", "ps_gun_pitch", "ps_gun_yaw", "ps_gun_roll", "ps_blend_r", "ps_blend_g",
    "ps_blend_b", "ps_blend_a", "ps_fov", "ps_rdflags"};

enum { FRAMELERP = 64, BEAM = 128 }; /* of `renderfx`: where it comes from is the scenario's */
enum { LATE_BY = 5 };                /* frames, of a field that is set too late on purpose */

struct thing things[MOST_THINGS];
static int32_t baselines[MOST_THINGS][FIELDS], next_baselines[MOST_THINGS][FIELDS];
static int16_t stats[MOST_PLAYERS + 1][STATS]; /* by host */
static struct {
    int entity, left;
    int32_t value;
} late[256];
static int removes;
enum fault fault;

static int field_of(const char *name) {
    for (int i = 0; name && i < FIELDS; i++) {
        if (!strcmp(field_names[i], name)) {
            return i;
        }
    }
    return -1;
}

static float float_of(int32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int16_t eighths(int32_t bits) {
    float value = float_of(bits) * 8;
    return value >= -32768 && value <= 32767 ? (int16_t)value : 0;
}

/* A new map: what was set for it is its baselines, and nothing lives. Statistics stay. */
void world_begins(void) {
    memcpy(baselines, next_baselines, sizeof baselines);
    memset(things, 0, sizeof things);
    memset(late, 0, sizeof late);
    removes = 0;
}

static void set_late(int entity, int32_t value) {
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        if (!late[i].left) {
            late[i].entity = entity, late[i].value = value, late[i].left = LATE_BY;
            return;
        }
    }
}

/* It is of the next map; at the very beginning, of the first, too. */
static void take_baseline(int entity, int field, int32_t value, int is_first) {
    next_baselines[entity][field] = value;
    if (is_first) {
        baselines[entity][field] = value;
    }
}

static void take_spawn(int entity) {
    struct thing *thing = &things[entity];
    if (!thing->lives) {
        memcpy(thing->field, baselines[entity], sizeof thing->field);
        thing->lives = thing->is_new = 1;
    }
}

static void take_set(int entity, int field, int32_t value) {
    if (fault == LATE_FIELD && field == FRAME) {
        set_late(entity, value);
    } else if (things[entity].lives) {
        things[entity].field[field] = value;
    }
}

int world_takes(const struct line *line) {
    int entity = argument_of(line, "entity", -1), field = field_of(text_of(line, "field"));
    int is_known = entity > 0 && entity < MOST_THINGS, value = argument_of(line, "value", 0);
    if (!strcmp(line->word, "baseline")) {
        if (is_known && field >= 0) {
            take_baseline(entity, field, value, !strcmp(text_of(line, "now") ? text_of(line, "now") : "0", "0"));
        }
    } else if (!strcmp(line->word, "spawn")) {
        if (is_known) {
            take_spawn(entity);
        }
    } else if (!strcmp(line->word, "set")) {
        if (is_known && field >= 0) {
            take_set(entity, field, value);
        }
    } else if (!strcmp(line->word, "remove")) {
        if (is_known && !(fault == GHOST && ++removes % 2)) {
            things[entity].lives = 0;
        }
    } else if (!strcmp(line->word, "stat")) {
        int client = argument_of(line, "client", -1), stat = argument_of(line, "stat", -1);
        if (client > 0 && client <= MOST_PLAYERS && stat >= 0 && stat < STATS) {
            value = text_of(line, "float") ? (int)float_of(argument_of(line, "float", 0)) : argument_of(line, "int", 0);
            stats[client][stat] = (int16_t)(value + (fault == WRONG_STAT));
        }
    } else {
        return 0;
    }
    return 1;
}

/* Before the commands of a frame: events are over, and everything has been where it is. */
void world_tick(void) {
    for (int i = 1; i < MOST_THINGS; i++) {
        struct thing *thing = &things[i];
        if (!thing->lives) {
            continue;
        }
        thing->field[EVENT] = 0, thing->is_new = 0;
        if (!(thing->field[RENDERFX] & (FRAMELERP | BEAM))) {
            memcpy(&thing->field[OLD_ORIGIN_X], &thing->field[ORIGIN_X], 3 * sizeof *thing->field);
        }
    }
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        if (late[i].left && !--late[i].left && things[late[i].entity].lives) {
            things[late[i].entity].field[FRAME] = late[i].value;
        }
    }
}

static void put_vector(float *out, const int32_t *fields) {
    for (int i = 0; i < 3; i++) {
        out[i] = float_of(fields[i]);
    }
}

static void show_thing(struct thing *thing, struct edict *edict) {
    const int32_t *field = thing->field;
    struct entity_state *state = &edict->state;
    int number = (int)(edict - edicts);
    memset(state, 0, sizeof *state);
    state->number = number;
    edict->in_use = thing->lives || edict->client != NULL;
    edict->flags = thing->lives ? 0 : HIDDEN;
    /* It is in the one room there is, without being asked where: nothing of the map hides it. */
    edict->clusters = 1, edict->cluster[0] = 0, edict->area_number = 1, edict->area_number2 = 0;
    if (!thing->lives) {
        return;
    }
    state->model = field[MODEL], state->model2 = field[MODEL2], state->model3 = field[MODEL3], state->model4 = field[MODEL4];
    state->frame = field[FRAME], state->skin = field[SKIN], state->effects = (unsigned)field[EFFECTS];
    state->renderfx = field[RENDERFX], state->sound = field[SOUND], state->event = field[EVENT], state->solid = field[SOLID];
    put_vector(state->origin, field + ORIGIN_X);
    put_vector(state->angles, field + PITCH);
    if (thing->is_new && !(field[RENDERFX] & (FRAMELERP | BEAM))) {
        memcpy(&thing->field[OLD_ORIGIN_X], &thing->field[ORIGIN_X], 3 * sizeof *field);
    }
    put_vector(state->old_origin, field + OLD_ORIGIN_X);
    if (number >= game.edict_count) {
        game.edict_count = number + 1;
    }
}

/* An engine cuts off or rounds what it scales: a quarter of a step farther from 0 comes out right either way. */
static float scaled(int32_t steps, double scale) {
    return (float)((steps + (steps > 0 ? 0.25 : steps < 0 ? -0.25 : 0)) * scale);
}

static void put_scaled(float *out, const int32_t *fields, int count, double scale) {
    for (int i = 0; i < count; i++) {
        out[i] = scaled(fields[i], scale);
    }
}

static void show_player(const struct thing *thing, int host, struct player_state *state) {
    const int32_t *field = thing->field;
    memset(state, 0, sizeof *state);
    memcpy(state->stats, stats[host], sizeof state->stats);
    if (!thing->lives) {
        return;
    }
    struct movement *movement = &state->movement;
    movement->type = field[PM_TYPE], movement->flags = (uint8_t)field[PM_FLAGS], movement->time = (uint8_t)field[PM_TIME];
    movement->gravity = (int16_t)field[GRAVITY];
    for (int i = 0; i < 3; i++) {
        movement->origin[i] = (int16_t)field[PM_ORIGIN + i], movement->velocity[i] = (int16_t)field[PM_VELOCITY + i];
        movement->delta_angles[i] = (int16_t)field[DELTA_ANGLES + i];
    }
    put_scaled(state->view_angles, field + VIEW_ANGLES, 3, 360.0 / 65536);
    put_scaled(state->view_offset, field + VIEW_OFFSET, 3, 1.0 / 4);
    put_scaled(state->kick_angles, field + KICK, 3, 1.0 / 4);
    put_scaled(state->gun_offset, field + GUN_OFFSET, 3, 1.0 / 4);
    put_scaled(state->gun_angles, field + GUN_ANGLES, 3, 1.0 / 4);
    put_scaled(state->blend, field + BLEND, 4, 1.0 / 255);
    state->gun_index = field[GUN_INDEX], state->gun_frame = field[GUN_FRAME];
    state->fov = (float)field[FOV], state->rdflags = field[RDFLAGS];
}

/* The numbers of players are the engine's to give: the entity of client N is that of the slot that it got. */
void world_shows(void) {
    static struct thing nothing;
    for (int i = player_slots + 1; i < MOST_THINGS; i++) {
        show_thing(&things[i], &edicts[i]);
    }
    for (int i = 1; i <= player_slots; i++) {
        int host = players[i - 1].host, is_elsewhere = slot_of(i) >= 0;
        struct thing *thing = host ? &things[host] : is_elsewhere ? &nothing : &things[i];
        if (host && !players[i - 1].in_game) {
            thing = &nothing;
        }
        show_thing(thing, &edicts[i]);
        edicts[i].in_use = players[i - 1].in_game || thing->lives;
        if (host) {
            show_player(thing, host, &clients[i - 1].state);
        }
    }
}
