"""What FTE replacement deltas look like in bytes: the writing half.

The names are those of the protocol's document. An entity's state is a tuple with the values of FIELDS, in that order; fields
that are numbers with a fraction (origins and angles) hold the bits of an IEEE single, as the world is given them.
"""

import math
import struct
from operator import itemgetter

PROTOCOL_VERSION_FTE = 0x58455446
PROTOCOL_VERSION_FTE2 = 0x32455446
PROTOCOL_NETQUAKE = 15
PROTOCOL_FITZQUAKE = 666

PEXT_FLOATCOORDS = 0x00008000
PEXT_CSQC = 0x40000000
# Replacement deltas took over what these were for, so that they can be on without any effect.
PEXT_OBSOLETE = 0x8948794A
PEXT2_REPLACEMENTDELTAS = 0x00000008
PEXT2_PREDINFO = 0x00000020

SVC_NOP = 1
SVC_UPDATESTAT = 3
SVC_SETVIEW = 5
SVC_SOUND = 6
SVC_TIME = 7
SVC_STUFFTEXT = 9
SVC_SERVERINFO = 11
SVC_CLIENTDATA = 15
SVCFTE_SPAWNSTATIC2 = 21
SVC_TEMP_ENTITY = 23
SVC_SIGNONNUM = 25
SVC_UPDATESTATBYTE = 51
SVCFTE_SPAWNBASELINE2 = 66
SVCFTE_CSQCENTITIES = 76
SVC_UPDATESTATFLOAT = 79
SVCFTE_UPDATEENTITIES = 86

FLOAT_FIELDS = ("origin_x", "origin_y", "origin_z", "pitch", "yaw", "roll")
FIELDS = (
    "frame", *FLOAT_FIELDS, "effects", "model", "skin", "colormap", "solid", "flags", "alpha", "scale", "drawflags", "abslight",
    "tagentity", "tagindex", "light_r", "light_g", "light_b", "light_radius", "lightstyle", "lightpflags", "traileffect",
    "emiteffect", "colormod_r", "colormod_g", "colormod_b", "glow_size", "glow_colour", "glowmod_r", "glowmod_g", "glowmod_b",
    "fatness", "modelindex2", "gravity_pitch", "gravity_yaw", "forward", "side", "up", "movetype", "velocity_x", "velocity_y",
    "velocity_z", "msec", "weaponframe", "view_pitch", "view_yaw", "view_roll",
)
INDEX = {name: place for place, name in enumerate(FIELDS)}

# The null state: what a field is that nobody ever said anything about.
_NULL = dict.fromkeys(FIELDS, 0)
_NULL.update(alpha=255, scale=16)
_NULL.update(dict.fromkeys(("colormod_r", "colormod_g", "colormod_b", "glowmod_r", "glowmod_g", "glowmod_b"), 32))
NULL_STATE = tuple(_NULL[name] for name in FIELDS)

UF_FRAME = 1 << 0
UF_ORIGINXY = 1 << 1
UF_ORIGINZ = 1 << 2
UF_ANGLESXZ = 1 << 3
UF_ANGLESY = 1 << 4
UF_EFFECTS = 1 << 5
UF_PREDINFO = 1 << 6
UF_EXTEND1 = 1 << 7
UF_RESET = 1 << 8
UF_16BIT = 1 << 9
UF_MODEL = 1 << 10
UF_SKIN = 1 << 11
UF_COLORMAP = 1 << 12
UF_SOLID = 1 << 13
UF_FLAGS = 1 << 14
UF_EXTEND2 = 1 << 15
UF_ALPHA = 1 << 16
UF_SCALE = 1 << 17
UF_DRAWFLAGS = 1 << 19
UF_TAGINFO = 1 << 20
UF_LIGHT = 1 << 21
UF_TRAILEFFECT = 1 << 22
UF_EXTEND3 = 1 << 23
UF_COLORMOD = 1 << 24
UF_GLOW = 1 << 25
UF_FATNESS = 1 << 26
UF_MODELINDEX2 = 1 << 27
UF_GRAVITYDIR = 1 << 28
UF_EFFECTS2 = 1 << 29

