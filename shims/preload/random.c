/* Randomness: one stream, which begins the same everywhere, and begins anew from the run's seed. Whatever the engine itself mixes
 * in changes it, and never takes the seed out of it. */
#include "preload.h"

#include <sys/auxv.h>

static uint64_t stream = 0x243f6a8885a308d3ULL; /* of bytes nobody may guess */
static uint64_t plain = 0x13198a2e03707344ULL;  /* of rand() and the like */
static uint64_t seed;                           /* of the run */

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static uint64_t next(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15ULL;
    return mix(*state);
}

void random_fill(void *bytes, size_t size) {
    uint8_t *at = bytes;
    while (size) {
        uint64_t word = next(&stream);
        size_t part = size < sizeof word ? size : sizeof word;
        memcpy(at, &word, part);
        at += part, size -= part;
    }
}

/* Sixteen bytes from the kernel, of which the C library has long taken what it wanted. */
static void fill_of_process(void) {
    void *bytes = (void *)getauxval(AT_RANDOM);
    if (bytes) {
        random_fill(bytes, 16);
    }
}

void random_begins(const char *text, int host) {
    if (text) {
        seed = mix(strtoull(text, NULL, 16) + 0x9e3779b97f4a7c15ULL * (uint64_t)(host + 1));
        stream = mix(stream ^ seed), plain = mix(plain ^ seed);
    }
    fill_of_process();
}

OURS(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags)) {
    (void)flags;
    random_fill(bytes, size);
    return (ssize_t)size;
}

OURS(int, getentropy, (void *bytes, size_t size)) {
    random_fill(bytes, size);
    return 0;
}

OURS(void, arc4random_buf, (void *bytes, size_t size)) {
    random_fill(bytes, size);
}

OURS(uint32_t, arc4random, (void)) {
    return (uint32_t)next(&stream);
}

OURS(uint32_t, arc4random_uniform, (uint32_t bound)) {
    return bound < 2 ? 0 : (uint32_t)((next(&stream) >> 32) * bound >> 32);
}

/* C++'s random_device asks the processor, which nothing can trap. */
OURS(unsigned, _ZNSt13random_device9_M_getvalEv, (void *self)) {
    (void)self;
    return (unsigned)next(&stream);
}

OURS(unsigned, _ZNSt13random_device16_M_getval_pretr1Ev, (void *self)) {
    (void)self;
    return (unsigned)next(&stream);
}

/* --- rand() and its kin -------------------------------------------------------------------------------------------------------- */
static int draw(void) {
    return (int)(next(&plain) >> 33);
}

static void sow(uint64_t value) {
    plain = mix(seed ^ mix(value + 1));
}

OURS(int, rand, (void)) {
    int word = numbers_draw();
    return word >= 0 ? word : draw();
}

OURS(void, srand, (unsigned value)) {
    sow(value);
}

OURS(long, random, (void)) {
    return draw();
}

OURS(void, srandom, (unsigned value)) {
    sow(value);
}

OURS(char *, initstate, (unsigned value, char *state, size_t size)) {
    (void)size;
    sow(value);
    return state;
}

OURS(char *, setstate, (char *state)) {
    return state;
}

OURS(int, rand_r, (unsigned *state)) {
    uint64_t word = mix(seed ^ mix((uint64_t)*state + 2));
    *state = *state * 1103515245u + 12345u;
    return (int)(word >> 33);
}

OURS(double, drand48, (void)) {
    return (double)(next(&plain) >> 16) / 281474976710656.0;
}

OURS(long, lrand48, (void)) {
    return draw();
}

OURS(long, mrand48, (void)) {
    return (int32_t)next(&plain);
}

OURS(void, srand48, (long value)) {
    sow((uint64_t)value);
}

static uint64_t of_state(unsigned short state[3]) {
    uint64_t now = (uint64_t)state[2] << 32 | (uint64_t)state[1] << 16 | state[0];
    now = (now * 0x5deece66dULL + 11) & 0xffffffffffffULL;
    state[0] = (unsigned short)now, state[1] = (unsigned short)(now >> 16), state[2] = (unsigned short)(now >> 32);
    return mix(seed ^ mix(now + 3));
}

OURS(double, erand48, (unsigned short state[3])) {
    return (double)(of_state(state) >> 16) / 281474976710656.0;
}

OURS(long, nrand48, (unsigned short state[3])) {
    return (long)(of_state(state) >> 33);
}

OURS(long, jrand48, (unsigned short state[3])) {
    return (int32_t)of_state(state);
}

OURS(unsigned short *, seed48, (unsigned short state[3])) {
    static unsigned short before[3];
    sow((uint64_t)state[2] << 32 | (uint64_t)state[1] << 16 | state[0]);
    return before;
}
