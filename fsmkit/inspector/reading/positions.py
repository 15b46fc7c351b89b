"""The positions of machines and what they head for: found in contexts, and in what actions move."""

from __future__ import annotations

from array import array
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from math import isfinite, nan
from operator import attrgetter, itemgetter
from typing import Any, Final, Protocol, TypeAlias

from attrs import define, field, frozen

from fsmkit import Fsm, FsmAction
from fsmkit.inspector.reading.page_values import HOLDER, LARGEST, public_fields, row_kind
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import running_inside
from fsmkit.introspection.run_state import is_entered
from fsmkit.space import Space, components, is_registered

MapPoint: TypeAlias = tuple[float, float]

NOWHERE: Final[MapPoint] = (nan, nan)

POSITION: Final = "position"

FEW: Final = 5
"""Machines without a position among which one is looked for again at each reading."""

MOST_STATES: Final = 65_000
"""Names of states that have a number."""

MOST_COURSES: Final = 500
"""Courses of all machines together."""

MOST_STOPS: Final = 500
"""Positions of one course."""


@frozen(eq=False)
class RollCall:
    """The names of those whose positions a frame holds, in its order; a new one has a new number.

    The agents of a crowd have none: they are known by their index.
    """

    number: int
    names: tuple[str, ...] | None
    count: int


@frozen(eq=False)
class PositionFrame:
    """Where everybody was at a time, in arrays. A number that is not finite stands for nowhere."""

    time: float
    roll: RollCall
    x: Any
    y: Any
    """Arrays of floats of 64 or 32 bits, relative to `origin`."""
    states: Any
    """An array of integers of 16 bits: 0 if it is not running, else one more than its state's
    number."""
    origin: MapPoint = (0.0, 0.0)

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return self.roll.count * (2 * int(self.x.itemsize) + int(self.states.itemsize))

    def to_json(self) -> dict[str, Any]:
        return {
            "time": self.time,
            "roll": self.roll.number,
            "bits": 8 * int(self.x.itemsize),
            "origin": self.origin,
            "x": _packed(self.x),
            "y": _packed(self.y),
            "states": _packed(self.states),
        }


def _packed(numbers: Any) -> str:
    return b64encode(numbers.tobytes()).decode()


@define(eq=False)
class StateCodes:
    """Numbers the names of states, from 1."""

    names: list[str] = field(factory=list)
    _numbers: dict[str, int] = field(factory=dict, init=False)

    def number(self, name: str) -> int:
        known = self._numbers.get(name)
        if known is None:
            if len(self.names) >= MOST_STATES:
                return 0
            self.names.append(name)
            known = self._numbers[name] = len(self.names)
        return known


class PositionSource(Protocol):
    """Knows where the machines, or the agents of a crowd, are now."""

    numbers: StateCodes

    @property
    def count(self) -> int:
        """How many there are, with a position or without."""
        ...

    @property
    def has_any(self) -> bool:
        """True once anybody has been somewhere."""
        ...

    def read(self, time: float) -> PositionFrame: ...

    def courses(self) -> list[dict[str, Any]]:
        """Return what they head for, as data for the page."""
        ...

    def agents(self) -> dict[str, int]:
        """Return the index of each agent of a crowd that was singled out."""
        ...


@frozen(eq=False)
class PlacedMachine:
    """A machine, and what has its position."""

    machine: Fsm[Any]
    context: object
    thing: object
    get: Callable[[Any], Any]


class MachinePositions:
    """Reads the positions of machines, of which the first two axes count.

    A machine is where its context is, if that has a `position`; else where the first `transform`
    of its actions is; else where the one thing in its context is that has a position and belongs
    to no other machine. `present` returns the machines that there are, `name` the name of one.
    """

    def __init__(
        self, present: Callable[[], tuple[Fsm[Any], ...]], name: Callable[[Fsm[Any]], str]
    ) -> None:
        self._present = present
        self._name = name
        self._machines: tuple[Fsm[Any], ...] = ()
        self._placed: dict[Fsm[Any], PlacedMachine] = {}
        self._unplaced: deque[Fsm[Any]] = deque()
        self._roll = RollCall(0, (), 0)
        self.numbers = StateCodes()
        self.has_any = False

    @property
    def count(self) -> int:
        return len(self._present())

    def read(self, time: float) -> PositionFrame:
        self._update()
        xs, ys, states = array("d"), array("d"), array("H")
        for machine, there in self._placed.items():
            x, y = _point_of(there.get, there.thing)
            xs.append(x)
            ys.append(y)
            state = machine.current_state
            states.append(0 if state is None else self.numbers.number(state.name))
        self.has_any = self.has_any or any(map(isfinite, xs))
        return PositionFrame(time, self._roll, xs, ys, states)

    def courses(self) -> list[dict[str, Any]]:
        self._update()
        found = (
            {"machine": index, **course}
            for index, machine in enumerate(self._placed)
            for course in courses_of(machine)
        )
        return [*islice(found, MOST_COURSES)]

    def agents(self) -> dict[str, int]:
        return {}

    def _update(self) -> None:
        """Follow the machines that have joined or left, and contexts that were replaced."""
        machines = self._present()
        if machines != self._machines:
            self._machines = machines
            self._place(machines)
        elif moved := [m for m, each in self._placed.items() if m.context is not each.context]:
            for machine in moved:
                del self._placed[machine]
            self._place(machines)
        elif self._unplaced:
            self._look_again()

    def _place(self, machines: Iterable[Fsm[Any]]) -> None:
        found = {each: self._placed.get(each) or own_place(each) for each in machines}
        taken = {id(there.thing) for there in found.values() if there is not None}
        for machine, there in found.items():
            if there is None and (there := shared_place(machine, taken)) is not None:
                found[machine] = there
                taken.add(id(there.thing))
        self._unplaced = deque(each for each, there in found.items() if there is None)
        self._placed = {each: there for each, there in found.items() if there is not None}
        self._call_roll()

    def _look_again(self) -> None:
        """Look at a few of those that had no position: they may have got one."""
        taken = {id(there.thing) for there in self._placed.values()}
        for _ in range(min(FEW, len(self._unplaced))):
            machine = self._unplaced.popleft()
            if (there := own_place(machine) or shared_place(machine, taken)) is None:
                self._unplaced.append(machine)
            else:
                self._placed[machine] = there
                self._call_roll()

    def _call_roll(self) -> None:
        names = tuple(map(self._name, self._placed))
        if names != self._roll.names:
            self._roll = RollCall(self._roll.number + 1, names, len(names))


