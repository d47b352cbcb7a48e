/* A small dedicated server of NetQuake's protocols 15 and 666. README.md says what it is for. */
#ifndef TOY_H
#define TOY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROTOCOL_NETQUAKE = 15, PROTOCOL_FITZQUAKE = 666 };
enum { MOST_CLIENTS = 16, MOST_ENTITIES = 64, TICK_MS = 50 };

/* --- faults.c: what is wrong on purpose ---------------------------------------------------------------------------- */
enum fault {
    NO_FAULT,
    /* of the channel */
    NEVER_RESENDS,
    ACKS_WHAT_IT_EXPECTS,
    FORGETS_TO_ACK_REPEATS,
    TAKES_ANY_ACK,
    DOES_NOT_WAIT_FOR_ACKS,
    NUMBERS_START_OVER,
    LITTLE_ENDIAN_LENGTH,
    /* of requests and the sign-on */
    DEAF_TO_REPEATS,
    REPEAT_RESTARTS,
    ANY_VERSION,
    STEP_TWICE,
    TAKES_AN_OLD_SPAWN,
    FALLS_SILENT,
    /* of layouts */
    FRAME_BYTE,
    EXTEND_BIT,
    ALPHA_ALWAYS,
    BASELINE_FLAGS,
    SOUND_BYTE,
    ANNOUNCES_15,
    HUNDREDTHS,
    WEAPON_ALPHA,
    MENTIONS_TWICE,
    CUTS_UPDATES,
    /* of the process */
    CRASHES,
    HANGS,
    EXITS,
    PROMPTS,
    CHATTERS,
    BY_FILE,
    BY_CLOCK,
    BY_ADDRESS,
    BY_URANDOM
};
extern enum fault fault;
bool fault_named(const char *name);
void list_faults(void);
void fault_at_boot(void);
void fault_in_game(int64_t since_us); /* in every frame, with the time since the first player came in */
int fault_noise(void);                /* 0, but for the faults that make runs differ */
extern int64_t fault_after_us;

/* --- messages.c: what stands in a datagram ------------------------------------------------------------------------- */
enum { MESSAGE_MOST = 32768, DATAGRAM_MOST = 1024 };
struct message {
    size_t size, limit;
    bool overflowed; /* something did not fit, and is not there */
    uint8_t bytes[MESSAGE_MOST];
};
extern int protocol;
struct entity;
struct player;
struct sound;
void message_clear(struct message *m, size_t limit);
void put_bytes(struct message *m, const void *bytes, size_t size);
void put_byte(struct message *m, long value);
void put_short(struct message *m, long value);
void put_long(struct message *m, uint32_t value);
void put_float(struct message *m, float value);
void put_string(struct message *m, const char *text);
void put_coord(struct message *m, float value);
void put_angle(struct message *m, float value);
int alpha_code(float alpha);
void put_baseline(struct message *m, const struct entity *base);
void put_static(struct message *m, const struct entity *e);
void put_static_sound(struct message *m, const float origin[3], int sound, int volume, int attenuation);
void put_sound(struct message *m, const struct sound *sound);
void put_clientdata(struct message *m, const struct player *player, int alpha);
bool put_update(struct message *m, const struct entity *e, const struct entity *base, int64_t now_ms);

enum service {
    SVC_NOP = 1, SVC_DISCONNECT, SVC_UPDATESTAT, SVC_VERSION, SVC_SETVIEW, SVC_SOUND, SVC_TIME, SVC_PRINT, SVC_STUFFTEXT, SVC_SETANGLE,
    SVC_SERVERINFO, SVC_LIGHTSTYLE, SVC_UPDATENAME, SVC_UPDATEFRAGS, SVC_CLIENTDATA, SVC_PARTICLE = 18, SVC_UPDATECOLORS = 17,
    SVC_SPAWNSTATIC = 20, SVC_SPAWNBASELINE = 22, SVC_SIGNONNUM = 25, SVC_SPAWNSTATICSOUND = 29, SVC_CDTRACK = 32,
    SVC_SPAWNBASELINE2 = 42, SVC_SPAWNSTATIC2, SVC_SPAWNSTATICSOUND2
};

