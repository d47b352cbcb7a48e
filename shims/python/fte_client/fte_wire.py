"""The wire format of FTE's replacement deltas, as a client reads it and as a server writes it.

An entity is a list of integers, one for each name in FIELDS. Coordinates and angles are numbers on the wire; here they are the
bits of an IEEE single, so that nothing is lost between what was read and what is shown.

An update begins with up to four bytes of UF flags. They say which fields follow, in an order that is not quite that of the flags.
"""

import struct

from netchan import WireError

FIELDS = (
    "frame", "origin_x", "origin_y", "origin_z", "pitch", "yaw", "roll", "effects", "model", "skin", "colormap", "solid", "flags",
    "alpha", "scale", "drawflags", "abslight", "tagentity", "tagindex", "light_r", "light_g", "light_b", "light_radius",
    "lightstyle", "lightpflags", "traileffect", "emiteffect", "colormod_r", "colormod_g", "colormod_b", "glow_size",
    "glow_colour", "glowmod_r", "glowmod_g", "glowmod_b", "fatness", "modelindex2", "gravity_pitch", "gravity_yaw", "forward",
    "side", "up", "movetype", "velocity_x", "velocity_y", "velocity_z", "msec", "weaponframe", "view_pitch", "view_yaw",
    "view_roll")

(FRAME, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, PITCH, YAW, ROLL, EFFECTS, MODEL, SKIN, COLORMAP, SOLID, FLAGS, ALPHA, SCALE, DRAWFLAGS,
 ABSLIGHT, TAGENTITY, TAGINDEX, LIGHT_R, LIGHT_G, LIGHT_B, LIGHT_RADIUS, LIGHTSTYLE, LIGHTPFLAGS, TRAILEFFECT, EMITEFFECT,
 COLORMOD_R, COLORMOD_G, COLORMOD_B, GLOW_SIZE, GLOW_COLOUR, GLOWMOD_R, GLOWMOD_G, GLOWMOD_B, FATNESS, MODELINDEX2,
 GRAVITY_PITCH, GRAVITY_YAW, FORWARD, SIDE, UP, MOVETYPE, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, MSEC, WEAPONFRAME, VIEW_PITCH,
 VIEW_YAW, VIEW_ROLL) = range(len(FIELDS))

# What both baselines and static entities differ from.
NULL_STATE = [0] * len(FIELDS)
NULL_STATE[ALPHA] = 255
NULL_STATE[SCALE] = 16
for _field in (COLORMOD_R, COLORMOD_G, COLORMOD_B, GLOWMOD_R, GLOWMOD_G, GLOWMOD_B):
    NULL_STATE[_field] = 32

# What a pred block says anew each time: without it, and without their bits in it, these are 0.
TRANSIENT = (FORWARD, SIDE, UP, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, MSEC)

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
# Nobody knows what follows these, so that nothing after them can be read.
UF_UNDEFINED = 1 << 18 | 1 << 30 | 1 << 31

UFP_FORWARD = 1 << 0
UFP_SIDE = 1 << 1
UFP_UP = 1 << 2
UFP_MOVETYPE = 1 << 3
UFP_VELOCITYXY = 1 << 4
UFP_VELOCITYZ = 1 << 5
UFP_MSEC = 1 << 6
UFP_WEAPONFRAME = 1 << 7        # with PREDINFO: the view angles
UFP_VIEWANGLE = UFP_WEAPONFRAME

PEXT_FLOATCOORDS = 0x00008000
PEXT_CSQC = 0x40000000
PEXT2_REPLACEMENTDELTAS = 0x00000008
PEXT2_PREDINFO = 0x00000020
PROTOCOL_VERSION_FTE = 0x58455446
PROTOCOL_VERSION_FTE2 = 0x32455446

_FLOAT = struct.Struct("<f")
_LONG = struct.Struct("<I")
_SHORT = struct.Struct("<H")


def float_bits(value):
    """The bits of a number as an IEEE single."""
    return _LONG.unpack(_FLOAT.pack(value))[0]


def bits_float(bits):
    """The number whose bits as an IEEE single these are."""
    return _FLOAT.unpack(_LONG.pack(bits & 0xFFFFFFFF))[0]


