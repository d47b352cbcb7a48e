"""The world as it is: entities, and what a map announces about them."""

from fte_server_wire import FIELDS, INDEX, NULL_STATE


class World:
    def __init__(self):
        # Entity -> (occupant, state). The occupant tells two entities apart that have the same number one after the other.
        self.entities = {}
        # What clients of this map are sent, and what those of the next will be.
        self.baselines, self._next_baselines = {}, {}
        self.statics = []
        self._occupants = 0

    def begin_map(self):
        self.entities, self.statics = {}, []
        self.baselines = dict(self._next_baselines)

    def set_baseline(self, number, field, value, at_once):
        state = self._next_baselines.get(number, NULL_STATE)
        self._next_baselines[number] = _with(state, field, value)
        if at_once:
            self.baselines[number] = self._next_baselines[number]

    def spawn(self, number):
        self._occupants += 1
        self.entities[number] = (self._occupants, self.baseline(number))

    def remove(self, number):
        return self.entities.pop(number, None) is not None

    def set(self, number, field, value):
        if number not in self.entities:
            return False
        occupant, state = self.entities[number]
        changed = _with(state, field, value)
        if changed != state:
            self.entities[number] = (occupant, changed)
        return True

    def baseline(self, number):
        return self.baselines.get(number, NULL_STATE)

    def observe(self):
        return [[number, *state] for number, (_, state) in sorted(self.entities.items())]


def _with(state, field, value):
    place = INDEX[field]
    # Commands come with a sign, but effects have all of their 32 bits.
    value = value & 0xFFFFFFFF if field == "effects" else value
    return state[:place] + (value,) + state[place + 1:]


def is_field(name):
    return name in FIELDS