/* --- world.c: what there is to see --------------------------------------------------------------------------------- */
struct entity {
    int number, model, frame, colormap, skin, effects;
    float origin[3], angles[3], alpha;
    bool shown, steps;
    int64_t thinks_ms; /* when it thinks next; 0: it does not */
};
struct sound {
    int number, entity, channel, volume, attenuation; /* attenuation in 1/64 */
    float origin[3];
};
/* What a player is told of himself. */
struct player {
    int health, armor, ammo[5], weapon_model, weapon_frame, weapon_bit; /* ammo: in hand, shells, nails, rockets, cells */
    float velocity[3], punch;
    bool on_ground;
};
struct move {
    float angles[3];
    int forward, side, up, buttons, impulse;
};
struct world {
    char map[32];
    int64_t ms; /* since the map began, and a second more, as in Quake */
    int count, models, sounds;
    struct entity now[MOST_ENTITIES], base[MOST_ENTITIES]; /* in the order of their numbers; the players come first */
    struct player players[MOST_CLIENTS];
    struct message events; /* of this frame: sounds and particles */
};
extern struct world world;
void world_begin(const char *map);
void world_tick(int64_t elapsed_ms);
void world_enter(int slot);
void world_leave(int slot);
void world_move(int slot, const struct move *move);
const char *model_name(int index); /* of the list that a client gets */
const char *sound_name(int index);
void world_statics(struct message *m);

/* --- channel.c: datagrams with numbers, and a reliable stream -------------------------------------------------------- */
struct channel {
    int fd;
    struct sockaddr_in peer;
    uint32_t send_sequence, ack_sequence, receive_sequence, unreliable_out, unreliable_in;
    struct message waiting, under_way, assembly;
    size_t under_way_from; /* what is before was acknowledged */
    bool is_open;          /* a fragment is not acknowledged yet */
    int64_t sent_us;
};
enum received { NOTHING, UNRELIABLE, RELIABLE };
void channel_begin(struct channel *c, int fd, const struct sockaddr_in *peer);
enum received channel_receive(struct channel *c, int64_t now_us, const uint8_t *bytes, size_t size, const uint8_t **message, size_t *length);
void channel_poll(struct channel *c, int64_t now_us);
void channel_unreliable(struct channel *c, const struct message *m);
int64_t channel_wakes(const struct channel *c); /* when it has to send again, or -1 */
void send_bytes(int fd, const struct sockaddr_in *to, const void *bytes, size_t size);
uint32_t big_long(const uint8_t *at);
void put_big_long(uint8_t *at, uint32_t value);

/* --- requests.c, clients.c: who plays -------------------------------------------------------------------------------- */
enum stage { FREE, CONNECTED, INFORMED, PRESPAWNED, SPAWNED, ACTIVE };
struct client {
    enum stage stage;
    struct channel channel;
    struct sockaddr_in listens; /* whom an accept was sent to */
    int64_t accepted_us, heard_us;
    int prespawns;
    char name[32];
    int colors;
};
extern struct client clients[MOST_CLIENTS];
extern int main_socket;
extern bool socket_for_each, any_address;
int open_socket(int port);
void request_arrives(const struct sockaddr_in *from, const uint8_t *bytes, size_t size, int64_t now_us);
void client_begins(int slot, int64_t now_us);
void client_hears(int slot, const uint8_t *bytes, size_t size, int64_t now_us);
void client_leaves(int slot, const char *why, bool say_so);
void clients_tick(int64_t now_us);
void clients_change_map(const char *map, int64_t now_us);
int64_t first_player_us(void); /* when the first one came into the game, or -1 */

#endif
