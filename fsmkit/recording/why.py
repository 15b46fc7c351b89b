"""why: what an event would do now, or why it would do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import BACK, FINISHED, Fsm, FsmState, Transition
from fsmkit.core.functions import described
from fsmkit.core.suggestions import about_event
from fsmkit.recording.chronicle import sender_title
from fsmkit.tooling.taking import answers_now

ON_EXIT: Final = ("on_exit", "on_suspend")
"""The phases in which a machine leaves its state."""

TAKEN: Final = ("changed", "queued", "consumed")
"""The outcomes of an event that has an effect."""

NOT_GIVEN: Final = object()
"""The data of an event that nobody has given."""


@frozen
class Prospect:
    """The effect that an event would have now."""

    outcome: str
    """The outcome that observers would get: `"changed"`, `"queued"`, `"ignored"`, `"refused"`,
    `"unhandled"`, or `"consumed"` if an action may take it; `"raised"` where it raises an error."""
    target: str
    """The state it leads to if no action takes it; empty if there is none."""
    reasons: tuple[str, ...]
    """Sentences that say why, the decisive one first."""

    def __str__(self) -> str:
        return " ".join(self.reasons)


def why(machine: Fsm[Any], event: str, data: object = NOT_GIVEN) -> Prospect:
    """Return what `event` would do if it were sent now, and why.

    Nothing is sent, and no action runs. Guards are asked only if `data` is given (None for an event
    without), as they would be, each once. Raises TypeError unless `machine` is an Fsm and `event` a
    str.

    >>> from fsmkit import Fsm
    >>> door = Fsm("Door")
    >>> closed, opened = door.add_state("Closed"), door.add_state("Open")
    >>> _ = closed.add_transition("OPEN", opened)
    >>> door.start()
    >>> print(why(door, "OPEN"))
    'OPEN' leads from 'Closed' to 'Open'.
    >>> why(door, "OPNE").reasons[-1]
    "Did you mean 'OPEN'?"
    """
    if not isinstance(machine, Fsm):
        raise TypeError(f"machine must be an Fsm, got {machine!r}.")
    if not isinstance(event, str):
        raise TypeError(f"event must be a str, got {event!r}.")
    if machine.is_changing:
        reason = (
            f"A change has already been decided: {event!r} waits for the next state. After a "
            "stop() there is none, and the event is unhandled."
        )
        return Prospect("queued", "", (reason,))
    state = machine.current_state
    if state is None:
        reason = f"Nothing: {machine.name!r} is not running. Call start() first."
        return Prospect("unhandled", "", (reason,))
    prospect = _Question(machine, state, event, data).answer()
    if machine.phase in ON_EXIT:
        return _while_leaving(state, prospect)
    listeners = tuple(_listening(machine, event))
    outcome = "consumed" if listeners else prospect.outcome
    return Prospect(outcome, prospect.target, (*listeners, *prospect.reasons))


@frozen
class _Question:
    """Where the transitions lead an event, which no action takes."""

    machine: Fsm[Any]
    state: FsmState[Any]
    event: str
    data: object

    def answer(self) -> Prospect:
        refusals: list[str] = []
        tables = (self.state.transitions, self.machine.global_transitions)
        for table in tables:
            for transition in table.get(self.event, ()):
                found = self._by_guard(transition, table is tables[1], refusals)
                if found is not None:
                    return Prospect(found.outcome, found.target, (*found.reasons, *refusals))
        if refusals:
            reason = f"Nothing: every guard for {self.event!r} refuses."
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
            return Prospect(found.outcome, found.target, (*found.reasons, asks))
        try:
            agreed = self.machine._agreed((transition,), self.data)
        except Exception as error:
            return Prospect("raised", "", (f"The guard {name} raises {error!r}.",))
        if agreed is not None:
            return self._lead(transition, is_global)
        refusals.append(f"The guard {name} refuses the way {self._way(transition, is_global)}.")
        return None

    def _lead(self, transition: Transition[Any], is_global: bool) -> Prospect:
        event, state = self.event, self.state
        way = self._way(transition, is_global)
        if transition.target is BACK:
            if not self.machine.suspended:
                reason = f"Nothing: {event!r} leads {way}, but no state is suspended."
                return Prospect("unhandled", "", (reason,))
            target = self.machine.suspended[-1].name
            reason = f"{event!r} leads {way} to {target!r}, which was suspended."
            return Prospect("changed", target, (reason,))
        target = transition.target.name
        if transition.target is state and is_global:
            reason = (
                f"Nothing: {event!r} leads to {target!r} from any other state; it is already there."
            )
            return Prospect("ignored", target, (reason,))
        more = ", which is exited and entered again" if transition.target is state else ""
        more += f", and {state.name!r} is suspended" if transition.suspend else ""
        return Prospect("changed", target, (f"{event!r} leads {way}{more}.",))

    def _way(self, transition: Transition[Any], is_global: bool) -> str:
        source = "any state" if is_global else repr(self.state.name)
        if transition.target is BACK:
            return f"from {source} back"
        return f"from {source} to {transition.target.name!r}"

    def _unhandled(self) -> Iterator[str]:
        event, state = self.event, self.state
        yield (
            f"Nothing: {state.name!r} has no transition for {event!r}, and the machine has no "
            "global one."
        )
        for suspended in self.machine.suspended:
            if event in suspended.transitions:
                yield f"{suspended.name!r} has one, but is suspended, and gets no events."
        if event == FINISHED:
            yield from _unfinished(state)
        else:
            yield from about_event(self.machine, event)


def _while_leaving(state: FsmState[Any], prospect: Prospect) -> Prospect:
    """Return the prospect inside `on_exit`, where no action is asked and no change allowed."""
    if prospect.outcome != "changed":
        return prospect
    reason = f"Nothing: {state.name!r} is being exited, so a change raises TransitionOnExitError."
    return Prospect("raised", prospect.target, (reason, *prospect.reasons))


def _listening(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield a sentence for each action that takes the event, or may, before a transition does."""
    for answer in answers_now(machine, event):
        title = sender_title(answer.action)
        if answer.takes:
            how = f": {answer.reason}" if answer.reason else ""
            yield f"{title} takes it{how}."
        elif answer.machine is None:
            yield f"{title} is asked first and may take it."
        elif why(answer.machine, event).outcome in TAKEN:
            yield f"{title} hands it to Fsm {answer.machine.name!r}, which takes it."


def _unfinished(state: FsmState[Any]) -> Iterator[str]:
    waiting = [action for action in state.actions if action.enabled and not action.finished]
    if waiting:
        yield f"Not finished yet: {', '.join(map(sender_title, waiting))}."
