"""Digests: what actions were given and what they remember, as a few digits for each step.

A journal says where machines are; a digest says what else decides how they go on. Two runs with
equal digests after each step had the same durations, counters and targets. What actions act on is
not part of it: positions belong to the world.

A recording takes down what there is to tell, and computes the digest when somebody asks for it: for
most of the steps of a flight recorder nobody ever does.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from enum import Enum
from numbers import Number
from operator import attrgetter
from typing import Any, Final

from attrs import frozen, has

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.recording.replay.plain_text import plain_text, short_hash
from fsmkit.recording.snapshots.fields import fields_of, parameters_of, remembered_by
from fsmkit.tooling.nesting import fixed_children


class Memory:
    """What actions were given and remember at one moment."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts: Sequence[Any] | str = parts

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits."""
        if not isinstance(self._parts, str):
            texts = [part if type(part) is str else repr(part) for part in self._parts]
            self._parts = short_hash("".join(texts))
        return self._parts


class MemoryReader:
    """Reads what actions remember. How, is found out once for each state."""

    def __init__(self) -> None:
        self._plans: dict[FsmState[Any], _Plan] = {}

    def read(self, machine: Fsm[Any], visited: Iterable[FsmState[Any]]) -> Memory | None:
        """Return the memory of the current states, from `machine` inwards, and of `visited`.

        None if no action there has anything to tell, or one cannot be read.
        """
        parts: list[Any] = []
        try:
            states = self._add_current(machine, parts)
            for state in dict.fromkeys(visited):
                if state not in states:
                    self._add(state, parts)
        except Exception:  # raised by a property of the game's own: the game must not notice
            return None
        return Memory(parts) if parts else None

    def forget(self, *, present: Container[Fsm[Any]]) -> None:
        """Forget the states of all other machines."""
        kept = {state: plan for state, plan in self._plans.items() if state.fsm in present}
        self._plans = kept

    def _add_current(self, machine: Fsm[Any], parts: list[Any]) -> list[FsmState[Any]]:
        """Add the current state and those of the machines in it; return these states."""
        state = machine.current_state
        if state is None:
            return []
        states = [state]
        for action in self._add(state, parts).hosts:
            for inner in action.machines:
                states += self._add_current(inner, parts)
        return states

    def _add(self, state: FsmState[Any], parts: list[Any]) -> _Plan:
        plan = self._plans.get(state)
        if plan is None or plan.actions is not state.actions:
            plan = self._plans[state] = _Plan.of(state)
        if plan.given:
            parts.append(plan.given)
            for read, action in plan.readers:
                values = read(action)
                # a tuple of what cannot change is as good as its text
                parts.append(values if SCALARS.issuperset(map(type, values)) else _text(values))
            for maker in plan.makers:
                for child in _family(maker.children):
                    parts += [_given_to(child), _text(_reader(type(child))(child))]
        return plan


Reader = Callable[[FsmAction[Any]], Sequence[Any]]


@frozen
class _Plan:
    """How to read the actions of a state."""

    actions: Sequence[FsmAction[Any]]
    given: str
    """A hash of their classes and parameters; empty without actions."""
    readers: Sequence[tuple[Reader, FsmAction[Any]]]
    makers: Sequence[FsmAction[Any]]
    """Those that make children while they run."""
    hosts: Sequence[FsmAction[Any]]
    """Those that may run machines."""

    @classmethod
    def of(cls, state: FsmState[Any]) -> _Plan:
        family = [*_family(state.actions)]
        readers = [(_reader(type(action)), action) for action in family]
        makers = [action for action in family if action._makes_children_]
        hosts = [action for action in state.actions if any(map(_may_host, _family([action])))]
        given = short_hash("".join(map(_given_to, family))) if family else ""
        return cls(state.actions, given, readers, makers, hosts)


def _reader(kind: type[FsmAction[Any]]) -> Reader:
    """Return what reads whether an action of that class has finished, and what it remembers."""
    if has(kind) and kind.__module__.startswith(LIBRARY):
        names = tuple(fields_of(kind).remembered) or ("finished",)
        return attrgetter("finished", *names)
    return lambda action: (action.finished, remembered_by(action))


def _may_host(action: FsmAction[Any]) -> bool:
    return action._makes_children_ or type(action).machines is not FsmAction.machines


def _given_to(action: FsmAction[Any]) -> str:
    """Return the class of an action, and those of its parameters that never change.

    Others belong to the world: a dictionary or a vector is handed over because others change it.
    """
    given = parameters_of(action).items()
    constants = {name: value for name, value in given if _is_constant(value)}
    return f"{type(action).__name__}{plain_text(constants)}"


def _is_constant(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return isinstance(value, CONSTANTS)


def _text(values: Sequence[Any]) -> str:
    return plain_text(tuple(values))


def _family(actions: Iterable[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    """Yield actions and those that they run, without those that are made while they run."""
    for action in actions:
        yield action
        yield from _family(fixed_children(action))


LIBRARY: Final = "actions."
"""What its actions remember are declared fields."""

CONSTANTS: Final = (str, bytes, Number, Enum)
"""Classes of values that cannot change, beside tuples of them."""

SCALARS: Final = frozenset((float, bool, int, type(None)))
"""Classes whose repr is the same everywhere."""
