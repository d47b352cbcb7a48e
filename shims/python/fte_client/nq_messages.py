"""The services of NetQuake, and how to read past those that a delta protocol does not care about."""

from netchan import WireError

SVC_NOP = 1
SVC_DISCONNECT = 2
SVC_UPDATESTAT = 3
SVC_SETVIEW = 5
SVC_SOUND = 6
SVC_TIME = 7
SVC_PRINT = 8
SVC_STUFFTEXT = 9
SVC_SERVERINFO = 11
SVC_CLIENTDATA = 15
SVC_SPAWNSTATIC2 = 21
SVC_TEMP_ENTITY = 23
SVC_SIGNONNUM = 25
SVC_FITZ_SPAWNBASELINE2 = 42
SVC_FITZ_SPAWNSTATIC2 = 43
SVC_UPDATESTATBYTE = 51
SVC_SPAWNBASELINE2 = 66
SVC_CSQCENTITIES = 76
SVC_UPDATESTATSTRING = 78
SVC_UPDATESTATFLOAT = 79
SVC_UPDATEENTITIES = 86
FAST_UPDATE = 0x80              # the high bit of a service: a fast update without a number of its own

CLC_NOP = 1
CLC_DISCONNECT = 2
CLC_MOVE = 3
CLC_STRINGCMD = 4
CLC_ACKFRAME = 50

SND_VOLUME = 1
SND_ATTENUATION = 2
SND_LARGEENTITY = 8
SND_LARGESOUND = 16

TE_LIGHTNING2 = 6
TE_BEAMS = (5, 6, 9, 13)        # these belong to an entity
TE_EXPLOSION2 = 12

# What follows each service: b byte, s short, l long or float, c coordinate, a angle, z string.
LAYOUTS = {
    1: "", 4: "l", 10: "aaa", 12: "bz", 13: "bz", 14: "bs", 16: "s", 17: "bb", 18: "cccbbbbb", 19: "bbccc",
    20: "bbbbcacaca", 22: "sbbbbcacaca", 24: "b", 26: "z", 27: "", 28: "", 29: "cccbbb", 30: "", 31: "z", 32: "bb", 33: "",
    34: "z", 37: "z", 40: "", 41: "bbbbs", 44: "cccsbb", 54: "sz", 78: "bz"}


def skip_layout(reader, layout):
    dialect = reader.dialect
    for letter in layout:
        if letter == "z":
            reader.string()
        elif letter == "c":
            reader.skip(4 if dialect.float_coords else 2, "coord")
        elif letter == "a":
            reader.skip(2 if dialect.short_angles else 1, "angle")
        else:
            reader.skip({"b": 1, "s": 2, "l": 4}[letter])


def skip_clientdata(reader):
    bits = reader.short("clientdata bits")
    if bits & 1 << 15:
        bits |= reader.byte("clientdata bits") << 16
    if bits & 1 << 23:
        bits |= reader.byte("clientdata bits") << 24
    # View height and ideal pitch, punch angles and velocities: a byte for each bit.
    reader.skip(bin(bits & 0xFF).count("1"))
    reader.skip(4)                                              # items, whether flagged or not
    reader.skip(bin(bits & (7 << 12)).count("1"))               # weapon frame, armour, weapon
    reader.skip(2 + 1 + 4 + 1)                                  # health, ammunition, active weapon
    reader.skip(bin(bits & (0x37F << 16)).count("1"))           # the high bytes, and the weapon's alpha


def skip_fast_update(reader, bits):
    """A fast update of protocols 15 and 666, after its first byte."""
    if bits & 1:
        bits |= reader.byte("update bits") << 8
    newer = reader.dialect.protocol != 15
    if newer and bits & 1 << 15:
        bits |= reader.byte("update bits") << 16
        if bits & 1 << 23:
            bits |= reader.byte("update bits") << 24
    reader.skip(2 if bits & 1 << 14 else 1, "entity")
    for bit in (10, 6, 11, 12, 13):                             # model, frame, colormap, skin, effects
        reader.skip(1 if bits & 1 << bit else 0)
    for origin, angle in ((1, 8), (2, 4), (3, 9)):
        skip_layout(reader, ("c" if bits & 1 << origin else "") + ("a" if bits & 1 << angle else ""))
    if newer:
        reader.skip(bin(bits & (0x1F << 16)).count("1"))        # alpha, high bytes, end of the interpolation, scale


def skip_fitz_baseline(reader):
    """A baseline of protocol 666, after the entity's number."""
    bits = reader.byte("baseline bits")
    reader.skip((2 if bits & 1 else 1) + (2 if bits & 2 else 1) + 2)    # model, frame, colormap, skin
    skip_layout(reader, "cacaca")
    reader.skip(1 if bits & 4 else 0)                                   # alpha


def read_sound(reader):
    """The entity that makes a sound, and the sound's number."""
    mask = reader.byte("sound mask")
    if mask & ~(SND_VOLUME | SND_ATTENUATION | SND_LARGEENTITY | SND_LARGESOUND):
        raise WireError("sound mask", reader.at - 1)
    reader.skip(bin(mask & (SND_VOLUME | SND_ATTENUATION)).count("1"))
    if mask & SND_LARGEENTITY:
        entity = reader.entity_number()
        reader.byte("channel")
    else:
        entity = reader.short("entity and channel") >> 3
    sound = reader.short("sound") if mask & SND_LARGESOUND else reader.byte("sound")
    skip_layout(reader, "ccc")
    return entity, sound


def read_temp_entity(reader):
    """The entity that a temporary one belongs to, or None."""
    kind = reader.byte("temp entity")
    if kind > 13:
        raise WireError("temp entity", reader.at - 1)
    entity = reader.entity_number() if kind in TE_BEAMS else None
    skip_layout(reader, "cccccc" if kind in TE_BEAMS else "ccc")
    if kind == TE_EXPLOSION2:
        reader.skip(2)
    return entity


def string_command(text):
    """A command of a client as text."""
    return bytes([CLC_STRINGCMD]) + text.encode("latin-1") + b"\0"


def tokens(text):
    """The words of a command. A word in quotes may have blanks, and is never a comment."""
    words, at = [], 0
    while True:
        while at < len(text) and text[at] <= " ":
            at += 1
        if at == len(text):
            return words
        if text[at] == '"':
            end = text.find('"', at + 1)
            end = len(text) if end < 0 else end
            words.append(text[at + 1:end])
            at = end + 1
        else:
            end = at
            while end < len(text) and text[end] > " ":
                end += 1
            words.append(text[at:end])
            at = end
        at = min(at, len(text))


def number(text):
    """A number as C would read it, in hexadecimal digits after 0x; None where it is none."""
    try:
        return int(text, 16 if text[:2].lower() == "0x" else 10) & 0xFFFFFFFF
    except ValueError:
        return None
