#include "netchan.h"

#include <string.h>

#define RELIABLE 0x80000000u

static void write_u32(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint32_t read_u32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void netchan_begin(netchan *channel, int qport, size_t qport_bytes) {
    memset(channel, 0, sizeof *channel);
    channel->qport = qport;
    /* Over protocol 35 a client without a number leaves it out. */
    channel->qport_bytes = qport_bytes == 1 && qport == 0 ? 0 : qport_bytes;
    channel->outgoing = 1;
}

int netchan_queue(netchan *channel, const void *bytes, size_t size) {
    if (MAX_RELIABLE - channel->waiting_size < size) {
        return 0;
    }
    memcpy(channel->waiting + channel->waiting_size, bytes, size);
    channel->waiting_size += size;
    return 1;
}

/* Something newer than the reliable message came through, and the message did not. */
static int is_lost(const netchan *channel) {
    return channel->reliable_size > 0 && channel->acknowledged > channel->reliable_sequence &&
           channel->acknowledged_bit != channel->reliable_bit;
}

int netchan_has_reliable(const netchan *channel) {
    return is_lost(channel) || (channel->reliable_size == 0 && channel->waiting_size > 0);
}

size_t netchan_write(netchan *channel, const void *bytes, size_t size, uint8_t *datagram) {
    int is_reliable = netchan_has_reliable(channel);
    size_t at = 8;
    if (channel->reliable_size == 0 && channel->waiting_size > 0) {
        memcpy(channel->reliable, channel->waiting, channel->waiting_size);
        channel->reliable_size = channel->waiting_size;
        channel->waiting_size = 0;
        channel->reliable_bit ^= 1;
    }
    write_u32(datagram, channel->outgoing | (is_reliable ? RELIABLE : 0));
    write_u32(datagram + 4, channel->incoming | (channel->incoming_bit ? RELIABLE : 0));
    for (size_t i = 0; i < channel->qport_bytes; i++) {
        datagram[at++] = (uint8_t)(channel->qport >> 8 * i);
    }
    if (is_reliable) {
        memcpy(datagram + at, channel->reliable, channel->reliable_size);
        at += channel->reliable_size;
        channel->reliable_sequence = channel->outgoing;
    }
    channel->outgoing++;
    if (size > 0) {
        memcpy(datagram + at, bytes, size);
    }
    return at + size;
}

size_t netchan_take(netchan *channel, const uint8_t *datagram, size_t size, uint32_t *sequence) {
    if (size < 8) {
        *sequence = 0;
        return 0;
    }
    uint32_t first = read_u32(datagram), second = read_u32(datagram + 4);
    *sequence = first & ~RELIABLE;
    if (*sequence <= channel->incoming) {
        return 0;
    }
    channel->incoming = *sequence;
    channel->acknowledged = second & ~RELIABLE;
    channel->acknowledged_bit = (second & RELIABLE) != 0;
    if (channel->acknowledged_bit == channel->reliable_bit) {
        channel->reliable_size = 0;
    }
    if (first & RELIABLE) {
        channel->incoming_bit ^= 1;
    }
    return 8;
}