UFP_FORWARD = 1 << 0
UFP_SIDE = 1 << 1
UFP_UP = 1 << 2
UFP_MOVETYPE = 1 << 3
UFP_VELOCITYXY = 1 << 4
UFP_VELOCITYZ = 1 << 5
UFP_MSEC = 1 << 6
UFP_WEAPONFRAME = 1 << 7

# What an entity has to have in common with its last state for a flag to be left out.
_COMPARED = [(flag, itemgetter(*(INDEX[name] for name in names.split()))) for flag, names in (
    (UF_FRAME, "frame"), (UF_ORIGINXY, "origin_x origin_y"), (UF_ORIGINZ, "origin_z"), (UF_ANGLESXZ, "pitch roll"),
    (UF_ANGLESY, "yaw"), (UF_EFFECTS, "effects"), (UF_MODEL, "model"), (UF_SKIN, "skin"), (UF_COLORMAP, "colormap"),
    (UF_SOLID, "solid"), (UF_FLAGS, "flags"), (UF_ALPHA, "alpha"), (UF_SCALE, "scale"), (UF_DRAWFLAGS, "drawflags abslight"),
    (UF_TAGINFO, "tagentity tagindex"), (UF_LIGHT, "light_r light_g light_b light_radius lightstyle lightpflags"),
    (UF_TRAILEFFECT, "traileffect emiteffect"), (UF_COLORMOD, "colormod_r colormod_g colormod_b"),
    (UF_GLOW, "glow_size glow_colour glowmod_r glowmod_g glowmod_b"), (UF_FATNESS, "fatness"),
    (UF_MODELINDEX2, "modelindex2"), (UF_GRAVITYDIR, "gravity_pitch gravity_yaw"),
    (UF_PREDINFO, "forward side up movetype velocity_x velocity_y velocity_z msec"),
)]
# The last bit of the pred block has two meanings: a weaponframe without the extension PREDINFO, view angles with it. View
# angles stand there only for the axes whose angles the update has, so that a change raises those flags, too.
_COMPARED_PLAIN = _COMPARED + [(UF_PREDINFO, itemgetter(INDEX["weaponframe"]))]
_COMPARED_PREDINFO = _COMPARED + [
    (UF_PREDINFO | UF_ANGLESXZ, itemgetter(INDEX["view_pitch"], INDEX["view_roll"])),
    (UF_PREDINFO | UF_ANGLESY, itemgetter(INDEX["view_yaw"])),
]
ALL_FIELDS = 0
for _flag, _ in _COMPARED:
    ALL_FIELDS |= _flag
_motion = itemgetter(*(INDEX[name] for name in "forward side up velocity_x velocity_y velocity_z msec".split()))
_NO_MOTION = (0,) * 7


class Dialect:
    """What the two ends agreed on, and which of two legal forms the server is to write."""

    def __init__(self, options, fte1=0, fte2=0, protocol=PROTOCOL_NETQUAKE):
        self.fte1, self.fte2, self.protocol = fte1, fte2, protocol
        self.float_coords = bool(fte1 & PEXT_FLOATCOORDS)
        self.csqc = bool(fte1 & PEXT_CSQC)
        self.replacement = bool(fte2 & PEXT2_REPLACEMENTDELTAS)
        self.predinfo = bool(fte2 & PEXT2_PREDINFO)
        for name in ("numbers_as_documented", "trails_as_documented", "angles_as_documented", "long_indices", "all_flag_bytes",
                     "widest_forms", "explicit_resets", "idle_entries"):
            setattr(self, name, bool(options.get(name, 0)))
        self.abslight_from = 6 if options.get("abslight_from_6", 0) else 7
        self.compared = _COMPARED_PREDINFO if self.predinfo else _COMPARED_PLAIN


def changed_flags(old, new, dialect):
    """The UF flags of all that differs between two states."""
    flags = 0
    for flag, values in dialect.compared:
        if values(old) != values(new):
            flags |= flag
    return flags


def to_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def byte(value):
    return bytes((value & 0xFF,))


def short(value):
    return struct.pack("<H", value & 0xFFFF)


def long(value):
    return struct.pack("<I", value & 0xFFFFFFFF)


def string(text):
    return text.encode("latin-1") + b"\0"


