"""What clients say: the messages of a reliable or an unreliable datagram, one after another."""

import struct

CLC_NOP = 1
CLC_DISCONNECT = 2
CLC_MOVE = 3
CLC_STRINGCMD = 4
CLCFTE_ACKFRAME = 50


class Unreadable(Exception):
    """A message that cannot be read; it begins at byte `offset` of the payload."""

    def __init__(self, field, offset):
        super().__init__(field)
        self.field, self.offset = field, offset


def read_messages(payload, dialect):
    """Yields (service, value): the sequence of a move, the text of a command, the frame of an acknowledgement."""
    place = 0
    while place < len(payload):
        service, start = payload[place], place
        place += 1
        if service in (CLC_NOP, CLC_DISCONNECT):
            yield service, None
        elif service == CLC_MOVE:
            place += move_length(dialect)
            if place > len(payload):
                raise Unreadable("clc_move", start)
            # Only its number matters to the protocol; where the player goes is the game's business.
            yield service, struct.unpack_from("<H", payload, start + 1)[0] if dialect.predinfo else None
        elif service == CLC_STRINGCMD:
            end = payload.find(b"\0", place)
            if end < 0:
                raise Unreadable("clc_stringcmd", start)
            yield service, payload[place:end].decode("latin-1")
            place = end + 1
        elif service == CLCFTE_ACKFRAME and dialect.replacement:
            place += 4
            if place > len(payload):
                raise Unreadable("clcfte_ackframe", start)
            yield service, struct.unpack_from("<i", payload, start + 1)[0]
        else:
            raise Unreadable("clc", start)


def move_length(dialect):
    """After the service: [sequence,] time, three angles, three speeds, buttons, impulse."""
    fine = dialect.predinfo or dialect.float_coords or dialect.protocol != 15
    return (2 if dialect.predinfo else 0) + 4 + 3 * (2 if fine else 1) + 3 * 2 + 1 + 1


def tokens(text):
    """The words of a command; what is quoted is one word, with its blanks."""
    words, place = [], 0
    while place < len(text):
        if text[place] <= " ":
            place += 1
        elif text[place] == '"':
            end = text.find('"', place + 1)
            end = len(text) if end < 0 else end
            words.append(text[place + 1:end])
            place = end + 1
        else:
            end = place
            while end < len(text) and text[end] > " ":
                end += 1
            words.append(text[place:end])
            place = end
    return words


def number(word):
    """A key or a mask: hexadecimal after 0x, else decimal; anything else is 0."""
    try:
        return int(word, 16 if word[:2].lower() == "0x" else 10) & 0xFFFFFFFF
    except ValueError:
        return 0


def extension_pairs(words):
    """The masks of `pext KEY VALUE KEY VALUE ...`, by their keys."""
    return {number(key): number(value) for key, value in zip(words[1::2], words[2::2])}
