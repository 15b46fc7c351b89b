"""Comparison: the result of a replay, and the first difference from the recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import frozen

from fsmkit.recording.replay.beginning import this_version
from fsmkit.recording.replay.steps import PARTS_OF_AN_EVENT, Header, Step
from fsmkit.terminal.console import printable


class Compared:
    """What of the steps of a recording is compared with those of a replay."""

    def __init__(self, header: Header, *, digests: bool) -> None:
        self._has_data = bool(header.made_by)
        self._has_digests = digests and header.made_by == this_version()

    def did_the_same(self, recorded: Step, replayed: Step) -> bool:
        """Return True if both did the same."""
        return self._what_was_done(recorded) == self._what_was_done(replayed)

    def are_alike(self, recorded: Step, replayed: Step) -> bool:
        """Return False if the actions were given, or remember, different things after them."""
        digests = {recorded.digest, replayed.digest} - {""} if self._has_digests else ()
        return len(digests) < 2

    def _what_was_done(self, step: Step) -> tuple[Any, ...]:
        """What a finish() raises is in its journal; older recordings have it only there.

        Of machines that are restored, any one may be told of first.
        """
        raised = step.raised if step.call != "finish" else ""
        machine = step.machine if step.call != "restore" else ""
        journal = step.journal
        if not self._has_data:
            journal = [entry[: PARTS_OF_AN_EVENT + 2] for entry in journal]
        return machine, step.call, step.time, raised, [*map(tuple, journal)]


@frozen
class Difference:
    """The first step that did not go as recorded.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording, replay
    >>> def build(event="PRESS"):
    ...     lamp = Fsm("Lamp", on_unhandled="ignore")
    ...     _ = lamp.add_state("Off").add_transition(event, lamp.add_state("On"))
    ...     return lamp
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     _ = lamp.send_event("PRESS")
    >>> difference = replay(lambda: build("TOUCH"), recording).difference
    >>> difference.position, difference.recorded.told(), difference.replayed.told()
    (1, ['event PRESS: changed', 'leave Off', 'enter On'], ['event PRESS: unhandled'])
    """

    position: int
    """The index of the step."""
    recorded: Step
    replayed: Step | None
    """None if it could not be carried out or had no effect."""
    before: Sequence[Step]
    """The last steps that were the same."""
    after: Sequence[Step]
    """The next steps of the recording."""
    reason: str = ""
    """The reason why it could not be carried out; empty if it had no effect."""
    alike_until: int | None = None
    """The index of the first step after which the actions were given, or remember, something else;
    None if there was none before."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    @property
    def _did_the_same(self) -> bool:
        return self.replayed is not None and self.recorded.told() == self.replayed.told()

    def _lines(self) -> Iterator[str]:
        yield f"Step {self.position + 1} differs."
        for step in self.before:
            yield from _step_lines("same", step)
        yield from _step_lines("recorded", self.recorded)
        if self.replayed is None:
            yield f"  replayed  {printable(self.reason) or '(nothing)'}"
        else:
            yield from _step_lines("replayed", self.replayed)
        if self.alike_until == self.position and self._did_the_same:
            yield f"{'':12}{NOT_ALIKE}."
        for step in self.after:
            yield from _step_lines("then", step)
        if self.alike_until is not None and self.alike_until < self.position:
            yield f"{NOT_ALIKE.capitalize()} since step {self.alike_until + 1}."


@frozen
class Comparison:
    """The result of a replay; true if it was equal to the recording.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording, replay
    >>> def build(name="On"):
    ...     fsm = Fsm("Lamp")
    ...     _ = fsm.add_state(name)
    ...     return fsm
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     lamp.update(1.0)
    >>> print(replay(build, recording))
    2 steps, all equal
    """

    steps: int
    """The number of steps that were carried out."""
    difference: Difference | None
    fault: str = ""
    """The damage in the file after these steps; empty if there is none."""

    @property
    def equal(self) -> bool:
        """True if everything went as recorded, and the file is not damaged."""
        return self.difference is None and not self.fault

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.difference is not None:
            return str(self.difference)
        equal = f"{self.steps} steps, all equal"
        return f"{equal}; but then {printable(self.fault)}" if self.fault else equal


def _step_lines(title: str, step: Step) -> Iterator[str]:
    yield f"  {title:8}  {step}"
    lines = step.told()
    if not lines and title == "replayed":
        lines = ["(nothing)"]
    yield from (f"{'':16}{line}" for line in lines)


NOT_ALIKE: Final = "what its actions were given, or remember, is different"
