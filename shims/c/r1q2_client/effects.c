#include "effects.h"

#include <string.h>

enum { SND_VOLUME = 1, SND_ATTENUATION = 2, SND_POS = 4, SND_ENT = 8, SND_OFFSET = 16 };
enum { PLACES = 9, COUNT = PLACES, DIRECTION, COLOUR, ENTITY, ENTITY2, MAGNITUDE, TIME, PARTS };

/* The parts of each kind in their order: p a place, d a direction, c a colour, n a count, e an entity, E another, m a magnitude, t a
 * time, which only an effect that lasts has. */
static const char *const shapes[] = {
    "pd", "pd", "pd", "pp", "pd", "p", "p", "p", "p", "pd", "npdc", "pp", "pd", "pd", "pd", "npdc", "epp", "p", "p", "epp", "p", "p",
    "p", "pp", "eppp", "npdc", "pd", "pp", "p", "npdc", "pd", NULL, NULL, "eEpp", "pp", "p", "pe", "ppc", "epp", "epp", "enpdcmt", "pp",
    "pd", "pd", "pd", "p", "pd", "p", "p", "p", "ep", "p", "p", "p", "p", "pd"};

int64_t sum_of(const int64_t *parts, size_t count) {
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum = (sum * 31 + parts[i]) % 1000003;
        sum += sum < 0 ? 1000003 : 0;
    }
    return sum;
}

int read_effect(reader *r, int64_t *sum) {
    int64_t parts[PARTS] = {0};
    size_t places = 0;
    int kind = read_u8(r);
    const char *shape = (size_t)kind < sizeof shapes / sizeof *shapes ? shapes[kind] : NULL;
    r->is_bad |= shape == NULL;
    for (; shape && *shape; shape++) {
        switch (*shape) {
        case 'p':
            for (int axis = 0; axis < 3 && places < PLACES; axis++) {
                parts[places++] = read_s16(r);
            }
            break;
        case 'd': parts[DIRECTION] = read_u8(r); break;
        case 'c': parts[COLOUR] = read_u8(r); break;
        case 'n': parts[COUNT] = read_u8(r); break;
        case 'e': parts[ENTITY] = read_s16(r); break;
        case 'E': parts[ENTITY2] = read_s16(r); break;
        case 'm': parts[MAGNITUDE] = read_s16(r); break;
        default: parts[TIME] = parts[ENTITY] == -1 ? 0 : read_s32(r); break;
        }
    }
    *sum = sum_of(parts, PARTS);
    return kind;
}

void read_sound(reader *r, int64_t note[4]) {
    int64_t rest[6] = {-1, -1, -1, 0, 0, 0};
    int flags = read_u8(r);
    note[0] = read_u8(r);
    if (flags & SND_VOLUME) {
        rest[0] = read_u8(r);
    }
    if (flags & SND_ATTENUATION) {
        rest[1] = read_u8(r);
    }
    if (flags & SND_OFFSET) {
        rest[2] = read_u8(r);
    }
    int source = flags & SND_ENT ? read_u16(r) : 0;
    for (int axis = 0; flags & SND_POS && axis < 3; axis++) {
        rest[3 + axis] = read_s16(r);
    }
    note[1] = source >> 3;
    note[2] = source & 7;
    note[3] = sum_of(rest, 6);
}

void read_inventory(reader *r, int64_t note[3]) {
    int64_t counts[MAX_ITEMS];
    note[0] = -1;
    note[1] = 0;
    for (int item = 0; item < MAX_ITEMS; item++) {
        counts[item] = read_s16(r);
        if (counts[item] != 0 && note[0] < 0) {
            note[0] = item;
            note[1] = counts[item];
        }
    }
    note[2] = sum_of(counts, MAX_ITEMS);
}
