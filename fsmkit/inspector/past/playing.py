"""Playing: the requests that go through a recording. They change nothing in it."""

from __future__ import annotations

from collections.abc import Collection

from attrs import Factory, field, frozen

from fsmkit.inspector.loop.clock import FASTEST, SLOWEST
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.past.one_run import OneRun
from fsmkit.inspector.past.playhead import Playhead
from fsmkit.inspector.past.two_runs import TwoRuns
from fsmkit.inspector.reading.chart import Extent
from fsmkit.inspector.reading.colours import StateColours


@frozen
class Playing:
    """Plays a recording, steps through it, goes to a moment; and looks at its machines."""

    run: OneRun | TwoRuns
    playhead: Playhead
    _colours: StateColours = field(
        init=False, default=Factory(lambda self: _colours_of(self.run), takes_self=True)
    )

    def resume(self) -> None:
        """Play from the moment on."""
        self.playhead.play()

    def pause(self) -> None:
        """Stop playing."""
        self.playhead.pause()

    def speed(self, factor: float) -> None:
        """Play that many times as fast as it was."""
        if not SLOWEST <= factor <= FASTEST:
            raise RequestError(f"The speed must be from {SLOWEST} to {FASTEST:g}, got {factor:g}.")
        self.playhead.speed = factor

    def seek(self, time: float) -> None:
        """Go to a time; later it goes on playing if it was."""
        self.playhead.go_to(time)

    def step(self) -> None:
        """Go on by an update."""
        self._stop_at(self.run.next_frame(self.playhead.time))

    def step_back(self) -> None:
        """Go back by an update."""
        self._stop_at(self.run.last_frame(self.playhead.time))

    def next_change(self, machine: str) -> None:
        """Go to the next change of a machine."""
        self._stop_at(self.run.next_change(machine, self.playhead.time))

    def last_change(self, machine: str) -> None:
        """Go back to the beginning of the state, or of the one before if it is there."""
        self._stop_at(self.run.last_change(machine, self.playhead.time))

    def difference(self, machine: str, forward: bool) -> Answer:
        """Go to the next difference of two runs, or to the one before."""
        if not isinstance(self.run, TwoRuns):
            raise RequestError("There is only one recording: give two, to compare them.")
        time = self.run.difference(self.playhead.time, forward=forward)
        if time is None:
            raise RequestError("There is no further difference.")
        self._stop_at(time)
        return {"machine": self.run.machine_differing_at(time, machine)}

    def colours(self) -> Answer:
        """Answer with the number of the colour of each state."""
        return {"colours": self._colours.numbers}

    def select(self, machine: str, page: Mailbox) -> None:
        """Send this machine in full to that page."""
        page.select(self.run.known(machine))

    def follow_all(self, on: bool, page: Mailbox) -> None:
        """Send that page what all machines did, or do so no more."""
        page.follow_all(on)

    def ask(self, machine: str, event: str) -> Answer:
        """Answer what an event would have done."""
        return self.run.ask(machine, event)

    def graph(self, machine: str, around: Collection[str] = (), radius: int = 0) -> Answer:
        """Answer with the graph to draw; only the server asks for it."""
        return {"graph": self.run.drawing(machine, Extent(around, radius))}

    def _stop_at(self, time: float | None) -> None:
        if time is None:
            raise RequestError("There is no further change.")
        self.playhead.pause()
        self.playhead.go_to(time)


def _colours_of(run: OneRun | TwoRuns) -> StateColours:
    colours = StateColours()
    for states in run.state_names():
        colours.add(states)
    return colours
