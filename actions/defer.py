"""Defer: keep events until they may take effect."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Annotated, Any

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import answered, asked_by
from actions.parts.declarations import Finishes, asked_in
from actions.parts.parameters import ContextT, Function, OneOf, is_function
from actions.parts.validators import are_own_events, is_flag
from fsmkit import BACK, FAILED, FINISHED, FsmAction


@define_action(init=False)
class Defer(FsmAction[ContextT]):
    """Keep `events` until the other actions of the state have finished, then send them in order.

    So a player who wants to dodge does not cut a swing short, and the dodge still comes ("exit
    time"). With `until`, a function that takes the state or nothing, they are kept until it returns
    something true; it is called in every update and for every event. With `latest` only the last of
    each event is kept. Afterwards the events pass as if this action were not there, for the rest of
    the visit.

    Kept events are sent as soon as the wait is over: before the state's `FINISHED` and before any
    later event, and at the latest in the next update. If the first of them changes the state, the
    others go to the new state. If the state is exited before that, they are dropped, like delayed
    events.

    With `carry` no event is lost, as in UML: what this state does not take is kept until it is
    exited, and then offered to each state that is entered, in order and before any later event,
    until one has a transition or an action that takes it, even if a guard refuses it. While the
    state is suspended, nothing is sent; `stop()` drops everything.

    It works in the background: it does not hold back `FINISHED`. Inside a composition it waits for
    the other actions there, or for those further out if there are none, and then finishes. Raises
    TypeError or ValueError unless `events` are one or more names of your own events.

    >>> from actions import TimedWait
    >>> from fsmkit import FINISHED, Fsm
    >>> fsm = Fsm("Knight")
    >>> swing, dodge, rest = map(fsm.add_state, ("Swing", "Dodge", "Rest"))
    >>> _ = swing.add_action(TimedWait(0.5)), swing.add_action(Defer("DODGE"))
    >>> _ = swing.add_transition("DODGE", dodge), swing.add_transition(FINISHED, rest)
    >>> fsm.start()
    >>> fsm.send_event("DODGE")
    True
    >>> fsm.current_state.name
    'Swing'
    >>> fsm.update(0.5)
    >>> fsm.current_state.name
    'Dodge'
    """

    events: tuple[str, ...] = field(validator=are_own_events)
    until: Function[ContextT] | None = field(default=None, kw_only=True, validator=is_function)
    latest: bool = field(default=False, kw_only=True, validator=is_flag)
    carry: bool = field(default=False, kw_only=True, validator=is_flag)
    kept: list[tuple[str, object]] = field(factory=list, init=False)
    """The kept events, each with its data."""
    left_over: list[tuple[str, object]] = field(factory=list, init=False)
    """Those that this state did not take, with `carry`: they wait for the following states."""
    is_over: bool = field(default=False, init=False)
    """Whether the events pass."""
    is_sending: Annotated[bool, OneOf((False,))] = field(default=False, init=False)
    """Whether it is sending the kept events."""

    background = True

    def __init__(
        self,
        *events: str,
        until: Function[ContextT] | None = None,
        latest: bool = False,
        carry: bool = False,
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            events, until=until, latest=latest, carry=carry
        )

    @property
    def takes(self) -> Sequence[str]:
        return self.events

    @property
    def sends(self) -> Sequence[str]:
        if not self.carry:
            return self.events
        return [event for event in self.events if self._leads_on(event)]

    def _would_take_(self, event: str) -> bool | str | None:
        if self.is_sending or not (self.kept or event in self.events):
            return False
        if self.is_over or (self.until is None and self._others_have_finished()):
            leads_on = not self.carry or self._leads_on(event, certainly=True)
            if event in self.events and not leads_on:
                return None if self._leads_on(event) else True  # a guard may agree
            return None if self.kept else False  # kept events come first, and may change the state
        if self.until is not None:
            return None
        return f"kept {self.waits_for}" if event in self.events else False

    @property
    def waits_for(self) -> str:
        if self.until is not None and not self.is_over:
            return f"until {asked_by(self, self.until)}"
        others = self._unfinished_others()
        names = " and ".join(dict.fromkeys(type(other).__name__ for other in others))
        return f"until {names} {'have' if len(others) > 1 else 'has'} finished" if others else ""

    @property
    def _answer_(self) -> str:
        if self.until is None or not self._fsmkit_asked:
            return ""
        return answered(self, self.until, holds=self.is_over)

    @property
    def finishes(self) -> Finishes | None:
        return None

    @property
    def next_due(self) -> float:
        if self.until is not None and not self.is_over:
            return 0.0
        is_at_end = (self.kept or self._is_inside) and self._others_have_finished()
        return 0.0 if is_at_end else inf

    def on_enter(self) -> None:
        self.kept = []
        self.left_over = []
        self.is_over = False
        self._fsmkit_asked = None

    def on_event(self, event: str, data: object) -> bool:
        if self.is_sending:
            return False
        if self.is_over and not self.kept:
            return self._take_what_leads_nowhere(event, data)
        if not self._check_over():
            return self._keep(self.kept, event, data)
        return self._pass_on(event, data) or self._take_what_leads_nowhere(event, data)

    def on_update(self) -> None:
        if not (self.kept or self.until is not None or self._fsmkit_parent is not None):
            return  # whether the others have finished is asked for the next event
        self._check_over()
        self._release()
        if self._is_inside and not self.fsm.is_changing and self._others_have_finished():
            self.finish(self._unused_by_others())

    def on_exit(self) -> None:
        if self.carry:
            for event, data in (*self.left_over, *self.kept):
                self.fsm.carry_event(event, data)
        self.kept = []
        self.left_over = []

    def _keep(self, kept: list[tuple[str, object]], event: str, data: object) -> bool:
        if event not in self.events:
            return False
        if self.latest:
            for earlier in (self.left_over, self.kept):
                earlier[:] = [each for each in earlier if each[0] != event]
        kept.append((event, data))
        return True

    def _take_what_leads_nowhere(self, event: str, data: object) -> bool:
        """With `carry`, take an event that would pass, unless the state takes it."""
        if not self.carry or event not in self.events or self._leads_on(event, certainly=True):
            return False
        before, self.is_sending = self.is_sending, True
        try:
            return self.fsm.offer_event(event, data) or self._keep(self.left_over, event, data)
        finally:
            self.is_sending = before

    def _leads_on(self, event: str, *, certainly: bool = False) -> bool:
        """Whether the state may change by `event`, or does so whatever its guards say."""
        if self.state is None:
            return False
        own = len(self.state.transitions.get(event, ()))
        asked = enumerate(asked_in(self.state, event))
        ways = [way for number, way in asked if number < own or way.target is not self.state]
        return any(each.when is None and each.target is not BACK for each in ways) or (
            bool(ways) and not certainly
        )

    def _pass_on(self, event: str, data: object) -> bool:
        """Send the kept events before a later one; True if that changed the state."""
        self._release()
        if not self.fsm.is_changing:
            return False
        if self.carry and self._keep(self.kept, event, data):
            return True  # after those that are kept already
        if event not in (FINISHED, FAILED, *self._finish_events()):
            self.fsm.send_event(event, data)  # queued for the new state
        return True

    def _release(self) -> None:
        before, self.is_sending = self.is_sending, True
        try:
            while self.is_over and self.kept and not (self.carry and self.fsm.is_changing):
                event, data = self.kept.pop(0)
                if not self.carry:
                    self.fsm.send_event(event, data)
                elif not self.fsm.offer_event(event, data):
                    self.left_over.append((event, data))
        finally:
            self.is_sending = before

    def _check_over(self) -> bool:
        if not self.is_over:
            until = self.until
            self._fsmkit_asked = True
            self.is_over = bool(
                self._others_have_finished() if until is None else until(self.state)  # type: ignore[call-arg]  # takes the state by now
            )
        return self.is_over

    def _others_have_finished(self) -> bool:
        return not self._unfinished_others()

    def _unfinished_others(self) -> list[FsmAction[Any]]:
        others = self._beside(self.state.actions) or ()
        return [
            other for other in others if not (other.finished or other.background) and other.enabled
        ]

    def _unused_by_others(self) -> float:
        """Seconds of this update that the actions it waited for did not need (rule 22)."""
        others = self._beside(self.state.actions) or ()
        left = (
            self.nested.unused_of(other)
            for other in others
            if other.finished and not other.background
        )
        return min(left, default=self.delta_time)

    def _beside(self, actions: Sequence[FsmAction[Any]]) -> Sequence[FsmAction[Any]] | None:
        """The actions beside this one, at any depth of `actions`; None if it is not there."""
        for action in actions:
            if action is self:
                return [other for other in actions if other is not self]
            inner = self._beside(getattr(action, "present", action.children))
            if inner is not None:
                return inner or [other for other in actions if other is not action]
        return None

    @property
    def _is_inside(self) -> bool:
        return self._fsmkit_parent is not None

    def _finish_events(self) -> Sequence[str | None]:
        return [other.finish_event for other in self._beside(self.state.actions) or ()]
