"""Digests: the parameters and the memory of actions, as a few digits for each step.

A journal says where machines are; a digest covers whatever else decides how they go on. Two runs
with equal digests after each step had the same durations, counters and targets. The objects that
actions act on are not part of it: positions belong to the world.

A recording keeps the values, and computes a digest when it is first read: for most of the steps of
a flight recorder nobody ever reads it. A digest is a hash of text that is the same in every run, on
every machine and Python version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from numbers import Integral, Number, Real
from operator import attrgetter
from typing import Any, Final

from attrs import frozen, has

from fsmkit import Fsm, FsmAction, FsmState, StateGroup
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import made_children
from fsmkit.recording.action_fields import fields_of, parameters_of, remembered_by
from fsmkit.recording.value_codec import MAX_DECIMAL_INT, encoded_vector
from fsmkit.timing import CountdownTimer

NOT_PLAIN: Final = "None"
"""The text of None, and of all objects that are not plain: theirs may vary between runs."""

MOST_ITEMS: Final = 200
"""The items of a container that are read; of the others only the number counts."""

DEEPEST: Final = 20

LONGEST: Final = 80
"""The characters of a short text; the rest of a longer one is a hash."""


def plain_text(value: Any, depth: int = DEEPEST) -> str:
    """Return the text of a value.

    No method of a class of the game's own is called. Such an object has the text of None.

    >>> plain_text({"at": (3, 4.0), "who": None, "seen": {2, 1}, "thing": object()})
    '{"at": (3, 4.0), "who": None, "seen": {1, 2}, "thing": None}'
    """
    kind = type(value)
    if kind is float or kind is bool or value is None:
        return repr(value)
    for known, text in _KINDS.items() if kind not in _KINDS else ((kind, _KINDS[kind]),):
        if isinstance(value, known):
            return text(value, depth) if depth > 0 else NOT_PLAIN
    vector = encoded_vector(value)
    return NOT_PLAIN if vector is None else plain_text(vector, depth - 1)


def short_text(value: Any) -> str:
    """Return the text of a value, with a hash for the part that is too long to be read."""
    text = plain_text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({short_hash(text)})"


def short_hash(text: str) -> str:
    """Return eight hexadecimal digits that other texts hardly ever have.

    >>> short_hash("TimedWait")
    'f8d49e14'
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


_hash_of_memory: Final = lru_cache(maxsize=1_000)(short_hash)
"""The same for texts of which many are equal: while nothing happens, memories do not change."""


def _joined(values: Iterable[Any], text: Callable[[Any], str]) -> str:
    items = list(values)
    texts = [*map(text, items[:MOST_ITEMS])]
    if len(items) > MOST_ITEMS:
        texts.append(f"and {len(items) - MOST_ITEMS} more")
    return ", ".join(texts)


def _list(values: Iterable[Any], depth: int) -> str:
    return _joined(values, lambda each: plain_text(each, depth - 1))


def _set(values: Iterable[Any], depth: int) -> str:
    return f"{{{', '.join(sorted(plain_text(each, depth - 1) for each in values))}}}"


def _mapping(values: Mapping[Any, Any], depth: int) -> str:
    pairs = _joined(values.items(), lambda item: ": ".join(plain_text(p, depth - 1) for p in item))
    return f"{{{pairs}}}"


def _integer(value: Any, _: int) -> str:
    number = int(value)
    return str(number) if -MAX_DECIMAL_INT < number < MAX_DECIMAL_INT else hex(number)


_KINDS: Final[Mapping[type, Any]] = {
    Enum: lambda value, _: f"{type(value).__qualname__}.{value.name}",
    str: lambda value, _: json.dumps(str.__str__(value), ensure_ascii=False),
    Integral: _integer,
    int: _integer,
    Real: lambda value, _: repr(float(value)),
    bytes: lambda value, _: repr(bytes(value)),
    list: lambda value, depth: f"[{_list(value, depth)}]",
    tuple: lambda value, depth: f"({_list(value, depth)})",
    dict: _mapping,
    set: _set,
    frozenset: _set,
    Fsm: lambda value, _: f"<{value.name}>",
    FsmState: lambda value, _: f"<{value.name}>",
    StateGroup: lambda value, _: f"<{value.name}>",
    FsmAction: lambda value, _: f"<{type(value).__name__}>",
    CountdownTimer: lambda value, depth: _list((value.duration, value.elapsed), depth),
}
"""Class -> the function that turns a value of it, or of a subclass, into text."""


