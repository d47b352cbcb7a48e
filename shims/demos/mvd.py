"""Writes an .mvd of QuakeWorld's protocol 28 with every form that a server writes of players, entities, statistics, texts and sounds.

Usage: mvd.py SEED > game.mvd. The same seed gives the same bytes. Layouts as open servers write them.
"""
import random
import struct
import sys

rng = random.Random(int(sys.argv[1]))
out = bytearray()


def block(millis, kind, body, mask=None):
    out.extend(bytes([millis, kind]))
    if mask is not None:
        out.extend(struct.pack("<I", mask))
    out.extend(struct.pack("<I", len(body)) + body)


def text(words):
    return words.encode() + b"\0"


def coord():
    return struct.pack("<h", rng.randrange(-32768, 32767))


def entity(number, full):
    """The delta of one entity: a word of bits with its number, perhaps a byte of more, and what they name."""
    # One without a bit ends the list for the crate quakeworld.
    bits = rng.getrandbits(5) << 9 | 1 << 13
    more = rng.getrandbits(6)
    if full:
        bits |= 1 << 9 | 1 << 10 | 1 << 11
    if more:
        bits |= 1 << 15
    body = struct.pack("<H", bits | number) + (bytes([more]) if more else b"")
    for bit in (more & 4, bits & 1 << 13, more & 8, more & 16, more & 32):
        body += bytes([rng.randrange(256)]) if bit else b""
    for origin, angle in ((bits & 1 << 9, more & 1), (bits & 1 << 10, bits & 1 << 12), (bits & 1 << 11, more & 2)):
        body += coord() if origin else b""
        body += bytes([rng.randrange(256)]) if angle else b""
    return body


def player(number):
    flags = rng.getrandbits(6) | rng.getrandbits(2) << 6 | rng.getrandbits(2) << 10
    body = struct.pack("<BBHB", 42, number, flags, rng.randrange(150))
    for bit in range(3):
        body += coord() if flags & 1 << bit else b""
    for bit in range(3, 6):
        body += struct.pack("<H", rng.getrandbits(16)) if flags & 1 << bit else b""
    for bit in (11, 7, 6, 10):
        body += bytes([rng.randrange(256)]) if flags & 1 << bit else b""
    return body


info = struct.pack("<BII", 11, 28, 1) + text("qw") + struct.pack("<f", 0.0) + text("A map") + struct.pack("<10f", *[1.0] * 10)
block(0, 6, info)
names = b"".join(text(f"progs/{number}.mdl") for number in range(1, 9)) + b"\0\0"
block(0, 6, bytes([45, 0]) + names)
for number in range(33, 60):
    # The crate quakeworld reads the places of baselines in another order: they are all 0.
    place = bytes(9)
    block(0, 6, struct.pack("<BHBBBB", 22, number, rng.randrange(1, 9), rng.randrange(9), 0, rng.randrange(4)) + place)
there = list(range(33, 50))
block(0, 6, bytes([47]) + b"".join(entity(number, True) for number in there) + b"\0\0")
for _ in range(2000):
    body = b"".join(player(number) for number in range(rng.randrange(1, 9)))
    body += bytes([48, rng.randrange(256)])
    changes = {}
    for number in rng.sample(range(33, 60), rng.randrange(6)):
        if number in there and rng.random() < 0.2:
            there.remove(number)
            changes[number] = struct.pack("<H", number | 1 << 14)
        else:
            if number not in there:
                there.append(number)
            changes[number] = entity(number, False)
    # An entity without any bit is a word that may be the end.
    body += b"".join(changes[number] for number in sorted(changes)) + b"\0\0"
    block(rng.randrange(1, 50), 6, body)
    if rng.random() < 0.3:
        block(0, 4 | rng.randrange(8) << 3, struct.pack("<BBi", 38, rng.randrange(16), rng.randrange(-1000, 100000)))
    if rng.random() < 0.2:
        block(0, 4 | rng.randrange(8) << 3, bytes([3, rng.randrange(16), rng.randrange(256)]))
    if rng.random() < 0.2:
        block(0, 6, bytes([8, rng.randrange(4)]) + text("".join(rng.choice("abc 012") for _ in range(rng.randrange(1, 30))) + "\n"))
    if rng.random() < 0.3:
        place = b"".join(coord() for _ in range(3))
        word = rng.randrange(1, 60) << 3 | rng.randrange(8)
        loud = rng.getrandbits(2) << 14
        extra = bytes(rng.randrange(256) for bit in (15, 14) if loud & 1 << bit)
        block(0, 6, struct.pack("<BH", 6, word | loud) + extra + bytes([rng.randrange(1, 200)]) + place)
sys.stdout.buffer.write(bytes(out))
