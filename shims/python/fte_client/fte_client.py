"""A client of FTE's replacement deltas with PREDINFO, over NetQuake, as a shim for deltaproof.

    deltaproof run fte/ --profile fte-nq --shim "python3 fte_client.py" --role client

It connects, signs on, keeps the entities that the server tells it about, and acknowledges the frames that it has read.
"""

import os
import sys

import nq_messages as nq

from fte_wire import (NULL_STATE, PEXT2_PREDINFO, PEXT2_REPLACEMENTDELTAS, PEXT_CSQC, PEXT_FLOATCOORDS, PROTOCOL_VERSION_FTE,
                      PROTOCOL_VERSION_FTE2, UF_RESET, Dialect, Reader)
from netchan import (CCREP_ACCEPT, CCREP_REJECT, NETFLAG_ACK, NETFLAG_UNRELIABLE, Channel, WireError, connect_request,
                     parse_control, parse_header)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from deltaproof_shim import Host, Unsupported, serve

SERVER = 0
CONNECT_AGAIN_AFTER = 1000000
# Other ways to scale, colour and count entities. Replacement deltas make them mean nothing, so that they may be on.
PEXT_OBSOLETE = 0x8908794A | 0x00400000
KNOWN_FTE1 = PEXT_FLOATCOORDS | PEXT_CSQC | PEXT_OBSOLETE
KNOWN_FTE2 = PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO
# Flags of protocol 999 that are understood: short angles, float coordinates, and one about alpha.
KNOWN_999_FLAGS = 2 | 16 | 64


