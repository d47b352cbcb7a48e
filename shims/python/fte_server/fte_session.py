"""One client's session: how it signs on, and what its frames are made of."""

import struct

import client_messages as clc
import server_messages as messages
import fte_server_wire as wire
from frame_history import FrameHistory
from netquake_channel import HEADER, Channel, Damaged, accept

# A move so little behind the newest is old; one further behind has wrapped at 65536.
OLD_MOVES = 256
# Service, echo, time, one update of all fields, and the end of the list.
LONGEST_UPDATE = 128


class Session:
    def __init__(self, server, client, port, now):
        self.server, self.client, self.port = server, client, port
        self.began = self.last_received = now
        self.channel = Channel(server.options.get("datagram_limit", 1024))
        self.state = "closed"
        self.asked = None
        self.protocol = wire.PROTOCOL_NETQUAKE
        self.dialect = wire.Dialect(server.options)
        # Statistic -> (kind, value): all that were ever set in this session.
        self.stats = {}
        self.history = None
        self._owed_stats = set()
        self._effects = []
        self._move, self._any_move = 0, True
        self._rate_from = 0
        self._to("accepted", "connect")
        self.send_accept()
        question = messages.stufftext("cmd protocols\n") if server.options.get("asks_protocols") else b""
        self.channel.send_reliable(now, question + messages.stufftext("cmd pext\n"))
        self.flush()

    def _to(self, state, cause):
        self.server.state(self.client, self.state, state, cause)
        self.state = state

    def send_accept(self):
        self.server.send(self.client, accept(), self.port)

    def flush(self):
        for datagram in self.channel.outbox:
            self.server.send(self.client, datagram, self.port)
        self.channel.outbox.clear()
        for sequence in self.channel.stale:
            self.server.note("stale datagram", sequence)
        self.channel.stale.clear()

    def close(self, cause):
        self._to("closed", cause)

    # What the client says.

    def receive(self, now, data):
        try:
            payload = self.channel.receive(now, data)
        except Damaged as damage:
            self.server.rejected(self.client, str(damage))
            payload = None
        if payload is not None:
            self.last_received = now
            try:
                for service, value in clc.read_messages(payload, self.dialect):
                    self._message(now, service, value)
            except clc.Unreadable as error:
                self.server.rejected(self.client, error.field, HEADER + error.offset)
        self.flush()

    def _message(self, now, service, value):
        if service == clc.CLC_DISCONNECT and self.state != "closed":
            self.close("disconnect")
        elif service == clc.CLC_STRINGCMD:
            self._command(now, clc.tokens(value))
        elif service == clc.CLC_MOVE and value is not None and self.state == "active":
            self._moved(value)
        elif service == clc.CLCFTE_ACKFRAME and self.history and self.state == "active":
            self.history.acknowledge(value)

    def _moved(self, sequence):
        behind = self._move - sequence & 0xFFFF
        if self._any_move or behind >= OLD_MOVES:
            self._move, self._any_move = sequence, False

    def _command(self, now, words):
        command = words[0] if words else ""
        if command == "protocols" and self.asked is None:
            if str(wire.PROTOCOL_FITZQUAKE) in words:
                self.protocol = wire.PROTOCOL_FITZQUAKE
        elif command == "pext" and self.asked is None:
            self.asked = clc.extension_pairs(words)
            self.inform(now)
        elif command == "prespawn" and self.state == "informed":
            self._announce(now)
        elif command == "spawn" and self.state == "prespawned":
            self._owed_stats = set() if self.dialect.predinfo else set(self.stats)
            self.channel.send_reliable(now, self._plain_stats() + messages.signonnum(3))
            self._to("spawned", "spawn")
        elif command == "begin" and self.state == "spawned":
            self._to("active", "begin")

    # Signing on.

    def inform(self, now):
        """Tells the client of the map, and what is spoken in it."""
        self.dialect = self._dialect()
        self.history = FrameHistory(self.dialect, self.server.world.baselines, self.server.take_undefined_flag())
        # A client begins each map with statistics of zero, and may hold a late one of the map before: send all of them.
        self.history.stats = set(self.stats)
        self._effects, self._any_move = [], True
        info = messages.serverinfo(self.dialect, self.server.options.get("server_protocol_key", 0))
        self.channel.send_reliable(now, info + messages.setview(self.client, self.dialect) + messages.signonnum(1))
        self._to("informed", "map known")

    def _dialect(self):
        """What was asked for, what the server supports in this map, and what this program can do."""
        fte2 = self.asked.get(wire.PROTOCOL_VERSION_FTE2, 0) & self.server.fte2
        fte2 &= wire.PEXT2_REPLACEMENTDELTAS | wire.PEXT2_PREDINFO
        fte1 = self.asked.get(wire.PROTOCOL_VERSION_FTE, 0) & self.server.fte1
        if fte2 & wire.PEXT2_REPLACEMENTDELTAS:
            fte1 &= wire.PEXT_FLOATCOORDS | wire.PEXT_CSQC | wire.PEXT_OBSOLETE
        else:
            # PREDINFO rests on the log of frames, and the rest on replacement deltas.
            fte1, fte2 = fte1 & wire.PEXT_FLOATCOORDS, 0
        return wire.Dialect(self.server.options, fte1, fte2, self.protocol)

    def new_map(self, now):
        if self.asked is None or self.state == "closed":
            return
        self._to("accepted", "map")
        self.inform(now)
        self.flush()

    def _announce(self, now):
        """Baselines and static entities, in messages that fit into a fragment each."""
        if self.dialect.replacement:
            world, gathered = self.server.world, b""
            parts = [messages.spawnbaseline(n, state, self.dialect) for n, state in sorted(world.baselines.items())]
            parts += [messages.spawnstatic(state, self.dialect) for state in world.statics]
            for part in parts:
                if len(gathered) + len(part) > self.server.limit:
                    self.channel.send_reliable(now, gathered)
                    gathered = b""
                gathered += part
            self.channel.send_reliable(now, gathered)
        self.channel.send_reliable(now, messages.signonnum(2))
        self._to("prespawned", "prespawn")

    def announce_static(self, now, state):
        """A static entity that comes while the client is in the map already."""
        if self.dialect.replacement and self.state in ("prespawned", "spawned", "active"):
            self.channel.send_reliable(now, messages.spawnstatic(state, self.dialect))
            self.flush()

    # In the game.

    def set_stat(self, index, kind, value):
        if self.stats.get(index, ("int", 0)) == (kind, value):
            return
        self.stats[index] = (kind, value)
        if self.history and self.dialect.predinfo:
            self.history.stats.add(index)
        else:
            self._owed_stats.add(index)

    def add_effect(self, message):
        """What happens once, and may get lost: it travels after the next frame."""
        self._effects.append(message)

    def send_reliable(self, now, message):
        self.channel.send_reliable(now, message)
        self.flush()

    def tick(self, now):
        self.channel.resend(now)
        if self.state in ("spawned", "active") and self._owed_stats and not self.dialect.predinfo:
            self.channel.send_reliable(now, self._plain_stats())
        if self.state == "active" and (not self.server.rate or now >= self._rate_from):
            if self.dialect.replacement:
                self._frames(now)
            else:
                time = wire.byte(wire.SVC_TIME) + struct.pack("<f", now / 1_000_000)
                self._send(now, time + messages.clientdata(self.stats, self.dialect) + self._some_effects(self.server.limit // 2))
        self.flush()

    def _plain_stats(self):
        out = b"".join(messages.stat_update_plain(index, *self.stats[index]) for index in sorted(self._owed_stats))
        self._owed_stats.clear()
        return out

    def _send(self, now, payload):
        if self.server.rate:
            self._rate_from = max(now, self._rate_from) + len(payload) * 1_000_000 // self.server.rate
        return self.channel.send_unreliable(payload)

    def _frames(self, now):
        """One snapshot, in as many datagrams as a tick may have; each is a frame with a log of its own."""
        for _ in range(self.server.options.get("datagrams_per_tick", 0) or 1):
            self._frame(now)
            if not self.history.waits() and not self.history.stats:
                return

    def _frame(self, now):
        """A datagram: statistics, updates, and what else there is room for."""
        self.history.compare(self.server.world.entities)
        limit, effects = self.server.limit, self._some_effects(self.server.limit // 8)
        out = b"" if self.dialect.predinfo else messages.clientdata(self.stats, self.dialect)
        carried, stats = self._some_stats(min(limit // 2, limit - len(out) - len(effects) - LONGEST_UPDATE))
        out += stats + wire.byte(wire.SVCFTE_UPDATEENTITIES)
        if self.dialect.predinfo:
            out += wire.short(self._move)
        out += struct.pack("<f", now / 1_000_000)
        updates, frame = self.history.compose(limit - len(out) - len(effects))
        out += updates + effects
        # What the entities left may be had by more statistics; they belong to the frame wherever they stand.
        more, stats = self._some_stats(limit - len(out))
        frame.stats = carried + more
        self.history.log(self._send(now, out + stats), frame)

    def _some_stats(self, room):
        """Statistics that wait, as many as fit; the rest waits for the next frame."""
        carried, out = [], b""
        if self.dialect.predinfo:
            for index in sorted(self.history.stats):
                message = messages.stat_update(index, *self.stats[index])
                if len(out) + len(message) > room:
                    break
                carried.append(index)
                out += message
            self.history.stats.difference_update(carried)
        return carried, out

    def _some_effects(self, room):
        out = b""
        while self._effects and len(out) + len(self._effects[0]) <= room:
            out += self._effects.pop(0)
        return out
