"""WorldMap: where everybody is and was, and the tiles of the map below them."""

from __future__ import annotations

import sys
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, islice
from math import inf
from operator import attrgetter
from typing import Any, Final

from attrs import define, field

from fsmkit import Fsm
from fsmkit.inspector.reading.page_values import HOLDER, LARGEST, public_fields, row_kind
from fsmkit.inspector.reading.positions import PositionFrame, PositionSource
from fsmkit.inspector.reading.rewind import INTERVAL, LARGEST_REWIND
from fsmkit.introspection import walk

LONGEST: Final = 300.0
"""Seconds of the past that are kept."""

LONGEST_INTERVAL: Final = 2.0
"""Seconds between two frames of so many that the past would not last otherwise."""

MOST_UNASKED: Final = 1_000
"""Of up to so many the past is kept from the beginning; of more, once a page shows the map."""

UNASKED: Final = 0.5
"""Seconds between two frames until then: of 200 machines each takes about 0.2 ms."""

COURSES_INTERVAL: Final = 0.1
"""Seconds between two looks at what actions head for: 10 us for each machine."""

MOST_POINTS: Final = 200_000
"""Positions in an answer."""

MOST_FRAMES: Final = 100
"""Frames in an answer."""

MOST_TILES: Final = 1_000_000

MOST_GRIDS: Final = 16
"""Grids whose changes are told: the last ones that were shown."""

SHADES: Final = 200
"""Costs that are told apart."""


