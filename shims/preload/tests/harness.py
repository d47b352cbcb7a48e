"""Plays the harness for one engine: builds the library and the small engines, starts them, asks, and compares whole replies."""
import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WARNINGS = ["-std=gnu99", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
PATIENCE_S = 20
TOKEN = secrets.token_hex(16)


class Failed(Exception):
    pass


class Build:
    """The library and the engines of the tests, in a folder that goes away."""

    def __init__(self, compiler, m32, sanitize):
        self.folder = tempfile.TemporaryDirectory(prefix="deltaproof-preload-")
        self.path = Path(self.folder.name)
        self.preload = []
        flags = ["-m32"] if m32 else []
        if sanitize:
            flags += ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
            name = subprocess.run([compiler, *flags, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
            self.preload.append(os.path.realpath(name))
        library = self.path / "preload.so"
        sources = sorted(str(path) for path in HERE.parent.glob("*.c"))
        self.compile(compiler, [*WARNINGS, "-O2", "-shared", "-fPIC", "-fvisibility=hidden", *flags, "-o", str(library), *sources, "-ldl", "-lpthread"])
        self.preload.append(str(library))
        for source in sorted(HERE.glob("*.c")):
            self.compile(compiler, [*WARNINGS, "-O1", *flags, "-o", str(self.path / source.stem), str(source), "-ldl", "-lpthread"])

    @staticmethod
    def compile(compiler, arguments):
        subprocess.run([compiler, *arguments], check=True)


def surroundings(build, hello, **settings):
    """What an engine is started in."""
    environment = {
        **os.environ, "LD_PRELOAD": ":".join(build.preload), "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8",
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_abort=0:allow_user_segv_handler=1:verify_asan_link_order=0",
        "UBSAN_OPTIONS": "print_stacktrace=1"}
    settings = {"HELLO": json.dumps(hello)[1:-1], "SPIN": "100", **settings}
    return environment | {f"DELTAPROOF_ENGINE_{name}": text for name, text in settings.items()}


class Engine:
    """One engine under the library, and the line to it."""

    def __init__(self, build, program, *arguments, boot_ms=100, roles=("server",), ports="27910", patience_s=PATIENCE_S, **settings):
        self.report_path = build.path / f"report-{secrets.token_hex(4)}"
        self.errors = tempfile.TemporaryFile()
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(patience_s)
        self.hello = {"version": 1, "name": "test", "build": "1", "roles": list(roles), "profiles": ["fte-nq"], "takes_world": False}
        settings = {"PORTS": ports, "BOOT_MS": str(boot_ms), "REPORT": str(self.report_path), **settings}
        environment = surroundings(build, self.hello, **settings)
        environment |= {"DELTAPROOF_SHIM_PORT": str(server.getsockname()[1]), "DELTAPROOF_SHIM_TOKEN": TOKEN}
        self.process = subprocess.Popen([str(build.path / program), *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=self.errors,
                                        stderr=self.errors, start_new_session=True)
        self.seq = 0
        self.line = self.reader = None
        try:
            self.line, _ = server.accept()
            self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.line.settimeout(PATIENCE_S)
            self.reader = self.line.makefile("rb")
            same(self.reader.readline().decode(), TOKEN + "\n")
        except OSError:
            pass  # it ended before it was ready
        finally:
            server.close()

    def send(self, **request):
        self.line.sendall(json.dumps({"seq": self.seq, **request}, separators=(",", ":")).encode() + b"\n")
        self.seq += 1

    def reply(self):
        text = self.reader.readline()
        if not text:
            raise Failed(f"it ended: {self.printed()[-600:]}")
        reply = json.loads(text)
        same(reply.pop("seq"), self.seq - 1)
        for datagram in reply.get("tx", []):
            datagram["bytes"] = bytes.fromhex(datagram["bytes"]).decode()
        return reply

    def ask(self, **request):
        self.send(**request)
        return self.reply()

    def say_hello(self):
        same(self.ask(op="hello", version=1), self.hello)

    def open(self, host=0, seed="00000000000004d2", options=None, **more):
        return self.ask(op="open", host=host, clients=2, profile="fte-nq", seed=seed, options=options or {}, texts={"motd": '"now":7, {"op":"bye"'}, **more)

    def time(self, now, **more):
        return self.ask(op="step", host=0, now=now, input="timeout", **more)

    def datagram(self, now, text, sender=1, **more):
        return self.ask(op="step", host=more.pop("host", 0), now=now, input="datagram", **{"from": sender}, bytes=text.encode().hex(), **more)

    def command(self, now, name, **more):
        return self.ask(op="step", host=more.pop("host", 0), now=now, input="command", command=name, **more)

    def close(self):
        same(self.ask(op="close", host=0), {})

    def processes(self):
        """All of its session: itself and its children."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(int(path.name))
        return found

    def sockets(self):
        """Of the kernel's, each once: the line, and nothing else."""
        found = set()
        for pid in self.processes():
            for path in Path(f"/proc/{pid}/fd").glob("*"):
                try:
                    target = os.readlink(path)
                except OSError:
                    continue
                if target.startswith("socket:"):
                    found.add(target)
        return len(found)

    def printed(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def report(self):
        return self.report_path.read_text().splitlines() if self.report_path.exists() else []

    def status(self):
        return self.process.wait(PATIENCE_S)

    def bye(self):
        """Ends it in order."""
        same(self.sockets(), 1)
        same(self.ask(op="bye"), {})
        same(self.status(), 0)
        same(self.processes(), [])

    def kill(self):
        if self.line:
            self.line.close()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(PATIENCE_S)
        self.errors.close()


def same(is_now, wanted):
    if is_now != wanted:
        raise Failed(f"\n    wanted {wanted}\n    got    {is_now}")


def holds(condition, what):
    if not condition:
        raise Failed(what)


def sent(text, to=1, **more):
    return {"to": to, **more, "bytes": text}
