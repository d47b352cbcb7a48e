/* Quake II's channel: numbered datagrams, and one reliable message at a time. */
#ifndef NETCHAN_H
#define NETCHAN_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_DATAGRAM = 4096, MAX_RELIABLE = 1024 };

typedef struct netchan {
    int qport;          /* 0 for none */
    size_t qport_bytes; /* 1 over protocol 35, 2 over protocol 34 */
    uint32_t outgoing, incoming, acknowledged;
    unsigned reliable_bit, incoming_bit, acknowledged_bit;
    uint32_t reliable_sequence; /* of the datagram that carried the reliable message last */
    size_t reliable_size, waiting_size;
    uint8_t reliable[MAX_RELIABLE], waiting[MAX_RELIABLE];
} netchan;

void netchan_begin(netchan *channel, int qport, size_t qport_bytes);
/* Queues a part of a reliable message. Returns whether there was room. */
int netchan_queue(netchan *channel, const void *bytes, size_t size);
/* Whether a datagram would carry something reliable. */
int netchan_has_reliable(const netchan *channel);
/* Writes the next datagram, with this behind what is reliable. Returns its size, at most MAX_DATAGRAM. */
size_t netchan_write(netchan *channel, const void *bytes, size_t size, uint8_t *datagram);
/* Takes the header of a datagram. Returns its size, or 0 for a datagram that is to be dropped; *sequence is its number then. */
size_t netchan_take(netchan *channel, const uint8_t *datagram, size_t size, uint32_t *sequence);

#endif
