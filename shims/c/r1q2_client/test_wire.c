/* Layouts against bytes of real engines: lines of R1Q2 and Q2PRO sessions, and what was put down by hand for each.
 *
 *     make test
 *
 * With a file of recorded datagrams as its argument (r1q2_b5183_p35_minor1901.txt), a whole sign-on is inflated, too. */
#include "effects.h"
#include "netchan.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, long is, long wanted) {
    if (is != wanted) {
        printf("%s: %ld, should be %ld\n", what, is, wanted);
        failures++;
    }
}

static size_t from_hex(const char *hex, uint8_t *bytes, size_t room) {
    size_t size = 0;
    unsigned byte;
    for (; size < room && sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        bytes[size++] = (uint8_t)byte;
        hex += hex[2] == ' ';
    }
    return size;
}

static reader reader_of(const char *hex, uint8_t bytes[4096]) {
    reader r = {bytes, from_hex(hex, bytes, 4096), 0, 0};
    return r;
}

/* Q2PRO over protocol 35: frame 3 builds on frame 2; the weapon's angles come without its offset. */
static void a_frame_of_protocol_35(void) {
    static const entity baselines[MAX_ENTITIES];
    static uint32_t numbers[] = {1, 22, 24};
    static entity states[3];
    uint8_t bytes[4096];
    frame base = {2, 1, {{0}, {0}}, 3, numbers, states};
    reader r = reader_of("14 03000008 20 01 02 0820 05 03 00feff 14010085 0416c7 81021851ff4305 0000", bytes);
    states[2].field[E_ORIGIN] = -170;
    unsigned command = (unsigned)read_u8(&r);
    frame_start start = read_frame_start(&r, command, PROTOCOL_R1Q2);
    frame f = read_frame(&r, &start, &base, baselines, PROTOCOL_R1Q2);
    check("number", start.number, 3);
    check("base", start.base, 2);
    check("bad", r.is_bad, 0);
    check("left", (long)(r.size - r.at), 0);
    check("time", f.self.field[P_TIME], 5);
    check("gunframe", f.self.field[P_GUNFRAME], 3);
    check("gun angle 2", f.self.field[P_GUNANGLES + 1], -2);
    check("entities", (long)f.count, 3);
    check("yaw of 1", f.states[0].field[E_ANGLES + 1], -123);
    check("yaw of 22", f.states[1].field[E_ANGLES + 1], -57);
    check("x of 24", f.states[2].field[E_ORIGIN], -175);
    check("z of 24", f.states[2].field[E_ORIGIN + 2], 1347);
    check("old x of 24", f.states[2].field[E_OLD_ORIGIN], -170);
    free_frame(&f);
}

/* The first frame of a session builds on nothing, and has statistics: two upper bits of its command say so. */
static void a_first_frame(void) {
    uint8_t bytes[4096];
    reader r = reader_of("54 010000f8 80 01 02 da38", bytes);
    frame_start start = read_frame_start(&r, (unsigned)read_u8(&r), PROTOCOL_R1Q2);
    check("number", start.number, 1);
    check("base", start.base, -1);
    check("extra flags", (long)start.extra, 0x28);
}

/* R1Q2 over protocol 34 repeats the end of a beam in every frame. */
static void a_beam_of_protocol_34(void) {
    static const entity nothing;
    uint8_t bytes[4096];
    uint32_t number;
    reader r = reader_of("80808001 17 0040 6009 0002", bytes);
    uint32_t bits = read_entity_head(&r, &number);
    entity beam = read_entity(&r, bits, &nothing, PROTOCOL_ORIGINAL);
    check("beam", (long)number, 23);
    check("end x", beam.field[E_OLD_ORIGIN], 16384);
    check("end y", beam.field[E_OLD_ORIGIN + 1], 2400);
    check("end z", beam.field[E_OLD_ORIGIN + 2], 512);
    check("left", (long)(r.size - r.at), 0);
}

static void a_move(int protocol, const char *hex) {
    usercmd commands[3] = {{{0, 0, 0}, {0, 0, 0}, 0, 0x10}, {{0, 0, 0}, {0, 0, 0}, 0, 0x10}, {{0, 0x100, 0}, {0, 0, 0}, 0, 0x21}};
    uint8_t wanted[64], bytes[64];
    size_t size = from_hex(hex, wanted, sizeof wanted);
    check("size of a move", (long)write_move(bytes, 204, commands, protocol), (long)size);
    check("move", memcmp(bytes, wanted, size), 0);
}

/* Header and number of a client's datagram over protocol 35, and over protocol 34. */
static void a_datagram(size_t qport_bytes, const char *hex) {
    uint8_t wanted[64], bytes[MAX_DATAGRAM];
    size_t size = from_hex(hex, wanted, sizeof wanted);
    netchan channel;
    netchan_begin(&channel, 77, qport_bytes);
    netchan_queue(&channel, "\4new", 5);
    check("size of a datagram", (long)netchan_write(&channel, NULL, 0, bytes), (long)size);
    check("datagram", memcmp(bytes, wanted, size), 0);
}

static void an_effect_without_end(void) {
    uint8_t bytes[4096];
    int64_t sum;
    reader r = reader_of("28 ffff 09 500008000100 05 d0 2c01", bytes);
    check("steam that happens once", read_effect(&r, &sum), 40);
    check("left", (long)(r.size - r.at), 0);
    check("bad", r.is_bad, 0);
}

/* Each zpacket of a recording inflates to the size that it states. */
static void a_recording(const char *path) {
    static char line[20000];
    static uint8_t bytes[8192], inflated[MAX_MESSAGE];
    int zpackets = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        check(path, 0, 1);
        return;
    }
    while (fgets(line, sizeof line, file)) {
        const char *hex = strstr(line, "len=");
        hex = hex ? strchr(hex, ' ') : NULL;
        size_t size = hex ? from_hex(hex + 1, bytes, sizeof bytes) : 0;
        if (strncmp(line, "S>C", 3) == 0 && size > 13 && bytes[8] == SVC_ZPACKET) {
            reader r = {bytes, size, 9, 0};
            size_t packed = (size_t)read_u16(&r), length = (size_t)read_u16(&r);
            const uint8_t *data = read_bytes(&r, packed);
            check("inflated", data && inflate_raw(data, packed, inflated, length), 1);
            zpackets++;
        }
    }
    fclose(file);
    check("there are zpackets", zpackets > 0, 1);
}

int main(int count, char **arguments) {
    a_frame_of_protocol_35();
    a_first_frame();
    a_beam_of_protocol_34();
    a_move(PROTOCOL_R1Q2, "02cc0000000010000010000200012100");
    a_move(PROTOCOL_ORIGINAL, "0200cc0000000010000010000200012100");
    a_datagram(1, "01000080 00000000 4d 046e657700");
    a_datagram(2, "01000080 00000000 4d00 046e657700");
    an_effect_without_end();
    if (count > 1) {
        a_recording(arguments[1]);
    }
    puts(failures ? "layouts differ" : "all layouts are those of real engines");
    return failures != 0;
}
