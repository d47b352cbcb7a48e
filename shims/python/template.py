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
        self.tick = self.options.get("client_tick_us", TICK)
        # Begin your engine's state here. Nothing of a run before may be left.

    def on_command(self, now, command):
        name = command["command"]
        if name == "connect":
            # Build your first datagram, and send it to the server, which is host 0:
            # self.send(0, my_engine.connect())
            # self.state(0, "disconnected", "connecting")
            self.wake_at(now + self.tick)
        elif name == "disconnect":
            self.wake_at(None)
        elif name in ("baseline", "spawn", "set", "remove", "stat", "map"):
            # To a server: the world changes. command["entity"], command["field"], command["value"] say how.
            self.wake_at(now + self.tick)
        else:
            raise Unsupported("the command " + name)

    def on_datagram(self, now, sender, port, data):
        # Give it to your engine, and send what that answers.
        pass

    def on_timeout(self, now):
        # A tick has passed. Send what is due, and ask for the next one.
        self.wake_at(now + self.tick)

    def observe(self):
        # What the player sees: {"state": …, "valid": True, "server_time": …, "own_entity": …, "entities": [[number, fields…], …]}
        return {}


serve("My engine", "0.1", ["@PROFILE@"], @ROLE@=Mine)
