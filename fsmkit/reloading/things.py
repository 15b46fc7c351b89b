"""Things: what build() makes beside the machine, such as its context and the transforms it moves.

A new build() makes new ones. What has changed in the old ones since they were made is put into
them, so that the guard is where it was. What nobody has changed is as the new code says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from enum import Enum
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.snapshots.fields import parameters_of
from fsmkit.recording.snapshots.vectors import encoded_number, encoded_vector
from fsmkit.tooling.nesting import own_machines
from fsmkit.tooling.object_action import attributes_of
from fsmkit.tooling.run_state import places

NO_THINGS: Final = (
    Fsm, FsmState, FsmAction, FsmGroup, ModuleType, type, FunctionType, BuiltinFunctionType,
    MethodType, Enum,
)  # fmt: skip
SIMPLE: Final = (type(None), bool, int, float, complex, str, bytes)
MISSING: Final = object()


class Things:
    """The values of all attributes of what build() has made, as they were then.

    With `deeply` also those of the context, of what the actions were given, and of all that is in
    these. It is meant for a build() without arguments: what it was given is the game's.
    """

    def __init__(self, machines: Iterable[Fsm[Any]], *, deeply: bool) -> None:
        self.deeply = deeply
        self._initial: dict[tuple[int, str], Any] = {}
        self._kept: list[object] = []
        """Keeps the things alive, or their ids might be used again."""
        for machine in machines:
            self._note(machine)

    def _note(self, machine: Fsm[Any]) -> None:
        seen: set[int] = set()
        for state in machine.states.values():
            for _, action in places(state):
                self._kept.append(action)
                self._initial[id(action), "enabled"] = action.enabled
                for inner in own_machines(action):
                    self._note(inner)
        for thing in belongings(machine) if self.deeply else ():
            for owner in _things_in(thing, seen):
                self._kept.append(owner)
                for name, value in _values(owner):
                    self._initial[id(owner), name] = deepcopy(value)

    def has_changed(self, thing: object, name: str, value: object) -> bool:
        """Return True unless the attribute still has its initial value."""
        return not _are_equal(self._initial.get((id(thing), name), MISSING), value)


class TakenOver:
    """Pairs the things of an old machine with those of a new one, and puts the changes in."""

    def __init__(self, things: Things) -> None:
        self._things = things
        self._new: dict[int, Any] = {}
        self._changes: list[Callable[[], None]] = []

    def pair(self, old: object, new: object) -> None:
        """Pair two things of the same class, and all that is in them."""
        if old is new or id(old) in self._new or not _are_alike(old, new):
            return
        if isinstance(old, Random) and isinstance(new, Random):
            state = old.getstate()
            self._changes.append(lambda: new.setstate(state))
        elif not self._things.deeply:
            return
        elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            for each, other in zip(old, new, strict=False):
                self.pair(each, other)
        elif isinstance(old, dict) and isinstance(new, dict):
            for key in old.keys() & new.keys():
                self.pair(old[key], new[key])
        elif _is_thing(old):
            self._pair_attributes(old, new)

    def new(self, old: object) -> Any:
        """Return the thing that has taken the place of `old`; `old` itself if none has."""
        return self._new.get(id(old), old)

    def apply(self) -> None:
        """Put what has changed in the old things into the new ones."""
        for change in self._changes:
            change()

    def _pair_attributes(self, old: object, new: object) -> None:
        self._new[id(old)] = new
        for name in list(attributes_of(old)):
            value = getattr(old, name)
            if not is_value(value):
                self.pair(value, getattr(new, name, None))
            elif self._things.has_changed(old, name, value):
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


def belongings(machine: Fsm[Any]) -> Iterator[object]:
    """Yield what belongs to a machine: its context, and what its actions were given."""
    yield machine.context
    for state in machine.states.values():
        for _, action in places(state):
            yield from parameters_of(action).values()


def _things_in(thing: object, seen: set[int]) -> Iterator[object]:
    if id(thing) in seen or is_value(thing):
        return
    seen.add(id(thing))
    if isinstance(thing, (list, tuple)):
        for each in thing:
            yield from _things_in(each, seen)
    elif isinstance(thing, dict):
        for each in thing.values():
            yield from _things_in(each, seen)
    elif _is_thing(thing):
        yield thing
        for name in list(attributes_of(thing)):
            yield from _things_in(getattr(thing, name), seen)


def _values(thing: object) -> Iterator[tuple[str, object]]:
    for name in list(attributes_of(thing)):
        value = getattr(thing, name)
        if is_value(value):
            yield name, value


def _is_thing(value: object) -> bool:
    return not isinstance(value, NO_THINGS) and not isinstance(value, Random)


def _are_alike(old: object, new: object) -> bool:
    kinds = (type(old), type(new))
    return len({(kind.__module__, kind.__qualname__) for kind in kinds}) == 1


def _are_equal(before: object, now: object) -> bool:
    if type(before) is not type(now):
        return False
    array = encoded_vector(before)
    if array is not None:  # to compare arrays with == gives another one
        return array == encoded_vector(now)
    try:
        return bool(before == now)
    except ValueError:  # there are arrays in it
        return False


def _put(thing: object, name: str, value: Any) -> None:
    """Set an attribute; a list or the like is changed in place, since others may have it too."""
    present: Any = getattr(thing, name, None)
    if type(present) is type(value) and isinstance(value, (list, dict, set)):
        present.clear()
        (present.extend if isinstance(value, list) else present.update)(value)
    else:
        object.__setattr__(thing, name, value)
