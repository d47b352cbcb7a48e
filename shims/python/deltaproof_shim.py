"""The shim protocol of deltaproof, version 1: put a server or a client in Python under test.

Copy this file beside your own code; it needs Python 3.8 and nothing else. Derive a class from Host for each end that you have, and
call serve(). What the messages mean is in the document of the shim protocol (PROTOCOL.md).

    class Client(Host):
        def on_command(self, now, command):
            if command["command"] == "connect":
                self.send(0, b"hello")
                self.wake_at(now + 50000)

    serve("My engine", "1.4", ["fte-nq"], client=Client)
"""

import json
import os
import socket
import sys

VERSION = 1
# The longest line that the protocol allows, in bytes.
MAX_LINE = 4 << 20


class Unsupported(Exception):
    """Raise this for what your implementation cannot do: the case is then `unsupported`, and no failure."""


class Host:
    """One server (number 0) or client (1 and up) of one run. Every method is called in virtual time, in microseconds."""

    def __init__(self, number, request):
        self.number = number
        self.clients = request["clients"]
        self.profile = request["profile"]
        # The only source of randomness, 64 bits.
        self.seed = int(request["seed"], 16)
        self.options = request["options"]
        self.texts = request["texts"]
        # The number of the port that the host sends from.
        self.port = 0
        # When the run begins for this host: not 0 where it is restarted.
        self.begins = request.get("now", 0)
        # Nothing is asked of the host before this time, unless it sends something or wants to be woken; None where that is not known.
        self.until = request.get("until")
        # The number of the host's port that the last datagram came to: 0 for the main one.
        self.to_port = 0
        self._tx = []
        self._events = []
        self._wake = None

    # What happens to a host: override what you need.

    def on_open(self):
        """The run begins, at the time `begins`."""

    def on_command(self, now, command):
        """The scenario instructs the host: command["command"] and its arguments."""
        raise Unsupported("the command %s" % command["command"])

    def on_datagram(self, now, sender, port, data):
        """A datagram of host `sender` arrives, from its port number `port`."""

    def on_timeout(self, now):
        """The time of wake_at has come."""

    def observe(self):
        """What the host holds: a dict with the keys of the reply to `observe`."""
        return {}

    # What a host does.

    def send(self, to, data, port=0, from_port=0):
        """Sends a datagram to a host, at its port number `port`, from the port number `from_port`."""
        datagram = {"to": to, "bytes": data.hex()}
        if port:
            datagram["port"] = port
        if from_port:
            datagram["from_port"] = from_port
        self._tx.append(datagram)

    def wake_at(self, time):
        """Asks for on_timeout at a virtual time in microseconds, None for never. It holds until it is changed or has come."""
        self._wake = time

    def state(self, peer, old, new, cause="", port=0):
        """A state machine moved: the session of client `peer` at a server, with peer 0 the client's own."""
        event = {"event": "state", "peer": peer, "from": old, "to": new, "cause": cause}
        if port:
            event["port"] = port
        self._events.append(event)

    def rejected(self, peer, field, offset=0):
        """A datagram of `peer`, or the part of it from byte `offset`, was refused because of `field`."""
        self._events.append({"event": "rejected", "peer": peer, "offset": offset, "field": field})

    def print_text(self, data):
        """Text for the player, as bytes."""
        self._events.append({"event": "print", "text": data.hex()})

    def note(self, name, *args):
        """A note of the protocol, with all of its arguments in order (`deltaproof list --words`)."""
        self._events.append({"event": "note", "note": name, "args": list(args)})

    def _reply(self, reply):
        """Moves what the host did into the reply to `open` or `step`."""
        if self._tx:
            reply["tx"], self._tx = self._tx, []
        if self._events:
            reply["ev"], self._events = self._events, []
        if self._wake is not None:
            reply["wake"] = self._wake
        if self.port:
            reply["port"] = self.port


class _Shim:
    """The hosts of the run under way, and what they are made of."""

    def __init__(self, name, build, profiles, server, client, codec, not_shown, like, takes_world):
        self.hello = {"version": VERSION, "name": name, "build": build, "profiles": list(profiles)}
        kinds = (("server", server), ("client", client), ("codec", codec))
        self.hello["roles"] = [role for role, kind in kinds if kind]
        if not_shown:
            self.hello["not_shown"] = list(not_shown)
        if like:
            self.hello["like"] = list(like)
        if not takes_world:
            self.hello["takes_world"] = False
        self.server, self.client = server, client or codec
        self.hosts = {}

    def answer(self, request):
        """The reply to a request, without its `seq`."""
        reply = {}
        operation = request["op"]
        if operation == "step":
            host = self.hosts[request["host"]]
            self.step(host, request)
            host._reply(reply)
        elif operation == "observe":
            reply = self.hosts[request["host"]].observe()
        elif operation == "open":
            number = request["host"]
            kind = self.server if number == 0 else self.client
            if kind is None:
                raise Unsupported("a server" if number == 0 else "clients")
            if request["profile"] not in self.hello["profiles"]:
                raise Unsupported("the profile " + request["profile"])
            # Nothing of a run may stay for the next: the first host that is opened again begins one.
            host = self.hosts[number] = kind(number, request)
            host.on_open()
            host._reply(reply)
        elif operation == "close":
            self.hosts.pop(request["host"], None)
        elif operation == "hello":
            reply = dict(self.hello)
        elif operation != "bye":
            raise Unsupported("the operation " + operation)
        return reply

    @staticmethod
    def step(host, request):
        now, happens = request["now"], request["input"]
        host.until = request.get("until")
        if happens == "datagram":
            host.to_port = request.get("to_port", 0)
            host.on_datagram(now, request["from"], request["port"], bytes.fromhex(request["bytes"]))
        elif happens == "timeout":
            host._wake = None
            host.on_timeout(now)
        elif happens == "command":
            host.on_command(now, request)
        else:
            raise Unsupported("the input " + happens)


def _line():
    """Where requests come from and replies go to: a TCP connection where the harness listens, else standard input and output."""
    port = os.environ.get("DELTAPROOF_SHIM_PORT")
    if port is None:
        return sys.stdin.buffer, sys.stdout.buffer
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rwb")
    stream.write(os.environ["DELTAPROOF_SHIM_TOKEN"].encode() + b"\n")
    stream.flush()
    return stream, stream


def serve(name, build, profiles, server=None, client=None, codec=None, not_shown=(), like=(), takes_world=True):
    """Answers the harness until it says bye. `server` and `client` are classes derived from Host, or None; `codec` is one that only
    reads what a client receives, or the same as `client`. `not_shown` is what a client cannot show: names of fields, "stats",
    "statics", "prints", "note ..."; `like` names conforming variants that it is like. A server that nobody can tell what the world is
    says `takes_world=False`."""
    requests, replies = _line()
    # What your code prints must not stand between replies.
    sys.stdout = sys.stderr
    shim = _Shim(name, build, profiles, server, client, codec, not_shown, like, takes_world)
    encode, decode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode, json.loads
    for line in iter(lambda: requests.readline(MAX_LINE + 2), b""):
        try:
            request = decode(line)
            seq, operation = request["seq"], request["op"]
        except (ValueError, KeyError, TypeError) as error:
            sys.exit("deltaproof_shim: this is no request (%s): %r" % (error, line[:120]))
        try:
            reply = {"seq": seq, **shim.answer(request)}
        except Unsupported as error:
            reply = {"seq": seq, "error": {"unsupported": str(error)}}
        replies.write(encode(reply).encode() + b"\n")
        replies.flush()
        if operation == "bye":
            return
