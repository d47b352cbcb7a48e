"""The list of tests, and what a test is given."""
from harness import Engine

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
