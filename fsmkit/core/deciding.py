"""Deciding: what becomes of an event, from the moment it is sent (rules 3, 7, 8, 14 and 17)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from fsmkit.core import messages
from fsmkit.core.errors import UnhandledEventError
from fsmkit.core.quoting import quote
from fsmkit.core.run import Lead, Run
from fsmkit.core.transition import BACK, Transition
from fsmkit.core.types import BETWEEN, ENTER, EVENT, EXIT, GUARD, SUSPEND, UPDATE, ContextT
from fsmkit.core.visit import overridden
from fsmkit.core.warned import Warned

if TYPE_CHECKING:
    from fsmkit.core.visit import Hook

FEW_ANSWERS: Final = 10
"""Events that answer each other: with no more of them a RecursionError has another cause."""


class Deciding(Run[ContextT]):
    """The part of an `Fsm` that finds out where an event leads."""

    __slots__ = ()

    def _dispatch(self, event: str, data: object, optional: bool = False) -> bool:
        """Offer `event` to the actions, then the state, then the machine; True if it was taken."""
        if self._phase is GUARD:
            raise messages.from_a_guard(self, f"send_event({quote(event)})")
        if self._next is not None:
            return self._enqueue(event, data, optional)
        is_leaving = self._phase is EXIT or self._phase is SUSPEND
        outcome = "unhandled"
        try:
            if self._visit.listeners and not is_leaving:
                outcome = self._offered(event, data)
                if outcome == "consumed":
                    return True
            lead = self._lead(event, data)
        except BaseException as error:
            if self._phase is not BETWEEN:
                self._take_back()
                raise  # to the callback that sent the event
            self._keep_failure(error)
            return True
        if isinstance(lead, str):
            return self._not_taken(event, data, optional, outcome if lead == "unhandled" else lead)
        if is_leaving:  # rule 6
            raise messages.change_on_exit(self, f"send_event({quote(event)})")
        self._decide(lead, event, data)
        return True

    def _decide(self, lead: Lead[ContextT], event: str, data: object) -> None:
        """Decide that `event` leads there; the callback goes on, its walk does not."""
        self._next = (lead, event, data)
        self._interrupted = True
        self._rest = 0.0  # rule 22: only what has finished hands on time
        self._tell("event_sent", self, event, data, "changed")

    def _take_back(self) -> None:
        """Take back a change that was decided by what then failed."""
        if self._next is not None:
            self._next = None
            self._interrupted = self._phase is UPDATE

    def _enqueue(self, event: str, data: object, optional: bool) -> bool:
        """Let `event` wait for the state that was decided (rule 3); after a stop there is none."""
        messages.check_event(self, event)
        lead = self._next[0] if self._next is not None else None
        if lead is None or (optional and not self._will_know(lead, event)):
            return self._not_taken(event, data, optional, "unhandled")
        if not isinstance(self._queue, deque):
            self._queue = deque()
        self._queue.append((event, data))
        self._tell("event_sent", self, event, data, "queued")
        return True

    def _will_know(self, lead: Lead[ContextT], event: str) -> bool:
        """Whether the state that was decided may take `event`: it goes elsewhere otherwise."""
        target = lead.target if isinstance(lead, Transition) else lead
        if target is BACK:
            target = self._suspended[-1].state
        is_led_on = event in target._transitions or event in self._global_transitions
        return is_led_on or bool(overridden("on_event", target.actions))

    def _take_queued(self) -> tuple[str, object]:
        queue = self._queue
        assert isinstance(queue, deque)
        event = queue.popleft()
        if not queue:
            self._queue = ()
        return event

    def _offered(self, event: str, data: object) -> str:
        """Offer `event` to the entered actions that listen (rule 8); return the outcome.

        "consumed" if one took it; else what became of it in nested machines.
        """
        visit = self._visit
        listeners = visit.listeners
        if self._phase is ENTER:  # only those before the one that is being entered
            reached = visit.position(self._acting)
            listeners = tuple(hook for hook in listeners if visit.position(hook[1]) < reached)
        before, outcome_before = self._answering, self._outcome_inside
        self._answering, self._outcome_inside = (*before, event), "unhandled"
        try:
            if len(before) >= self._max_transitions:
                raise messages.endless_answers(self)
            taken = any(self._takes(hook, event, data) for hook in listeners)
            outcome = "consumed" if taken else self._outcome_inside
        except RecursionError:
            if len(before) < FEW_ANSWERS:
                raise
            raise messages.endless_answers(self) from None
        finally:
            self._answering, self._outcome_inside = before, outcome_before
        if taken:
            self._tell("event_sent", self, event, data, outcome)
        return outcome

    def _takes(self, hook: Hook, event: str, data: object) -> bool:
        on_event, action = hook
        phase = self._phase
        if phase is BETWEEN:
            self._phase = EVENT
        if self._phase is EVENT:
            self._acting = action
        try:
            return on_event(action, event, data) or self._next is not None
        except BaseException as error:
            messages.note_place(error, action, EVENT)
            raise
        finally:
            self._phase = phase

    def _not_taken(self, event: str, data: object, optional: bool, outcome: str) -> bool:
        """Say what becomes of an event that changes nothing (rules 7, 14 and 17)."""
        messages.check_event(self, event)  # here, because what is handled is one
        if outcome != "unhandled":
            self._tell("event_sent", self, event, data, outcome)
            if self._host is not None:
                self._host.fsm._note_outcome(event, outcome)
        elif not optional:
            self._tell("event_sent", self, event, data, outcome)
            if self._on_unhandled == "raise":
                raise UnhandledEventError(messages.unhandled(self, event))
            if self._on_unhandled == "warn":
                self._warn_of(event)
        return False

    def _note_outcome(self, event: str, outcome: str) -> None:
        """Know that a nested machine, which was offered `event`, knows it and lets it pass."""
        if self._answering[-1:] == (event,):
            self._outcome_inside = outcome

    def _warn_of(self, event: str) -> None:
        """Log that `event` is unhandled: the first time in this state, then ever less often."""
        if self._warned is None:
            self._warned = Warned()
        state = self._current_state
        times = self._warned.times_to_tell(state.name if state is not None else None, event)
        if times:
            import logging  # here, because most programs never need it and it is slow to import

            logging.getLogger("fsmkit").warning(messages.unhandled_again(self, event, times))

    def _lead(self, event: str, data: object) -> Lead[ContextT] | str:
        """Where `event` leads (rules 7, 17 and 18), or the outcome of one that changes nothing."""
        state = self._current_state
        if state is None:
            return "unhandled"
        way = state._transitions.get(event)
        if way is not None and not isinstance(way, tuple):
            return way  # as most do
        outcome = "unhandled"
        for table in (state._transitions, self._global_transitions):
            way = table.get(event)
            lead = self._agreed(way, data) if isinstance(way, tuple) else way
            if way is not None and lead is None:
                outcome = "refused"
            elif lead is not None:
                target = lead.target if isinstance(lead, Transition) else lead
                if target is state and table is self._global_transitions:
                    return "ignored"
                return lead if target is not BACK or self._suspended else "unhandled"
        return outcome

    def _agreed(
        self, transitions: tuple[Transition[ContextT], ...], data: object
    ) -> Transition[ContextT] | None:
        """The first of `transitions` without a guard, or whose guard agrees."""
        phase, self._phase = self._phase, GUARD
        try:
            for transition in transitions:
                guard = transition.when
                try:
                    if guard is None or guard(self._current_state, data):
                        return transition
                except BaseException as error:
                    messages.note_function(error, self._current_state, transition, GUARD)
                    raise
            return None
        finally:
            self._phase = phase

    def _keep_failure(self, error: BaseException) -> None:
        """Have `error` resolved when nothing is decided any more; now nothing is."""
        self._failures = (*self._failures, error)
        self._next = None
        self._rest = 0.0
        self._interrupted = False
