"""The datagram layer of NetQuake: control packets, and a channel of reliable and unreliable messages.

Every datagram of a game begins with two longs in network byte order: flags and length, and a sequence. Reliable messages are cut
into fragments, of which one is on its way at a time. It is sent again until its acknowledgement arrives. Unreliable messages
have a sequence of their own, and whatever is not newer than what came before is dropped.
"""

import struct

NETFLAG_LENGTH_MASK = 0x0000FFFF
NETFLAG_DATA = 0x00010000
NETFLAG_ACK = 0x00020000
NETFLAG_EOM = 0x00080000
NETFLAG_UNRELIABLE = 0x00100000
NETFLAG_CTL = 0x80000000

CCREQ_CONNECT = 0x01
CCREP_ACCEPT = 0x81
CCREP_REJECT = 0x82
NET_PROTOCOL_VERSION = 3

HEADER = struct.Struct(">II")
HEADER_SIZE = 8
MAX_FRAGMENT = 1024
# Receivers have a buffer of this size for a message.
MAX_RELIABLE = 8000
# How long to wait for the acknowledgement of a fragment. Engines have 0.3 and 1 second.
RESEND_AFTER = 500000


class WireError(Exception):
    """Something that cannot be read: where, and what should have been there."""

    def __init__(self, field, offset):
        super().__init__("%s at byte %d" % (field, offset))
        self.field = field
        self.offset = offset


def control(command, data=b""):
    """A control packet, which belongs to no channel."""
    return struct.pack(">IB", NETFLAG_CTL | (5 + len(data)), command) + data


def connect_request():
    return control(CCREQ_CONNECT, b"QUAKE\0" + bytes([NET_PROTOCOL_VERSION]))


def parse_control(data):
    """The command of a control packet and what follows it, or None where the datagram belongs to a channel."""
    if len(data) < 4:
        raise WireError("flags and length", 0)
    word = int.from_bytes(data[:4], "big")
    if not word & NETFLAG_CTL:
        return None
    if word & 0x7FFF0000 or word & NETFLAG_LENGTH_MASK != len(data) or len(data) < 5:
        raise WireError("length", 0)
    return data[4], data[5:]


def parse_header(data):
    """The flags and the sequence of a datagram of a channel."""
    if len(data) < HEADER_SIZE:
        raise WireError("flags and length", 0)
    word, sequence = HEADER.unpack_from(data)
    flags = word & ~NETFLAG_LENGTH_MASK
    if word & NETFLAG_LENGTH_MASK != len(data):
        raise WireError("length", 0)
    if flags not in (NETFLAG_DATA, NETFLAG_DATA | NETFLAG_EOM, NETFLAG_ACK, NETFLAG_UNRELIABLE):
        raise WireError("flags", 0)
    return flags, sequence


class Channel:
    """One end of a connection. `send` takes finished datagrams."""

    def __init__(self, send):
        self.send = send
        self.unreliable_out = 0     # the sequence of the next unreliable datagram
        self.unreliable_in = 0      # the lowest sequence that is acceptable
        self.reliable_out = 0       # the sequence of the fragment on its way, or of the next one
        self.reliable_in = 0        # the sequence of the fragment to come
        self.waiting = []           # reliable messages that have not begun
        self.message = b""          # what is left of the one on its way, with the fragment on its way
        self.sent_at = None         # when that fragment was sent; None where there is none
        self.assembly = []          # the fragments of the message that is arriving

    def untouched(self):
        """Whether no reliable data has gone through, in either direction."""
        return self.reliable_in == 0 and self.reliable_out == 0

    # Sending.

    def send_unreliable(self, payload):
        self.send(HEADER.pack(NETFLAG_UNRELIABLE | (HEADER_SIZE + len(payload)), self.unreliable_out) + payload)
        self.unreliable_out += 1

    def send_reliable(self, payload, now):
        self.waiting.append(payload)
        self.begin_message(now)

    def forget_waiting(self):
        """Drop what has not begun. What has begun must come to its end, or the fragments would no longer fit together."""
        self.waiting = []

    def begin_message(self, now):
        if self.sent_at is None and self.waiting:
            self.message = self.waiting.pop(0)
            self.send_fragment(now)

    def send_fragment(self, now):
        payload = self.message[:MAX_FRAGMENT]
        flags = NETFLAG_DATA if len(self.message) > MAX_FRAGMENT else NETFLAG_DATA | NETFLAG_EOM
        self.send(HEADER.pack(flags | (HEADER_SIZE + len(payload)), self.reliable_out) + payload)
        self.sent_at = now

    def resend_time(self):
        """When the fragment on its way is due again; None where there is none."""
        return None if self.sent_at is None else self.sent_at + RESEND_AFTER

    def resend_if_due(self, now):
        if self.sent_at is not None and now >= self.sent_at + RESEND_AFTER:
            self.send_fragment(now)

    # Receiving.

    def on_ack(self, sequence, now):
        """An acknowledgement; one that is not for the fragment on its way is stale. Whether it was for that one."""
        if self.sent_at is None or sequence != self.reliable_out:
            return False
        self.reliable_out += 1
        self.sent_at = None
        self.message = self.message[MAX_FRAGMENT:]
        if self.message:
            self.send_fragment(now)
        else:
            self.begin_message(now)
        return True

    def on_reliable(self, flags, sequence, payload):
        """A fragment; it is acknowledged even if it came before, as that acknowledgement may be what was lost.

        Returns whether it is the next one, and the message, where this is its end.
        """
        self.send(HEADER.pack(NETFLAG_ACK | HEADER_SIZE, sequence))
        if sequence != self.reliable_in:
            return False, None
        self.reliable_in += 1
        self.assembly.append(payload)
        if not flags & NETFLAG_EOM:
            return True, None
        message = b"".join(self.assembly)
        self.assembly = []
        return True, message

    def on_unreliable(self, sequence):
        """Whether an unreliable datagram is newer than all before."""
        if sequence < self.unreliable_in:
            return False
        self.unreliable_in = sequence + 1
        return True
