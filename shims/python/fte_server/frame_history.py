"""What one client is owed: the flags that wait to be sent, and a log of what each frame carried.

The document's model. Every frame clears the flags that it sends and logs them under its number. The client acknowledges frames
by number, in ascending order, so that those it passes over are lost; what they carried is folded back into what waits, and goes
out again with the values of then. The client's own state is never guessed at: only what was last compared is kept.
"""

import fte_server_wire as wire

# The document keeps 64 or so. A frame that carried nothing needs no place, and a link of a long way still has its answers.
HISTORY = 256
# Not a flag of the wire: the entity is gone.
REMOVE = 1 << 32


class SentFrame:
    def __init__(self):
        self.remove_all = False
        # Entity -> flags: RESET stands for all fields, REMOVE for the end of the entity.
        self.entities = {}
        self.stats = []

    def carried_nothing(self):
        return not (self.remove_all or self.entities or self.stats)


class FrameHistory:
    def __init__(self, dialect, baselines, undefined_flag=0):
        self.dialect, self.baselines, self.undefined_flag = dialect, baselines, undefined_flag
        self.stats = set()
        self._frames = {}
        self._newest_sent = self._newest_acknowledged = -1
        self._resume = 0
        self._start_over()

    # What is owed.

    def _start_over(self):
        """The client is to forget every entity; what was logged of them no longer matters. It keeps its statistics."""
        self.remove_all = True
        self._remove_all_frame = -1
        # Entity -> (occupant, state), as of the last comparison.
        self._seen = {}
        self._pending = {}
        # Entities whose second RESET is due with their next update, whenever that is.
        self._second_reset = set()
        for frame in self._frames.values():
            frame.remove_all = False
            frame.entities.clear()

    def compare(self, world):
        """Raises the flags of all that changed since the last frame. `world`: entity -> (occupant, state)."""
        for number in self._seen.keys() - world.keys():
            # Whatever else waited for it has no meaning any more.
            self._pending[number] = REMOVE
            self._second_reset.discard(number)
        for number, now in world.items():
            before = self._seen.get(number)
            if before is now:
                continue
            if before is None or before[0] != now[0]:
                # Appeared, or another entity took its number between two frames.
                self._pending[number] = wire.UF_RESET
                continue
            flags = wire.changed_flags(before[1], now[1], self.dialect)
            if flags:
                self._pending[number] = self._pending.get(number, 0) | flags
        self._seen = dict(world)

    def waits(self):
        return bool(self.remove_all or self._pending)

    # Sending.

    def compose(self, room):
        """The list of updates of one frame, of at most `room` bytes, and its log."""
        frame, first, chosen = SentFrame(), b"", {}
        room -= len(wire.END_OF_LIST)
        if self.remove_all:
            first = wire.REMOVE_ALL
            self.remove_all, frame.remove_all = False, True
            room -= len(first)
        waiting = sorted(self._pending)
        # Begin where the last frame ran out of room, so that a busy crowd cannot starve those behind it.
        waiting = [n for n in waiting if n >= self._resume] + [n for n in waiting if n < self._resume]
        self._resume = 0
        for number in waiting:
            entry, carried = self._entry(number)
            if len(entry) > room:
                self._resume = number
                break
            room -= len(entry)
            chosen[number] = entry
            self._sent(number, carried, frame)
        self._mention_an_idle_one(chosen, room)
        # Readers that merge sorted lists need ascending numbers.
        entries = b"".join(chosen[number] for number in sorted(chosen))
        return first + entries + wire.END_OF_LIST, frame

    def _entry(self, number):
        """The bytes of what waits for an entity, and the flags to log."""
        flags = self._pending[number]
        if flags & REMOVE:
            return wire.entity_index(number, self.dialect, remove=True), REMOVE
        index, state = wire.entity_index(number, self.dialect), self._seen[number][1]
        if flags & wire.UF_RESET or number in self._second_reset:
            fields = wire.changed_flags(self.baselines.get(number, wire.NULL_STATE), state, self.dialect)
            if self.dialect.explicit_resets:
                fields |= wire.ALL_FIELDS
            return index + wire.write_update(fields | wire.UF_RESET, state, self.dialect), wire.UF_RESET
        return index + wire.write_update(flags, state, self.dialect), flags

    def _sent(self, number, carried, frame):
        before = self._pending.pop(number)
        frame.entities[number] = carried
        if before & wire.UF_RESET:
            self._second_reset.add(number)
        else:
            self._second_reset.discard(number)

    def _mention_an_idle_one(self, chosen, room):
        """An update that says nothing is legal. It is also the one that a flag without a meaning can do no harm to."""
        if not (self.dialect.idle_entries or self.undefined_flag):
            return
        for number in sorted(self._seen):
            if number in chosen or number in self._pending or number in self._second_reset:
                continue
            update = wire.write_update(0, self._seen[number][1], self.dialect, self.undefined_flag)
            entry = wire.entity_index(number, self.dialect) + update
            if len(entry) <= room:
                chosen[number], self.undefined_flag = entry, 0
            return

    def log(self, sequence, frame):
        """A composed frame went out in the datagram of this number."""
        self._newest_sent = sequence
        if frame.remove_all:
            self._remove_all_frame = sequence
        if frame.carried_nothing():
            return
        self._frames[sequence] = frame
        if len(self._frames) > HISTORY:
            # No place is left to remember the oldest: take it for lost, which costs a repetition at worst.
            self._fold(min(self._frames))

    # What the client says.

    def acknowledge(self, number):
        if number == -1:
            self._start_over()
        elif self._newest_acknowledged < number <= self._newest_sent:
            # Frames not mentioned are assumed to be dropped. The log is in the order of the numbers.
            for lost in [n for n in self._frames if n < number]:
                self._fold(lost)
            self._frames.pop(number, None)
            self._newest_acknowledged = number

    def _fold(self, sequence):
        frame = self._frames.pop(sequence)
        self.stats.update(frame.stats)
        if frame.remove_all and sequence == self._remove_all_frame:
            # Nothing that was sent since can have been built on.
            self._start_over()
            return
        for number, flags in frame.entities.items():
            if flags & REMOVE:
                # An entity that is back has a RESET of its own, sent or waiting.
                if number not in self._seen:
                    self._pending[number] = REMOVE
            elif number in self._seen:
                self._pending[number] = self._pending.get(number, 0) | flags
