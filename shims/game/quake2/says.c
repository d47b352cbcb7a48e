/* What a scenario has the server say beside its frames: sounds, effects, shots, texts, inventories, configstrings. The values of
 * their parts are those that the harness expects of every server (`wire/service/asked.rs`). */
#include "proof.h"

#include <stdio.h>
#include <string.h>

enum { MUZZLE_FLASH = 1, EFFECT = 3, LAYOUT = 4, INVENTORY = 5, PLAY = 9, PRINT = 10 }; /* services */
enum { HAS_VOLUME = 1, HAS_ATTENUATION = 2, HAS_PLACE = 4, HAS_ENTITY = 8, HAS_OFFSET = 16 };
enum { VOLUME = 200, ATTENUATION = 32, OFFSET_MS = 7, CHANNEL = 1, LEVEL = 2 };
enum { ITEMS = 256, CONFIGSTRINGS = 2080 };
enum { PIECE = 200, PIECES_A_FRAME = 3 };

/* The parts of an effect, in order: c count, p place, d direction, k colour, e entity, f other entity, m magnitude, t time. */
static const char *shape_of(int kind) {
    switch (kind) {
    case 0: case 1: case 2: case 4: case 9: case 12: case 13: case 14: case 26: case 30: case 42: case 43: case 44: case 46: case 55:
        return "pd";
    case 10: case 15: case 25: case 29:
        return "cpdk";
    case 3: case 11: case 23: case 27: case 34: case 41:
        return "pp";
    case 5: case 6: case 7: case 8: case 17: case 18: case 20: case 21: case 22: case 28: case 35: case 45: case 47: case 48: case 49:
    case 51: case 52: case 53: case 54:
        return "p";
    case 16: case 19: case 38: case 39:
        return "epp";
    case 24:
        return "eppp";
    case 33:
        return "efpp";
    case 36:
        return "pe";
    case 37:
        return "ppk";
    case 40:
        return "ecpdkmt";
    case 50:
        return "ep";
    default:
        return NULL;
    }
}

static void place_of(int entity, int16_t *place) {
    for (int i = 0; i < 3; i++) {
        int is_there = entity > 0 && entity < MOST_THINGS && things[entity].lives;
        place[i] = is_there ? eighths(things[entity].field[ORIGIN_X + i]) : 0;
    }
}

static void write_place(const int16_t *place) {
    for (int i = 0; i < 3; i++) {
        engine.write_short(place[i]);
    }
}

/* Whether a client is meant by a number that is 0 for all, and can be told something. */
static int is_meant(int client, int slot) {
    return players[slot].in_game && (!client || players[slot].host == client);
}

static void write_print(int number) {
    char text[64];
    snprintf(text, sizeof text, "aside %d\n", number);
    engine.write_byte(PRINT), engine.write_byte(LEVEL), engine.write_string(text);
}

static void write_layout(int number) {
    char text[64];
    snprintf(text, sizeof text, "layout %d", number);
    engine.write_byte(LAYOUT), engine.write_string(text);
}

static void write_inventory(int item, int count) {
    engine.write_byte(INVENTORY);
    for (int i = 0; i < ITEMS; i++) {
        engine.write_short(i == item ? (int16_t)count : 0);
    }
}

static void write_sound(int entity, int sound, int flags) {
    int16_t place[3];
    place_of(entity, place);
    engine.write_byte(PLAY), engine.write_byte(flags & 31), engine.write_byte(sound & 255);
    if (flags & HAS_VOLUME) {
        engine.write_byte(VOLUME);
    }
    if (flags & HAS_ATTENUATION) {
        engine.write_byte(ATTENUATION);
    }
    if (flags & HAS_OFFSET) {
        engine.write_byte(OFFSET_MS);
    }
    if (flags & HAS_ENTITY) {
        engine.write_short((int16_t)((unsigned)entity << 3 | CHANNEL));
    }
    if (flags & HAS_PLACE) {
        write_place(place);
    }
}

