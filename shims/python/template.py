#!/usr/bin/env python3
"""A @ROLE@ of @PROFILE@ under test by deltaproof. It does nothing yet: put your own code where it says so.

    deltaproof shim doctor -- python3 my_shim.py
    deltaproof run --profile @PROFILE@ --role @ROLE@ --shim "python3 my_shim.py"
"""

from deltaproof_shim import Host, Unsupported, serve

TICK = 50000  # microseconds


class Mine(Host):
    """One end of one run. Your code must have no clock, no socket and no randomness of its own: all of that comes from here."""

    def on_open(self):
        # The scenario's options are in self.options (`deltaproof list --words`), such as the time between your packets.
@client|        self.tick = self.options.get("client_tick_us", TICK)
@server|        self.tick = self.options.get("tick_us", TICK)
        # Begin your engine's state here. Nothing of a run before may be left.

    def on_command(self, now, command):
        name = command["command"]
@client|        if name == "connect":
@client|            # Build your first datagram, and send it to the server, which is host 0:
@client|            # self.send(0, my_engine.connect())
@client|            # self.state(0, OLD, NEW)    (names of states: `deltaproof list --words`)
@client|            self.wake_at(now + self.tick)
@client|        elif name == "disconnect":
@client|            self.wake_at(None)
@server|        if name in ("baseline", "spawn", "set", "remove", "stat", "map"):
@server|            # The world changes, perhaps before any client is there: command["entity"], command["field"], command["value"] say how.
@server|            # A server whose world is its own leaves this out, and says so: serve(…, takes_world=False).
@server|            pass
        else:
            raise Unsupported("the command " + name)

    def on_datagram(self, now, sender, port, data):
@client|        # Give it to your engine, and send what that answers.
@client|        pass
@server|        # It comes from client `sender`, whom you answer: self.send(sender, …). A client that is admitted, is in the game or leaves
@server|        # changes its state, by the names of `deltaproof list --words`: self.state(sender, OLD, NEW). From the first of them on you need a
@server|        # clock.
@server|        self.wake_at(now + self.tick)

    def on_timeout(self, now):
        # A tick has passed. Send what is due, and ask for the next one.
        self.wake_at(now + self.tick)

    def observe(self):
@server|        # A server shows nothing.
@client|        # What the player sees: {"state": …, "valid": True, "server_time": …, "own_entity": …, "entities": [[number, fields…], …]}
        return {}


serve("My engine", "0.1", ["@PROFILE@"], @ROLE@=Mine)
