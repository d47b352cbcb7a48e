/* Loads the game library as an engine does, gives it lines, and looks whether the engine's structures hold what they should. */
#include "../interface.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct game *game;
static char said[8192];     /* what the game had the engine do, in words */
static char *words[32];
static int word_count, failed, tried;
static const char *waiting[64]; /* lines of the library that is preloaded */
static int waiting_first, waiting_count;

int deltaproof_game_line(char *line, size_t capacity) {
    if (waiting_first == waiting_count) {
        return -1;
    }
    snprintf(line, capacity, "%s", waiting[waiting_first++]);
    return (int)strlen(line);
}

int deltaproof_game_host(const char *address) {
    int host;
    return sscanf(address, "10.66.%d.1:", &host) == 1 ? host : 0;
}

static void note(const char *format, ...) {
    va_list list;
    size_t at = strlen(said);
    va_start(list, format);
    vsnprintf(said + at, sizeof said - at, format, list);
    va_end(list);
}

static void print_all(int level, const char *format, ...) {
    (void)level, (void)format;
}

static void print_log(const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    note("log:%s", text);
}

static void print_one(struct edict *to, int level, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    note("print%d:%d:%.12s;", (int)(to - game->edicts), level, text);
}

static void configstring(int index, const char *text) {
    note("cs%d:%s;", index, text);
}

static void multicast(const float *at, int to) {
    (void)at;
    note("all%d;", to);
}

static void unicast(struct edict *to, int reliable) {
    note("to%d%s;", (int)(to - game->edicts), reliable ? "r" : "");
}

static void write_byte(int value) {
    note("%d,", value);
}

static void write_short(int value) {
    note("s%d,", value);
}

static void write_long(int value) {
    note("l%d,", value);
}

static void write_string(const char *text) {
    note("%s,", text);
}

static void type(const char *text) {
    note("type:%s", text);
}

static struct variable *variable(const char *name, const char *otherwise, int flags) {
    static struct variable found;
    (void)otherwise, (void)flags;
    found.value = strcmp(name, "maxclients") ? 0 : 4;
    return &found;
}

static int word_total(void) {
    return word_count;
}

static char *word_at(int number) {
    return number < word_count ? words[number] : "";
}

/* The engine's way to move a player: here a step of eight. */
static void move(struct player_move *it) {
    it->movement.origin[0] = (int16_t)(it->movement.origin[0] + 8), it->movement.velocity[0] = it->command.forward;
}

static struct engine engine = {
    .print_all = print_all, .log = print_log, .print = print_one, .configstring = configstring, .multicast = multicast,
    .unicast = unicast, .write_byte = write_byte, .write_short = write_short, .write_long = write_long,
    .write_string = write_string, .variable = variable, .words = word_total, .word = word_at, .type = type, .move = move};

static void hold(int holds, const char *what, int line) {
    tried++;
    if (!holds) {
        failed++;
        printf("FAIL  line %d: %s (said: %.300s)\n", line, what, said);
    }
}
#define HOLD(what) hold(what, #what, __LINE__)

static void give(const char *line) {
    if (waiting_first == waiting_count) {
        waiting_first = waiting_count = 0;
    }
    waiting[waiting_count++] = line;
}

static void frame(void) {
    *said = 0;
    game->frame();
}

/* One frame with one line. */
static void tell(const char *line) {
    give(line);
    frame();
}

static void type_line(char *text) {
    word_count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        words[word_count++] = word;
    }
    game->server_command();
}

static struct entity_state *state(int number) {
    return &game->edicts[number].state;
}

static int is_sent(int number) {
    return number < game->edict_count && game->edicts[number].in_use && !(game->edicts[number].flags & HIDDEN);
}

