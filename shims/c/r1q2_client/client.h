/* What the parts of the client share. */
#ifndef R1Q2_CLIENT_H
#define R1Q2_CLIENT_H

#include "deltaproof_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netchan.h"
#include "wire.h"

enum {
    UPDATE_BACKUP = 16,         /* frames that are kept as bases */
    CMD_BACKUP = 64,            /* commands that are kept to predict with */
    RESEND_US = 1000000,        /* between requests of the handshake */
    MAX_CONFIGSTRINGS = 2080,
    MAX_ITEMS = 256,
    MAX_UNZIPPED = 65536,
    PM_NORMAL = 0,
    PM_SPECTATOR = 1
};

typedef enum stage { DISCONNECTED, CHALLENGING, CONNECTING, CONNECTED, LOADING, ACTIVE } stage;

typedef struct frame {
    int valid;
    int32_t number;
    player_state player;
    entity_state entities[MAX_EDICTS]; /* ascending */
    int count;
} frame;

/* A command that was sent, and where the player is after it as far as we know. */
typedef struct sent_command {
    uint32_t sequence;
    usercmd command;
    int predicted;
    int origin[3], remainder[3]; /* eighths, and thousandths of an eighth below that */
} sent_command;

typedef struct download {
    int under_way;
    uint8_t *bytes;
    size_t size;
} download;

typedef struct client {
    ds_host *host;
    uint64_t now, tick_us, last_move_ms;
    stage stage;
    int protocol, wanted_protocol;
    int minor, own_minor; /* the revision in force, and the one that we have */
    int qport, maxlen, rate, always_nodelta, nodelta;
    char challenge[32];
    netchan channel;
    /* What the server sent. */
    int player_number;
    entity_state baselines[MAX_EDICTS];
    frame frames[UPDATE_BACKUP], current, parsed;
    int has_frame;          /* `current` is a world to show */
    int32_t acknowledge;    /* the frame that moves acknowledge: the newest if it was valid, else -1 */
    /* What the player does. */
    int walk[3], buttons, look[3];
    sent_command sent[CMD_BACKUP];
    usercmd recent[2]; /* the command before the newest, and the newest */
    int32_t ahead;
    int ahead_moves;
    download file;
} client;

/* session.c */
const char *stage_name(stage stage);
void note(client *c, const char *name, size_t count, int64_t a, int64_t b, int64_t d, int64_t e);
void enter(client *c, stage next, const char *cause);
void begin_handshake(client *c, const char *cause);
void resend_handshake(client *c);
void queue_command(client *c, const writer *w);
void stringcmd(client *c, const char *text);
void say_goodbye(client *c);
void leave(client *c, const char *cause);
void forget_world(client *c);
void console_line(client *c, const char *line);
void parse_stufftext(client *c, const char *text);
void connectionless_datagram(client *c, const uint8_t *bytes, size_t size);

/* frames.c */
void parse_frame(client *c, reader *r, int command);
sent_command *command_of(client *c, uint32_t sequence);
void predict(client *c, const int *origin, const int *remainder, sent_command *to);

/* messages.c */
int solid32(const client *c);
void parse_messages(client *c, reader *r, int zipped);

#endif
