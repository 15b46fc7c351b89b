"""Where the transitions lead an event that no action takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from fsmkit import BACK, Fsm, FsmState, Transition
from fsmkit.core.checks.functions import described
from fsmkit.core.words.notes import shown_error
from fsmkit.core.words.quoting import quote
from fsmkit.recording.asking.prospect import NOT_GIVEN, Prospect
from fsmkit.space.hysteresis import leaving_no_trace


def has_way(machine: Fsm[Any], event: str) -> bool:
    """Return True if the current state or the machine has a transition for `event`."""
    state = machine.current_state
    own = state.transitions if state is not None else ()
    return event in own or event in machine.global_transitions


@frozen
class Question:
    """An event for a machine in a state, past the actions."""

    machine: Fsm[Any]
    state: FsmState[Any]
    event: str
    data: object

    def answer(self) -> Prospect:
        """Return where the transitions lead the event."""
        refusals: list[str] = []
        tables = (self.state.transitions, self.machine.global_transitions)
        for table in tables:
            for transition in table.get(self.event, ()):
                found = self._by_guard(transition, table is tables[1], refusals)
                if found is not None:
                    return evolve(found, reasons=(*found.reasons, *refusals))
        if refusals:
            reason = f"Nothing: every guard for {quote(self.event)} refuses."
            return Prospect("refused", "", (reason, *refusals))
        return Prospect("unhandled", "", tuple(self._unhandled()))

    def _by_guard(
        self, transition: Transition[Any], is_global: bool, refusals: list[str]
    ) -> Prospect | None:
        """Return what the transition leads to; None, and one refusal more, if its guard refuses."""
        guard = transition.when
        if guard is None:
            return self._lead(transition, is_global)
        name = described(guard)
        if self.data is NOT_GIVEN:
            found = self._lead(transition, is_global)
            asks = f"Only if the guard {name} agrees: why(machine, event, data) asks it."
            return evolve(found, reasons=(*found.reasons, asks), certain=False)
        try:
            with leaving_no_trace(self.machine):
                agreed = self.machine._agreed_((transition,), self.data)
        except Exception as error:
            return Prospect("raised", "", (f"The guard {name} raises {_shown(error)}.",))
        if agreed is not None:
            return self._lead(transition, is_global)
        refusals.append(f"The guard {name} refuses the way {self._way(transition, is_global)}.")
        return None

    def _lead(self, transition: Transition[Any], is_global: bool) -> Prospect:
        event, state = self.event, self.state
        way = self._way(transition, is_global)
        if transition.target is BACK:
            if not self.machine.suspended:
                reason = f"Nothing: {quote(event)} leads {way}, but no state is suspended."
                return Prospect("unhandled", "", (reason,))
            target = self.machine.suspended[-1].name
            reason = f"{quote(event)} leads {way} to {target!r}, which was suspended."
            return Prospect("changed", target, (reason,))
        target = transition.target.name
        if transition.target is state and is_global:
            reason = (
                f"Nothing: {quote(event)} leads to {target!r} from any other state; it is already "
                "there."
            )
            return Prospect("ignored", target, (reason,))
        more = ", which is exited and entered again" if transition.target is state else ""
        more += f", and {state.name!r} is suspended" if transition.suspend else ""
        return Prospect("changed", target, (f"{quote(event)} leads {way}{more}.",))

    def _way(self, transition: Transition[Any], is_global: bool) -> str:
        source = "any state" if is_global else repr(self.state.name)
        if transition.target is BACK:
            return f"from {source} back"
        return f"from {source} to {transition.target.name!r}"

    def _unhandled(self) -> Iterator[str]:
        event, state = self.event, self.state
        yield (
            f"Nothing: {state.name!r} has no transition for {quote(event)}, and the machine has no "
            "global one."
        )
        for suspended in self.machine.suspended:
            if event in suspended.transitions:
                yield f"{suspended.name!r} has one, but is suspended, and gets no events."


def _shown(error: Exception) -> str:
    try:
        return repr(error)
    except Exception:  # from a user's __repr__
        return shown_error(error)
