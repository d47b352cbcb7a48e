/* What is wrong on purpose, each as an engine may have it. Most of them are a line where it would be right. */
#include "toy.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum fault fault = NO_FAULT;
int64_t fault_after_us = 1600000;

/* `shows`: the requirement that it breaks, the verdict that it leads to, or "nothing" where it has to be harmless. */
static const struct {
    enum fault fault;
    const char *name, *shows, *what;
} FAULTS[] = {
    {NEVER_RESENDS, "never-resends", "FITZ-NET-04", "a reliable fragment that is lost is never sent again"},
    {ACKS_WHAT_IT_EXPECTS, "acks-what-it-expects", "FITZ-NET-03", "acknowledges the number that it expects, not that which came"},
    {FORGETS_TO_ACK_REPEATS, "forgets-to-ack-repeats", "FITZ-NET-03", "does not acknowledge what comes again, so that a lost ack is for ever"},
    {TAKES_ANY_ACK, "takes-any-ack", "FITZ-NET-07", "takes an acknowledgement of any number for that of the fragment under way"},
    {DOES_NOT_WAIT_FOR_ACKS, "does-not-wait-for-acks", "FITZ-NET-05", "sends the next fragment before the one before is acknowledged"},
    {NUMBERS_START_OVER, "numbers-start-over", "FITZ-NET-12", "begins with datagram 0 again at a new map, which clients take for an old one"},
    {LITTLE_ENDIAN_LENGTH, "little-endian-length", "FITZ-NET-01", "writes the length of unreliable datagrams as its processor has it"},
    {DEAF_TO_REPEATS, "deaf-to-repeats", "FITZ-NET-08", "does not answer a connection request that comes again"},
    {REPEAT_RESTARTS, "repeat-restarts", "FITZ-NET-08", "begins the session again at a request that comes again"},
    {ANY_VERSION, "any-version", "FITZ-NET-08", "accepts a request of another protocol's version"},
    {STEP_TWICE, "step-twice", "FITZ-NET-06", "says the third step of the sign-on twice"},
    {TAKES_AN_OLD_SPAWN, "takes-an-old-spawn", "FITZ-NET-06", "takes the spawn of the map before for that of the new one"},
    {FALLS_SILENT, "falls-silent", "FITZ-NET-12", "sends no more datagrams to players"},
    {FRAME_BYTE, "frame-byte", "FITZ-ENT-06", "forgets the high byte of an entity's frame"},
    {EXTEND_BIT, "extend-bit", "FITZ-ENT-01", "says that a third byte of bits follows, where there is none"},
    {ALPHA_ALWAYS, "alpha-always", "FITZ-ENT-04", "sends every alpha that is not the default, and not what differs from the baseline's"},
    {BASELINE_FLAGS, "baseline-flags", "FITZ-BASE-02", "writes the flags of a baseline before the entity's number"},
    {SOUND_BYTE, "sound-byte", "FITZ-SND-02", "sends the low byte of a sound's number alone"},
    {ANNOUNCES_15, "announces-15", "FITZ-VER-01", "announces protocol 15 and goes on with 666"},
    {HUNDREDTHS, "hundredths", "FITZ-LERP-01", "says the time to a think in hundredths of a second"},
    {WEAPON_ALPHA, "weapon-alpha", "FITZ-CD-17", "sends an alpha of the weapon that is not the player's"},
    {MENTIONS_TWICE, "mentions-twice", "nothing", "mentions the player's own entity twice"},
    {CUTS_UPDATES, "cuts-updates", "FITZ-ENT-15", "cuts the update that does not fit into the datagram"},
    {CRASHES, "crashes", "sut-crash", "crashes at the second prespawn of a session"},
    {HANGS, "hangs", "sut-hang", "loops for ever, after a while, without a call"},
    {EXITS, "exits", "sut-crash", "ends, after a while, with status 0"},
    {PROMPTS, "prompts", "FITZ-NET-12", "waits, after a while, for somebody at the console"},
    {CHATTERS, "chatters", "nothing", "prints a hundred kilobytes in every frame"},
    {BY_FILE, "by-file", "sut-nondeterministic", "does what a file says that the run before wrote (toy.count)"},
    {BY_CLOCK, "by-clock", "nothing", "does what the clock of the day says, which the library sets"},
    {BY_ADDRESS, "by-address", "nothing", "does what the address of a variable says, which the library keeps"},
    {BY_URANDOM, "by-urandom", "nothing", "does what /dev/urandom says, which comes from the run's seed"},
};
enum { N_FAULTS = sizeof FAULTS / sizeof *FAULTS };

bool fault_named(const char *name) {
    for (int i = 0; i < N_FAULTS; i++) {
        if (!strcmp(FAULTS[i].name, name)) {
            fault = FAULTS[i].fault;
            return true;
        }
    }
    fprintf(stderr, "toy: there is no fault %s; -list-faults shows them\n", name);
    return false;
}

void list_faults(void) {
    for (int i = 0; i < N_FAULTS; i++) {
        printf("%-24s %-22s %s\n", FAULTS[i].name, FAULTS[i].shows, FAULTS[i].what);
    }
}

static int noise; /* of this run */

/* Counts runs in a file: it is written anew in each, and the next one reads it. */
static int count_in_file(void) {
    int count = 0;
    FILE *file = fopen("toy.count", "r");
    if (file) {
        count = fscanf(file, "%d", &count) == 1 ? count : 0;
        fclose(file);
    }
    file = fopen("toy.count", "w");
    if (file) {
        fprintf(file, "%d\n", count + 1);
        fclose(file);
    }
    return count;
}

static int draw(void) {
    struct timespec now;
    unsigned char byte = 0;
    int fd;
    switch (fault) {
    case BY_FILE:
        return count_in_file();
    case BY_CLOCK:
        clock_gettime(CLOCK_REALTIME, &now);
        return (int)(now.tv_nsec / 1000000 + now.tv_sec);
    case BY_ADDRESS:
        return (int)((uintptr_t)&now >> 4);
    case BY_URANDOM:
        fd = open("/dev/urandom", O_RDONLY);
        if (fd >= 0) {
            byte = read(fd, &byte, 1) == 1 ? byte : 0;
            close(fd);
        }
        return byte;
    default:
        return 0;
    }
}

int fault_noise(void) {
    return noise;
}

void fault_at_boot(void) {
    if (fault == CHATTERS) {
        puts("this server talks too much");
    }
}

void fault_in_game(int64_t since_us) {
    static bool drawn;
    if (!drawn) {
        drawn = true;
        noise = draw();
    }
    if (fault == CHATTERS) {
        for (int i = 0; i < 1000; i++) {
            puts("a line that nobody reads, and another one, and nobody cares how many there will be of them in the end ..");
        }
    }
    if (since_us < fault_after_us) {
        return;
    }
    if (fault == EXITS) {
        exit(0);
    } else if (fault == HANGS) {
        for (volatile unsigned long turns = 0;; turns++) {
        }
    } else if (fault == PROMPTS) {
        char answer[16];
        fputs("A player came in. Press return to go on: ", stdout);
        fflush(stdout);
        while (read(STDIN_FILENO, answer, sizeof answer) == 0) {
            sleep(1); /* nobody is there yet */
        }
    }
}