static void entities(void) {
    static const struct {
        const char *field;
        size_t offset;
    } whole[] = {{"model", offsetof(struct entity_state, model)}, {"model2", offsetof(struct entity_state, model2)},
        {"model3", offsetof(struct entity_state, model3)}, {"model4", offsetof(struct entity_state, model4)},
        {"frame", offsetof(struct entity_state, frame)}, {"skin", offsetof(struct entity_state, skin)},
        {"effects", offsetof(struct entity_state, effects)}, {"renderfx", offsetof(struct entity_state, renderfx)},
        {"solid", offsetof(struct entity_state, solid)}, {"sound", offsetof(struct entity_state, sound)},
        {"event", offsetof(struct entity_state, event)}},
      floats[] = {{"origin_x", 4}, {"origin_y", 8}, {"origin_z", 12}, {"pitch", 16}, {"yaw", 20}, {"roll", 24}};
    give("baseline entity=20 field=model value=3");
    give("spawn entity=20");
    tell("set entity=20 field=frame value=7");
    HOLD(is_sent(20) && state(20)->number == 20 && state(20)->model == 3 && state(20)->frame == 7);
    HOLD(game->edicts[20].clusters == 1 && game->edicts[20].area_number == 1);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char line[96];
        snprintf(line, sizeof line, "set entity=20 field=%s value=%d", whole[i].field, 100 + (int)i);
        tell(line);
        int held;
        memcpy(&held, (char *)state(20) + whole[i].offset, sizeof held);
        HOLD(held == 100 + (int)i);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        char line[96];
        float value = 12.125F + (float)i, held;
        int32_t bits;
        memcpy(&bits, &value, sizeof bits);
        snprintf(line, sizeof line, "set entity=20 field=%s value=%d", floats[i].field, bits);
        tell(line);
        memcpy(&held, (char *)state(20) + floats[i].offset, sizeof held);
        HOLD(held == value);
    }
    frame();
    HOLD(state(20)->event == 0);
    tell("set entity=20 field=skin value=-1");
    HOLD(state(20)->skin == -1);
    tell("remove entity=20");
    HOLD(!is_sent(20) && state(20)->model == 0);
    tell("set entity=20 field=model value=9");
    HOLD(!is_sent(20));
}

/* Where something comes from: a frame ago; of a beam, what was set. 1090519040 is 8, 1098907648 is 16. */
static void old_origins(void) {
    give("spawn entity=30");
    tell("set entity=30 field=origin_x value=1090519040");
    HOLD(state(30)->origin[0] == 8 && state(30)->old_origin[0] == 8);
    tell("set entity=30 field=origin_x value=1098907648");
    HOLD(state(30)->origin[0] == 16 && state(30)->old_origin[0] == 8);
    frame();
    HOLD(state(30)->old_origin[0] == 16);
    give("set entity=30 field=renderfx value=128");
    tell("set entity=30 field=old_origin_x value=1090519040");
    frame();
    HOLD(state(30)->old_origin[0] == 8);
}

static void in_slot(int slot, const char *about) {
    char text[64];
    snprintf(text, sizeof text, "%s", about);
    HOLD(game->client_connects(&game->edicts[slot], text) == 1);
    game->client_begins(&game->edicts[slot]);
}

static void players(void) {
    give("spawn entity=2");
    give("set entity=2 field=model value=255");
    give("set entity=2 field=ps_fov value=90");
    give("set entity=2 field=ps_view_yaw value=-16384");
    give("set entity=2 field=ps_viewoffset_z value=88");
    give("set entity=2 field=ps_blend_a value=17");
    give("set entity=2 field=ps_pm_origin_x value=80");
    give("set entity=2 field=ps_pm_velocity_x value=-81");
    give("stat client=2 stat=5 int=70000");
    tell("stat client=2 stat=6 float=1090519040");
    in_slot(1, "\\name\\x\\ip\\10.66.2.1:30000");
    struct player_state *shown = &game->edicts[1].client->state;
    HOLD(is_sent(1) && state(1)->model == 255 && state(1)->number == 1 && !is_sent(2));
    HOLD(shown->fov == 90 && (int)(shown->view_angles[1] * 65536 / 360) == -16384 && (int)(shown->view_offset[2] * 4) == 88);
    HOLD((int)(shown->blend[3] * 255) == 17 && shown->stats[5] == (int16_t)70000 && shown->stats[6] == 8);
    struct user_command command = {.msec = 100};
    game->client_moves(&game->edicts[1], &command);
    frame();
    HOLD(shown->movement.origin[0] == 71 && shown->movement.velocity[0] == -81); /* -8.1, rounded down */
    tell("set entity=2 field=ps_pm_type value=1");
    command.forward = 300;
    game->client_moves(&game->edicts[1], &command);
    frame();
    HOLD(shown->movement.origin[0] == 79 && shown->movement.velocity[0] == 300);
    tell("remove entity=2");
    HOLD(!is_sent(1) && shown->fov == 0 && shown->stats[5] == (int16_t)70000);
}

