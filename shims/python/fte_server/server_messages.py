"""Messages of the server that have nothing to do with deltas: what a map is, statistics, and effects."""

from fte_server_wire import (
    PROTOCOL_FITZQUAKE, PROTOCOL_VERSION_FTE, PROTOCOL_VERSION_FTE2, SVC_CLIENTDATA, SVC_SERVERINFO, SVC_SETVIEW, SVC_SIGNONNUM,
    SVC_SOUND, SVC_STUFFTEXT, SVC_TEMP_ENTITY, SVC_UPDATESTAT, SVC_UPDATESTATBYTE, SVC_UPDATESTATFLOAT, SVCFTE_CSQCENTITIES,
    SVCFTE_SPAWNBASELINE2, SVCFTE_SPAWNSTATIC2, END_OF_LIST, NULL_STATE, byte, changed_flags, coord, entity_index, entity_number,
    long, short, string, to_float, write_update,
)

GAMEDIR, LEVEL = "independent", "An empty room"
MODELS = ("maps/room.bsp", "progs/player.mdl", "progs/thing.mdl")
SOUNDS = ("misc/null.wav",)
GAMETYPE_DEATHMATCH = 1
MAX_CLIENTS = 16

SND_LARGEENTITY = 1 << 3
SND_LARGESOUND = 1 << 4
TE_LIGHTNING2 = 6


def stufftext(text):
    return byte(SVC_STUFFTEXT) + string(text)


def signonnum(stage):
    return byte(SVC_SIGNONNUM) + byte(stage)


def setview(number, dialect):
    return byte(SVC_SETVIEW) + entity_number(number, dialect)


def serverinfo(dialect, unknown_key):
    """The masks that are in use, each after its key, then the base protocol and the map."""
    out = byte(SVC_SERVERINFO)
    if unknown_key:
        out += long(unknown_key) + long(0)
    if dialect.fte1:
        out += long(PROTOCOL_VERSION_FTE) + long(dialect.fte1)
    if dialect.fte2:
        out += long(PROTOCOL_VERSION_FTE2) + long(dialect.fte2)
    out += long(dialect.protocol)
    if dialect.predinfo:
        out += string(GAMEDIR)
    out += byte(MAX_CLIENTS) + byte(GAMETYPE_DEATHMATCH) + string(LEVEL)
    for names in (MODELS, SOUNDS):
        out += b"".join(string(name) for name in names) + string("")
    return out


def spawnbaseline(number, state, dialect):
    """The difference from the null state, after a regular number."""
    head = byte(SVCFTE_SPAWNBASELINE2) + entity_number(number, dialect)
    return head + write_update(changed_flags(NULL_STATE, state, dialect), state, dialect)


def spawnstatic(state, dialect):
    return byte(SVCFTE_SPAWNSTATIC2) + write_update(changed_flags(NULL_STATE, state, dialect), state, dialect)


def csqc_gone(number, dialect):
    return byte(SVCFTE_CSQCENTITIES) + entity_index(number, dialect, remove=True) + END_OF_LIST


def beam(number, dialect):
    return byte(SVC_TEMP_ENTITY) + byte(TE_LIGHTNING2) + entity_number(number, dialect) + coord(0, dialect) * 6


def sound(number, index, dialect):
    """A sound of an entity's channel 0, or None where the protocol has no room for its numbers."""
    mask = 0
    # The extension widens entity numbers, whatever the protocol; it leaves sounds as they were.
    if index > 0xFF:
        if dialect.protocol != PROTOCOL_FITZQUAKE:
            return None
        mask |= SND_LARGESOUND
    if number >= 8192:
        if not dialect.replacement and dialect.protocol != PROTOCOL_FITZQUAKE:
            return None
        mask |= SND_LARGEENTITY
    out = byte(SVC_SOUND) + byte(mask)
    out += entity_number(number, dialect) + byte(0) if mask & SND_LARGEENTITY else short(number << 3)
    out += short(index) if mask & SND_LARGESOUND else byte(index)
    return out + coord(0, dialect) * 3


def stat_update(index, kind, value):
    """A statistic beside a frame: the shortest form that holds its value."""
    if kind == "float":
        return byte(SVC_UPDATESTATFLOAT) + byte(index) + long(value)
    if 0 <= value <= 0xFF:
        return byte(SVC_UPDATESTATBYTE) + byte(index) + byte(value)
    return stat_update_plain(index, kind, value)


def stat_update_plain(index, kind, value):
    """As NetQuake always had it: an integer of 32 bits."""
    if kind == "float":
        value = int(to_float(value))
    return byte(SVC_UPDATESTAT) + byte(index) + long(value)


SU_ITEMS, SU_WEAPONFRAME, SU_ARMOR, SU_WEAPON, SU_EXTEND1, SU_EXTEND2 = 1 << 9, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 23
SU_WEAPON2, SU_ARMOR2, SU_AMMO2, SU_WEAPONFRAME2 = 1 << 16, 1 << 17, 1 << 18, 1 << 24
STAT_HEALTH, STAT_WEAPON, STAT_AMMO, STAT_ARMOR, STAT_WEAPONFRAME, STAT_SHELLS, STAT_ACTIVEWEAPON, STAT_ITEMS = 0, 2, 3, 4, 5, 6, 10, 15


def clientdata(stats, dialect):
    """The player's own values, which a client without PREDINFO takes from here in every frame."""
    def value(index):
        kind, number = stats.get(index, ("int", 0))
        return int(to_float(number)) if kind == "float" else number

    bits = SU_ITEMS | SU_WEAPON
    bits |= SU_WEAPONFRAME if value(STAT_WEAPONFRAME) else 0
    bits |= SU_ARMOR if value(STAT_ARMOR) else 0
    # Protocol 666 has a second byte for each of these, after all the rest.
    high = [(SU_WEAPON2, STAT_WEAPON), (SU_ARMOR2, STAT_ARMOR), (SU_AMMO2, STAT_AMMO)]
    high += [(SU_AMMO2 << 1 + i, STAT_SHELLS + i) for i in range(4)] + [(SU_WEAPONFRAME2, STAT_WEAPONFRAME)]
    high = [(bit, stat) for bit, stat in high if dialect.protocol == PROTOCOL_FITZQUAKE and value(stat) & 0xFF00]
    for bit, _ in high:
        bits |= bit
    bits |= SU_EXTEND2 if bits >> 24 else 0
    bits |= SU_EXTEND1 if bits >> 16 else 0
    out = byte(SVC_CLIENTDATA) + short(bits)
    out += byte(bits >> 16) if bits & SU_EXTEND1 else b""
    out += byte(bits >> 24) if bits & SU_EXTEND2 else b""
    out += long(value(STAT_ITEMS))
    out += byte(value(STAT_WEAPONFRAME)) if bits & SU_WEAPONFRAME else b""
    out += byte(value(STAT_ARMOR)) if bits & SU_ARMOR else b""
    out += byte(value(STAT_WEAPON)) + short(value(STAT_HEALTH)) + byte(value(STAT_AMMO))
    out += b"".join(byte(value(STAT_SHELLS + i)) for i in range(4)) + byte(value(STAT_ACTIVEWEAPON))
    return out + b"".join(byte(value(stat) >> 8) for _, stat in high)