def own_place(machine: Fsm[Any]) -> PlacedMachine | None:
    """Return a machine with what has its position: its context, or what its actions move."""
    try:
        things = _own_things(machine)
        return next((_placed(machine, each) for each in things if _may_be_somewhere(each)), None)
    except Exception:  # from a user's class
        return None


def shared_place(machine: Fsm[Any], taken: Container[int]) -> PlacedMachine | None:
    """Return a machine with the one thing in its context that has a position and is not taken."""
    context = machine.context
    try:
        fields = public_fields(context) if row_kind(context) == HOLDER else {}
        inside = {id(value): value for value in islice(fields.values(), LARGEST)}
        things = [each for key, each in inside.items() if key not in taken and _is_somewhere(each)]
    except Exception:  # from a user's class
        return None
    return _placed(machine, things[0]) if len(things) == 1 else None


def _own_things(machine: Fsm[Any]) -> Iterator[object]:
    yield machine.context
    for each in walk.machines(machine):
        for action in walk.actions(each):
            yield getattr(action, "transform", None)


def _placed(machine: Fsm[Any], thing: object) -> PlacedMachine:
    get = itemgetter(POSITION) if isinstance(thing, Mapping) else attrgetter(POSITION)
    return PlacedMachine(machine, machine.context, thing, get)


def _may_be_somewhere(thing: object) -> bool:
    """Return True if a thing has a position, which may be None for now."""
    if isinstance(thing, Mapping):
        return POSITION in thing and _is_position(thing[POSITION], or_none=True)
    return _declares_position(thing) and _is_position(getattr(thing, POSITION), or_none=True)


def _is_somewhere(thing: object) -> bool:
    return _declares_position(thing) and _is_position(getattr(thing, POSITION))


def _declares_position(thing: object) -> bool:
    return hasattr(type(thing), POSITION) or POSITION in getattr(thing, "__dict__", ())


def _is_position(value: object, *, or_none: bool = False) -> bool:
    if value is None:
        return or_none
    return not isinstance(value, (str, bytes, Mapping)) and len(components(value)) > 1


def _point_of(get: Callable[[Any], Any], thing: object) -> MapPoint:
    try:
        there = components(get(thing))
        return there[0], there[1]
    except Exception:  # from a user's property, or it is nowhere now
        return NOWHERE


# What they head for


def courses_of(machine: Fsm[Any]) -> Iterator[dict[str, Any]]:
    """Yield what the actions of a machine, and of those nested in it, head for now.

    An action has a `transform`; a `target`, or `_way_`, the positions on its way. A target that is
    a function is not called.
    """
    seen: set[object] = set()
    for each in (machine, *running_inside(machine)):
        state = each.current_state
        for action in walk.actions(state) if state is not None else ():
            for kind, points in _courses_of_action(action):
                if (kind, points) not in seen:
                    seen.add((kind, points))
                    yield {"kind": kind, "points": points}


def _courses_of_action(action: FsmAction[Any]) -> Iterator[tuple[str, tuple[MapPoint, ...]]]:
    try:
        thing: Any = getattr(action, "transform", None)
        if thing is None or not _is_under_way(action):
            return
        is_local = getattr(action, "space", None) is Space.SELF
        if is_local and getattr(thing, "parent", None) is not None:
            return  # its positions are those of another space
        here = _finite(thing)
        way = [*islice(map(_finite, getattr(action, "_way_", ())), MOST_STOPS)]
        target = getattr(action, "target", None)
        aim = None if callable(target) and not is_registered(target) else _finite(target)
    except Exception:  # from a user's class
        return
    if here is not None and way and None not in way:
        yield "way", (here, *[each for each in way if each is not None])
    if here is not None and aim is not None and aim != here:
        yield "target", (here, aim)


def _is_under_way(action: FsmAction[Any]) -> bool:
    """Return True for an action of a current state that has not finished."""
    is_child = action._fsmkit_parent is not None
    return action.enabled and not action.finished and (not is_child or is_entered(action))


def _finite(thing: Any) -> MapPoint | None:
    """Return the point of a position, or of a thing that has one; None if it is nowhere."""
    if thing is None:
        return None
    x, y = _point_of(lambda it: getattr(it, POSITION, it), thing)
    return (x, y) if isfinite(x) and isfinite(y) else None
