"""A server with FTE replacement deltas and PREDINFO over NetQuake, to be put under test.

Run it as `python3 fte_server.py`: it answers the harness on standard input and output.
"""

import os
import sys

import client_messages as clc
import netquake_channel as channel
import server_messages as messages
from fte_server_wire import SVC_NOP
from fte_session import Session
from fte_world import World, is_field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from deltaproof_shim import Host, Unsupported, serve

# A CONNECT so soon after another is its duplicate, and no new beginning.
DUPLICATE_US = 2_000_000
TIMEOUT_US = 65_000_000


class Server(Host):
    def on_open(self):
        self.world = World()
        self.sessions = {}
        self.limit = self.options.get("datagram_limit", 1024)
        self.rate = self.options.get("rate", 0)
        self.tick_us = self.options.get("tick_us", 50_000)
        # What is supported in this map, and in the next.
        self.fte1, self.fte2 = self._next_masks = (self.options.get("server_fte1", 0), self.options.get("server_fte2", 40))
        self._undefined_flag = self.options.get("undefined_flag", 0)
        self.wake_at(self.tick_us)

    def take_undefined_flag(self):
        """The flag that the scenario wants to see once, for the first who asks."""
        bit, self._undefined_flag = self._undefined_flag, 0
        return 1 << bit if bit else 0

    def observe(self):
        return {"valid": True, "entities": self.world.observe()}

    def on_timeout(self, now):
        for client, session in list(self.sessions.items()):
            if now - session.last_received > TIMEOUT_US:
                session.close("timeout")
                del self.sessions[client]
            else:
                session.tick(now)
        self.wake_at((now // self.tick_us + 1) * self.tick_us)

    # Datagrams.

    def on_datagram(self, now, sender, port, data):
        if channel.is_control(data):
            if channel.is_connect(data):
                self._connect(now, sender, port)
            else:
                self.rejected(sender, "control")
            return
        session = self.sessions.get(sender)
        if session and session.port == port:
            session.receive(now, data)
            if session.state == "closed":
                del self.sessions[sender]
        elif self.options.get("challenge_connect"):
            self._answer(now, sender, port, data)

    def _connect(self, now, client, port):
        session = self.sessions.get(client)
        challenge = self.options.get("challenge_connect")
        if session and session.port == port and now - session.began < DUPLICATE_US:
            # After a challenge the client repeats its answer, and needs no second accept.
            if not challenge:
                session.send_accept()
            return
        if session:
            session.close("connect")
            del self.sessions[client]
        if challenge:
            # Nothing is remembered of a client before it has shown that it reads what comes to its address.
            self.send(client, channel.accept(), port)
            question = messages.stufftext("cmd challengeconnect %d\n" % self._challenge(client, port))
            self.send(client, channel.unreliable_datagram(1, question), port)
        else:
            self.sessions[client] = Session(self, client, port, now)

    def _challenge(self, client, port):
        return (self.seed ^ (client << 16 | port) * 2654435761) % 0x7FFFFFFF

    def _answer(self, now, client, port, data):
        """A datagram from a client without a session: it may be the answer to a challenge."""
        try:
            message = channel.Channel().receive(now, data)
        except channel.Damaged:
            return
        expected = "challengeconnect %d" % self._challenge(client, port)
        if message and message[:1] == bytes((clc.CLC_STRINGCMD,)) and message[1:-1].decode("latin-1").startswith(expected):
            # The channel begins anew, at both ends: the answer will come once more, and be acknowledged then.
            self.sessions[client] = Session(self, client, port, now)

    # Commands.

    def on_command(self, now, command):
        handler = getattr(self, "_do_" + command["command"], None)
        if handler is None:
            raise Unsupported("the command " + command["command"])
        handler(now, command)

    def _field(self, command):
        if not is_field(command["field"]):
            raise Unsupported("the field " + command["field"])
        return command["field"]

    def _do_baseline(self, now, command):
        # The first map begins with what is said at time 0; what is said later is for the next.
        self.world.set_baseline(command["entity"], self._field(command), command["value"], at_once=now == 0)

    def _do_spawn(self, now, command):
        self.world.spawn(command["entity"])

    def _do_set(self, now, command):
        if not self.world.set(command["entity"], self._field(command), command["value"]):
            self.note("command ignored")

    def _do_remove(self, now, command):
        if not self.world.remove(command["entity"]):
            self.note("command ignored")

    def _do_stat(self, now, command):
        session = self.sessions.get(command["client"])
        if session is None:
            self.note("stat of absent client", command["client"])
        elif "float" in command:
            session.set_stat(command["stat"], "float", command["float"] & 0xFFFFFFFF)
        else:
            session.set_stat(command["stat"], "int", command["int"])

    def _do_map(self, now, command):
        self.fte1, self.fte2 = self._next_masks
        self.world.begin_map()
        for session in self.sessions.values():
            session.new_map(now)

    def _do_verb(self, now, command):
        handler = getattr(self, "_verb_" + command["verb"], None)
        if handler is None:
            raise Unsupported("the verb " + command["verb"])
        handler(now, **command["args"])

    def _playing(self, client):
        """The session of a client that is in the game, or None."""
        session = self.sessions.get(client)
        if session is None or session.state != "active":
            self.note("command ignored")
            return None
        return session

    def _verb_nop_datagrams(self, now, client, count):
        session = self._playing(client)
        if session:
            for _ in range(count):
                session.channel.send_unreliable(bytes((SVC_NOP,)))
            session.flush()

    def _verb_support(self, now, fte1, fte2):
        self._next_masks = (fte1 & 0xFFFFFFFF, fte2 & 0xFFFFFFFF)

    def _verb_static(self, now, entity):
        state = self.world.baseline(entity)
        self.world.statics.append(state)
        for session in self.sessions.values():
            session.announce_static(now, state)

    def _verb_view(self, now, client, entity):
        session = self._playing(client)
        if session:
            session.send_reliable(now, messages.setview(entity, session.dialect))

    def _verb_sound(self, now, client, entity, sound):
        session = self._playing(client)
        message = session and messages.sound(entity, sound, session.dialect)
        if message:
            session.add_effect(message)

    def _verb_beam(self, now, client, entity):
        session = self._playing(client)
        if session:
            session.add_effect(messages.beam(entity, session.dialect))

    def _verb_csqc_gone(self, now, client, entity):
        session = self._playing(client)
        # Reliably: an entity of the game's own code that is not removed would stay for good.
        if session and session.dialect.csqc and session.dialect.replacement:
            session.send_reliable(now, messages.csqc_gone(entity, session.dialect))


if __name__ == "__main__":
    serve("Python FTE server", "1", ["fte-nq"], server=Server)