class Dialect:
    """What two ends agreed upon, and how they understand what the document and the engines say differently."""

    def __init__(self, options, fte1=0, fte2=0, protocol=15, protocol_flags=0):
        self.fte1, self.fte2, self.protocol = fte1, fte2, protocol
        self.deltas = bool(fte2 & PEXT2_REPLACEMENTDELTAS)
        self.predinfo = bool(fte2 & PEXT2_PREDINFO)
        # Float coordinates change the angles, too. Protocol 999 has flags of its own for both.
        self.float_coords = bool(fte1 & PEXT_FLOATCOORDS or protocol_flags & 16)
        self.short_angles = bool(fte1 & PEXT_FLOATCOORDS or protocol_flags & 2)
        # A move has angles of 16 bits in newer protocols anyway; PREDINFO guarantees them in all.
        self.short_move_angles = self.short_angles or self.predinfo or protocol != 15
        self.numbers_as_documented = options.get("numbers_as_documented", 0)
        self.abslight_from = 6 if options.get("abslight_from_6", 0) else 7
        self.trails_as_documented = options.get("trails_as_documented", 0)
        # The document gives a pred block angles of 16 bits; engines do so while PREDINFO is off.
        self.short_angles_beside_pred = bool(options.get("angles_as_documented", 0)) or not self.predinfo


