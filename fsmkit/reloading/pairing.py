"""Pairing: which state and which action of a new machine goes on as which of the old one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.core.checks.functions import Adapted
from fsmkit.recording.snapshots.fields import parameters_of
from fsmkit.tooling.nesting import fixed_children, own_machines

PartT = TypeVar("PartT")
Key: TypeAlias = Callable[[PartT], Hashable]

PLAIN: Final = (bool, int, float, str, bytes, type(None))


class Pairing:
    """Finds for each part of old machines the part of the new ones that goes on in its place.

    States are paired by name; one that has got another name, by what is in it. Actions are paired
    by class and order: those with equal parameters first. An action with children or machines is
    paired only if it still has as many of the same classes.
    """

    def __init__(self, machines: Iterable[tuple[Fsm[Any], Fsm[Any]]]) -> None:
        self.machines: list[tuple[Fsm[Any], Fsm[Any]]] = []
        """Nested ones come after the one around them."""
        self.actions: list[tuple[FsmAction[Any], FsmAction[Any]]] = []
        """Children come after the action that runs them."""
        self._new: dict[int, Any] = {}
        self._old: list[object] = []
        """Keeps them alive, or their ids might be used again."""
        for old, new in machines:
            self._pair_machines(old, new)

    def new(self, old: PartT) -> PartT | None:
        """Return what goes on in the place of a machine, a state or an action; None if nothing."""
        found: PartT | None = self._new.get(id(old))
        return found

    def _put(self, old: object, new: object) -> None:
        self._old.append(old)
        self._new[id(old)] = new

    def _pair_machines(self, old: Fsm[Any], new: Fsm[Any]) -> None:
        if self.new(old) is not None:  # several actions may run it, one after another
            return
        self._put(old, new)
        self.machines.append((old, new))
        for state, other in self._states(old, new):
            self._put(state, other)
            for action, another in _matched(state.actions, other.actions, [_exact, shape]):
                self._pair_actions(action, another)

    def _pair_actions(self, old: FsmAction[Any], new: FsmAction[Any]) -> None:
        self._put(old, new)
        self.actions.append((old, new))
        for child, other in zip(fixed_children(old), fixed_children(new), strict=True):
            self._pair_actions(child, other)
        for machine, inner in zip(own_machines(old), own_machines(new), strict=True):
            self._pair_machines(machine, inner)

    def _states(
        self, old: Fsm[Any], new: Fsm[Any]
    ) -> Iterator[tuple[FsmState[Any], FsmState[Any]]]:
        for name, state in old.states.items():
            if name in new.states:
                yield state, new.states[name]
        gone = [state for name, state in old.states.items() if name not in new.states]
        added = [state for name, state in new.states.items() if name not in old.states]
        for key in (_contents, *((_shapes, _events) if len(gone) == len(added) == 1 else ())):
            for pair in _only_pairs(gone, added, key):
                yield pair
                gone.remove(pair[0])
                added.remove(pair[1])


def shape(action: FsmAction[Any]) -> Hashable:
    """Return what two actions must have in common to go on as one another."""
    kind = type(action)
    children = tuple(shape(child) for child in fixed_children(action))
    return kind.__module__, kind.__qualname__, children, len(own_machines(action))


def _exact(action: FsmAction[Any]) -> Hashable:
    """Return the shape with all parameters, as far as they can be compared."""
    given = tuple((name, _token(value)) for name, value in sorted(parameters_of(action).items()))
    return shape(action), given, tuple(_exact(child) for child in fixed_children(action))


def _token(value: object) -> Hashable:
    while isinstance(value, Adapted | partial):
        value = value.function if isinstance(value, Adapted) else value.func
    if isinstance(value, PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_token, value))
    code = getattr(value, "__code__", None)
    if code is not None:
        return code.co_code, code.co_names, tuple(map(_token, code.co_consts))
    return type(value).__module__, type(value).__qualname__


def _shapes(state: FsmState[Any]) -> Hashable:
    """Return the classes of its actions; None if it has none, so that it is like no other state."""
    return tuple(map(shape, state.actions)) or None


def _events(state: FsmState[Any]) -> Hashable:
    return tuple(sorted(state.transitions)) or None


def _contents(state: FsmState[Any]) -> Hashable:
    shapes, events = _shapes(state), _events(state)
    return (shapes, events) if shapes or events else None


def _only_pairs(
    old: Sequence[PartT], new: Sequence[PartT], key: Key[PartT]
) -> list[tuple[PartT, PartT]]:
    """Return those that are alike, where only one of the old and one of the new are."""
    before, now = Counter(map(key, old)), Counter(map(key, new))
    alike = {value for value in before if before[value] == now[value] == 1 and value is not None}
    by_key = {key(part): part for part in new}
    return [(part, by_key[key(part)]) for part in old if key(part) in alike]


def _matched(
    old: Sequence[PartT], new: Sequence[PartT], keys: Sequence[Key[PartT]]
) -> list[tuple[PartT, PartT]]:
    """Pair what is equal by the first key in the same order, then by the next, then in any order.

    >>> _matched(["a", "b", "c"], ["x", "b", "a"], [str])
    [('a', 'a'), ('b', 'b')]
    """
    pairs = list(_aligned(old, new, keys))
    olds, news = ([id(pair[side]) for pair in pairs] for side in (0, 1))
    left = [part for part in new if id(part) not in news]
    for part in (part for part in old if id(part) not in olds):
        alike = (each for key in keys for each in left if key(each) == key(part))
        if (found := next(alike, None)) is not None:
            left = [each for each in left if each is not found]
            pairs.append((part, found))
    return pairs


def _aligned(
    old: Sequence[PartT], new: Sequence[PartT], keys: Sequence[Key[PartT]]
) -> Iterator[tuple[PartT, PartT]]:
    if not keys or not old or not new:
        return
    key, *coarser = keys
    matcher = SequenceMatcher(None, list(map(key, old)), list(map(key, new)), autojunk=False)
    at_old = at_new = 0
    for first_old, first_new, count in matcher.get_matching_blocks():  # the last one is empty
        yield from _aligned(old[at_old:first_old], new[at_new:first_new], coarser)
        at_old, at_new = first_old + count, first_new + count
        yield from zip(old[first_old:at_old], new[first_new:at_new], strict=True)
