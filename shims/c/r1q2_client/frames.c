/* Frames: what they build on, what they hold, and how they compare with what was predicted. */
#include "client.h"

/* ---- Frames ---- */

static void add_entity(frame *f, const entity_state *state) {
    if (f->count < MAX_EDICTS) {
        f->entities[f->count++] = *state;
    }
}

/* Things of the base that the list does not mention are as with a delta of no bits: what lasts for a frame is over. */
static size_t keep_below(client *c, frame *f, const frame *base, size_t next, int number) {
    reader nothing = reader_of(NULL, 0);
    while (base && next < (size_t)base->count && base->entities[next].number < number) {
        entity_state state = base->entities[next];
        read_entity_delta(&nothing, c->protocol, 0, 0, &base->entities[next++], &state);
        add_entity(f, &state);
    }
    return next;
}

static void parse_entities(client *c, reader *r, frame *f, const frame *base) {
    size_t next = 0;
    int last = 0;
    f->count = 0;
    for (;;) {
        entity_state state;
        memset(&state, 0, sizeof state);
        uint32_t bits = read_entity_header(r, &state.number);
        if (r->bad || state.number == 0) {
            break;
        }
        if (state.number <= last) {
            read_fail(r, "number"); /* lists ascend: whatever this is, it is no list */
            break;
        }
        last = state.number;
        next = keep_below(c, f, base, next, state.number);
        const entity_state *from = &c->baselines[state.number];
        if (base && next < (size_t)base->count && base->entities[next].number == state.number) {
            from = &base->entities[next++];
        }
        if (bits & U_REMOVE) {
            continue;
        }
        read_entity_delta(r, c->protocol, solid32(c), bits, from, &state);
        add_entity(f, &state);
    }
    keep_below(c, f, base, next, MAX_EDICTS);
}

/* The frame that this one builds on; NULL where there is none, and *valid says whether it needs none. */
static const frame *find_base(const client *c, int32_t number, int32_t delta, int *valid) {
    const frame *slot = &c->frames[(uint32_t)delta % UPDATE_BACKUP];
    *valid = 1;
    if (delta <= 0) {
        return NULL;
    }
    if (delta == number || !slot->valid || slot->number != delta) {
        *valid = 0;
        return NULL;
    }
    return slot;
}

/* The numbers at the front of a frame. */
static void parse_frame_header(client *c, reader *r, int command, frame *f, int32_t *delta, int *extraflags) {
    *extraflags = 0;
    if (c->protocol == PROTOCOL_OLD) {
        f->number = (int32_t)read_u32(r, "serverframe");
        *delta = (int32_t)read_u32(r, "deltaframe");
        read_u8(r, "suppress");
        return;
    }
    uint32_t word = read_u32(r, "serverframe+offset");
    int offset = (int)(word >> 27);
    f->number = (int32_t)(word & 0x07ffffff);
    *delta = offset == 31 ? -1 : f->number - offset;
    *extraflags = (command & 0xe0) >> 1 | read_u8(r, "suppress+extraflags") >> 4;
}

static void expect(client *c, reader *r, int wanted, const char *field) {
    if (c->protocol == PROTOCOL_OLD && read_u8(r, field) != wanted) {
        read_fail(r, field);
    }
}

static void take_frame(client *c, const frame *f);

void parse_frame(client *c, reader *r, int command) {
    frame *f = &c->parsed;
    int32_t delta;
    int extraflags, valid;
    parse_frame_header(c, r, command, f, &delta, &extraflags);
    const frame *base = find_base(c, f->number, delta, &valid);
    read_data(r, (size_t)read_u8(r, "area bytes"), "area bits");
    expect(c, r, 17, "svc_playerinfo");
    if (base) {
        f->player = base->player;
    } else {
        memset(&f->player, 0, sizeof f->player);
    }
    read_player_delta(r, c->protocol, extraflags, &f->player);
    expect(c, r, 18, "svc_packetentities");
    parse_entities(c, r, f, base);
    f->valid = valid;
    /* Before the server data of a map there is nothing that a frame could belong to. */
    if (!r->bad && c->stage >= LOADING) {
        take_frame(c, f);
    }
}

/* ---- Prediction ---- */

/* Moves one axis for so many milliseconds; what is left below an eighth waits for the next command. */
static void move_axis(int *origin, int *remainder, int velocity, int msec) {
    int way = *remainder + velocity * msec; /* thousandths of an eighth */
    int eighths = way >= 0 ? way / 1000 : -((999 - way) / 1000);
    *remainder = way - eighths * 1000;
    *origin = (int16_t)(*origin + eighths);
}

/* Where `to` takes a player who was where `from` left him. */
void predict(client *c, const int *origin, const int *remainder, sent_command *to) {
    const player_state *player = &c->current.player;
    for (int i = 0; i < 3; i++) {
        int velocity = 0, msec = to->command.msec;
        to->origin[i] = origin[i];
        to->remainder[i] = remainder[i];
        if (player->pm_type == PM_SPECTATOR) {
            velocity = to->command.move[i] * 8;
            if (c->protocol == PROTOCOL_R1Q2) msec *= 2;
        } else if (player->pm_type == PM_NORMAL) {
            velocity = player->pm_velocity[i];
        }
        move_axis(&to->origin[i], &to->remainder[i], velocity, msec);
    }
    to->predicted = 1;
}

sent_command *command_of(client *c, uint32_t sequence) {
    sent_command *slot = &c->sent[sequence % CMD_BACKUP];
    return slot->predicted && slot->sequence == sequence ? slot : NULL;
}

static void check_prediction(client *c) {
    const sent_command *slot = command_of(c, c->channel.incoming_acknowledged);
    int worst = 0;
    if (!slot) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        int error = abs((int16_t)(c->current.player.pm_origin[i] - slot->origin[i]));
        worst = error > worst ? error : worst;
    }
    note(c, "prediction error", 1, worst, 0, 0, 0);
}

/* The commands that the server has not seen, again, from where it says that we are. */
static void predict_again(client *c) {
    uint32_t sequence = c->channel.incoming_acknowledged;
    sent_command *slot = command_of(c, sequence);
    int origin[3], remainder[3] = {0, 0, 0};
    memcpy(origin, c->current.player.pm_origin, sizeof origin);
    if (slot) {
        memcpy(remainder, slot->remainder, sizeof remainder);
        memcpy(slot->origin, origin, sizeof origin);
    }
    while ((slot = command_of(c, ++sequence)) != NULL) {
        predict(c, origin, remainder, slot);
        memcpy(origin, slot->origin, sizeof origin);
        memcpy(remainder, slot->remainder, sizeof remainder);
    }
}

static void take_frame(client *c, const frame *f) {
    c->frames[(uint32_t)f->number % UPDATE_BACKUP] = *f;
    if (!f->valid) {
        note(c, "invalid frame", 1, f->number, 0, 0, 0);
        c->acknowledge = -1;
        return;
    }
    c->current = *f;
    c->has_frame = 1;
    c->acknowledge = f->number;
    note(c, "frame", 1, f->number, 0, 0, 0);
    if (c->stage == LOADING) {
        enter(c, ACTIVE, "frame");
        c->last_move_ms = c->now / 1000;
    }
    check_prediction(c);
    predict_again(c);
}
