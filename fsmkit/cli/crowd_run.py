"""Course: a crowd that runs for a while in equal steps, with events at given times."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from operator import itemgetter
from time import perf_counter

from attrs import define, field

from fsmkit.crowd.crowd import Crowd
from fsmkit.timing import TIME_TOLERANCE


@define(eq=False)
class Course:
    """Steps `crowd` through `seconds` seconds, `fps` steps a second.

    Each of `events` is a name and a time in seconds; it is sent to every agent at the first step at
    or after that time.
    """

    crowd: Crowd
    fps: float
    seconds: float
    events: Sequence[tuple[str, float]] = ()
    step: int = field(default=0, init=False)
    computing: float = field(default=0.0, init=False)
    """Seconds by the clock that the updates took. The first one is not among them: it compiles."""

    @property
    def time(self) -> float:
        """Seconds from the start to the present step; no sum, so that nothing adds up wrong."""
        return self.step / self.fps

    @property
    def is_running(self) -> bool:
        """Whether a step is left."""
        return self.step < self._step_at(self.seconds)

    @property
    def speed(self) -> float:
        """How many agents were updated per second of computing; 0 while that is unknown."""
        return len(self.crowd) * (self.step - 1) / self.computing if self.computing else 0.0

    def start(self, state: str | None = None) -> None:
        """Start all agents, in the first state or this one."""
        self.crowd.start(state)
        self._send_due()

    def update(self) -> None:
        """Make one step."""
        self.step += 1
        begun = perf_counter()
        self.crowd.update(1.0 / self.fps)
        if self.step > 1:
            self.computing += perf_counter() - begun
        self._send_due()

    def _send_due(self) -> None:
        due = [event for event in self.events if self._step_at(event[1]) == self.step]
        for name, _ in sorted(due, key=itemgetter(1)):
            self.crowd.send_event(name)

    def _step_at(self, seconds: float) -> int:
        return ceil(seconds * self.fps - TIME_TOLERANCE)
