"""Defer: keep events until they may be acted on."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Annotated, Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_function
from actions.parts.memory import OneOf
from actions.parts.parameters import ContextT, Function
from actions.parts.validators import are_own_events, is_flag
from fsmkit import FINISHED, FsmAction


@define(eq=False, repr=False, slots=False, init=False)
class Defer(FsmAction[ContextT]):
    """Keep `events` until the other actions of the state have finished, then send them in order.

    So a swing is not cut short by the wish to dodge, and the wish is not lost ("exit time"). Or, if
    it is given, until `until` holds, a function that takes the state or nothing, asked in every
    update and whenever an event comes. With `latest` only the last of each event is kept. Then the
    events pass as if this action were not there, for the rest of the visit.

    What is kept is sent as soon as it is noticed that nothing is to be waited for: before the
    state's `FINISHED` and before any later event, and at the latest in the next update. What the
    first of them decides, it decides; those after it go to the new state. If the state is exited
    before, what is kept is dropped, as delayed events are.

    It works in the background: it does not hold `FINISHED` back. Inside a composition it waits for
    those that run beside it there, or for those further out if there are none, and then finishes.
    Raises TypeError or ValueError unless `events` are one or more names of events of your own.

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
    kept: list[tuple[str, object]] = field(factory=list, init=False)
    """The events that wait, each with its data."""
    is_over: bool = field(default=False, init=False)
    """Whether the events pass by now."""
    is_sending: Annotated[bool, OneOf((False,))] = field(default=False, init=False)
    """Whether it is just sending what it has kept."""

    background = True

    def __init__(
        self, *events: str, until: Function[ContextT] | None = None, latest: bool = False
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            events, until=until, latest=latest
        )

    @property
    def takes(self) -> Sequence[str]:
        return self.events

    @property
    def sends(self) -> Sequence[str]:
        return self.events

    def _would_take_(self, event: str) -> bool | str | None:
        if self.is_sending or not (self.kept or event in self.events):
            return False
        if self.is_over or (self.until is None and self._others_have_finished()):
            return (
                None if self.kept else False
            )  # what is kept comes first, and may change the state
        if self.until is not None:
            return None
        return f"kept {self.waits_for}" if event in self.events else False

    @property
    def waits_for(self) -> str:
        if self.until is not None and not self.is_over:
            return f"until {self._fsmkit_described(self.until)}"
        others = self._unfinished_others()
        names = " and ".join(dict.fromkeys(type(other).__name__ for other in others))
        return f"until {names} {'have' if len(others) > 1 else 'has'} finished" if others else ""

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
        self.is_over = False

    def on_event(self, event: str, data: object) -> bool:
        if self.is_sending or (self.is_over and not self.kept):
            return False
        if not self._look():
            return self._keep(event, data)
        return self._let_pass(event, data)

    def on_update(self) -> None:
        self._look()
        self._release()
        if self._is_inside and not self.fsm.is_changing and self._others_have_finished():
            self.finish(self._left_by_others())

    def on_exit(self) -> None:
        self.kept = []

    def _keep(self, event: str, data: object) -> bool:
        if event not in self.events:
            return False
        if self.latest:
            self.kept = [kept for kept in self.kept if kept[0] != event]
        self.kept.append((event, data))
        return True

    def _let_pass(self, event: str, data: object) -> bool:
        """Send what is kept before an event that comes later; True if that changed the state."""
        self._release()
        if not self.fsm.is_changing:
            return False
        if event != FINISHED and event not in self._ends():
            self.fsm.send_event(event, data)  # it waits for the new state
        return True

    def _release(self) -> None:
        before, self.is_sending = self.is_sending, True
        try:
            while self.is_over and self.kept:
                self.fsm.send_event(*self.kept.pop(0))
        finally:
            self.is_sending = before

    def _look(self) -> bool:
        """See whether there is still something to wait for."""
        if not self.is_over:
            until = self.until
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

    def _left_by_others(self) -> float:
        """Seconds of this update that those it has waited for did not need (rule 22)."""
        others = self._beside(self.state.actions) or ()
        left = (
            self.nested.unused_of(other)
            for other in others
            if other.finished and not other.background
        )
        return min(left, default=self.delta_time)

    def _beside(self, actions: Sequence[FsmAction[Any]]) -> Sequence[FsmAction[Any]] | None:
        """The actions beside this one, somewhere in `actions`; None if it is not in there."""
        for action in actions:
            if action is self:
                return [other for other in actions if other is not self]
            inner = self._beside(getattr(action, "present", action.children))
            if inner is not None:
                return inner or [other for other in actions if other is not action]
        return None

    @property
    def _is_inside(self) -> bool:
        return not any(action is self for action in self.state.actions)

    def _ends(self) -> Sequence[str | None]:
        """The events by which the others tell that they have finished."""
        return [other.finish_event for other in self._beside(self.state.actions) or ()]
