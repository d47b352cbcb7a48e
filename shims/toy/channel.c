/* Datagrams with numbers, and a reliable stream of which one fragment is under way at a time. */
#include "toy.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
    HEADER = 8,
    FRAGMENT_MOST = 1024,
    FLAG_DATA = 0x10000,
    FLAG_ACK = 0x20000,
    FLAG_END = 0x80000,
    FLAG_UNRELIABLE = 0x100000,
    LENGTH_MASK = 0xffff
};
static const int64_t RESEND_US = 1000000;

uint32_t big_long(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void put_big_long(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24), at[1] = (uint8_t)(value >> 16), at[2] = (uint8_t)(value >> 8), at[3] = (uint8_t)value;
}

void send_bytes(int fd, const struct sockaddr_in *to, const void *bytes, size_t size) {
    if (sendto(fd, bytes, size, 0, (const struct sockaddr *)to, sizeof *to) < 0) {
        perror("sendto"); /* it is lost, as the network may lose it */
    }
}

static void transmit(const struct channel *c, uint32_t flags, uint32_t sequence, const uint8_t *payload, size_t size) {
    uint8_t packet[HEADER + MESSAGE_MOST];
    uint32_t length = (uint32_t)(HEADER + size);
    if (fault == LITTLE_ENDIAN_LENGTH && flags & FLAG_UNRELIABLE) {
        length = (length & 255) << 8 | length >> 8;
    }
    put_big_long(packet, flags | length);
    put_big_long(packet + 4, sequence);
    if (size) {
        memcpy(packet + HEADER, payload, size);
    }
    send_bytes(c->fd, &c->peer, packet, HEADER + size);
}

void channel_begin(struct channel *c, int fd, const struct sockaddr_in *peer) {
    memset(c, 0, offsetof(struct channel, waiting));
    message_clear(&c->waiting, MESSAGE_MOST);
    message_clear(&c->under_way, MESSAGE_MOST);
    message_clear(&c->assembly, MESSAGE_MOST);
    c->fd = fd, c->peer = *peer, c->under_way_from = 0, c->is_open = false, c->sent_us = 0;
}

static size_t fragment_size(const struct channel *c) {
    size_t left = c->under_way.size - c->under_way_from;
    return left > FRAGMENT_MOST ? FRAGMENT_MOST : left;
}

static void send_fragment(struct channel *c, uint32_t sequence, int64_t now_us) {
    size_t size = fragment_size(c);
    uint32_t end = c->under_way_from + size == c->under_way.size ? FLAG_END : 0;
    transmit(c, FLAG_DATA | end, sequence, c->under_way.bytes + c->under_way_from, size);
    c->sent_us = now_us;
}

static void open_fragment(struct channel *c, int64_t now_us) {
    c->ack_sequence = c->send_sequence++;
    c->is_open = true;
    send_fragment(c, c->ack_sequence, now_us);
}

static void fragment_arrived(struct channel *c, int64_t now_us) {
    c->under_way_from += fragment_size(c);
    c->is_open = false;
    if (c->under_way_from < c->under_way.size) {
        open_fragment(c, now_us);
    }
}

/* Sends what waits, and what has to be sent again. */
void channel_poll(struct channel *c, int64_t now_us) {
    if (c->is_open && fault == DOES_NOT_WAIT_FOR_ACKS && c->under_way_from + fragment_size(c) < c->under_way.size) {
        fragment_arrived(c, now_us);
    }
    if (c->is_open) {
        if (now_us - c->sent_us > RESEND_US && fault != NEVER_RESENDS) {
            send_fragment(c, c->ack_sequence, now_us);
        }
    } else if (c->waiting.size) {
        c->under_way = c->waiting, c->under_way_from = 0;
        message_clear(&c->waiting, MESSAGE_MOST);
        open_fragment(c, now_us);
    }
}

int64_t channel_wakes(const struct channel *c) {
    return c->is_open && fault != NEVER_RESENDS ? c->sent_us + RESEND_US + 1000 : -1;
}

void channel_unreliable(struct channel *c, const struct message *m) {
    transmit(c, FLAG_UNRELIABLE, c->unreliable_out++, m->bytes, m->size);
}

static bool takes_ack(const struct channel *c, uint32_t sequence) {
    return c->is_open && (sequence == c->ack_sequence || fault == TAKES_ANY_ACK);
}

/* What of a message a datagram completes; the bytes are good until the next call. */
enum received channel_receive(struct channel *c, int64_t now_us, const uint8_t *bytes, size_t size, const uint8_t **message, size_t *length) {
    if (size < HEADER) {
        return NOTHING;
    }
    uint32_t flags = big_long(bytes), sequence = big_long(bytes + 4);
    if ((flags & LENGTH_MASK) != size) {
        return NOTHING;
    }
    const uint8_t *payload = bytes + HEADER;
    size -= HEADER;
    switch (flags & ~(uint32_t)LENGTH_MASK) {
    case FLAG_UNRELIABLE:
        if (sequence < c->unreliable_in) {
            return NOTHING; /* it is late, or came before */
        }
        c->unreliable_in = sequence + 1;
        *message = payload, *length = size;
        return UNRELIABLE;
    case FLAG_ACK:
        if (takes_ack(c, sequence)) {
            fragment_arrived(c, now_us);
        }
        return NOTHING;
    case FLAG_DATA:
    case FLAG_DATA | FLAG_END:
        break;
    default:
        return NOTHING;
    }
    bool is_next = sequence == c->receive_sequence;
    if (fault == ACKS_WHAT_IT_EXPECTS) {
        transmit(c, FLAG_ACK, c->receive_sequence + (uint32_t)is_next, NULL, 0);
    } else if (is_next || fault != FORGETS_TO_ACK_REPEATS) {
        transmit(c, FLAG_ACK, sequence, NULL, 0);
    }
    if (!is_next) {
        return NOTHING;
    }
    c->receive_sequence++;
    put_bytes(&c->assembly, payload, size);
    if (!(flags & FLAG_END)) {
        return NOTHING;
    }
    bool whole = !c->assembly.overflowed;
    *message = c->assembly.bytes, *length = c->assembly.size;
    message_clear(&c->assembly, MESSAGE_MOST); /* the bytes stay */
    return whole ? RELIABLE : NOTHING;
}
