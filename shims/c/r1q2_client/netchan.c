#include "netchan.h"

#include <string.h>

enum { SEQUENCE_BITS = 0x7fffffff };

void netchan_setup(netchan *channel, int protocol, int qport) {
    memset(channel, 0, sizeof *channel);
    channel->outgoing_sequence = 1;
    channel->qport = qport;
    channel->qport_bytes = protocol == PROTOCOL_OLD ? 2 : qport != 0;
}

int netchan_queue(netchan *channel, const uint8_t *bytes, size_t size) {
    if (sizeof channel->waiting - channel->waiting_size < size) {
        return 0;
    }
    memcpy(channel->waiting + channel->waiting_size, bytes, size);
    channel->waiting_size += size;
    return 1;
}

/* Whether this packet has to carry the reliable block. */
static int reliable_is_due(netchan *channel) {
    /* A packet after the one with the block was acknowledged, and with the wrong bit: the block was lost. */
    if (channel->reliable_size > 0) {
        return channel->incoming_acknowledged > channel->last_reliable_sequence &&
               channel->incoming_reliable_acknowledged != channel->reliable_sequence;
    }
    if (channel->waiting_size == 0) {
        return 0;
    }
    memcpy(channel->reliable, channel->waiting, channel->waiting_size);
    channel->reliable_size = channel->waiting_size;
    channel->waiting_size = 0;
    channel->reliable_sequence ^= 1;
    return 1;
}

void netchan_transmit(netchan *channel, const uint8_t *unreliable, size_t size, writer *packet) {
    int due = reliable_is_due(channel);
    packet->size = 0;
    packet->overflowed = 0;
    write_u32(packet, channel->outgoing_sequence | (uint32_t)due << 31);
    write_u32(packet, channel->incoming_sequence | (uint32_t)channel->incoming_reliable_sequence << 31);
    if (channel->qport_bytes == 2) write_u16(packet, channel->qport);
    if (channel->qport_bytes == 1) write_u8(packet, channel->qport);
    if (due) {
        write_data(packet, channel->reliable, channel->reliable_size);
        channel->last_reliable_sequence = channel->outgoing_sequence;
    }
    write_data(packet, unreliable, size);
    channel->outgoing_sequence++;
}

enum netchan_verdict netchan_process(netchan *channel, reader *r, uint32_t *sequence) {
    uint32_t first = read_u32(r, "sequence"), second = read_u32(r, "acknowledged");
    if (r->bad) {
        return PACKET_SHORT;
    }
    *sequence = first & SEQUENCE_BITS;
    if (*sequence <= channel->incoming_sequence) {
        return PACKET_STALE;
    }
    channel->incoming_sequence = *sequence;
    channel->incoming_acknowledged = second & SEQUENCE_BITS;
    channel->incoming_reliable_acknowledged = (int)(second >> 31);
    if (channel->incoming_reliable_acknowledged == channel->reliable_sequence) {
        channel->reliable_size = 0; /* it arrived */
    }
    if (first >> 31) {
        channel->incoming_reliable_sequence ^= 1;
    }
    return PACKET_TAKEN;
}
