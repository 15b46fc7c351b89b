"""Digests: what actions were given and what they remember, as a few digits for each step.

A journal says where machines are; a digest says what else decides how they go on. Two runs with
equal digests after each step had the same durations, counters and targets. What actions act on is
not part of it: positions belong to the world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from numbers import Number
from operator import attrgetter
from typing import Any, Final

from attrs import frozen, has

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.recording.replay.plain_text import plain_text, short_hash
from fsmkit.recording.snapshots.fields import fields_of, parameters_of, remembered_by
from fsmkit.tooling.nesting import fixed_children


class Digests:
    """Computes digests of machines. What does not change is read once."""

    def __init__(self) -> None:
        self._kinds: dict[type, _Kind] = {}
        self._given: dict[FsmState[Any], tuple[Sequence[FsmAction[Any]], str]] = {}
        """State -> its actions, and the text of their parameters."""

    def digest(self, machine: Fsm[Any], visited: Iterable[FsmState[Any]] = ()) -> str:
        """Return the digest of the current states, from `machine` inwards, and of `visited`.

        It is empty if no action there has anything to tell, or one cannot be read.
        """
        try:
            states = dict.fromkeys(visited)
            self._add_current(machine, states)
            text = "".join([self._text(state) for state in states if state.actions])
        except Exception:  # raised by a property of the game's own: the game must not notice
            return ""
        return short_hash(text) if text else ""

    def _add_current(self, machine: Fsm[Any], states: dict[FsmState[Any], None]) -> None:
        state = machine.current_state
        if state is None:
            return
        states[state] = None
        for action in state.actions:
            if not self._kind(action).is_leaf:
                for inner in action.machines:
                    self._add_current(inner, states)

    def _text(self, state: FsmState[Any]) -> str:
        actions = state.actions
        known = self._given.get(state)
        if known is None or known[0] is not actions:
            given = "".join(map(_given_to, _family(actions)))
            known = self._given[state] = (actions, given)
        parts = [known[1]]
        for action in actions:
            self._add_memory(action, parts)
        return "".join(parts)

    def _add_memory(self, action: FsmAction[Any], parts: list[str]) -> None:
        kind = self._kind(action)
        parts.append(kind.text(action))
        for child in () if kind.is_leaf else action.children:
            if action.makes_children:
                parts.append(_given_to(child))
            self._add_memory(child, parts)

    def _kind(self, action: FsmAction[Any]) -> _Kind:
        found = self._kinds.get(type(action))
        if found is None:
            found = self._kinds[type(action)] = _Kind.of(type(action))
        return found


@frozen
class _Kind:
    """A class of actions, and how to read what its actions remember."""

    is_leaf: bool
    """True if they have neither children nor machines."""
    read: Callable[[FsmAction[Any]], object] | None
    """Reads what they remember, if that is declared."""

    @classmethod
    def of(cls, kind: type[FsmAction[Any]]) -> _Kind:
        is_leaf = kind.children is FsmAction.children and kind.machines is FsmAction.machines
        if not (has(kind) and kind.__module__.startswith(LIBRARY)):
            return cls(is_leaf, None)
        names = tuple(fields_of(kind).remembered)
        return cls(is_leaf, attrgetter("finished", *names) if names else attrgetter("finished"))

    def text(self, action: FsmAction[Any]) -> str:
        if self.read is None:
            return f"{action.finished}{plain_text(remembered_by(action))}"
        values = self.read(action)
        if type(values) is tuple and not SCALARS.issuperset(map(type, values)):
            return plain_text(values)
        return repr(values)


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