def coord(bits, dialect):
    if dialect.float_coords:
        return long(bits)
    # Eighths, and halves of them go away from zero.
    eighths = math.floor(abs(to_float(bits)) * 8 + 0.5)
    return struct.pack("<h", max(-32768, min(32767, math.copysign(eighths, to_float(bits)).__trunc__())))


def angle16(bits):
    return short(math.floor(to_float(bits) * 65536 / 360 + 0.5))


def angle(bits, dialect):
    if dialect.float_coords:
        return angle16(bits)
    return byte(math.floor(to_float(bits) * 256 / 360 + 0.5))


def entity_number(number, dialect):
    """A regular entity number, as sounds, views, tags and baselines have it."""
    if number < 0x8000 or not dialect.replacement:
        return short(number)
    if dialect.numbers_as_documented:
        return short(0x8000 | number & 0x7FFF) + byte(number >> 15)
    # Engines have always put the low byte last (erratum E1).
    return short(0x8000 | number >> 8) + byte(number)


def entity_index(number, dialect, remove=False):
    """An index of a list of updates, which is coded otherwise than a regular number."""
    high = 0x8000 if remove else 0
    if number >= 0x4000 or dialect.long_indices:
        return short(high | 0x4000 | number & 0x3FFF) + byte(number >> 14)
    return short(high | number)


REMOVE_ALL = short(0x8000)
END_OF_LIST = short(0)


def write_update(flags, state, dialect, undefined_flag=0):
    """The flag bytes of an update, and the fields that they announce."""
    entity = dict(zip(FIELDS, state))
    # An update that is silent about motion ends it, so one of a moving entity always speaks of it.
    if _motion(state) != _NO_MOTION:
        flags |= UF_PREDINFO
    flags = _with_widths(flags, entity, dialect)
    body = _first_fields(flags, entity, dialect) + _later_fields(flags, entity, dialect)
    return _flag_bytes(flags | undefined_flag, dialect) + body


def _with_widths(flags, entity, dialect):
    """Adds the flags that say how wide fields are."""
    if flags & UF_EFFECTS:
        effects = entity["effects"]
        if effects > 0xFFFF or dialect.widest_forms:
            flags |= UF_EFFECTS2
        elif effects > 0xFF:
            flags = flags & ~UF_EFFECTS | UF_EFFECTS2
    wide = dialect.widest_forms and flags & (UF_FRAME | UF_MODEL | UF_SKIN | UF_MODELINDEX2)
    wide = wide or flags & UF_FRAME and entity["frame"] > 0xFF
    wide = wide or flags & UF_MODEL and entity["model"] > 0xFF
    wide = wide or flags & UF_MODELINDEX2 and entity["modelindex2"] > 0xFF
    # A skin of one byte is signed in the document and unsigned in engines (E8): one byte is for those that both read alike.
    wide = wide or flags & UF_SKIN and not 0 <= entity["skin"] <= 0x7F
    return flags | UF_16BIT if wide else flags


def _flag_bytes(flags, dialect):
    if dialect.all_flag_bytes or flags >> 24:
        flags |= UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3
        return long(flags)
    if flags >> 16:
        return long(flags | UF_EXTEND1 | UF_EXTEND2)[:3]
    if flags >> 8:
        return long(flags | UF_EXTEND1)[:2]
    return byte(flags)


def _first_fields(flags, entity, dialect):
    """From the frame to the pred block."""
    wide = short if flags & UF_16BIT else byte
    out = bytearray()
    if flags & UF_FRAME:
        out += wide(entity["frame"])
    if flags & UF_ORIGINXY:
        out += coord(entity["origin_x"], dialect) + coord(entity["origin_y"], dialect)
    if flags & UF_ORIGINZ:
        out += coord(entity["origin_z"], dialect)
    fine = flags & UF_PREDINFO and (not dialect.predinfo or dialect.angles_as_documented)
    if flags & UF_ANGLESXZ:
        for name in ("pitch", "roll"):
            out += angle16(entity[name]) if fine else angle(entity[name], dialect)
    if flags & UF_ANGLESY:
        out += angle16(entity["yaw"]) if fine else angle(entity["yaw"], dialect)
    if flags & UF_EFFECTS2:
        out += long(entity["effects"]) if flags & UF_EFFECTS else short(entity["effects"])
    elif flags & UF_EFFECTS:
        out += byte(entity["effects"])
    if flags & UF_PREDINFO:
        out += _pred_block(flags, entity, dialect)
    return out