class FteClient(Host):

    def on_open(self):
        self.now = 0
        self.phase = "disconnected"
        self.tick = self.options.get("client_tick_us", 50000)
        self.move_sequence = self.options.get("move_start", 0)
        self.stats = {}
        self.forget_session()

    def forget_session(self):
        self.channel = Channel(self.send_to_server)
        self.server_port = 0
        self.stuffed = ""               # commands that have not come to the end of their line
        self.connect_at = None          # when to ask to connect again
        self.next_move = None
        self.forget_map(Dialect(self.options))

    def forget_map(self, dialect):
        self.dialect = dialect
        self.signon = 0
        self.baselines = {}
        self.statics = []
        self.stats = {}
        self.entities = {}              # a pair of state and its JSON by number; what is in it is never changed, but replaced
        self.valid = False              # whether all of what is in the world has been received
        self.server_time = 0
        self.own_entity = 0
        self.acks = []                  # frames to acknowledge with the next move, in the order of their arrival
        self.wants_reset = False
        self.repeat_behind = None

    def enter(self, state, cause, port=0):
        if state != self.phase:
            self.state(SERVER, self.phase, state, cause, port)
            self.phase = state

    def send_to_server(self, datagram):
        self.send(SERVER, datagram, self.server_port)

    # What the scenario says.

    def on_command(self, now, request):
        self.now = now
        command = request["command"]
        if command == "connect":
            self.connect()
        elif command == "disconnect":
            if self.phase in ("connected", "active"):
                self.channel.send_unreliable(bytes([nq.CLC_DISCONNECT]))
            self.leave("disconnect")
        elif command == "verb" and request["verb"] == "acknowledge":
            self.acknowledge_now(request["args"]["frame"])
        elif command == "verb" and request["verb"] == "repeat_move":
            self.repeat_behind = request["args"]["behind"]
        else:
            raise Unsupported("the command %s %s" % (command, request.get("verb", "")))
        self.set_wake()

    def connect(self):
        if self.phase != "disconnected":
            self.note("command ignored")
            return
        self.forget_session()
        self.enter("connecting", "connect")
        self.ask_to_connect()

    def ask_to_connect(self):
        self.send_to_server(connect_request())
        self.connect_at = self.now + CONNECT_AGAIN_AFTER

    def acknowledge_now(self, frame):
        if self.phase != "active":
            self.note("command ignored")
            return
        self.channel.send_unreliable(acknowledgement(frame))

    def leave(self, cause):
        self.forget_session()
        self.enter("disconnected", cause)

    # Time.

    def set_wake(self):
        times = [self.connect_at, self.next_move, self.channel.resend_time()]
        self.wake_at(min((time for time in times if time is not None), default=None))

    def on_timeout(self, now):
        self.now = now
        self.channel.resend_if_due(self.now)
        if self.connect_at is not None and self.now >= self.connect_at:
            self.ask_to_connect()
        if self.next_move is not None and self.now >= self.next_move:
            self.send_move()
            self.next_move = self.tick_after(self.now)
        self.set_wake()

    def tick_after(self, time):
        return (time // self.tick + 1) * self.tick

    def send_move(self):
        """What the player does, and what has been received."""
        self.move_sequence += 1
        message = self.move(self.move_sequence)
        if self.repeat_behind is not None:
            message += self.move(self.move_sequence - self.repeat_behind)
            self.repeat_behind = None
        if self.wants_reset:
            # Frames arrive, but there is no world that they would fit to.
            message += acknowledgement(-1)
            self.wants_reset = False
        message += b"".join(acknowledgement(frame) for frame in self.acks)
        self.acks = []
        self.channel.send_unreliable(message)

    def move(self, sequence):
        message = bytes([nq.CLC_MOVE])
        if self.dialect.predinfo:
            message += (sequence & 0xFFFF).to_bytes(2, "little")
        message += self.server_time.to_bytes(4, "little")
        angles = 6 if self.dialect.short_move_angles else 3
        return message + bytes(angles + 6 + 2)      # nobody moves: angles, speeds, buttons and impulse are 0

    # Datagrams.

    def on_datagram(self, now, sender, port, data):
        self.now = now
        if sender != SERVER or self.phase == "disconnected":
            return
        try:
            control = parse_control(data)
            if control is not None:
                self.on_control(*control)
            elif self.phase != "connecting":
                flags, sequence = parse_header(data)
                if flags & NETFLAG_ACK:
                    self.channel.on_ack(sequence, self.now)
                elif flags & NETFLAG_UNRELIABLE:
                    self.on_unreliable(sequence, data[8:])
                else:
                    self.on_fragment(flags, sequence, data[8:])
        except WireError as error:
            self.rejected(SERVER, str(error.field), error.offset)
        self.set_wake()

    def on_control(self, command, data):
        if command == CCREP_REJECT and self.phase == "connecting":
            self.print_text(data.split(b"\0")[0])
        elif command == CCREP_ACCEPT and len(data) < 4:
            raise WireError("port", 5)
        elif command == CCREP_ACCEPT and self.phase == "connecting":
            self.server_port = int.from_bytes(data[:4], "little")
            self.enter("connected", "accepted", self.server_port)
        elif command == CCREP_ACCEPT and self.phase == "connected" and self.channel.untouched():
            # The server has seen that the address is ours, and begins anew. What it has not acknowledged it has forgotten.
            # It may also be a copy of the first accept, and then this does no harm. After the first reliable data it would.
            old = self.channel
            self.channel = Channel(self.send_to_server)
            for message in ([old.message] if old.sent_at is not None else []) + old.waiting:
                self.channel.send_reliable(message, self.now)

    def on_fragment(self, flags, sequence, payload):
        expected, message = self.channel.on_reliable(flags, sequence, payload)
        if expected:
            self.connect_at = None      # the session has begun
        if message is None:
            return
        try:
            self.read_message(Reader(message, self.dialect))
        except WireError:
            # Reliable data is not repeated: what has not been understood is lost, and with it the session.
            self.channel.send_unreliable(bytes([nq.CLC_DISCONNECT]))
            self.leave("unreadable")
            raise

    def on_unreliable(self, sequence, payload):
        if not self.channel.on_unreliable(sequence):
            self.note("stale datagram", sequence)
            return
        if self.phase != "active":
            # Frames that come now are of the map before, and perhaps of another dialect. Only a challenge matters.
            if payload[:1] == bytes([nq.SVC_STUFFTEXT]):
                self.read_message(Reader(payload, self.dialect))
            return
        before = self.entities, self.stats, self.valid, self.server_time
        self.frames_read = 0
        try:
            self.read_message(Reader(payload, self.dialect))
        except WireError:
            # As if it had been lost: nothing of it counts, and no acknowledgement makes the server send it again.
            self.entities, self.stats, self.valid, self.server_time = before
            raise
        if self.frames_read and self.phase == "active":
            if self.valid:
                self.acks.append(sequence)
            else:
                self.wants_reset = True

    # Messages.

    def read_message(self, reader):
        while reader.more() and self.phase != "disconnected":
            at = reader.at
            service = reader.byte("service")
            if service & nq.FAST_UPDATE:
                nq.skip_fast_update(reader, service)
            elif service in self.SERVICES:
                self.SERVICES[service](self, reader)
            elif service in nq.LAYOUTS:
                nq.skip_layout(reader, nq.LAYOUTS[service])
            else:
                raise WireError("service", at)

    def disconnect(self, reader):
        self.leave("the server says so")

    def stat_long(self, reader):
        self.set_stat(reader.byte("stat"), "int", signed(reader.long("value")))

    def stat_byte(self, reader):
        self.set_stat(reader.byte("stat"), "int", reader.byte("value"))

    def stat_float(self, reader):
        self.set_stat(reader.byte("stat"), "float", reader.long("value"))

    def set_stat(self, stat, kind, value):
        self.stats = {**self.stats, stat: (kind, value)}

    def setview(self, reader):
        entity = reader.entity_number()
        if self.phase == "active":
            self.note("view", entity)
        else:
            self.own_entity = entity

    def sound(self, reader):
        entity, sound = nq.read_sound(reader)
        if self.phase == "active":
            self.note("sound", sound)
            self.note("effect", entity)

    def time(self, reader):
        self.server_time = reader.long("time")
        if self.dialect.predinfo:
            reader.short("movement sequence")

    def print(self, reader):
        self.print_text(reader.string("text"))

    def stufftext(self, reader):
        self.stuffed += reader.string("text").decode("latin-1")
        *lines, self.stuffed = self.stuffed.split("\n")
        for line in lines:
            self.run_stuffed(line)

    def run_stuffed(self, line):
        """The server has the client execute a line. Only what begins with `cmd` goes back to it."""
        if not line.startswith("cmd "):
            return
        answer = line[4:]
        if answer == "pext":
            answer = self.offer()
        elif answer == "protocols":
            answer = "protocols 666 15"
        self.channel.send_reliable(nq.string_command(answer), self.now)

    def offer(self):
        """What this client can do, in pairs of a key and a value."""
        words = ["pext"]
        if self.options.get("client_private", 0):
            words.append('0x54455354 "a value with blanks"')
        fte2 = self.options.get("client_fte2", KNOWN_FTE2) & KNOWN_FTE2
        fte1 = self.options.get("client_fte1", 0) & KNOWN_FTE1
        if not fte2 & PEXT2_REPLACEMENTDELTAS:
            fte1 &= PEXT_FLOATCOORDS
        for key, mask in ((PROTOCOL_VERSION_FTE, fte1), (PROTOCOL_VERSION_FTE2, fte2)):
            if mask:
                words.append("%#x %#x" % (key, mask))
        return " ".join(words)

    def serverinfo(self, reader):
        """A map begins. From here on, only what the server echoes is in use."""
        fte1 = fte2 = flags = 0
        while True:
            at = reader.at
            version = reader.long("protocol version")
            if version == PROTOCOL_VERSION_FTE:
                fte1 = known(reader, KNOWN_FTE1)
            elif version == PROTOCOL_VERSION_FTE2:
                fte2 = known(reader, KNOWN_FTE2)
            elif version in (15, 666):
                break
            elif version == 999:
                flags = known(reader, KNOWN_999_FLAGS)
                break
            else:
                raise WireError("protocol version", at)
        dialect = Dialect(self.options, fte1, fte2, version, flags)
        if dialect.predinfo:
            reader.string("gamedir")
        reader.byte("max clients")
        reader.byte("game type")
        reader.string("level")
        for names in ("model", "sound"):
            while reader.string(names):
                pass
        reader.dialect = dialect
        self.forget_map(dialect)
        self.next_move = None
        self.enter("connected", "a map begins")

    def signonnum(self, reader):
        stage = reader.byte("sign-on stage")
        if stage <= self.signon or stage > 3:
            raise WireError("sign-on stage", reader.at - 1)
        self.signon = stage
        commands = {1: ('name "player"', "prespawn"), 2: ("color 0 0", "spawn "), 3: ("begin",)}[stage]
        self.channel.send_reliable(b"".join(nq.string_command(command) for command in commands), self.now)
        if stage == 3:
            self.enter("active", "begin")
            self.next_move = self.tick_after(self.now)

    def clientdata(self, reader):
        # Statistics come by their own services as well, and in full.
        nq.skip_clientdata(reader)

    def temp_entity(self, reader):
        entity = nq.read_temp_entity(reader)
        if entity is not None and self.phase == "active":
            self.note("effect", entity)

    def spawnbaseline2(self, reader):
        entity = reader.entity_number()
        self.baselines[entity] = reader.baseline()

    def spawnstatic2(self, reader):
        self.statics.append(reader.baseline())

    def fitz_spawnbaseline2(self, reader):
        reader.short("entity")
        nq.skip_fitz_baseline(reader)

    def fitz_spawnstatic2(self, reader):
        nq.skip_fitz_baseline(reader)

    def csqcentities(self, reader):
        while True:
            at = reader.at
            if self.dialect.deltas:
                entity, remove = reader.entity_index()
            else:
                value = reader.short("entity index")
                entity, remove = value & 0x7FFF, bool(value & 0x8000)
            if not entity and not remove:
                return
            if not remove:
                raise WireError("entity index", at)     # what follows is up to the game's own code
            if self.phase == "active":
                self.note("csqc entity gone", entity)

    def updateentities(self, reader):
        """A frame: what has changed since the one before. What it does not mention stays as it is."""
        if self.dialect.predinfo:
            reader.short("movement sequence")
        time = reader.long("servertime")
        entities = dict(self.entities)
        while True:
            entity, remove = reader.entity_index()
            if entity == 0:
                if not remove:
                    break
                entities = {}
                self.valid = True
            elif remove:
                entities.pop(entity, None)
            else:
                flags = reader.update_flags()
                old = None if flags & UF_RESET else entities.get(entity)
                state = (old[0] if old else self.baselines.get(entity, NULL_STATE))[:]
                reader.update_fields(flags, state)
                entities[entity] = [state, None]
        self.frames_read += 1
        if self.valid:
            self.entities = entities
            self.server_time = time

    SERVICES = {
        nq.SVC_DISCONNECT: disconnect, nq.SVC_UPDATESTAT: stat_long, nq.SVC_UPDATESTATBYTE: stat_byte,
        nq.SVC_UPDATESTATFLOAT: stat_float, nq.SVC_SETVIEW: setview, nq.SVC_SOUND: sound, nq.SVC_TIME: time,
        nq.SVC_PRINT: print, nq.SVC_STUFFTEXT: stufftext, nq.SVC_SERVERINFO: serverinfo, nq.SVC_SIGNONNUM: signonnum,
        nq.SVC_CLIENTDATA: clientdata, nq.SVC_TEMP_ENTITY: temp_entity, nq.SVC_SPAWNBASELINE2: spawnbaseline2,
        nq.SVC_FITZ_SPAWNBASELINE2: fitz_spawnbaseline2, nq.SVC_FITZ_SPAWNSTATIC2: fitz_spawnstatic2,
        nq.SVC_SPAWNSTATIC2: spawnstatic2, nq.SVC_CSQCENTITIES: csqcentities, nq.SVC_UPDATEENTITIES: updateentities}

    # What the player would see.

    def observe(self):
        rows = []
        for number in sorted(self.entities):
            entry = self.entities[number]
            if entry[1] is None:
                # Most entities stay as they are from one question to the next.
                entry[1] = [number, *entry[0]]
            rows.append(entry[1])
        return {
            "state": self.phase, "server_time": self.server_time, "valid": self.valid, "own_entity": self.own_entity,
            "entities": rows, "statics": self.statics,
            "stats": [{"stat": stat, kind: value} for stat, (kind, value) in sorted(self.stats.items()) if value]}


def acknowledgement(frame):
    return bytes([nq.CLC_ACKFRAME]) + (frame & 0xFFFFFFFF).to_bytes(4, "little")


def signed(value):
    return value - (1 << 32) if value & 1 << 31 else value


def known(reader, mask):
    """A mask of which no bit may be unknown, since nobody could tell what it changes."""
    at = reader.at
    bits = reader.long("extension mask")
    if bits & ~mask:
        raise WireError("extension mask", at)
    return bits


if __name__ == "__main__":
    serve("FTE client in Python", "1", ["fte-nq"], client=FteClient, codec=FteClient)
