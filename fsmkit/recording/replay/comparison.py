"""Comparison: the result of a replay, and the first difference from the recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from fsmkit.recording.replay.steps import Step
from fsmkit.terminal.console import printable


@frozen
class Difference:
    """The first step that did not go as recorded."""

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

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Step {self.position + 1} differs."
        for step in self.before:
            yield from _step_lines("same", step)
        yield from _step_lines("recorded", self.recorded)
        if self.replayed is None:
            yield f"  replayed  {printable(self.reason) or '(nothing)'}"
        else:
            yield from _step_lines("replayed", self.replayed)
        for step in self.after:
            yield from _step_lines("then", step)


@frozen
class Comparison:
    """The result of a replay; true if it was equal to the recording."""

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
