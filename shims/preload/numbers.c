/* The same for game code that can call nothing of ours, such as QuakeC. It says what it wants by the angle of a vector that nobody has
 * (`vectoyaw`, by which engines ask for the C library's atan2), and reads the answer as twelve bits a draw (`random`, by which they
 * ask for rand). Every other angle and every other draw is as it was.
 *
 * An answer is records: a word that says of what kind, and then numbers of one or four words. Its last record is END. Game code
 * forgets all when a map begins, and much of a player who enters: it is told again what still holds. */
#include "preload.h"

#include <math.h>

enum { BASELINE = 1, SPAWN, SET, REMOVE, STAT, MAP, VERB, AGAIN, HOST, GROW }; /* records; 0 is END */
/* What is asked for. Game code may do only so much at a time: it stops between two records, and goes on later. */
enum { FETCH = 1, MAP_BEGINS, PLAYER_ENTERS, STOP, GO_ON };
enum { SMALL = 3000, MOST_TOLD = 512 };
static const double BELL = -68719.25;                                     /* the x of the vector; its y is what is asked for */

/* Names of fields, in the order of their numbers, from 1. */
static const struct {
    const char *name;
    int is_float;
} fields[] = {{"model", 0}, {"frame", 0}, {"colormap", 0}, {"skin", 0}, {"effects", 0}, {"origin_x", 1}, {"origin_y", 1}, {"origin_z", 1},
              {"pitch", 1}, {"yaw", 1}, {"roll", 1}, {"alpha", 1}, {"step", 0}, {"nextthink", 1}};

/* Verbs, in the order of their numbers, from 1, and what they are told. */
static const struct {
    const char *name;
    const char *arguments[4];
} verbs[] = {{"sound", {"entity", "channel", "sound", "level"}},
             {"static", {"entity"}},
             {"static_sound", {"entity", "sound", "volume", "attenuation"}},
             {"print", {"client", "number"}},
             {"damage", {"client", "armor", "blood"}},
             {"particle", {"entity", "count", "color"}}};

static int is_used, is_ready, is_fresh, reads; /* `is_fresh`: nothing of this run was fetched; `reads`: an answer is being read */
static int asked, heard;             /* what was asked for, and whose datagram the engine took last */
static size_t next, end, map_from;   /* of the lines: of this answer, and of this map */
static size_t told[MOST_TOLD], n_told, recalled; /* the lines of an answer that has not all of them */
static int32_t largest;                /* number of a thing that the game code has in this map */
static uint16_t words[64];
static size_t n_words, words_read;

/* What is told wrongly on purpose, so that a test can see it found. */
enum fault { NO_FAULT, GHOST, MORE, STAT_IS_MORE, SILENT };

static enum fault fault(void) {
    static const char *const names[] = {"", "ghost", "frame", "stat", "silent"};
    static int known = -1;
    const char *name = getenv("DELTAPROOF_GAME_FAULT");
    for (int i = SILENT; known < 0 && i >= 0; i--) {
        known = !i || (name && !strcmp(name, names[i])) ? i : -1;
    }
    return (enum fault)known;
}

void numbers_new(void) {
    is_ready = reads = heard = 0, is_fresh = 1;
    map_from = 0;
}

/* Until the game code has what the world begins with, nobody is let in. */
int numbers_hold(void) {
    return is_used && !is_ready && stage == RUNNING && !own_host;
}


void numbers_heard(const struct sockaddr_in *from) {
    int64_t port;
    int host;
    if (is_used && host_of((const struct sockaddr *)from, &host, &port)) {
        heard = host;
    }
}

/* --- a line and its words ---------------------------------------------------------------------------------------------------- */
static int is_word(const char *line, const char *word) {
    size_t n = strlen(word);
    return !strncmp(line, word, n) && (line[n] == ' ' || !line[n]);
}

/* The value of an argument; NULL where the line has none of that name. */
static const char *argument(const char *line, const char *name) {
    size_t n = strlen(name);
    while ((line = strchr(line, ' '))) {
        line++;
        if (!strncmp(line, name, n) && line[n] == '=') {
            return line + n + 1;
        }
    }
    return NULL;
}

