"""Travelling: the requests that put machines into the states of another time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.recording import restore


@frozen
class Travelling:
    """Goes back to moments, and loads snapshots."""

    inspected: Inspected
    subscribers: Subscribers
    note_jump: Callable[[str], None]
    """Called after machines were put into other states, with a text for the log."""

    def go_on(self, machine: str, seq: int) -> Answer:
        """Go back to a moment of a machine, and answer with its time."""
        frame = self.subscribers.watched(machine).go_back(seq)
        if frame is None:
            raise RequestError("That moment is no longer kept, or could not be saved.")
        too_large = ", ".join(frame.too_large)
        self.note_jump(
            f"went back to {frame.time:.2f} s"
            + (f"; too large to restore: {too_large}" if too_large else "")
        )
        return {"time": frame.time}

    def restore(self, machine: str | None, data: dict[str, Any]) -> None:
        """Load a snapshot of one machine or of all; only the server asks for it."""
        restore(
            self.inspected.machines if machine is None else self.inspected.machine(machine), data
        )
        self.note_jump("loaded a snapshot")
