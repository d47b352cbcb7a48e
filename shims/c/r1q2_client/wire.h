/* Bytes and messages of protocols 34 and 35: readers, writers, and the layouts that deltas have. */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROTOCOL_OLD = 34,
    PROTOCOL_R1Q2 = 35,
    MAX_EDICTS = 1024,
    MAX_STATS = 32,
    MAX_DATAGRAM = 4096
};

/* Reads from the front. After the first read beyond the end, `bad` names the field, and every read gives 0. */
typedef struct reader {
    const uint8_t *bytes;
    size_t size, at;
    const char *bad;
} reader;

reader reader_of(const uint8_t *bytes, size_t size);
void read_fail(reader *r, const char *field);
int read_u8(reader *r, const char *field);
int read_s8(reader *r, const char *field);
int read_u16(reader *r, const char *field);
int read_s16(reader *r, const char *field);
uint32_t read_u32(reader *r, const char *field);
const uint8_t *read_data(reader *r, size_t size, const char *field);
const char *read_string(reader *r, const char *field);

/* Writes to a buffer of fixed size. What does not fit is left out, and `overflowed` says so. */
typedef struct writer {
    uint8_t bytes[MAX_DATAGRAM];
    size_t size;
    int overflowed;
} writer;

void write_u8(writer *w, int value);
void write_u16(writer *w, int value);
void write_u32(writer *w, uint32_t value);
void write_data(writer *w, const void *bytes, size_t size);
void write_string(writer *w, const char *text);

/* An entity as it travels: coordinates in eighths, angles of 256 to the circle. */
typedef struct entity_state {
    int number;
    int model[4];
    int frame;
    uint32_t skin, effects, renderfx;
    int origin[3], angles[3], old_origin[3];
    int sound, event;
    uint32_t solid;
} entity_state;

/* A player as it travels. Places in eighths, view angles of 65536 to the circle, the rest as sent. */
typedef struct player_state {
    int pm_type, pm_origin[3], pm_velocity[3], pm_time, pm_flags, gravity, delta_angles[3];
    int viewoffset[3], viewangles[3], kick[3], gunindex, gunframe, gunoffset[3], gunangles[3];
    int blend[4], fov, rdflags;
    int stats[MAX_STATS];
} player_state;

enum { U_REMOVE = 1 << 6, RF_BEAM = 128 };

/* Reads what comes before the fields of an entity. The number is 0 at the end of a list. */
uint32_t read_entity_header(reader *r, int *number);
/* `state` is `from` with the changes that the bits name. `solid32`: from revision 1905 on. */
void read_entity_delta(reader *r, int protocol, int solid32, uint32_t bits, const entity_state *from, entity_state *state);
/* Changes `state`, which holds the base, by what is read. `extraflags` is 0 over protocol 34. */
void read_player_delta(reader *r, int protocol, int extraflags, player_state *state);

typedef struct usercmd {
    int angles[3];
    int move[3]; /* forward, side, up */
    int buttons, impulse, msec, lightlevel;
} usercmd;

/* `compact`: from revision 1904 on. */
void write_usercmd_delta(writer *w, int compact, const usercmd *from, const usercmd *to);

/* The payload of a temporary entity, with 0 for the parts that its kind does not have. */
typedef struct temp_entity {
    int kind;
    int place[3][3];
    int count, direction, colour, entity[2], magnitude;
    int32_t time;
} temp_entity;

void read_temp_entity(reader *r, temp_entity *effect);

typedef struct sound_message {
    int sound, entity, channel;
    int volume, attenuation, offset; /* as sent, -1 where not sent */
    int place[3];
} sound_message;

void read_sound(reader *r, sound_message *sound);

/* Raw deflate, window bits -15: exactly `out_size` bytes have to come out of exactly `size`. */
int inflate_exactly(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size);
uint32_t adler32_of(const uint8_t *bytes, size_t size);

#endif
