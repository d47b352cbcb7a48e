/* What the files of the game library share. */
#ifndef QUAKE2_PROOF_H
#define QUAKE2_PROOF_H

#include "interface.h"

enum { MOST_THINGS = 1024, MOST_PLAYERS = 64 };

/* The fields of an entity of a scenario, in the order of their names in world.c. */
enum {
    MODEL, MODEL2, MODEL3, MODEL4, FRAME, SKIN, EFFECTS, RENDERFX, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, PITCH, YAW, ROLL,
    OLD_ORIGIN_X, OLD_ORIGIN_Y, OLD_ORIGIN_Z, SOUND, EVENT, SOLID,
    PM_TYPE, PM_ORIGIN, PM_VELOCITY = PM_ORIGIN + 3, PM_TIME = PM_VELOCITY + 3, PM_FLAGS, GRAVITY, DELTA_ANGLES,
    VIEW_OFFSET = DELTA_ANGLES + 3, VIEW_ANGLES = VIEW_OFFSET + 3, KICK = VIEW_ANGLES + 3, GUN_INDEX = KICK + 3, GUN_FRAME,
    GUN_OFFSET, GUN_ANGLES = GUN_OFFSET + 3, BLEND = GUN_ANGLES + 3, FOV = BLEND + 4, RDFLAGS, FIELDS
};

/* An entity as the scenario has it. Floats are the bits of an IEEE single. */
struct thing {
    int lives, is_new;
    int32_t field[FIELDS];
};

struct player {
    int host;     /* whose it is in the scenario; 0: the slot is free */
    int in_game;
    int remainder[3]; /* what was covered less than an eighth of: thousandths of it, by axis */
    int owed;     /* bytes of text that are still to be sent */
    int owed_part;
};

/* A line of a scenario, in words: the first, and the values of arguments by their names. */
struct line {
    char text[2048];
    const char *word;
    int count;
    struct {
        const char *name, *value;
    } argument[16];
};
int argument_of(const struct line *line, const char *name, int otherwise);
const char *text_of(const struct line *line, const char *name);
int parse_line(struct line *line); /* 0: nothing stands in `text` */

extern struct engine engine;
extern struct game game;
extern struct edict edicts[MOST_THINGS];
extern struct game_client clients[MOST_PLAYERS];
extern struct thing things[MOST_THINGS];
extern struct player players[MOST_PLAYERS];
extern int player_slots; /* how many clients the engine takes */

enum fault { NO_FAULT, LATE_FIELD, GHOST, WRONG_STAT, SILENT };
extern enum fault fault; /* what is done wrongly on purpose, so that a test can see it found */

/* world.c */
void world_begins(void);
void world_tick(void); /* what lasts a frame is over */
int world_takes(const struct line *line); /* 0: the line is not about the world */
void world_shows(void);                  /* the engine's structures hold what the scenario's do */
int16_t eighths(int32_t bits);
int slot_of(int host); /* of a client; -1: it is not there */

/* says.c */
int says(const struct line *line); /* 0: there is no such verb */
void say_what_is_owed(void);

/* players.c */
void players_begin_map(void);
int player_connects(struct edict *who, char *about);
void player_begins(struct edict *who);
void player_leaves(struct edict *who);
void player_moves(struct edict *who, struct user_command *command);

#endif
