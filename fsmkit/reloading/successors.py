"""Successors of old machines: their parts (`Pairing`), and the values that go over to new ones.

A new build() makes new objects beside the machine, such as its context and the transforms it moves.
Changes that the old ones have seen since they were built are applied to them, so that the guard is
where it was; everything else is as the new code says (`BuiltObjects`, `TakenOver`). Values that
actions remember and events carry are turned into those that new machines can use (`CarriedValues`).
"""

from __future__ import annotations

from collections import Counter, abc
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from copy import deepcopy
from difflib import SequenceMatcher
from enum import Enum
from random import Random
from threading import Thread
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final, TypeAlias, TypeVar

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, StateGroup
from fsmkit.introspection import run_state, walk
from fsmkit.introspection.nesting import fixed_children, own_machines
from fsmkit.introspection.object_action import attributes_of
from fsmkit.introspection.run_state import DelayedEvent, Handles
from fsmkit.introspection.shape import action_shape
from fsmkit.recording.action_fields import parameter_place, parameters_of
from fsmkit.recording.snapshots.definitions import unwrapped
from fsmkit.recording.value_codec import encoded_number, encoded_vector

PartT = TypeVar("PartT")
PairKey: TypeAlias = Callable[[PartT], Hashable]

PLAIN: Final = (bool, int, float, str, bytes, type(None))


class Pairing:
    """Finds the successor of each part of old machines among the new ones.

    States are paired by name, a renamed one by its contents; groups by name, a renamed one by its
    states. Actions are paired by class and order: those with equal parameters first. An action with
    children or machines is paired only if it still has as many of them, of the same classes.
    """

    def __init__(self, machines: Iterable[tuple[Fsm[Any], Fsm[Any]]]) -> None:
        self.machines: list[tuple[Fsm[Any], Fsm[Any]]] = []
        """Nested ones come after their outer one."""
        self.actions: list[tuple[FsmAction[Any], FsmAction[Any]]] = []
        """Children come after the action that runs them."""
        self._new: dict[int, Any] = {}
        self._old: list[object] = []
        """Keeps them alive, or their ids might be reused."""
        for old, new in machines:
            self._pair_machines(old, new)

    def new(self, old: PartT) -> PartT | None:
        """Return the successor of a machine, a state or an action; None if it has none."""
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
            for action, another in _matched(state.actions, other.actions, [_exact, _shape]):
                self._pair_actions(action, another)
        for group, same in self._groups(old, new):
            self._put(group, same)

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
        for state in walk.states(old):
            if state.name in new.states:
                yield state, new.states[state.name]
        gone = [state for state in walk.states(old) if state.name not in new.states]
        added = [state for state in walk.states(new) if state.name not in old.states]
        for key in (_contents, *((_shapes, _events) if len(gone) == len(added) == 1 else ())):
            for pair in _only_pairs(gone, added, key):
                yield pair
                gone.remove(pair[0])
                added.remove(pair[1])

    def _groups(
        self, old: Fsm[Any], new: Fsm[Any]
    ) -> Iterator[tuple[StateGroup[Any], StateGroup[Any]]]:
        """Yield groups with their successors: of the same name, or else with the same states."""
        gone: list[StateGroup[Any]] = []
        for group in walk.groups(old):
            if group.name in new.groups:
                yield group, new.groups[group.name]
            else:
                gone.append(group)
        added = [group for group in walk.groups(new) if group.name not in old.groups]
        here = {id(state): state for state in walk.states(new)}
        yield from _only_pairs(
            gone,
            added,
            lambda group: frozenset(id(here.get(id(s)) or self.new(s)) for s in group) or None,
        )


def _shape(action: FsmAction[Any]) -> Hashable:
    """Return what an action and its successor must have in common."""
    return action_shape(action, inner=lambda _: None)


def _exact(action: FsmAction[Any]) -> Hashable:
    given = tuple((name, _token(value)) for name, value in sorted(parameters_of(action).items()))
    return _shape(action), given, tuple(_exact(child) for child in fixed_children(action))


def _token(value: object) -> Hashable:
    value = unwrapped(value)
    if isinstance(value, PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_token, value))
    code = getattr(value, "__code__", None)
    if code is not None:
        return code.co_code, code.co_names, tuple(map(_token, code.co_consts))
    return type(value).__module__, type(value).__qualname__


def _shapes(state: FsmState[Any]) -> Hashable:
    """Return the classes of its actions; None without any, so that it matches no other state."""
    return tuple(map(_shape, walk.own_actions(state))) or None


def _events(state: FsmState[Any]) -> Hashable:
    return tuple(sorted(walk.table(state))) or None


def _contents(state: FsmState[Any]) -> Hashable:
    shapes, events = _shapes(state), _events(state)
    return (shapes, events) if shapes or events else None


