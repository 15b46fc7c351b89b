"""Inputs: the events that come from outside, and so what nobody sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from fsmkit import ERROR, FINISHED, Fsm, FsmAction
from fsmkit.checking.events import events_of
from fsmkit.checking.mentions import code_of, given_functions, mentioned
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.sending import Sending
from fsmkit.checking.spelling import Spelling
from fsmkit.checking.ways import Table, Ways, all_ways
from fsmkit.tooling.nesting import fixed_children


class Inputs:
    """The events that come from outside, and those that the machines send themselves."""

    def __init__(self, events: Iterable[str], machines: Iterable[Fsm[Any]]) -> None:
        if isinstance(events, str):
            raise TypeError(f"inputs must be a list or set of events, got the text {events!r}.")
        self.events = tuple(dict.fromkeys(events))
        if wrong := [each for each in self.events if not isinstance(each, str) or not each]:
            raise TypeError(f"inputs must be names of events, got {wrong[0]!r}.")
        self.machines = tuple(machines)

    def may_come(self, event: str) -> bool:
        """Return True if an event may come from anywhere."""
        return event in (FINISHED, ERROR) or event in self.events or event in self.sent

    @cached_property
    def sent(self) -> set[str]:
        """The events that some machine may send: what is declared, and every text in its code."""
        words: set[str] = set()
        for machine in self.machines:
            for state in machine.states.values():
                for action in _family(state.actions):
                    words.update(events_of(action))
            words |= mentioned(_code_in(machine))
        return words

    @cached_property
    def is_open(self) -> bool:
        """True if code sends events whose names cannot be read."""
        return any(
            sent.event is None
            for machine in self.machines
            for sending in (Sending(Ways(machine)),)
            for state in machine.states.values()
            for action in _family(state.actions)
            for reading in sending.readings(action)
            for sent in reading.sent
        )

    @cached_property
    def spelling(self) -> Spelling:
        """The events that may come."""
        return Spelling((*self.events, *sorted(self.sent)))

    @cached_property
    def known(self) -> Spelling:
        """The events that lead somewhere."""
        return Spelling(event for m in self.machines for table in _tables(m) for event in table)


def _family(actions: Iterable[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    for action in actions:
        yield action
        yield from _family(fixed_children(action))


def _code_in(machine: Fsm[Any]) -> Iterator[object]:
    """Yield the code of users in a machine: of actions, functions, guards, and the context."""
    for state in machine.states.values():
        for action in _family(state.actions):
            yield from given_functions(action)
            kinds = [kind for kind in type(action).__mro__ if kind not in FsmAction.__mro__]
            yield from code_of(kind for kind in kinds if not is_of_library(kind))
            yield from (value for value in vars(action).values() if isinstance(value, str))
    for table in _tables(machine):
        for way in all_ways(table):
            yield from (each for each in (way.when, way.do) if each is not None)
    yield from code_of(kind for kind in type(machine.context).__mro__ if kind is not object)


def _tables(machine: Fsm[Any]) -> list[Table]:
    return [machine.global_transitions, *(s.transitions for s in machine.states.values())]
