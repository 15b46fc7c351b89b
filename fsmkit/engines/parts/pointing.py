"""Pointing: the mouse on a thing, as events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.parts.delivering import Hearers, offer


@define(eq=False)
class Pointing:
    """Sends events when the mouse is pressed and released on a thing, and comes upon it and leaves.

    A function from a thing to its machine (`hearers`) is asked who hears of it; the data is the
    thing. A thing that was pressed on gets `released` wherever the mouse is by then.
    """

    hearers: Hearers
    pressed: str | None = None
    released: str | None = None
    entered: str | None = None
    left: str | None = None
    under: Any = field(default=None, init=False)
    """The thing under the mouse."""
    grasped: Any = field(default=None, init=False)
    """The thing on which the button was pressed, while it is."""

    def point(self, things: Sequence[Any]) -> None:
        """Note what is under the mouse now, the uppermost last."""
        before, self.under = self.under, things[-1] if things else None
        if self.under is not before:
            self._send(self.left, before)
            self._send(self.entered, self.under)

    def press(self) -> bool:
        """Note that the button has gone down; return True if that was on a thing."""
        self.grasped = self.under
        self._send(self.pressed, self.grasped)
        return self.grasped is not None

    def release(self) -> bool:
        """Note that the button has gone up; return True if it had gone down on a thing."""
        thing, self.grasped = self.grasped, None
        self._send(self.released, thing)
        return thing is not None

    def _send(self, event: str | None, thing: Any) -> None:
        if event is None or thing is None:
            return
        hearers = self.hearers
        machines = hearers if isinstance(hearers, Fsm | FsmGroup) else hearers(thing)
        if machines is not None:
            offer(machines, event, thing)
