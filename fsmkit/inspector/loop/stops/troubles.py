"""Observers of errors and of unhandled events: a breakpoint on any of them stops at that moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve, frozen

from fsmkit import Fsm
from fsmkit.core.words.notes import notes_of
from fsmkit.inspector.loop.stops.breakpoints import Breakpoints
from fsmkit.inspector.loop.stops.halt import Halt, Reason
from fsmkit.inspector.reading.named_values import Occasion


@frozen
class ErrorObserver:
    """Calls `hold` at an error, before it is raised or turned into the event ERROR."""

    breakpoints: Breakpoints
    hold: Callable[[Halt, Reason], None]
    may_stop: Callable[[], bool]

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Hold the loop if a breakpoint on errors stops. Ctrl-C is none."""
        if not isinstance(error, Exception) or not self.may_stop():
            return
        reason = self.breakpoints.hit(Occasion(fsm, error=error), ("error", ""))
        if reason is not None:
            state = _state(fsm)
            self.hold(Halt(fsm, "", state, None), evolve(reason, place=_place(fsm, error)))


@frozen
class UnhandledObserver:
    """Calls `hold` at an event that nobody handles."""

    breakpoints: Breakpoints
    hold: Callable[[Halt, Reason], None]
    may_stop: Callable[[], bool]

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Hold the loop if a breakpoint on unhandled events stops."""
        if outcome != "unhandled" or not self.may_stop():
            return
        reason = self.breakpoints.hit(Occasion(fsm, event, data), ("unhandled", ""))
        if reason is not None:
            self.hold(Halt(fsm, event, _state(fsm), None), reason)


def _state(machine: Fsm[Any]) -> str | None:
    state = machine.current_state
    return state.name if state is not None else None


def _place(machine: Fsm[Any], error: BaseException) -> str:
    """Return the action and the callback, as the note of the machine gives them."""
    here = f"{machine.current_state}, "
    return next((n.removeprefix(here) for n in notes_of(error) if n.startswith(here)), "")
