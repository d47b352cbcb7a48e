/* The game library: what an engine calls. The lines of a scenario come from the library that is preloaded, and from the console as
 * `sv dp LINE`; they are carried out when the engine makes a frame. */
#include "proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine engine;
struct edict edicts[MOST_THINGS];

extern int deltaproof_game_line(char *line, size_t capacity) __attribute__((weak));

static char map_name[64];
static int map_is_due; /* the next lines are of the map that was asked for */
static char typed[64][2048];
static int typed_first, typed_count;

const char *text_of(const struct line *line, const char *name) {
    for (int i = 0; i < line->count; i++) {
        if (!strcmp(line->argument[i].name, name)) {
            return line->argument[i].value;
        }
    }
    return NULL;
}

int argument_of(const struct line *line, const char *name, int otherwise) {
    const char *text = text_of(line, name);
    return text ? (int)(uint32_t)strtoll(text, NULL, 10) : otherwise;
}

int parse_line(struct line *line) {
    char *next = NULL;
    line->word = strtok_r(line->text, " ", &next), line->count = 0;
    for (char *word; line->word && line->count < 16 && (word = strtok_r(NULL, " ", &next));) {
        char *value = strchr(word, '=');
        if (value) {
            *value = 0;
            line->argument[line->count].name = word, line->argument[line->count++].value = value + 1;
        }
    }
    return line->word != NULL;
}

static int next_line(struct line *line) {
    if (typed_first < typed_count) {
        strcpy(line->text, typed[typed_first++]);
        return 1;
    }
    typed_first = typed_count = 0;
    return deltaproof_game_line && deltaproof_game_line(line->text, sizeof line->text) >= 0;
}

/* Carries out what waits, up to a change of the map, which the engine makes after this frame. */
static void obey(void) {
    struct line line;
    while (!map_is_due && next_line(&line)) {
        if (!parse_line(&line) || world_takes(&line)) {
            continue;
        }
        if (!strcmp(line.word, "map")) {
            char command[96];
            snprintf(command, sizeof command, "gamemap %s\n", map_name);
            engine.type(command);
            map_is_due = 1;
        } else if (!says(&line)) {
            engine.log("deltaproof: nothing is known of `%s`\n", line.word);
        }
    }
}

static void begin(void) {
    struct variable *most = engine.variable("maxclients", "8", 0);
    player_slots = (int)most->value;
    player_slots = player_slots < 1 ? 1 : player_slots > MOST_PLAYERS ? MOST_PLAYERS : player_slots;
    for (int i = 0; i < player_slots; i++) {
        edicts[i + 1].client = &clients[i];
    }
    game.edict_count = player_slots + 1;
    const char *names[] = {"", "late", "ghost", "stat", "silent"}, *name = getenv("DELTAPROOF_GAME_FAULT");
    for (int i = 1; name && i <= SILENT; i++) {
        fault = strcmp(name, names[i]) ? fault : (enum fault)i;
    }
}

static void end(void) {
}

static void map(const char *name, const char *entities, const char *spawn_point) {
    (void)entities, (void)spawn_point;
    snprintf(map_name, sizeof map_name, "%s", name);
    map_is_due = 0;
    world_begins();
    players_begin_map();
    game.edict_count = player_slots + 1;
    edicts[0].in_use = 1, edicts[0].state.number = 0, edicts[0].state.model = 1;
    world_shows();
}

static void nothing_is_kept(const char *file) {
    (void)file;
}

static void no_game_is_kept(const char *file, int automatically) {
    (void)file, (void)automatically;
}

static void changes(struct edict *who, char *about) {
    (void)who, (void)about;
}

static void client_says(struct edict *who) {
    (void)who;
}

static void frame(void) {
    world_tick();
    obey();
    world_shows();
    say_what_is_owed();
}

/* `sv dp set entity=5 field=frame value=7` */
static void server_command(void) {
    if (engine.words() < 3 || strcmp(engine.word(1), "dp")) {
        return;
    }
    if (typed_count == sizeof typed / sizeof *typed) {
        engine.log("deltaproof: too many lines at once\n");
        return;
    }
    char *out = typed[typed_count++];
    size_t size = 0, capacity = sizeof typed[0];
    *out = 0;
    for (int i = 2; i < engine.words(); i++) {
        int n = snprintf(out + size, capacity - size, "%s%s", i > 2 ? " " : "", engine.word(i));
        size += n > 0 && (size_t)n < capacity - size ? (size_t)n : 0;
    }
}

struct game game = {
    .version = INTERFACE_VERSION,
    .begin = begin,
    .end = end,
    .map = map,
    .save_game = no_game_is_kept,
    .load_game = nothing_is_kept,
    .save_map = nothing_is_kept,
    .load_map = nothing_is_kept,
    .client_connects = player_connects,
    .client_begins = player_begins,
    .client_changes = changes,
    .client_leaves = player_leaves,
    .client_says = client_says,
    .client_moves = player_moves,
    .frame = frame,
    .server_command = server_command,
    .edicts = edicts,
    .edict_size = sizeof(struct edict),
    .edict_count = 1,
    .most_edicts = MOST_THINGS,
};

/* Engines look for either name. */
__attribute__((visibility("default"))) struct game *GetGameAPI(struct engine *given) {
    engine = *given;
    return &game;
}

__attribute__((visibility("default"))) struct game *GetGameApi(struct engine *given) {
    return GetGameAPI(given);
}