def _only_pairs(
    old: Sequence[PartT], new: Sequence[PartT], key: PairKey[PartT]
) -> list[tuple[PartT, PartT]]:
    """Return the pairs with a key that only one of the old and one of the new ones has."""
    before, now = Counter(map(key, old)), Counter(map(key, new))
    alike = {value for value in before if before[value] == now[value] == 1 and value is not None}
    by_key = {key(part): part for part in new}
    return [(part, by_key[key(part)]) for part in old if key(part) in alike]


def _matched(
    old: Sequence[PartT], new: Sequence[PartT], keys: Sequence[PairKey[PartT]]
) -> list[tuple[PartT, PartT]]:
    """Pair items equal by the first key in the same order, then by the next, then in any order.

    >>> _matched(["a", "b", "c"], ["x", "b", "a"], [str])
    [('a', 'a'), ('b', 'b')]
    """
    pairs = list(_aligned(old, new, keys))
    olds, news = ([id(pair[side]) for pair in pairs] for side in (0, 1))
    unpaired = [part for part in new if id(part) not in news]
    for part in (part for part in old if id(part) not in olds):
        alike = (each for key in keys for each in unpaired if key(each) == key(part))
        if (found := next(alike, None)) is not None:
            unpaired = [each for each in unpaired if each is not found]
            pairs.append((part, found))
    return pairs


def _aligned(
    old: Sequence[PartT], new: Sequence[PartT], keys: Sequence[PairKey[PartT]]
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


NOT_OBJECTS: Final = (
    Fsm, FsmState, StateGroup, FsmAction, FsmGroup, ModuleType, type, FunctionType,
    BuiltinFunctionType, MethodType, Enum,
)  # fmt: skip
SIMPLE: Final = (type(None), bool, int, float, complex, str, bytes)
MISSING: Final = object()


class BuiltObjects:
    """The initial values of the attributes of the objects that build() made.

    With `deeply` they include those of the context, of the parameters of actions, and of everything
    in these. It is meant for a build() without arguments, which belong to the game.
    """

    def __init__(self, machines: Iterable[Fsm[Any]], *, deeply: bool) -> None:
        self.deeply = deeply
        self._initial: dict[tuple[int, str], Any] = {}
        self._kept: list[object] = []
        """Keeps the objects alive, or their ids might be reused."""
        seen: set[int] = set()
        for machine in walk.machines(*machines):
            items = [machine.context]
            for action in walk.actions(machine):
                self._kept.append(action)
                self._initial[id(action), "enabled"] = action.enabled
                items += parameters_of(action).values()
            for owner in _objects_in(items, seen) if deeply else ():
                self._kept.append(owner)
                for name in list(attributes_of(owner)):
                    if is_value(value := getattr(owner, name)):
                        self._initial[id(owner), name] = deepcopy(value)

    def has_changed(self, item: object, name: str, value: object) -> bool:
        return not _are_equal(self._initial.get((id(item), name), MISSING), value)


class TakenOver:
    def __init__(self, objects: BuiltObjects) -> None:
        self._objects = objects
        self._new: dict[int, Any] = {}
        self._changes: list[Callable[[], None]] = []

    def pair(self, old: object, new: object) -> None:
        """Pair two objects of the same class, and everything in them."""
        if old is new or id(old) in self._new or not _are_alike(old, new):
            return
        if isinstance(old, Random) and isinstance(new, Random):
            state = old.getstate()
            self._changes.append(lambda: new.setstate(state))
        elif not self._objects.deeply:
            return
        elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            for each, other in zip(old, new, strict=False):
                self.pair(each, other)
        elif isinstance(old, dict) and isinstance(new, dict):
            for key in old.keys() & new.keys():
                self.pair(old[key], new[key])
        elif _is_object(old):
            self._pair_attributes(old, new)

    def new(self, old: object) -> Any:
        """Return the successor of `old`; `old` itself if it has none."""
        return self._new.get(id(old), old)

    def apply(self) -> None:
        for change in self._changes:
            change()

    def _pair_attributes(self, old: object, new: object) -> None:
        self._new[id(old)] = new
        for name in list(attributes_of(old)):
            value = getattr(old, name)
            if not is_value(value):
                self.pair(value, getattr(new, name, None))
            elif self._objects.has_changed(old, name, value):
                self._change(new, name, deepcopy(value))

    def _change(self, new: object, name: str, value: object) -> None:
        self._changes.append(lambda: _put(new, name, value))


def is_value(value: object) -> bool:
    """Return True for numbers, strings, vectors, and lists and the like of these."""
    if isinstance(value, SIMPLE):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_value, value))
    if isinstance(value, dict):
        return all(map(is_value, value)) and all(map(is_value, value.values()))
    return encoded_number(value) is not None or encoded_vector(value) is not None