static void verbs(void) {
    give("spawn entity=40");
    tell("set entity=40 field=origin_x value=1090519040");
    tell("sound client=2 entity=40 flags=31 sound=7");
    HOLD(!strcmp(said, "9,31,7,200,32,7,s321,s64,s0,s0,to1;"));
    tell("sound client=1 entity=40 flags=0 sound=7");
    HOLD(!*said);
    tell("temp_entity kind=10 entity=40");
    HOLD(!strcmp(said, "3,10,9,s64,s0,s0,5,208,all0;"));
    tell("temp_entity kind=40 entity=-1");
    HOLD(!strcmp(said, "3,40,s-1,9,s0,s0,s0,5,208,s300,all0;"));
    tell("temp_entity kind=31 entity=40");
    HOLD(!*said);
    tell("print client=0 number=12");
    HOLD(!strcmp(said, "print1:2:proof 12\n;"));
    tell("unicast client=2 number=12");
    HOLD(!strcmp(said, "10,2,aside 12\n,to1;"));
    tell("layout client=2 number=3");
    HOLD(!strcmp(said, "4,layout 3,to1r;"));
    tell("inventory client=2 item=1 count=-2");
    HOLD(!strncmp(said, "5,s0,s-2,s0,", 12) && strstr(said, "to1r;"));
    tell("configstring index=1600 number=4");
    HOLD(!strcmp(said, "cs1600:config 4;"));
    tell("configstring index=5000 number=4");
    HOLD(!*said);
    tell("muzzleflash entity=1023 kind=21");
    HOLD(!strcmp(said, "1,s1023,21,all0;"));
    tell("big client=2 bytes=700");
    HOLD(strstr(said, "print1:2:much 0 aaaaa;") && strstr(said, "much 2 ") && !strstr(said, "much 3 "));
    frame();
    HOLD(strstr(said, "much 3 ") && !strstr(said, "much 4 "));
    tell("pause client=1 frames=3");
    HOLD(strstr(said, "nothing is known of `pause`") != NULL);
}

static void maps(void) {
    give("baseline now=5 entity=20 field=model value=5");
    give("map");
    give("spawn entity=20");
    frame();
    HOLD(!strcmp(said, "type:gamemap proof1\n") && is_sent(40) && !is_sent(20));
    frame();
    HOLD(!is_sent(20)); /* what is said of the next map waits for it */
    game->map("proof1", "", "");
    HOLD(!is_sent(40) && game->edicts[1].client->state.fov == 0);
    frame();
    HOLD(is_sent(20) && state(20)->model == 5);
    tell("print client=0 number=1");
    HOLD(!*said); /* nobody is in the game */
    game->client_begins(&game->edicts[1]);
    tell("print client=0 number=1");
    HOLD(!strcmp(said, "print1:2:proof 1\n;"));
    game->client_leaves(&game->edicts[1]);
    tell("print client=0 number=1");
    HOLD(!*said);
}

int main(int count, char **arguments) {
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    struct game *(*get)(struct engine *) = NULL;
    if (library) {
        *(void **)&get = dlsym(library, "GetGameAPI");
    }
    if (!get || !dlsym(library, "GetGameApi")) {
        printf("no game library: %s\n", count > 1 ? dlerror() : "name one");
        return 2;
    }
    game = get(&engine);
    HOLD(game->version == INTERFACE_VERSION && game->most_edicts == 1024);
    game->begin();
    game->map("proof1", "", "");
    HOLD(game->edicts[1].client && game->edicts[4].client && !game->edicts[5].client && game->edict_count == 5);
    if (getenv("DELTAPROOF_GAME_FAULT")) { /* a library that does wrong on purpose has to fail here */
        entities();
        maps();
    } else {
        entities(), old_origins(), players(), verbs(), maps();
        char line[] = "sv dp set entity=20 field=frame value=77";
        type_line(line);
        frame();
        HOLD(state(20)->frame == 77);
    }
    printf("%d tried, %d failed\n", tried, failed);
    return failed != 0;
}
