/* The channel below the messages: sequence numbers, one reliable block at a time, and the qport. */
#ifndef NETCHAN_H
#define NETCHAN_H

#include "wire.h"

enum { MAX_RELIABLE = 1024 };

typedef struct netchan {
    int qport_bytes, qport;
    uint32_t outgoing_sequence;     /* of the next packet */
    uint32_t incoming_sequence;     /* of the newest packet that came */
    uint32_t incoming_acknowledged; /* the newest packet of ours that the other end had */
    int incoming_reliable_acknowledged, incoming_reliable_sequence, reliable_sequence;
    uint32_t last_reliable_sequence; /* the packet that last carried the block under way */
    uint8_t reliable[MAX_RELIABLE];
    size_t reliable_size;
    uint8_t waiting[MAX_RELIABLE]; /* the next block */
    size_t waiting_size;
} netchan;

/* Protocol 34: always two bytes of qport. Protocol 35: one, or none where the qport is 0. */
void netchan_setup(netchan *channel, int protocol, int qport);
/* Queues a message for the next reliable block. 0: it does not fit. */
int netchan_queue(netchan *channel, const uint8_t *bytes, size_t size);
/* Builds the next packet: header, the reliable block if it is due, and what else there is. */
void netchan_transmit(netchan *channel, const uint8_t *unreliable, size_t size, writer *packet);

enum netchan_verdict { PACKET_TAKEN, PACKET_STALE, PACKET_SHORT };

/* Takes a packet of the server. Its messages are what `r` has left. */
enum netchan_verdict netchan_process(netchan *channel, reader *r, uint32_t *sequence);

#endif
