/* Who plays, and how they move: as the scenario's own model has it, but for spectators, whom the engine moves. */
#include "proof.h"

#include <stdlib.h>
#include <string.h>

struct game_client clients[MOST_PLAYERS];
struct player players[MOST_PLAYERS];
int player_slots;

enum { ON_FOOT, SPECTATES }; /* of PM_TYPE */
enum { LONGEST_MS = 250 };

/* Which host of the run has an address: the library that is preloaded knows. */
extern int deltaproof_game_host(const char *address) __attribute__((weak));

static int number_of(const struct edict *who) {
    return (int)(who - edicts) - 1;
}

int slot_of(int host) {
    for (int i = 0; i < player_slots; i++) {
        if (host && players[i].host == host) {
            return i;
        }
    }
    return -1;
}

/* The value of `\key\value` in what a client says of itself. */
static void value_in(const char *about, const char *key, char *out, size_t capacity) {
    size_t n = strlen(key);
    *out = 0;
    for (const char *at = about; at && *at; at = strchr(at + 1, '\\')) {
        if (*at == '\\' && !strncmp(at + 1, key, n) && at[n + 1] == '\\') {
            const char *value = at + n + 2;
            size_t size = strcspn(value, "\\");
            size = size < capacity ? size : capacity - 1;
            memcpy(out, value, size);
            out[size] = 0;
            return;
        }
    }
}

int player_connects(struct edict *who, char *about) {
    char address[64];
    int number = number_of(who);
    if (number < 0 || number >= player_slots) {
        return 0;
    }
    value_in(about, "ip", address, sizeof address);
    int host = deltaproof_game_host ? deltaproof_game_host(address) : 0;
    int before = slot_of(host);
    if (before >= 0 && before != number) {
        memset(&players[before], 0, sizeof players[before]); /* it has come back before the engine let it go */
    }
    memset(&players[number], 0, sizeof players[number]);
    players[number].host = host ? host : number + 1;
    return 1;
}

void player_begins(struct edict *who) {
    int number = number_of(who);
    if (number >= 0 && number < player_slots) {
        players[number].in_game = 1;
        world_shows();
    }
}

void player_leaves(struct edict *who) {
    int number = number_of(who);
    if (number >= 0 && number < player_slots) {
        memset(&players[number], 0, sizeof players[number]);
        world_shows();
    }
}

/* Clients stay, and come into the game again. */
void players_begin_map(void) {
    for (int i = 0; i < player_slots; i++) {
        players[i].in_game = players[i].owed = 0;
    }
}

static struct trace meets_nothing(const float *from, const float *mins, const float *maxs, const float *to) {
    struct trace trace;
    (void)from, (void)mins, (void)maxs;
    memset(&trace, 0, sizeof trace);
    trace.fraction = 1;
    memcpy(trace.end, to, sizeof trace.end);
    return trace;
}

static int is_empty(const float *at) {
    (void)at;
    return 0;
}

static int16_t as_short(int value) {
    return (int16_t)(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

/* On foot a player goes on with the velocity that it has; what is covered less than an eighth of is kept. */
static void walk(struct player *player, struct thing *thing, int msec) {
    for (int i = 0; i < 3; i++) {
        int covered = thing->field[PM_VELOCITY + i] * msec + player->remainder[i];
        int rest = covered % 1000;
        rest += rest < 0 ? 1000 : 0;
        player->remainder[i] = rest;
        thing->field[PM_ORIGIN + i] = as_short(thing->field[PM_ORIGIN + i] + (covered - rest) / 1000);
    }
}

static void fly(struct thing *thing, const struct player_state *state, const struct user_command *command) {
    struct player_move move;
    memset(&move, 0, sizeof move);
    move.movement = state->movement, move.command = *command;
    for (int i = 0; i < 3; i++) {
        move.movement.origin[i] = (int16_t)thing->field[PM_ORIGIN + i];
        move.movement.velocity[i] = (int16_t)thing->field[PM_VELOCITY + i];
    }
    move.trace = meets_nothing, move.contents = is_empty;
    engine.move(&move);
    for (int i = 0; i < 3; i++) {
        thing->field[PM_ORIGIN + i] = move.movement.origin[i];
        thing->field[PM_VELOCITY + i] = move.movement.velocity[i];
    }
}

void player_moves(struct edict *who, struct user_command *command) {
    int number = number_of(who);
    if (number < 0 || number >= player_slots || !players[number].in_game) {
        return;
    }
    struct player *player = &players[number];
    struct thing *thing = &things[player->host];
    const int32_t *velocity = thing->field + PM_VELOCITY;
    int wants = command->forward || command->side || command->up;
    if (!thing->lives) {
        return;
    }
    if (thing->field[PM_TYPE] == ON_FOOT) {
        walk(player, thing, command->msec < LONGEST_MS ? command->msec : LONGEST_MS);
    } else if (thing->field[PM_TYPE] == SPECTATES && (wants || velocity[0] || velocity[1] || velocity[2])) {
        fly(thing, &clients[number].state, command);
    }
}
