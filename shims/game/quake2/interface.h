/* What a Quake II engine and its game code share, version 3 of the interface: the order of two tables of functions, and how the
 * structures lie in memory. Facts of the binary interface, under names of our own. Q2PRO, R1Q2 and yquake2 have it alike. */
#ifndef QUAKE2_INTERFACE_H
#define QUAKE2_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

enum { INTERFACE_VERSION = 3 };
enum { STATS = 32, CLUSTERS = 16, TOUCHES = 32 };
typedef float vector[3];

/* --- what is sent of an entity and of a player -------------------------------------------------------------------------------- */
struct entity_state {
    int number;
    vector origin, angles, old_origin;
    int model, model2, model3, model4;
    int frame, skin;
    unsigned effects;
    int renderfx, solid, sound, event;
};

/* Places and velocities are in eighths of a unit. */
struct movement {
    int type;
    int16_t origin[3], velocity[3];
    uint8_t flags, time;
    int16_t gravity, delta_angles[3];
};

struct player_state {
    struct movement movement;
    vector view_angles, view_offset, kick_angles, gun_angles, gun_offset;
    int gun_index, gun_frame;
    float blend[4], fov;
    int rdflags;
    int16_t stats[STATS];
};

/* What a player wants, for some milliseconds. */
struct user_command {
    uint8_t msec, buttons;
    int16_t angles[3], forward, side, up;
    uint8_t impulse, light;
};

/* --- what both hold ------------------------------------------------------------------------------------------------------------- */
struct game_client {
    struct player_state state;
    int ping, number;
};

/* The engine steps through an array of these by the size that the game names. */
struct edict {
    struct entity_state state;
    struct game_client *client;
    int in_use, link_count;
    struct {
        void *before, *after;
    } area;
    int clusters, cluster[CLUSTERS], head_node;
    int area_number, area_number2;
    int flags;
    vector mins, maxs, absolute_mins, absolute_maxs, size;
    int solid, clip_mask;
    struct edict *owner;
};
enum { HIDDEN = 1 }; /* of `flags`: no client is sent it */

/* A variable of the engine; engines have more behind. */
struct variable {
    char *name, *text, *latched;
    int flags, modified;
    float value;
    struct variable *next;
};

/* --- moving a player ---------------------------------------------------------------------------------------------------------- */
struct trace {
    int all_solid, starts_solid;
    float fraction;
    vector end;
    struct {
        vector normal;
        float distance;
        uint8_t type, signs, padding[2];
    } plane;
    void *surface;
    int contents;
    struct edict *entity;
};

struct player_move {
    struct movement movement;
    struct user_command command;
    int from_elsewhere;
    int touches;
    struct edict *touched[TOUCHES];
    vector view_angles;
    float view_height;
    vector mins, maxs;
    struct edict *ground;
    int water_type, water_level;
    struct trace (*trace)(const float *from, const float *mins, const float *maxs, const float *to);
    int (*contents)(const float *at);
};

/* --- the engine's functions ----------------------------------------------------------------------------------------------------- */
enum { TO_ALL = 0 }; /* of `multicast`: wherever they are */

struct engine {
    void (*print_all)(int level, const char *format, ...);
    void (*log)(const char *format, ...);
    void (*print)(struct edict *to, int level, const char *format, ...);
    void (*print_centred)(struct edict *to, const char *format, ...);
    void (*sound)(struct edict *of, int channel, int sound, float volume, float attenuation, float later);
    void (*sound_at)(const float *at, struct edict *of, int channel, int sound, float volume, float attenuation, float later);
    void (*configstring)(int index, const char *text);
    void (*give_up)(const char *format, ...);
    int (*model)(const char *name);
    int (*sound_number)(const char *name);
    int (*image)(const char *name);
    void (*set_model)(struct edict *of, const char *name);
    struct trace (*trace)(const float *from, const float *mins, const float *maxs, const float *to, struct edict *but, int mask);
    int (*contents)(const float *at);
    int (*may_see)(const float *one, const float *other);
    int (*may_hear)(const float *one, const float *other);
    void (*open_portal)(int portal, int open);
    int (*are_connected)(int area, int other);
    void (*link)(struct edict *it);
    void (*unlink)(struct edict *it);
    int (*in_box)(const float *mins, const float *maxs, struct edict **list, int most, int kind);
    void (*move)(struct player_move *move);
    void (*multicast)(const float *at, int to);
    void (*unicast)(struct edict *to, int reliable);
    void (*write_char)(int value);
    void (*write_byte)(int value);
    void (*write_short)(int value);
    void (*write_long)(int value);
    void (*write_float)(float value);
    void (*write_string)(const char *text);
    void (*write_position)(const float *at);
    void (*write_direction)(const float *along);
    void (*write_angle)(float angle);
    void *(*allocate)(unsigned size, unsigned tag);
    void (*release)(void *block);
    void (*release_all)(unsigned tag);
    struct variable *(*variable)(const char *name, const char *otherwise, int flags);
    struct variable *(*set_variable)(const char *name, const char *text);
    struct variable *(*force_variable)(const char *name, const char *text);
    int (*words)(void);
    char *(*word)(int number);
    char *(*rest)(void);
    void (*type)(const char *text);
    void (*graph)(float value, int colour);
};

/* --- the game's functions --------------------------------------------------------------------------------------------------------- */
struct game {
    int version;
    void (*begin)(void);
    void (*end)(void);
    void (*map)(const char *name, const char *entities, const char *spawn_point);
    void (*save_game)(const char *file, int automatically);
    void (*load_game)(const char *file);
    void (*save_map)(const char *file);
    void (*load_map)(const char *file);
    int (*client_connects)(struct edict *who, char *about);
    void (*client_begins)(struct edict *who);
    void (*client_changes)(struct edict *who, char *about);
    void (*client_leaves)(struct edict *who);
    void (*client_says)(struct edict *who);
    void (*client_moves)(struct edict *who, struct user_command *command);
    void (*frame)(void);
    void (*server_command)(void);
    struct edict *edicts;
    int edict_size, edict_count, most_edicts;
};

#endif