class Reader:
    """Reads a message from its beginning to its end. What is missing or wrong is a WireError."""

    def __init__(self, data, dialect):
        self.data = data
        self.at = 0
        self.dialect = dialect

    def more(self):
        return self.at < len(self.data)

    def byte(self, field="byte"):
        at = self.at
        if at >= len(self.data):
            raise WireError(field, at)
        self.at = at + 1
        return self.data[at]

    def short(self, field="short"):
        """An unsigned short."""
        at = self.at
        if at + 2 > len(self.data):
            raise WireError(field, at)
        self.at = at + 2
        return self.data[at] | self.data[at + 1] << 8

    def signed_short(self, field="short"):
        value = self.short(field)
        return value - 0x10000 if value & 0x8000 else value

    def long(self, field="long"):
        """An unsigned long, which may be the bits of a float."""
        at = self.at
        if at + 4 > len(self.data):
            raise WireError(field, at)
        self.at = at + 4
        return _LONG.unpack_from(self.data, at)[0]

    def string(self, field="string"):
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise WireError(field, self.at)
        text = self.data[self.at:end]
        self.at = end + 1
        return text

    def skip(self, count, field="bytes"):
        if self.at + count > len(self.data):
            raise WireError(field, self.at)
        self.at += count

    def coord(self, field="coord"):
        """The bits of a coordinate."""
        if self.dialect.float_coords:
            return self.long(field)
        return float_bits(self.signed_short(field) / 8)

    def angle16(self, field="angle"):
        return float_bits(self.signed_short(field) * 360 / 65536)

    def angle(self, field="angle"):
        """The bits of an angle. It is signed."""
        if self.dialect.short_angles:
            return self.angle16(field)
        value = self.byte(field)
        return float_bits((value - 256 if value & 0x80 else value) * 360 / 256)

    def entity_number(self, field="entity"):
        """A number as it is everywhere but in an update."""
        value = self.short(field)
        if not (self.dialect.deltas and value & 0x8000):
            return value
        high = self.byte(field)
        if self.dialect.numbers_as_documented:
            return value & 0x7FFF | (high & 0x7F) << 15
        return (value & 0x7FFF) << 8 | high

    def entity_index(self):
        """A number as it is in an update, and whether the entity is removed."""
        value = self.short("entity index")
        number = value & 0x3FFF
        if value & 0x4000:
            number |= self.byte("entity index") << 14
        return number, bool(value & 0x8000)

    def update_flags(self):
        start = self.at
        flags = self.byte("UF flags")
        if flags & UF_EXTEND1:
            flags |= self.byte("UF flags") << 8
            if flags & UF_EXTEND2:
                flags |= self.byte("UF flags") << 16
                if flags & UF_EXTEND3:
                    flags |= self.byte("UF flags") << 24
        if flags & UF_UNDEFINED:
            raise WireError("UF flags", start)
        return flags

    def update_fields(self, flags, state):
        """Change those fields of an entity that the flags announce."""
        wide = flags & UF_16BIT
        if flags & UF_FRAME:
            state[FRAME] = self.short("frame") if wide else self.byte("frame")
        if flags & UF_ORIGINXY:
            state[ORIGIN_X] = self.coord("origin")
            state[ORIGIN_Y] = self.coord("origin")
        if flags & UF_ORIGINZ:
            state[ORIGIN_Z] = self.coord("origin")
        angle = self.angle16 if flags & UF_PREDINFO and self.dialect.short_angles_beside_pred else self.angle
        if flags & UF_ANGLESXZ:
            state[PITCH] = angle()
            state[ROLL] = angle()
        if flags & UF_ANGLESY:
            state[YAW] = angle()
        if flags & UF_EFFECTS2:
            state[EFFECTS] = self.long("effects") if flags & UF_EFFECTS else self.short("effects")
        elif flags & UF_EFFECTS:
            state[EFFECTS] = self.byte("effects")
        if flags & UF_PREDINFO:
            self.pred_block(flags, state)
        else:
            for field in TRANSIENT:
                state[field] = 0
        if flags >= UF_RESET:
            self.seldom_fields(flags, wide, state)

    def pred_block(self, flags, state):
        bits = self.byte("pred flags")
        state[FORWARD] = self.signed_short("forward") if bits & UFP_FORWARD else 0
        state[SIDE] = self.signed_short("side") if bits & UFP_SIDE else 0
        state[UP] = self.signed_short("up") if bits & UFP_UP else 0
        if bits & UFP_MOVETYPE:
            state[MOVETYPE] = self.byte("movetype")
        both = bits & UFP_VELOCITYXY
        state[VELOCITY_X] = self.signed_short("velocity") if both else 0
        state[VELOCITY_Y] = self.signed_short("velocity") if both else 0
        state[VELOCITY_Z] = self.signed_short("velocity") if bits & UFP_VELOCITYZ else 0
        state[MSEC] = self.byte("msec") if bits & UFP_MSEC else 0
        if not bits & UFP_WEAPONFRAME:
            return
        if self.dialect.predinfo:
            # View angles, of those axes alone whose angles are in the same update.
            if flags & UF_ANGLESXZ:
                state[VIEW_PITCH] = self.signed_short("view angle")
                state[VIEW_ROLL] = self.signed_short("view angle")
            if flags & UF_ANGLESY:
                state[VIEW_YAW] = self.signed_short("view angle")
        else:
            low = self.byte("weaponframe")
            state[WEAPONFRAME] = low & 0x7F | self.byte("weaponframe") << 7 if low & 0x80 else low

    def seldom_fields(self, flags, wide, state):
        """The fields after the pred block."""
        if flags & UF_MODEL:
            # The highest bit makes a ragdoll of it, and is no part of the index.
            state[MODEL] = self.short("model") & 0x7FFF if wide else self.byte("model")
        if flags & UF_SKIN:
            state[SKIN] = self.signed_short("skin") if wide else self.byte("skin")
        if flags & UF_COLORMAP:
            state[COLORMAP] = self.byte("colormap")
        if flags & UF_SOLID:
            state[SOLID] = self.short("solid")
        if flags & UF_FLAGS:
            state[FLAGS] = self.byte("flags")
        if flags & UF_ALPHA:
            state[ALPHA] = self.byte("alpha")
        if flags & UF_SCALE:
            state[SCALE] = self.byte("scale")
        if flags & UF_DRAWFLAGS:
            state[DRAWFLAGS] = self.byte("drawflags")
            if state[DRAWFLAGS] & 7 >= self.dialect.abslight_from:
                state[ABSLIGHT] = self.byte("abslight")
        if flags & UF_TAGINFO:
            state[TAGENTITY] = self.entity_number("tag entity")
            state[TAGINDEX] = self.byte("tag index")
        if flags & UF_LIGHT:
            for field in (LIGHT_R, LIGHT_G, LIGHT_B, LIGHT_RADIUS):
                state[field] = self.signed_short("light")
            state[LIGHTSTYLE] = self.byte("light style")
            state[LIGHTPFLAGS] = self.byte("light flags")
        if flags & UF_TRAILEFFECT:
            self.trail(state)
        if flags & UF_COLORMOD:
            for field in (COLORMOD_R, COLORMOD_G, COLORMOD_B):
                state[field] = self.byte("colormod")
        if flags & UF_GLOW:
            for field in (GLOW_SIZE, GLOW_COLOUR, GLOWMOD_R, GLOWMOD_G, GLOWMOD_B):
                state[field] = self.byte("glow")
        if flags & UF_FATNESS:
            state[FATNESS] = self.byte("fatness")
        if flags & UF_MODELINDEX2:
            state[MODELINDEX2] = self.short("second model") if wide else self.byte("second model")
        if flags & UF_GRAVITYDIR:
            state[GRAVITY_PITCH] = self.byte("gravity")
            state[GRAVITY_YAW] = self.byte("gravity")

    def trail(self, state):
        value = self.short("trail effect")
        if self.dialect.trails_as_documented:
            state[TRAILEFFECT] = value
            return
        # Engines use 14 bits, and the highest one for another effect after it.
        state[TRAILEFFECT] = value & 0x3FFF
        state[EMITEFFECT] = self.short("emit effect") & 0x3FFF if value & 0x8000 else 0

    def baseline(self):
        """An entity that is described by what it has other than the null state."""
        state = NULL_STATE[:]
        self.update_fields(self.update_flags(), state)
        return state