def _pred_block(flags, entity, dialect):
    # The movetype is remembered, and what is pending does not say whether it has changed: it is always there.
    bits, out = UFP_MOVETYPE, bytearray()
    for bit, name in ((UFP_FORWARD, "forward"), (UFP_SIDE, "side"), (UFP_UP, "up")):
        if entity[name]:
            bits |= bit
            out += short(entity[name])
    out += byte(entity["movetype"])
    if entity["velocity_x"] or entity["velocity_y"]:
        bits |= UFP_VELOCITYXY
        out += short(entity["velocity_x"]) + short(entity["velocity_y"])
    if entity["velocity_z"]:
        bits |= UFP_VELOCITYZ
        out += short(entity["velocity_z"])
    if entity["msec"]:
        bits |= UFP_MSEC
        out += byte(entity["msec"])
    if not dialect.predinfo:
        bits |= UFP_WEAPONFRAME
        out += _weaponframe(entity["weaponframe"])
    elif flags & (UF_ANGLESXZ | UF_ANGLESY):
        bits |= UFP_WEAPONFRAME
        if flags & UF_ANGLESXZ:
            out += short(entity["view_pitch"]) + short(entity["view_roll"])
        if flags & UF_ANGLESY:
            out += short(entity["view_yaw"])
    return byte(bits) + out


def _weaponframe(value):
    """Seven bits to a byte; the highest bit of the first announces the second."""
    return byte(value) if value < 0x80 else byte(0x80 | value) + byte(value >> 7)


def _later_fields(flags, entity, dialect):
    """From the model to the direction of gravity."""
    wide = short if flags & UF_16BIT else byte
    out = bytearray()
    if flags & UF_MODEL:
        # Bit 15 asks for a ragdoll, and is no part of the index.
        out += wide(entity["model"] | (0x8000 if dialect.widest_forms else 0))
    if flags & UF_SKIN:
        out += wide(entity["skin"])
    if flags & UF_COLORMAP:
        out += byte(entity["colormap"])
    if flags & UF_SOLID:
        out += short(entity["solid"])
    for flag, name in ((UF_FLAGS, "flags"), (UF_ALPHA, "alpha"), (UF_SCALE, "scale")):
        if flags & flag:
            out += byte(entity[name])
    if flags & UF_DRAWFLAGS:
        out += byte(entity["drawflags"])
        if entity["drawflags"] & 7 >= dialect.abslight_from:
            out += byte(entity["abslight"])
    if flags & UF_TAGINFO:
        out += entity_number(entity["tagentity"], dialect) + byte(entity["tagindex"])
    if flags & UF_LIGHT:
        for name in ("light_r", "light_g", "light_b", "light_radius"):
            out += short(entity[name])
        out += byte(entity["lightstyle"]) + byte(entity["lightpflags"])
    if flags & UF_TRAILEFFECT:
        out += _trail(entity["traileffect"], entity["emiteffect"], dialect)
    for flag, names in (
        (UF_COLORMOD, ("colormod_r", "colormod_g", "colormod_b")),
        (UF_GLOW, ("glow_size", "glow_colour", "glowmod_r", "glowmod_g", "glowmod_b")),
        (UF_FATNESS, ("fatness",)),
    ):
        if flags & flag:
            for name in names:
                out += byte(entity[name])
    if flags & UF_MODELINDEX2:
        out += wide(entity["modelindex2"])
    if flags & UF_GRAVITYDIR:
        out += byte(entity["gravity_pitch"]) + byte(entity["gravity_yaw"])
    return out


def _trail(trail, emit, dialect):
    if dialect.trails_as_documented:
        return short(trail)
    # As engines have it, the highest bit announces a second effect (erratum E14).
    if emit:
        return short(0x8000 | trail & 0x3FFF) + short(emit & 0x3FFF)
    return short(trail & 0x3FFF)
