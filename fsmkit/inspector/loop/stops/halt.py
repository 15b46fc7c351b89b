"""Halt: where a machine is held. Reason: why the machines have stopped."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from fsmkit import Fsm


@frozen
class Halt:
    """A change that is about to happen, an error or an unhandled event: a machine is held there."""

    machine: Fsm[Any]
    event: str
    """Empty if the machine is being started, and after an error."""
    state: str | None
    """None if it is not running yet."""
    target: str | None
    """The state that comes next; None if there is no change."""
    is_begun: bool = False
    """True if the machine is in the target already."""


@frozen
class Reason:
    """Why the machines have stopped, for the banner of the page."""

    kind: str
    """The kind of the breakpoint; `change` at the next change of state."""
    machine: str
    title: str
    """What the breakpoint is on, in words."""
    text: str
    """The condition with the value that met it, the error or the change; may be empty."""
    number: int | None = None
    """That of the breakpoint."""
    place: str = ""
    """Of an error: the action and its callback."""
    stays: bool = False
    """True if the machines stay where they are though no page is open."""

    def to_json(self) -> dict[str, Any]:
        """Return it as data for the page."""
        return {
            "kind": self.kind, "machine": self.machine, "title": self.title, "text": self.text,
            "number": self.number, "place": self.place,
        }  # fmt: skip
