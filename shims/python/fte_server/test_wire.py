"""Bytes that real engines sent, and examples of the documents: what this server's writer must make of the same values.

Run it as `python3 test_wire.py`.
"""

import struct
import unittest

import client_messages as clc
import fte_server_wire as wire
from frame_history import REMOVE, FrameHistory
from netquake_channel import Channel, header, FLAG_DATA, FLAG_EOM, FLAG_UNRELIABLE

PREDINFO = wire.Dialect({}, 0, wire.PEXT2_REPLACEMENTDELTAS | wire.PEXT2_PREDINFO)
DELTAS = wire.Dialect({}, 0, wire.PEXT2_REPLACEMENTDELTAS)


def state(**fields):
    values = dict(zip(wire.FIELDS, wire.NULL_STATE), **fields)
    for name in wire.FLOAT_FIELDS:
        values[name] = struct.unpack("<I", struct.pack("<f", values[name]))[0]
    return tuple(values[name] for name in wire.FIELDS)


def update(entity, dialect, extra=0):
    return wire.write_update(wire.changed_flags(wire.NULL_STATE, entity, dialect) | extra, entity, dialect).hex()


class Bytes(unittest.TestCase):
    def test_baselines_of_fteqw(self):
        # fteqw_nq_deltas_predinfo.txt, r3: entities 1 and 47.
        player = state(model=4, colormap=3, solid=0x2062, flags=1)
        self.assertEqual(update(player, PREDINFO, wire.UF_RESET), "807504" "03" "6220" "01")
        thing = state(frame=9, origin_x=375.5, origin_y=-85.75, origin_z=126.25, pitch=4.21875, roll=47.8125, yaw=57.65625,
                      effects=7, model=6, skin=1, flags=1)
        self.assertEqual(update(thing, PREDINFO, wire.UF_RESET), "bf4d" "09" "bc0b52fd" "f203" "0322" "29" "07" "06" "01" "01")

    def test_numbers(self):
        documented = wire.Dialect({"numbers_as_documented": 1}, 0, wire.PEXT2_REPLACEMENTDELTAS)
        self.assertEqual(wire.entity_number(40000, DELTAS).hex(), "9c8040")
        self.assertEqual(wire.entity_number(40000, documented).hex(), "409c01")
        self.assertEqual(wire.entity_number(40000, wire.Dialect({})).hex(), "409c")
        for number, remove, expected in ((5, False, "0500"), (5, True, "0580"), (16384, False, "004001"), (16384, True, "00c001"),
                                         (20000, False, "204e01"), (4194303, False, "ff7fff")):
            self.assertEqual(wire.entity_index(number, DELTAS, remove).hex(), expected)

    def test_pred_block(self):
        entity = state(movetype=3, forward=400, velocity_z=64, weaponframe=300, view_yaw=8, yaw=90)
        # Without PREDINFO: angles of 16 bits, and a weaponframe of seven bits and the rest.
        self.assertEqual(update(entity, DELTAS), "50" "0040" "a9" "9001" "03" "4000" "ac02")
        self.assertEqual(update(entity, PREDINFO), "50" "40" "a9" "9001" "03" "4000" "0800")


class History(unittest.TestCase):
    def setUp(self):
        self.history = FrameHistory(PREDINFO, {})
        self.world = {5: (1, state(model=2))}
        self.sequence = 0

    def frame(self, world=None):
        self.history.compare(self.world if world is None else world)
        _, frame = self.history.compose(1000)
        self.history.log(self.sequence, frame)
        self.sequence += 1
        return frame.entities

    def test_every_lost_reset_is_repaired(self):
        self.assertEqual(self.frame(), {5: wire.UF_RESET})
        self.frame({})
        for lost in (1, 3, 5):
            self.world = {5: (lost, state(model=2, frame=lost))}
            self.assertEqual(self.frame(), {5: wire.UF_RESET})
            self.frame()
            self.history.acknowledge(self.sequence - 1)

    def test_a_lost_remove_is_not_for_the_next_occupant(self):
        self.frame()
        self.history.acknowledge(0)
        self.assertEqual(self.frame({}), {5: REMOVE})
        self.frame({5: (2, state(model=3))})
        self.history.acknowledge(2)
        self.assertEqual(self.frame({5: (2, state(model=3))}), {})

    def test_future_and_stale_acknowledgements(self):
        self.frame()
        self.history.acknowledge(1000)
        self.frame()
        self.history.acknowledge(1)
        self.assertEqual(self.frame(), {5: wire.UF_RESET})
        self.history.acknowledge(0)
        self.assertEqual(self.frame(), {})


class Channels(unittest.TestCase):
    def test_stale_datagrams_are_dropped(self):
        channel = Channel()
        self.assertIsNone(channel.receive(0, header(FLAG_UNRELIABLE, b"old", 60)))
        self.assertEqual(channel.receive(0, header(FLAG_DATA | FLAG_EOM, b"begin", 0)), b"begin")
        self.assertIsNone(channel.receive(0, header(FLAG_DATA | FLAG_EOM, b"begin", 0)))
        self.assertEqual(channel.outbox, [bytes.fromhex("0002000800000000")] * 2)
        self.assertEqual(channel.receive(0, header(FLAG_UNRELIABLE, b"new", 0)), b"new")

    def test_extension_pairs(self):
        words = clc.tokens('pext 0x1234 "a b" 0x32455446 0x28')
        self.assertEqual(clc.extension_pairs(words)[wire.PROTOCOL_VERSION_FTE2], 0x28)


if __name__ == "__main__":
    unittest.main()