class ActionMemory:
    """What the actions of a machine remember, as parts that are texts or are put into words later.

    A part is a text, a tuple of `SCALARS`, which has the text of its `repr`, or a list of values
    that cannot change.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts: Sequence[Any] | str = parts

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits."""
        if not isinstance(self._parts, str):
            self._parts = _hash_of_memory("".join(map(_text_of_part, self._parts)))
        return self._parts


def _text_of_part(part: Any) -> str:
    if type(part) is str:
        return part
    return repr(part) if type(part) is tuple else _text(part)


class MemoryReader:
    """Reads what actions remember, by a plan that is made once for each state."""

    def __init__(self) -> None:
        self._plans: dict[FsmState[Any], _StatePlan] = {}

    def read(self, machine: Fsm[Any], visited: Iterable[FsmState[Any]]) -> ActionMemory | None:
        """Return the memory of the current states, from `machine` inwards, and of `visited`.

        None if no action there has such values, or one cannot be read.
        """
        parts: list[Any] = []
        try:
            states = self._add_current(machine, parts)
            for state in visited:
                if state not in states:
                    states.append(state)
                    self._add(state, parts)
        except Exception:  # raised by a property of the game's own: the game must not notice
            return None
        return ActionMemory(parts) if parts else None

    def forget(self, *, present: Container[Fsm[Any]]) -> None:
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

    def _add(self, state: FsmState[Any], parts: list[Any]) -> _StatePlan:
        plan = self._plans.get(state)
        if plan is None or plan.actions is not state.actions:
            plan = self._plans[state] = _StatePlan.of(state)
        if plan.given:
            parts.append(plan.given)
            for read, action in plan.readers:
                parts.append(read(action))
            for maker in plan.makers:
                for child in made_children(maker):
                    for action in walk.actions(child, "fixed"):
                        parts += [_given_to(action), _reader(type(action))(action)]
        return plan


Reader = Callable[[FsmAction[Any]], Any]
"""Returns the mark of an action and what it remembers, as a part of `ActionMemory`.

The mark is whether it has finished; of one that has failed, a tuple of the reason.
"""


@frozen
class _StatePlan:
    actions: Sequence[FsmAction[Any]]
    given: str
    """A hash of their classes and parameters; empty without actions."""
    readers: Sequence[tuple[Reader, FsmAction[Any]]]
    makers: Sequence[FsmAction[Any]]
    """Those that make children while they run."""
    hosts: Sequence[FsmAction[Any]]
    """Those that may run machines."""

    @classmethod
    def of(cls, state: FsmState[Any]) -> _StatePlan:
        family = [*walk.actions(state, "fixed")]
        readers = [(_reader(type(action)), action) for action in family]
        makers = [action for action in family if action._makes_children_]
        own = walk.own_actions(state)
        hosts = [top for top in own if any(map(_may_host, walk.actions(top, "fixed")))]
        given = short_hash("".join(map(_given_to, family))) if family else ""
        return cls(state.actions, given, readers, makers, hosts)


def _reader(kind: type[FsmAction[Any]]) -> Reader:
    known = fields_of(kind)
    if has(kind) and kind.__module__.startswith(LIBRARY):
        values_of = attrgetter(MARK, *(tuple(known.remembered) or (MARK,)))

        def read_declared(action: FsmAction[Any]) -> Any:
            values = values_of(action)
            # a tuple of immutable values is as good as its text
            return values if SCALARS.issuperset(map(type, values)) else _text(values)

        return read_declared

    declares_nothing = not known.remembered and not known.extra_slots

    def read(action: FsmAction[Any]) -> Any:
        if declares_nothing and known.known.issuperset(vars(action)):
            mark = mark_of(action)
            return NOTHING_KEPT[mark] if type(mark) is bool else _text((mark, {}))
        values = remembered_by(action)
        part = (mark_of(action), values)
        is_lasting = LASTING.issuperset((type(part[0]), *map(type, values.values())))
        return [*part] if is_lasting else _text(part)

    return read


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


LIBRARY: Final = "actions."
"""The package of actions that remember only declared fields."""

MARK: Final = "_fsmkit_finished"
mark_of: Final = attrgetter(MARK)

CONSTANTS: Final = (str, bytes, Number, Enum)
"""Classes of values that cannot change, beside tuples of them."""

SCALARS: Final = frozenset((float, bool, int, type(None)))
"""Classes whose repr is the same everywhere."""

LASTING: Final = SCALARS | {str}
"""Classes of values that cannot change: they may be put into words later."""

NOTHING_KEPT: Final = {finished: _text((finished, {})) for finished in (False, True)}
"""The text of an action that remembers nothing but whether it has finished."""
