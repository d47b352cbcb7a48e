/* Effects and sounds: what a client notes of them. */
#ifndef EFFECTS_H
#define EFFECTS_H

#include "wire.h"

/* A sum over parts, as the notes of the protocol have it. */
int64_t sum_of(const int64_t *parts, size_t count);
/* Reads an effect behind its command. Returns its kind; *sum is that of its parts. */
int read_effect(reader *r, int64_t *sum);
/* Reads a sound behind its command: number, entity, channel and the sum of the rest. */
void read_sound(reader *r, int64_t note[4]);
/* Reads an inventory: the first item that there is or -1, how many, and the sum over all. */
void read_inventory(reader *r, int64_t note[3]);

#endif
