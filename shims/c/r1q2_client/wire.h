/* What is on the wire of Quake II's protocol 34 and R1Q2's protocol 35, revision 1901: reading frames, writing moves. */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

enum { PROTOCOL_ORIGINAL = 34, PROTOCOL_R1Q2 = 35, REVISION = 1901 };

enum {
    SVC_MUZZLEFLASH = 1, SVC_MUZZLEFLASH2, SVC_TEMP_ENTITY, SVC_LAYOUT, SVC_INVENTORY, SVC_NOP, SVC_DISCONNECT, SVC_RECONNECT,
    SVC_SOUND, SVC_PRINT, SVC_STUFFTEXT, SVC_SERVERDATA, SVC_CONFIGSTRING, SVC_SPAWNBASELINE, SVC_CENTERPRINT, SVC_DOWNLOAD,
    SVC_PLAYERINFO, SVC_PACKETENTITIES, SVC_FRAME = 20, SVC_ZPACKET, SVC_ZDOWNLOAD
};
enum { CLC_MOVE = 2, CLC_STRINGCMD = 4 };

enum { MAX_ENTITIES = 1024, MAX_STRING = 4096, MAX_STATS = 32, MAX_ITEMS = 256, KEPT_FRAMES = 64, MAX_MESSAGE = 1 << 16 };

/* Fields of an entity and of a player, in the order in which they are shown. */
enum {
    E_MODEL, E_FRAME = 4, E_SKIN, E_EFFECTS, E_RENDERFX, E_ORIGIN, E_ANGLES = 11, E_OLD_ORIGIN = 14, E_SOUND = 17, E_EVENT,
    E_SOLID, E_FIELDS
};
enum {
    P_TYPE, P_ORIGIN, P_VELOCITY = 4, P_TIME = 7, P_FLAGS, P_GRAVITY, P_DELTA_ANGLES, P_VIEWOFFSET = 13, P_VIEWANGLES = 16,
    P_KICK = 19, P_GUNINDEX = 22, P_GUNFRAME, P_GUNOFFSET, P_GUNANGLES = 27, P_BLEND = 30, P_FOV = 34, P_RDFLAGS, P_FIELDS
};

typedef struct entity {
    int32_t field[E_FIELDS];
} entity;

typedef struct player {
    int32_t field[P_FIELDS];
    int32_t stat[MAX_STATS];
} player;

/* What a client sees at one time. The entities are in the order of their numbers. */
typedef struct frame {
    int32_t number;
    int is_valid;
    player self;
    size_t count;
    uint32_t *numbers;
    entity *states;
} frame;

/* A message that is read from front to back. Behind its end everything is 0, and it is bad. */
typedef struct reader {
    const uint8_t *bytes;
    size_t size, at;
    int is_bad;
} reader;

typedef struct usercmd {
    int16_t angles[3];
    int16_t moves[3]; /* forward, side, up: units in a second */
    uint8_t buttons, msec;
} usercmd;

/* How a frame begins. */
typedef struct frame_start {
    int32_t number, base; /* base: -1 for none */
    unsigned extra;       /* the EPS_ flags */
} frame_start;

int32_t read_int(reader *r, size_t bytes, int is_signed);
#define read_u8(r) read_int(r, 1, 0)
#define read_s8(r) read_int(r, 1, 1)
#define read_u16(r) read_int(r, 2, 0)
#define read_s16(r) read_int(r, 2, 1)
#define read_s32(r) read_int(r, 4, 1)
void read_string(reader *r, char *text, size_t room);
const uint8_t *read_bytes(reader *r, size_t count);

/* Reads the bits and the number of an entity. */
uint32_t read_entity_head(reader *r, uint32_t *number);
/* Reads what the bits name over `from`. */
entity read_entity(reader *r, uint32_t bits, const entity *from, int protocol);
frame_start read_frame_start(reader *r, unsigned command, int protocol);
/* Reads the rest of a frame, which builds on `base`, or on nothing. The caller frees it. */
frame read_frame(reader *r, const frame_start *start, const frame *base, const entity *baselines, int protocol);
void free_frame(frame *f);

/* Inflates raw deflate data. Returns whether exactly `size` bytes came out of all of it. */
int inflate_raw(const uint8_t *packed, size_t packed_size, uint8_t *bytes, size_t size);

/* Writes a clc_move: the frame that is acknowledged, and three commands. Returns its size, at most 64 bytes. */
size_t write_move(uint8_t *bytes, int32_t acknowledged, const usercmd commands[3], int protocol);

#endif
