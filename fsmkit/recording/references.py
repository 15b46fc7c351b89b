"""References of saved values: to parts of machines, and to random generators.

Parts of machines, which a game rebuilds by itself, are saved by their place. For a generator, the
state is saved, so that it continues as before. That of Python's own generator is 625 words; here it
is their base64 form, and the number that `gauss` holds in reserve.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from math import isfinite
from random import Random, SystemRandom
from types import FunctionType, MethodType, NoneType
from typing import Any, Final

from fsmkit import Fsm, FsmAction, FsmState, StateGroup
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import ActionPath, DelayedEvent, Handles, as_delayed
from fsmkit.recording.action_fields import parameter_place, parameters_of

WORDS: Final = struct.Struct("<625I")
DRAW_NOTHING: Final = frozenset(
    {NoneType, bool, int, float, str, tuple, list, dict, FunctionType, MethodType}
)
"""The types of most parameters."""

MERSENNE_TWISTER: Final = 3
"""The version number that `Random.getstate` returns."""


def draws_numbers(value: object) -> bool:
    """Return True for a generator of any kind, such as the module `random` or one of NumPy."""
    draws = (getattr(value, name, None) for name in ("random", "uniform"))
    return not isinstance(value, type) and all(map(callable, draws))


class GeneratorStates:
    def __init__(self) -> None:
        self.states: list[Any] = []
        self._numbers: dict[int, tuple[int, Random]] = {}

    def number(self, rng: object) -> int | None:
        """Return the number of a generator; None for one that has no state.

        Raises TypeError if its state is not that of Python's own generator.
        """
        if not isinstance(rng, Random):
            name = getattr(rng, "__name__", type(rng).__name__)
            raise TypeError(f"the state of {name!r} cannot be saved")
        if isinstance(rng, SystemRandom):
            return None
        if id(rng) not in self._numbers:
            # the generator is kept alive, or its id might be reused
            self._numbers[id(rng)] = (len(self.states), rng)
            self.states.append(_encoded(rng))
        return self._numbers[id(rng)][0]


class GeneratorsToRestore:
    """The generators that saved states belong to, by the same numbers.

    Raises ValueError if a state is damaged.
    """

    def __init__(self, states: list[Any]) -> None:
        self._states = [_decoded(state) for state in states]
        self._generators: dict[int, Random] = {}
        self._numbers: dict[int, int] = {}

    def pair(self, number: int, rng: Any) -> bool:
        """Pair `rng` with a state; return False if either is already paired with another."""
        has_state = isinstance(rng, Random) and not isinstance(rng, SystemRandom)
        if not has_state or number >= len(self._states):
            return False
        is_free = self._numbers.setdefault(id(rng), number) == number
        return self._generators.setdefault(number, rng) is rng and is_free

    def generator(self, number: int) -> Random:
        """Return the generator that is paired with a state; a new one if none is yet."""
        if not 0 <= number < len(self._states):
            raise IndexError(f"there is no generator {number!r}")
        return self._generators.setdefault(number, Random())

    @property
    def are_any(self) -> bool:
        return bool(self._states)

    def restore(self) -> None:
        for number, rng in self._generators.items():
            rng.setstate(self._states[number])


def _encoded(rng: Random) -> list[Any]:
    version, *rest = rng.getstate()
    if version != MERSENNE_TWISTER:
        raise TypeError(f"the state of {rng!r} is not that of Python's own generator")
    words, reserve = rest
    return [b64encode(WORDS.pack(*words)).decode(), reserve]


def _decoded(state: Any) -> tuple[Any, ...]:
    try:
        words, reserve = state
        if reserve is not None and (isinstance(reserve, bool) or not isfinite(reserve)):
            raise ValueError(f"{reserve!r} is not a finite number")
        decoded = (MERSENNE_TWISTER, WORDS.unpack(b64decode(words, validate=True)), reserve)
        Random().setstate(decoded)
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise ValueError(f"{error} in the state of a random generator") from error
    return decoded


class MissingReferenceError(LookupError):
    """The target of a reference in a snapshot does not exist."""


class References:
    """The possible targets of references in a snapshot: the parts that `machines` are built of.

    These are the machines themselves, by number, their contexts, states and actions; the handles of
    their delayed events; and for a value that an action remembers, the action's own parameters and
    the items of lists among them. `moves` say where actions of the snapshot are now, by the number
    of the machine and the state, if that is another place.
    """

    def __init__(
        self,
        machines: Mapping[int, Fsm[Any]],
        handles: Mapping[int, Handles] | None = None,
        moves: Mapping[int, Mapping[str, Mapping[ActionPath, ActionPath]]] | None = None,
    ) -> None:
        self._moves = moves or {}
        handles = handles or {}
        self.machines = machines
        self.handles = handles
        self._numbers = {machine: number for number, machine in machines.items()}
        self._contexts = {id(machine.context): number for number, machine in machines.items()}
        self._handles = {
            id(handle): [number, index, *([depth - 1] if depth else [])]
            for number, schedules in handles.items()
            for depth, schedule in enumerate(schedules)
            for index, handle in enumerate(schedule)
        }

    def to(self, value: object, owner: FsmAction[Any] | None) -> Mapping[str, Any] | None:
        """Return a reference to `value`, which `owner` remembers; None if it cannot be a target."""
        if isinstance(value, (Fsm, FsmState, StateGroup, FsmAction)):
            return self._to_part(value)
        if id(value) in self._contexts:
            return {"$context": self._contexts[id(value)]}
        if (delayed := as_delayed(value)) is not None:
            return self._to_delayed(delayed)
        place = parameter_place(owner, value) if owner is not None else None
        return {"$parameter": place} if place is not None else None

    def machine(self, number: Any) -> Fsm[Any]:
        if number not in self.machines:
            raise MissingReferenceError(f"there is no machine {number!r}")
        return self.machines[number]

    def context(self, number: Any) -> Any:
        return self.machine(number).context

    def state(self, number: Any, name: Any) -> FsmState[Any]:
        machine = self.machine(number)
        if name not in machine.states:
            raise MissingReferenceError(f"Fsm {machine.name!r} has no state {name!r}")
        return machine.states[name]

    def group(self, number: Any, name: Any) -> StateGroup[Any]:
        machine = self.machine(number)
        if name not in machine.groups:
            raise MissingReferenceError(f"Fsm {machine.name!r} has no group {name!r}")
        return machine.groups[name]

    def action(self, number: Any, name: Any, place: Any) -> FsmAction[Any]:
        state = self.state(number, name)
        there = self._moves.get(number, {}).get(name, {}).get(place, place)
        if (action := dict(walk.paths(state)).get(there)) is not None:
            return action
        raise MissingReferenceError(f"{state} has no action at {place!r}")

    def delayed(self, number: Any, index: Any, depth: Any = None) -> object:
        """Return the handle of a delayed event, by its place among those of the machine.

        With a `depth` it is one of the suspended state with that index.
        """
        self.machine(number)
        handles, *of_suspended = self.handles[number]
        where = "" if depth is None else f" of the suspended state {depth!r}"
        if depth is not None:
            handles = of_suspended[depth] if 0 <= depth < len(of_suspended) else ()
        if not 0 <= index < len(handles):
            raise MissingReferenceError(f"there is no delayed event {index!r}{where}")
        return handles[index]

    def parameter(self, owner: FsmAction[Any] | None, name: Any, index: Any = None) -> object:
        given: Any = parameters_of(owner) if owner is not None else {}
        try:
            return given[name] if index is None else given[name][index]
        except (LookupError, TypeError):
            what = f"parameter {name!r}" if index is None else f"{name}[{index}]"
            raise MissingReferenceError(f"the action has no {what}") from None

    def _to_delayed(self, delayed: DelayedEvent) -> Mapping[str, Any] | None:
        if id(delayed) in self._handles:
            return {"$delayed": self._handles[id(delayed)]}
        return {"$past": [delayed.event, delayed.due]} if not delayed.pending else None

    def _to_part(
        self, part: Fsm[Any] | FsmState[Any] | StateGroup[Any] | FsmAction[Any]
    ) -> Mapping[str, Any] | None:
        if isinstance(part, Fsm):
            return {"$machine": self._numbers[part]} if part in self._numbers else None
        if part.fsm not in self._numbers:
            return None
        number = self._numbers[part.fsm]
        if isinstance(part, FsmAction):
            return {"$action": [number, part.state.name, walk.path_of(part)]}
        if part in walk.states(part.fsm):
            return {"$state": [number, part.name]}
        return {"$group": [number, part.name]} if part in walk.groups(part.fsm) else None
