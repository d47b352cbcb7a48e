"""The list of tests, and what a test is given."""
import subprocess

from harness import Engine, surroundings

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Started:
    """Starts engines, all of which end with their test."""

    def __init__(self, build):
        self.build = build
        self.engines = []

    def __call__(self, *arguments, **settings):
        engine = Engine(self.build, *arguments, **settings)
        self.engines.append(engine)
        return engine

    def ready(self, *arguments, **settings):
        engine = self(*arguments, **settings)
        engine.say_hello()
        return engine

    def by_standard_streams(self, program):
        hello = {"version": 1, "name": "test", "roles": ["server"], "profiles": []}
        environment = surroundings(self.build, hello, PORTS="27910", BOOT_MS="100")
        return subprocess.Popen([str(self.build.path / program)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True)
