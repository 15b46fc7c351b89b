"""Breakpoints: the states and events before which the loop is held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from attrs import evolve, frozen

from fsmkit import Fsm, FsmState
from fsmkit.inspector.reading.ways import targets

Kind: TypeAlias = Literal["state", "event"]


@frozen
class Halt:
    """A change that is about to happen, and the breakpoint that holds it."""

    machine: Fsm[Any]
    event: str
    """Empty if the machine is being started."""
    state: str | None
    """None if it is not running yet."""
    target: str
    point: str
    """The state or the event that the breakpoint is on."""


class Breakpoints:
    """States and events before which `hold` is called, in the middle of the machine's own call.

    A state is entered in two ways: by an event, which is reported to observers before the change,
    and by `start()`, which is intercepted. A machine without breakpoints is not watched.

    No guard is asked for a breakpoint. Where guards decide between several targets, only the event
    is known before the change: there a breakpoint on a state holds the machine once it is in that
    state, before the first `on_enter` or after the last `on_resume`.
    """

    def __init__(self, hold: Callable[[Halt], None]) -> None:
        self._hold = hold
        self._points: dict[Fsm[Any], set[tuple[str, str]]] = {}
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}
        self._undecided: dict[Fsm[Any], Halt] = {}
        """The change of a machine whose target will be known when it has happened."""

    def __iter__(self) -> Any:
        for machine, points in self._points.items():
            for kind, name in sorted(points):
                yield machine, kind, name

    def set(self, machine: Fsm[Any], kind: str, name: str, *, on: bool) -> None:
        """Set or remove one."""
        points = self._points.setdefault(machine, set())
        (points.add if on else points.discard)((kind, name))
        if points and machine not in self._undo:
            self._undo[machine] = machine.observe(self)
        if not points:
            self.forget(machine)

    def forget(self, machine: Fsm[Any]) -> None:
        """Remove all breakpoints on this machine."""
        self._points.pop(machine, None)
        self._undecided.pop(machine, None)
        if undo := self._undo.pop(machine, None):
            undo()

    def clear(self) -> None:
        """Remove all breakpoints."""
        for machine in tuple(self._points):
            self.forget(machine)

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        """Hold the loop if there is a breakpoint on this change."""
        state = fsm.current_state
        if outcome != "changed" or state is None:
            return
        self._undecided.pop(fsm, None)
        found = targets(fsm, event)
        if len(found) == 1:
            self._check(fsm, event, found[0])
        elif ("event", event) in self._points.get(fsm, ()):
            self._hold(Halt(fsm, event, state.name, " or ".join(found), event))
        else:
            self._undecided[fsm] = Halt(fsm, event, state.name, "", "")

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], _event: str | None) -> None:
        """Hold the loop if only now it is known that there is a breakpoint on this state."""
        halt = self._undecided.pop(fsm, None)
        if halt is not None and ("state", state.name) in self._points.get(fsm, ()):
            self._hold(evolve(halt, target=state.name, point=state.name))

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Hold the loop if only now it is known that there is a breakpoint on this state."""
        self.state_entered(fsm, state, None)

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Hold the loop if there is a breakpoint on the state that the machine is started in."""
        if call == "start":
            self._undecided.pop(fsm, None)
            state = arguments["state"]
            if state is None:
                state = next(iter(fsm.states), "")
            self._check(fsm, "", state.name if isinstance(state, FsmState) else state)
        return carry_out(**arguments)

    def _check(self, fsm: Fsm[Any], event: str, target: str) -> None:
        points = self._points.get(fsm, ())
        state = fsm.current_state
        for kind, name in ("event", event), ("state", target):
            if (kind, name) in points:
                self._hold(Halt(fsm, event, state.name if state else None, target, name))
                return
