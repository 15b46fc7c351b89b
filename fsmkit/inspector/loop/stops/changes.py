"""ChangeObserver: sees the changes of machines before they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve, frozen

from fsmkit import Fsm, FsmState
from fsmkit.inspector.loop.stops.breakpoints import Breakpoints, Place
from fsmkit.inspector.loop.stops.halt import Halt, Reason
from fsmkit.inspector.reading.named_values import Occasion
from fsmkit.inspector.reading.ways import targets


class ChangeObserver:
    """Calls `hold` before a change that a breakpoint is on, in the middle of the machine's call.

    A state is entered in two ways: by an event, which is reported to observers before the change,
    and by `start()`, which is intercepted.

    No guard is asked for a breakpoint. Where guards decide between several targets, only the event
    is known before the change: there a breakpoint on a state holds the machine once it is in that
    state, before the first `on_enter` or after the last `on_resume`.
    """

    def __init__(
        self,
        breakpoints: Breakpoints,
        hold: Callable[[Halt, Reason], None],
        may_stop: Callable[[], bool],
    ) -> None:
        self._breakpoints = breakpoints
        self._hold = hold
        self._may_stop = may_stop
        self._undecided: dict[Fsm[Any], _Undecided] = {}
        """The change of a machine whose target will be known when it has happened."""

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget a machine that has left."""
        self._undecided.pop(machine, None)

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Hold the loop if a breakpoint on this change stops."""
        state = fsm.current_state
        if outcome != "changed" or state is None:
            return
        self._undecided.pop(fsm, None)
        if not self._may_stop():
            return
        found = targets(fsm, event)
        places: list[Place] = [("event", event)]
        if len(found) == 1:
            places.append(("state", found[0]))
        occasion = Occasion(fsm, event, data)
        reason = self._breakpoints.hit(occasion, *places)
        halt = Halt(fsm, event, state.name, " or ".join(found))
        if len(found) != 1:
            self._undecided[fsm] = _Undecided(halt, occasion, was_held=reason is not None)
        if reason is not None:
            self._hold(halt, reason)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], _event: str | None) -> None:
        """Hold the loop if only now it is known that there is a breakpoint on this state."""
        undecided = self._undecided.pop(fsm, None)
        if undecided is None or not self._may_stop():
            return
        reason = self._breakpoints.hit(undecided.occasion, ("state", state.name))
        if reason is not None and not undecided.was_held:
            self._hold(evolve(undecided.halt, target=state.name, is_begun=True), reason)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Hold the loop if only now it is known that there is a breakpoint on this state."""
        self.state_entered(fsm, state, None)

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Hold the loop if a breakpoint on the state that the machine is started in stops."""
        if call == "start":
            self._undecided.pop(fsm, None)
            self._check_start(fsm, arguments["state"])
        return carry_out(**arguments)

    def _check_start(self, fsm: Fsm[Any], state: object) -> None:
        if state is None:
            state = next(iter(fsm.states), "")
        target = state.name if isinstance(state, FsmState) else state
        if not isinstance(target, str) or target not in fsm.states or not self._may_stop():
            return
        reason = self._breakpoints.hit(Occasion(fsm), ("state", target))
        if reason is not None:
            now = fsm.current_state
            self._hold(Halt(fsm, "", now.name if now else None, target), reason)


@frozen
class _Undecided:
    halt: Halt
    occasion: Occasion
    was_held: bool
    """True if the loop has been held before this change, on the event."""
