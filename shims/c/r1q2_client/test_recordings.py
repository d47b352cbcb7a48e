"""Gives the client what real servers sent, and checks that it reads all of it.

    python3 test_recordings.py ./r1q2_client FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys

# Per recording: profile, protocol, and how many frames there are; all of them are valid.
RECORDINGS = {
    "r1q2_b5183_p34": ("r1q2-35", 34, 30),
    "r1q2_b5183_p35_minor1901": ("r1q2-35", 35, 31),
    "r1q2_b5183_p35_frames_in_zpackets": ("r1q2-35", 35, 30),
    "r1q2_b8012_zdownload": ("r1q2-1905", 35, 50),
    "q2pro_p35_bigmap": ("r1q2-1905", 35, 29),
    "q2pro_p35_minor1905": ("r1q2-1905", 35, 29),
}


class Shim:
    """The client as a process, asked by the shim protocol."""

    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seq = 0

    def ask(self, **request):
        self.process.stdin.write(json.dumps({"seq": self.seq, **request}) + "\n")
        self.process.stdin.flush()
        self.seq += 1
        reply = json.loads(self.process.stdout.readline())
        assert "error" not in reply, reply
        return reply


def events_of(command, profile, protocol, datagrams):
    """What a client reports that these datagrams are given to, one each 50 ms."""
    shim = Shim(command)
    shim.ask(op="hello", version=1)
    options = {"client1_protocol": protocol}
    shim.ask(op="open", host=1, clients=1, profile=profile, seed="0000000000000001", texts={}, options=options)
    shim.ask(op="step", host=1, now=0, input="command", command="connect")
    events = []
    for number, datagram in enumerate(datagrams, 1):
        reply = shim.ask(
            op="step", host=1, now=50000 * number, input="datagram", **{"from": 0}, port=0, bytes=datagram)
        events += reply.get("ev") or []
        shim.ask(op="step", host=1, now=50000 * number, input="timeout")
    shim.ask(op="bye")
    shim.process.wait()
    return events


def main():
    command, folder = sys.argv[1:]
    for name, (profile, protocol, wanted) in RECORDINGS.items():
        lines = pathlib.Path(folder, name + ".txt").read_text(encoding="utf-8").splitlines()
        datagrams = [re.search(r" ((?:[0-9a-f]{2}){8,})(?: |$)", line)[1] for line in lines if line.startswith("S>C")]
        events = events_of(command, profile, protocol, datagrams)
        bad = [it for it in events if it["event"] == "rejected" or it.get("note") == "invalid frame"]
        frames = sum(it.get("note") == "frame" for it in events)
        assert not bad, (name, bad)
        assert frames == wanted, (name, frames)
    print("all recordings of real servers are read")


main()