@define(eq=False)
class PositionJournal:
    """Keeps the last minutes of positions."""

    _frames: deque[PositionFrame] = field(factory=deque, init=False)
    _size: int = field(default=0, init=False)
    interval: float = field(default=UNASKED, init=False)
    """The shortest number of seconds between two frames."""
    _due: float = field(default=0.0, init=False)

    @property
    def begun(self) -> float | None:
        """The time of the first frame that is kept; None if there is none."""
        return self._frames[0].time if self._frames else None

    def is_due(self, time: float) -> bool:
        return time >= self._due

    def wait(self, time: float) -> None:
        self._due = time + self.interval

    def keep(self, frame: PositionFrame) -> None:
        self._frames.append(frame)
        self._size += frame.size
        lasting = LONGEST * frame.size / LARGEST_REWIND
        self._due = frame.time + min(LONGEST_INTERVAL, max(self.interval, lasting))
        while len(self._frames) > 1 and (
            self._size > LARGEST_REWIND or frame.time - self._frames[0].time > LONGEST
        ):
            self._size -= self._frames.popleft().size

    def at(self, time: float) -> PositionFrame | None:
        """Return the last frame up to that time; None if it is not kept."""
        index = bisect_right(self._frames, time, key=attrgetter("time"))
        return self._frames[index - 1] if index else None

    def between(self, since: float, until: float) -> Sequence[PositionFrame]:
        """Return the frames after one time and before another: of many, some of the last."""
        begin = bisect_right(self._frames, since, key=attrgetter("time"))
        end = bisect_left(self._frames, until, key=attrgetter("time"))
        found = [*islice(self._frames, begin, end)][::-1]
        sizes = accumulate(each.roll.count for each in found)
        fitting = [each for each, size in zip(found, sizes, strict=True) if size <= MOST_POINTS]
        return fitting[:: 1 + len(fitting) // MOST_FRAMES][::-1]


class WorldMap:
    """The positions of now and of the last minutes, and the tiles below them.

    `machines` returns those whose contexts may hold a `Grid`.
    """

    def __init__(
        self, source: PositionSource, machines: Callable[[], Sequence[Fsm[Any]]] = tuple
    ) -> None:
        self.source = source
        self.journal = PositionJournal()
        self._machines = machines
        self._is_asked = False
        self._grids: dict[int, Any] = {}
        """The grids that pages were shown last, by number."""
        self._shown = 0
        """The number of the latest of them."""
        self._looked = -inf
        self._found: list[dict[str, Any]] = []
        """The courses, as they were at the time `looked`."""

    @property
    def is_shown(self) -> bool:
        """True if there is anything to show."""
        return self.source.has_any

    def after_update(self, time: float) -> None:
        """Keep a frame of the past now and then."""
        if not self.journal.is_due(time):
            return
        is_kept = self._is_asked or self.source.count <= MOST_UNASKED
        if is_kept:
            self.journal.keep(self.source.read(time))
        else:
            self.journal.wait(time)
            if not self.is_shown:
                self.source.read(time)

    def positions(
        self, now: float, roll: int, states: int, since: float, until: float | None = None
    ) -> dict[str, Any]:
        """Return the frames after a time: up to now, or to `until` as far as they are kept.

        A page tells which `roll` and how many names of `states` it knows.
        """
        self._is_asked, self.journal.interval = True, INTERVAL
        last = self.source.read(now) if until is None else self.journal.at(until)
        frames = [] if last is None else [*self.journal.between(since, last.time), last]
        rolls = {each.roll.number: each.roll for each in frames}
        rolls.pop(roll, None)
        return {
            "frames": [each.to_json() for each in frames],
            "rolls": {number: [each.count, each.names] for number, each in rolls.items()},
            "states": self.source.numbers.names[max(0, states) :],
            "courses": self._courses(now) if until is None else [],
            "agents": self.source.agents() if until is None else {},
            "begun": self.journal.begun,
            "grounds": {number: grid.version for number, grid in self._grids.items()},
            "up": points_up(),
        }

    def _courses(self, now: float) -> list[dict[str, Any]]:
        if not 0.0 < now - self._looked < COURSES_INTERVAL:
            self._looked, self._found = now, self.source.courses()
        return self._found

    def tiles(
        self, machine: Fsm[Any] | None, known: tuple[int | None, int | None] = (None, None)
    ) -> dict[str, Any] | None:
        """Return the tiles of the grid that a machine knows, or else another one; None without.

        A page tells the number and the version of what it has: if that is the same, it gets the
        number alone.
        """
        grid = next(grids_of([*filter(None, [machine]), *self._machines()]), None)
        if grid is None:
            return None
        number = next((key for key, each in self._grids.items() if each is grid), None)
        if number is None:
            number = self._shown = self._shown + 1
            self._grids[number] = grid
            self._grids.pop(number - MOST_GRIDS, None)
        return {"number": number, **(tiles_of(grid) if known != (number, grid.version) else {})}


def grids_of(machines: Sequence[Fsm[Any]]) -> Iterator[Any]:
    """Yield the grids in the contexts of machines, and in what their contexts and actions hold."""
    pathfinding: Any = sys.modules.get("fsmkit.pathfinding")  # else there is no grid
    if pathfinding is None:
        return
    for machine in machines:
        try:
            for value in _held_by(machine):
                grid = value.grid if isinstance(value, pathfinding.FlowField) else value
                if isinstance(grid, pathfinding.Grid):
                    yield grid
        except Exception:  # from a user's class
            continue


def _held_by(machine: Fsm[Any]) -> Iterator[Any]:
    held = [machine.context]
    for _ in range(2):
        held = [each for value in held for each in _fields(value)]
        yield from held
    for action in walk.actions(machine):
        yield from vars(action).values()
    module = sys.modules.get(type(machine.context).__module__)
    yield from getattr(module, "__dict__", {}).values()


def _fields(value: object) -> list[object]:
    return [*islice(public_fields(value).values(), LARGEST)] if row_kind(value) == HOLDER else []


def tiles_of(grid: Any) -> dict[str, Any]:
    """Return the tiles of a grid as data for the page: a byte for each, 0 for a wall."""
    (width, height), (left, top) = grid.tile_size, grid.origin
    place = {
        "version": grid.version, "columns": grid.width, "rows": grid.height,
        "left": left, "top": top, "width": width, "height": height,
    }  # fmt: skip
    if grid.width * grid.height > MOST_TILES:
        return {**place, "costs": None}
    terrain = grid.terrain
    starts = range(terrain.stride + 1, terrain.stride * (grid.height + 1), terrain.stride)
    costs = [cost for start in starts for cost in terrain.costs[start : start + grid.width]]
    known = sorted({*costs} - {0.0})
    most = max(1, len(known) - 1)
    shades = {cost: 1 + min(SHADES, SHADES * index // most) for index, cost in enumerate(known)}
    return {
        **place,
        "costs": b64encode(bytes(shades.get(cost, 0) for cost in costs)).decode(),
    }


DOWN: Final = ("pygame", "pyray", "tkinter")
"""Libraries whose y axis points down."""


def points_up() -> bool:
    """Return True if the y axis points up, as far as the libraries say that are loaded."""
    return not any(name in sys.modules for name in DOWN)