def _objects_in(item: object, seen: set[int]) -> Iterator[object]:
    if id(item) in seen or is_value(item):
        return
    seen.add(id(item))
    parts: Iterable[object] = ()
    if isinstance(item, (list, tuple, dict)):
        parts = item.values() if isinstance(item, dict) else item
    elif _is_object(item):
        yield item
        parts = [getattr(item, name) for name in attributes_of(item)]
    for part in parts:
        yield from _objects_in(part, seen)


def _is_object(value: object) -> bool:
    return not isinstance(value, NOT_OBJECTS) and not isinstance(value, Random)


def _are_alike(old: object, new: object) -> bool:
    kinds = (type(old), type(new))
    return len({(kind.__module__, kind.__qualname__) for kind in kinds}) == 1


def _are_equal(before: object, now: object) -> bool:
    if type(before) is not type(now):
        return False
    array = encoded_vector(before)
    if array is not None:  # comparing arrays with == gives another array
        return array == encoded_vector(now)
    try:
        return bool(before == now)
    except ValueError:  # it contains arrays
        return False


def _put(item: object, name: str, value: Any) -> None:
    """Set an attribute; a list or the like is changed in place, since it may be shared."""
    present: Any = getattr(item, name, None)
    if type(present) is type(value) and isinstance(value, (list, dict, set)):
        present.clear()
        (present.extend if isinstance(value, list) else present.update)(value)
    else:
        object.__setattr__(item, name, value)


UNDER_WAY: Final = (abc.Generator, abc.Coroutine, abc.AsyncGenerator, Future, Thread)
"""Values that keep running with the old code and the old machine."""

BOUND_MODULES: Final = ("asyncio.", "_asyncio")
"""The modules of other classes with such values."""


class LostError(Exception):
    """A value stays with the old machine."""


class CarriedValues:
    def __init__(self, old: Iterable[Fsm[Any]], pairing: Pairing, taken: TakenOver) -> None:
        self._old = {*walk.machines(*old)}
        self._pairing = pairing
        self._taken = taken
        self._handles: dict[int, DelayedEvent] = {}
        self.handles: dict[Fsm[Any], Handles] = {}
        """Old machine -> the new handles of its delayed events, in the order of the old ones."""
        for machine, successor in pairing.machines:
            self._pair_handles(machine, successor)

    def new(self, value: Any, owner: FsmAction[Any] | None = None) -> Any:
        """Return the successor of `value`, which `owner` remembers. Raises LostError.

        Parts of the old machines become those of the new ones, parameters those of the new action,
        and lists and the like are copied. Anything else is the game's and stays as it is.
        """
        if isinstance(value, SIMPLE):
            return value
        if isinstance(value, (Fsm, FsmState, StateGroup, FsmAction)):
            return self._part(value)
        if isinstance(value, DelayedEvent):  # one that is over has no successor
            return self._handles.get(id(value), value)
        if owner is not None and (found := self._parameter(value, owner)) is not None:
            return found
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(self.new(each, owner) for each in value)
        if type(value) is dict:
            return {self.new(key, owner): self.new(each, owner) for key, each in value.items()}
        is_of_old = isinstance(value, MethodType) and isinstance(value.__self__, (Fsm, FsmAction))
        is_bound = type(value).__module__.startswith(BOUND_MODULES)
        if isinstance(value, UNDER_WAY) or is_bound or is_of_old:
            raise LostError(value)
        return self._taken.new(value)

    def _pair_handles(self, old: Fsm[Any], new: Fsm[Any]) -> None:
        run, handles = run_state.read_run_state(old), run_state.read_handles(old)
        schedules = [run.delayed, *(each.delayed for each in run.suspended)]
        self.handles[old] = run_state.handles_for(new, schedules)
        for before, now in zip(handles, self.handles[old], strict=True):
            for handle, successor in zip(before, now, strict=True):
                self._handles[id(handle)] = successor

    def _part(self, part: Fsm[Any] | FsmState[Any] | StateGroup[Any] | FsmAction[Any]) -> Any:
        machine = part if isinstance(part, Fsm) else part.fsm
        if machine not in self._old:
            return part
        found = self._pairing.new(part)
        if found is None:
            raise LostError(part)
        return found

    def _parameter(self, value: object, owner: FsmAction[Any]) -> Any:
        successor = self._pairing.new(owner)
        place = parameter_place(owner, value)
        if successor is None or place is None:
            return None
        name, *index = place
        new: Any = parameters_of(successor).get(name)
        if index and isinstance(new, (list, tuple)):
            return new[index[0]] if index[0] < len(new) else None
        return None if index else new
