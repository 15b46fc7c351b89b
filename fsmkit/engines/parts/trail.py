"""Trail: the states a machine is in, and the last change, as seen from frame to frame."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from operator import itemgetter
from typing import Any, Final

from attrs import define, field, frozen

from fsmkit import BACK, Fsm, FsmState
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import running_inside

AFTERGLOW: Final = 1.2
"""Seconds, by the machine's clock, in which the event of a change fades."""

ROUNDING: Final = 1e-6
"""Seconds; clocks are added up."""

SHADES: Final = 4
"""The steps in which it does: what is drawn is kept for each."""


@frozen
class LastChange:
    machine: Fsm[Any]
    source: str
    target: str
    event: str
    """Empty if it is not known: back from a state that several events lead back from."""
    is_back: bool = False


@frozen
class _Look:
    """What was seen of one machine in a frame."""

    state: FsmState[Any] | None
    event: str | None
    began: float
    """When the state was entered, by the machine's clock."""
    suspended: Sequence[FsmState[Any]]


@define(eq=False)
class Trail:
    """Follows a machine, and those that run inside it, without an observer: nothing is slower."""

    machine: Fsm[Any]
    path: tuple[str, ...] = field(default=(), init=False)
    change: LastChange | None = field(default=None, init=False)
    """The last one of any of the machines; None if they have only been started."""
    version: int = field(default=0, init=False)
    """Another number whenever a state has changed."""
    _began: float = field(default=0.0, init=False)
    """When it was, on the clock of the machine that changed."""
    _looks: dict[Fsm[Any], _Look] = field(factory=dict, init=False)

    @property
    def glow(self) -> float:
        """The share of light that the last change has left, from 1 to 0 in some steps."""
        if self.change is None:
            return 0.0
        left = 1.0 - (self.change.machine.time - self._began) / AFTERGLOW
        return max(0.0, ceil(left * SHADES) / SHADES)

    def look(self) -> None:
        """Note what has changed since the last frame."""
        before = self._looks
        self._looks = now = {
            each: _Look(
                each.current_state, each.last_event, each.time - each.time_in_state, each.suspended
            )
            for each in (self.machine, *running_inside(self.machine))
        }
        changed = [each for each, look in now.items() if _is_new(look, before.get(each))]
        if not changed and now.keys() == before.keys():
            return
        self.version += 1
        self.path = self.machine.path
        changes = [
            (_age(each, now[each], before.get(each)), change)
            for each in changed
            if (change := _led_here(each, now[each], before.get(each))) is not None
        ]
        if changes:
            age, self.change = min(changes, key=itemgetter(0))
            self._began = self.change.machine.time - age
        elif changed:
            self.change = None


def _is_new(look: _Look, before: _Look | None) -> bool:
    return (
        before is None
        or look.state is not before.state
        or look.event != before.event
        or look.began > before.began + ROUNDING
    )


def _is_back(look: _Look, before: _Look | None) -> bool:
    """Return True if the state was only suspended: its event is the one that led there first."""
    return before is not None and look.state in before.suspended


def _age(machine: Fsm[Any], look: _Look, before: _Look | None) -> float:
    return 0.0 if _is_back(look, before) else machine.time - look.began


def _led_here(machine: Fsm[Any], look: _Look, before: _Look | None) -> LastChange | None:
    """Return the change that has led to the state of a machine; None if it was started."""
    state, previous = look.state, machine.previous_state
    if state is None or previous is None:
        return None
    if _is_back(look, before):
        return LastChange(machine, previous.name, state.name, _event_back(previous), True)
    if look.event is None:
        return None
    return LastChange(machine, previous.name, state.name, look.event)


def _event_back(state: FsmState[Any]) -> str:
    events = {
        each.event
        for owner in walk.sources(state)
        for each in walk.own_transitions(owner)
        if each.transition.target is BACK
    }
    return events.pop() if len(events) == 1 else ""
