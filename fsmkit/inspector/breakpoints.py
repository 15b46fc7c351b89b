"""Breakpoints: where the loop is to be held, before a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from attrs import frozen

from fsmkit import Fsm

Kind: TypeAlias = Literal["state", "event"]


@frozen
class Halt:
    """A change that is about to happen."""

    machine: Fsm[Any]
    event: str
    state: str
    target: str


class Breakpoints:
    """States and events before which `hold` is called, in the middle of the machine's own call.

    A machine that has none is not watched.
    """

    def __init__(self, hold: Callable[[Halt], None]) -> None:
        self._hold = hold
        self._points: dict[Fsm[Any], set[tuple[str, str]]] = {}
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}

    def __iter__(self) -> Any:
        for machine, points in self._points.items():
            for kind, name in sorted(points):
                yield machine, kind, name

    def set(self, machine: Fsm[Any], kind: str, name: str, *, on: bool) -> None:
        """Have one, or have it no more."""
        points = self._points.setdefault(machine, set())
        (points.add if on else points.discard)((kind, name))
        if points and machine not in self._undo:
            self._undo[machine] = machine.observe(self)
        if not points:
            self.forget(machine)

    def forget(self, machine: Fsm[Any]) -> None:
        """Have none on this machine."""
        self._points.pop(machine, None)
        if undo := self._undo.pop(machine, None):
            undo()

    def clear(self) -> None:
        """Have none at all."""
        for machine in tuple(self._points):
            self.forget(machine)

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        """Hold the loop if this is it."""
        state = fsm.current_state
        if outcome != "changed" or state is None:
            return
        target = state.transitions.get(event) or fsm.global_transitions.get(event)
        if target is None:
            return
        points = self._points.get(fsm, ())
        if ("event", event) in points or ("state", target.name) in points:
            self._hold(Halt(fsm, event, state.name, target.name))
