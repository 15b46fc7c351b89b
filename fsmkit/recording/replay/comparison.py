"""Comparison: what a replay came to, and where it went another way first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from fsmkit.recording.replay.steps import Step
from fsmkit.terminal.console import printable


@frozen
class Difference:
    """The first step that went another way than recorded."""

    position: int
    """The index of the step."""
    recorded: Step
    replayed: Step | None
    """None if it could not be carried out, or was without effect."""
    before: Sequence[Step]
    """The last steps that were the same."""
    after: Sequence[Step]
    """What the recording goes on with."""
    reason: str = ""
    """Why it could not be carried out; empty if it was without effect."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Step {self.position + 1} differs."
        for step in self.before:
            yield from _told("same", step)
        yield from _told("recorded", self.recorded)
        if self.replayed is None:
            yield f"  replayed  {printable(self.reason) or '(nothing)'}"
        else:
            yield from _told("replayed", self.replayed)
        for step in self.after:
            yield from _told("then", step)


@frozen
class Comparison:
    """What a replay came to; true if it was equal."""

    steps: int
    """How many steps were carried out."""
    difference: Difference | None
    fault: str = ""
    """What is wrong with the file behind these steps, if anything."""

    @property
    def equal(self) -> bool:
        """Whether everything went as recorded; of a damaged file nobody knows."""
        return self.difference is None and not self.fault

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.difference is not None:
            return str(self.difference)
        equal = f"{self.steps} steps, all equal"
        return f"{equal}; but then {printable(self.fault)}" if self.fault else equal


def _told(title: str, step: Step) -> Iterator[str]:
    yield f"  {title:8}  {step}"
    lines = step.told()
    if not lines and title == "replayed":
        lines = ["(nothing)"]
    yield from (f"{'':16}{line}" for line in lines)