static void effect(int kind, int entity) {
    static const int16_t others[2][3] = {{80, -80, 8}, {1, 2, 3}};
    const char *shape = shape_of(kind);
    vector nowhere = {0, 0, 0};
    int16_t place[3];
    int places = 0;
    if (!shape) {
        return;
    }
    place_of(entity, place);
    engine.write_byte(EFFECT), engine.write_byte(kind);
    for (; *shape; shape++) {
        switch (*shape) {
        case 'c': engine.write_byte(9); break;
        case 'd': engine.write_byte(5); break;
        case 'k': engine.write_byte(0xd0); break;
        case 'e': engine.write_short((int16_t)entity); break;
        case 'f': engine.write_short(1); break;
        case 'm': engine.write_short(300); break;
        case 'p':
            write_place(places ? others[places - 1] : place);
            places++;
            break;
        default:
            if ((int16_t)entity != -1) {
                engine.write_long(500);
            }
        }
    }
    engine.multicast(nowhere, TO_ALL);
}

static void flash(int entity, int kind) {
    vector nowhere = {0, 0, 0};
    if (entity >= 0 && entity < MOST_THINGS) {
        engine.write_byte(MUZZLE_FLASH), engine.write_short(entity), engine.write_byte(kind & 255);
        engine.multicast(nowhere, TO_ALL);
    }
}

static void configstring(int index, int number) {
    char text[64];
    if (index >= 0 && index < CONFIGSTRINGS) {
        snprintf(text, sizeof text, "config %d", number);
        engine.configstring(index, text);
    }
}

int says(const struct line *line) {
    int client = argument_of(line, "client", 0), number = argument_of(line, "number", 0), entity = argument_of(line, "entity", 0);
    const char *word = line->word;
    if (!strcmp(word, "temp_entity")) {
        if (fault != SILENT) {
            effect(argument_of(line, "kind", -1), entity);
        }
        return 1;
    }
    if (!strcmp(word, "muzzleflash")) {
        flash(entity, argument_of(line, "kind", 0));
        return 1;
    }
    if (!strcmp(word, "configstring")) {
        configstring(argument_of(line, "index", -1), number);
        return 1;
    }
    static const char *const of_clients[] = {"sound", "print", "unicast", "layout", "inventory", "big"};
    size_t verb = 0;
    while (verb < 6 && strcmp(word, of_clients[verb])) {
        verb++;
    }
    if (verb == 6) {
        return 0;
    }
    for (int i = 0; i < player_slots; i++) {
        struct edict *who = &edicts[i + 1];
        if (!is_meant(client, i)) {
            continue;
        }
        switch (verb) {
        case 0:
            if (entity >= 0 && entity < MOST_THINGS) {
                write_sound(entity, argument_of(line, "sound", 0), argument_of(line, "flags", 0));
                engine.unicast(who, 0);
            }
            break;
        case 1: engine.print(who, LEVEL, "proof %d\n", number); break;
        case 2: write_print(number), engine.unicast(who, 0); break;
        case 3: write_layout(number), engine.unicast(who, 1); break;
        case 4:
            if (argument_of(line, "item", -1) >= 0 && argument_of(line, "item", -1) < ITEMS) {
                write_inventory(argument_of(line, "item", 0), argument_of(line, "count", 0));
                engine.unicast(who, 1);
            }
            break;
        default: players[i].owed += argument_of(line, "bytes", 0);
        }
    }
    return 1;
}

/* Much text goes out over several frames: an engine ends the session of a client for which it holds too much. */
void say_what_is_owed(void) {
    for (int i = 0; i < player_slots; i++) {
        struct player *player = &players[i];
        for (int piece = 0; piece < PIECES_A_FRAME && player->owed > 0 && player->in_game; piece++) {
            char text[PIECE + 1];
            int size = player->owed < PIECE ? player->owed : PIECE;
            int head = snprintf(text, sizeof text, "much %d ", player->owed_part);
            memset(text + head, 'a' + player->owed_part % 26, (size_t)(PIECE - head));
            text[size > head ? size : head] = 0;
            engine.print(&edicts[i + 1], LEVEL, "%s", text);
            player->owed -= size, player->owed_part++;
        }
    }
}
