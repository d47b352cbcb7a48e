"""The channel of NetQuake: reliable messages by stop-and-wait, unreliable datagrams by number."""

import struct

LENGTH_MASK = 0x0000FFFF
FLAG_DATA = 0x00010000
FLAG_ACK = 0x00020000
FLAG_EOM = 0x00080000
FLAG_UNRELIABLE = 0x00100000
FLAG_CTL = 0x80000000
HEADER = 8

CCREQ_CONNECT = 0x01
CCREP_ACCEPT = 0x81

MAX_FRAGMENT = 1024
MAX_MESSAGE = 65536
RESEND_US = 300_000
# More datagrams than a client sends before it would have timed out: a number so far ahead is damage.
MAX_JUMP = 8192


def header(flags, payload, sequence):
    return struct.pack(">II", flags | len(payload) + HEADER, sequence) + payload


def unreliable_datagram(sequence, payload):
    return header(FLAG_UNRELIABLE, payload, sequence)


def accept():
    """CCREP_ACCEPT: go on with the same port."""
    body = bytes((CCREP_ACCEPT,)) + struct.pack("<I", 0)
    return struct.pack(">I", FLAG_CTL | 4 + len(body)) + body


def is_control(data):
    return len(data) >= 5 and data[0] & 0x80 != 0


def is_connect(data):
    """Whether a control packet asks for a connection in our game."""
    if struct.unpack(">I", data[:4])[0] & ~FLAG_CTL != len(data):
        return False
    return data[4] == CCREQ_CONNECT and data[5:12] == b"QUAKE\x00\x03"


class Damaged(Exception):
    """A datagram that cannot be one of this channel; its text is the field that says so."""


class Channel:
    """One end of a connection. What is to be sent gathers in `outbox`."""

    def __init__(self, fragment=MAX_FRAGMENT):
        self.outbox = []
        self.stale = []
        self.next_unreliable = 0
        self._fragment = min(fragment, MAX_FRAGMENT)
        self._messages, self._rest = [], b""
        self._sequence, self._waiting, self._sent_at = 0, None, 0
        self._expected_reliable, self._assembled = 0, b""
        self._expected_unreliable = 0
        self._received_reliable = False

    # Sending.

    def send_unreliable(self, payload):
        """Sends a datagram and says its number."""
        sequence = self.next_unreliable
        self.next_unreliable += 1
        self.outbox.append(unreliable_datagram(sequence, payload))
        return sequence

    def send_reliable(self, now, message):
        if message:
            self._messages.append(message)
            self._next_fragment(now)

    def resend(self, now):
        """Repeats what waits for its acknowledgement for too long."""
        if self._waiting is not None and now - self._sent_at >= RESEND_US:
            self._sent_at = now
            self.outbox.append(self._waiting)

    def _next_fragment(self, now):
        if self._waiting is not None:
            return
        if not self._rest:
            if not self._messages:
                return
            self._rest = self._messages.pop(0)
        part, self._rest = self._rest[:self._fragment], self._rest[self._fragment:]
        flags = FLAG_DATA if self._rest else FLAG_DATA | FLAG_EOM
        self._waiting, self._sent_at = header(flags, part, self._sequence), now
        self.outbox.append(self._waiting)

    # Receiving.

    def receive(self, now, data):
        """The message that a datagram completes or is, or None."""
        if len(data) < HEADER:
            raise Damaged("length")
        word, sequence = struct.unpack(">II", data[:HEADER])
        if word & LENGTH_MASK != len(data):
            raise Damaged("length")
        flags = word & ~LENGTH_MASK
        if flags == FLAG_UNRELIABLE:
            return self._unreliable(sequence, data[HEADER:])
        if flags == FLAG_ACK:
            return self._acknowledged(now, sequence)
        if flags in (FLAG_DATA, FLAG_DATA | FLAG_EOM):
            return self._reliable(sequence, data[HEADER:], flags & FLAG_EOM)
        raise Damaged("flags")

    def _unreliable(self, sequence, payload):
        # A client has always said something reliable first: what comes before that is from a connection before this one.
        if sequence < self._expected_unreliable or not self._received_reliable:
            self.stale.append(sequence)
            return None
        if sequence - self._expected_unreliable > MAX_JUMP:
            raise Damaged("sequence")
        self._expected_unreliable = sequence + 1
        return payload

    def _acknowledged(self, now, sequence):
        if self._waiting is None or sequence != self._sequence:
            self.stale.append(sequence)
            return
        self._sequence += 1
        self._waiting = None
        self._next_fragment(now)

    def _reliable(self, sequence, payload, last):
        if sequence <= self._expected_reliable:
            # Also what is known already: its acknowledgement was lost.
            self.outbox.append(header(FLAG_ACK, b"", sequence))
        if sequence != self._expected_reliable:
            self.stale.append(sequence)
            return None
        self._received_reliable = True
        self._expected_reliable += 1
        self._assembled += payload
        if len(self._assembled) > MAX_MESSAGE:
            self._assembled = b""
            raise Damaged("length")
        if not last:
            return None
        message, self._assembled = self._assembled, b""
        return message