static int32_t integer(const char *line, const char *name) {
    const char *text = argument(line, name);
    return text ? (int32_t)strtoll(text, NULL, 10) : 0;
}

static double of_bits(int32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- numbers -------------------------------------------------------------------------------------------------------------------- */
static void put_word(unsigned word) {
    words[n_words++] = (uint16_t)(word & 4095);
}

/* A small number is a word. Of another, three follow: an exponent and a sign, and 24 bits of what it is of, all that a single has. */
static void put_number(double value) {
    int exponent = 0;
    double size = value < 0 ? -value : value;
    if (!(size <= 1e38)) {
        size = 0; /* there is no such number in game code */
    }
    int64_t whole = size < 1 << 24 ? (int64_t)size : 0;
    if (value >= 0 && whole < SMALL && (double)whole == size) {
        put_word((unsigned)whole);
        return;
    }
    if ((double)whole != size) {
        whole = (int64_t)ldexp(frexp(size, &exponent), 24);
        for (exponent -= 24; exponent < 0 && whole % 2 == 0; exponent++) {
            whole /= 2;
        }
    }
    put_word(SMALL), put_word((unsigned)(exponent + 512) | (value < 0 ? 1024u : 0));
    put_word((unsigned)(whole >> 12)), put_word((unsigned)whole);
}

static void put_field(const char *line) {
    const char *name = argument(line, "field");
    size_t number = 0;
    int32_t value = integer(line, "value");
    while (number < sizeof fields / sizeof *fields && (!name || !is_word(name, fields[number].name))) {
        number++;
    }
    int is_known = number < sizeof fields / sizeof *fields;
    value += is_known && fault() == MORE && !strcmp(fields[number].name, "frame");
    put_number(is_known ? (double)number + 1 : 0), put_number(is_known && fields[number].is_float ? of_bits(value) : value);
}

static void put_verb(const char *line) {
    if (fault() == SILENT) {
        return;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (is_word(line, verbs[i].name)) {
            put_word(VERB), put_word((unsigned)i + 1);
            for (size_t k = 0; k < 4; k++) {
                put_number(verbs[i].arguments[k] ? integer(line, verbs[i].arguments[k]) : 0);
            }
            return;
        }
    }
    say(1, "the game knows nothing of: %s", line);
}

/* Whole numbers of 32 bits are more than a single has: both parts are told, too. */
static void put_stat(const char *line) {
    const char *text = argument(line, "float");
    int32_t whole = integer(line, "int") + (fault() == STAT_IS_MORE);
    put_word(STAT), put_number(integer(line, "client")), put_number(integer(line, "stat"));
    put_number(text ? of_bits(integer(line, "float")) : whole);
    whole = text ? (int32_t)of_bits(integer(line, "float")) : whole;
    put_number((double)((uint32_t)whole & 0x7fffff)), put_number((double)((uint32_t)whole >> 23));
}

/* 1: there has to be such a thing first, and the line has its turn again. */
static int put_growth(const char *line) {
    int32_t entity = integer(line, "entity");
    if (entity <= largest) {
        return 0;
    }
    largest = entity;
    put_word(GROW), put_number(entity);
    return 1;
}

static void put_line(const char *line) {
    int is_baseline = is_word(line, "baseline"), is_set = is_word(line, "set");
    int32_t entity = integer(line, "entity");
    if (is_baseline || is_set) {
        put_word(is_baseline ? BASELINE : SET), put_number(entity), put_field(line);
    } else if (is_word(line, "spawn")) {
        put_word(SPAWN), put_number(entity);
    } else if (is_word(line, "remove")) {
        static int removes;
        if (fault() != GHOST || ++removes % 2 == 0) {
            put_word(REMOVE), put_number(entity);
        }
    } else if (is_word(line, "stat")) {
        put_stat(line);
    } else if (is_word(line, "map")) {
        put_word(MAP);
    } else {
        put_verb(line);
    }
}

/* --- answers ------------------------------------------------------------------------------------------------------------------- */
static int is_said_later(const char *line, const char *later) {
    const char *field = argument(line, "field"), *other = argument(later, "field");
    size_t n = field ? strcspn(field, " ") : 0;
    if (is_word(line, "stat")) {
        return is_word(later, "stat") && integer(line, "stat") == integer(later, "stat");
    }
    int is_same = n && other && !strncmp(field, other, n + 1 - (field[n] == 0));
    return is_word(line, "baseline") ? is_word(later, "baseline") && is_same
                                     : is_word(later, "spawn") || is_word(later, "remove") || (is_word(later, "set") && is_same);
}

/* What holds of a player who enters: of what was said of it and its entity, what was not said anew. */
static void recall(int host) {
    n_told = 0;
    for (size_t at = 0; at < end; at += strlen(game_log(at)) + 1) {
        const char *line = game_log(at);
        int is_stat = is_word(line, "stat"), is_baseline = is_word(line, "baseline");
        int is_of_world = is_word(line, "spawn") || is_word(line, "set") || is_word(line, "remove");
        int is_of_it = is_stat ? integer(line, "client") == host : integer(line, "entity") == host;
        int holds = is_baseline ? at < map_from || !integer(line, "now") : is_stat || (is_of_world && at >= map_from);
        if (!is_of_it || !holds) {
            continue;
        }
        size_t kept = 0;
        for (size_t i = 0; i < n_told; i++) {
            if (!is_said_later(game_log(told[i]), line)) {
                told[kept++] = told[i];
            }
        }
        n_told = kept;
        if (n_told < MOST_TOLD) {
            told[n_told++] = at;
        }
    }
}

/* Whether a line is told in this answer. Baselines are those of maps to come, but for what a run begins with. */
static int is_told(const char *line) {
    int is_baseline = is_word(line, "baseline");
    return asked == FETCH ? !is_baseline : is_baseline;
}

static void next_of_all(void) {
    const char *line = game_log(next);
    if (put_growth(line)) {
        return;
    }
    next += strlen(line) + 1;
    if (asked == FETCH) {
        game_log_fetched(next);
        if (is_word(line, "map")) {
            map_from = end = next; /* what follows is of the next map, which begins later */
        }
    }
    if (is_told(line)) {
        put_line(line);
    }
}

/* The words of the next record. */
static void next_record(void) {
    n_words = words_read = 0;
    while (!n_words && (asked == PLAYER_ENTERS ? recalled < n_told : next < end)) {
        if (asked == PLAYER_ENTERS) {
            put_line(game_log(told[recalled++]));
        } else {
            next_of_all();
        }
    }
    if (!n_words) {
        put_word(0);
        reads = 0;
    }
}

static int begins_with_baselines(void) {
    for (size_t at = game_log_fetched(0); at < game_log_end(); at += strlen(game_log(at)) + 1) {
        if (is_word(game_log(at), "baseline") && !integer(game_log(at), "now")) {
            return 1;
        }
    }
    return 0;
}

static void answer(int what) {
    static size_t begun_with; /* of the lines */
    is_used = 1;
    reads = what != STOP, n_words = words_read = 0;
    if (what == STOP || what == GO_ON) {
        return;
    }
    asked = what, next = 0, end = game_log_fetched(0), n_told = recalled = 0;
    if (what == MAP_BEGINS) {
        largest = 0;
    }
    if (stage != RUNNING) {
        next = end; /* nobody has said anything yet */
    } else if (what == FETCH && is_fresh && begins_with_baselines()) {
        /* They are announced of a map that begins. */
        is_fresh = 0, begun_with = game_log_end(), next = end;
        put_word(AGAIN);
    } else if (what == FETCH) {
        next = end, end = game_log_end();
        is_fresh = 0, is_ready = 1;
    } else if (what == MAP_BEGINS && end < begun_with) {
        end = begun_with;
    } else if (what == PLAYER_ENTERS) {
        recall(heard);
        put_word(HOST), put_number(heard);
    }
}

REAL(double, atan2, (double, double))

OURS(double, atan2, (double y, double x)) {
    if (x == BELL && y >= FETCH && y <= GO_ON) {
        answer((int)y);
        return 0;
    }
    return real_atan2()(y, x);
}

/* A draw of game code that reads; -1: nobody does. Whether an engine divides by 32767 or 32768, its twelve bits come out. */
int numbers_draw(void) {
    if (words_read == n_words && reads) {
        next_record();
    }
    return words_read < n_words ? words[words_read++] << 3 | 4 : -1;
}
