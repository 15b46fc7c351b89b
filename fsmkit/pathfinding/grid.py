"""Grid: a map of tiles, and the searches in it, without an object for every tile."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import floor, inf, isfinite, nan
from numbers import Real
from threading import RLock
from typing import Any, Protocol, Self, Unpack
from weakref import WeakSet

from fsmkit.pathfinding.costs import float_of
from fsmkit.pathfinding.crossed_tiles import crossed_tiles
from fsmkit.pathfinding.engines import Engine, engine_for
from fsmkit.pathfinding.flow_field import FlowField
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.map_reading import BLOCKED, checked_cost, checked_mask, rows_of
from fsmkit.pathfinding.maps import image, tiled, tmx_file
from fsmkit.pathfinding.maps.file_map import GridOptions
from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.pictures.content import Field
from fsmkit.pathfinding.pictures.svg import map_svg
from fsmkit.pathfinding.pictures.text import map_text
from fsmkit.pathfinding.terrain import Terrain, walled
from fsmkit.pathfinding.tile import Diagonals, Tile, checked_tile, is_on_map
from fsmkit.svg.notebook import notebook_picture


class Grid:
    """A map of tiles.

    `tiles` is a text with a line for every row, or a list of lines, in which the letters of
    `blocked` are walls and `costs` holds the cost of entering a tile with another letter (1 if not
    given); or rows of numbers, as lists or as an array with two dimensions: the cost of entering
    each tile, where 0, False and infinity are walls. A diagonal step costs the square root of 2
    times as much. The indentation that all lines of a text share is not part of the map; a text
    with spaces for tiles keeps it, unless the text begins with a line break.

    `neighbours` is 4 or 8; with 8 `diagonals` is the rule for cutting corners. `tile_size` is the
    width of a tile in the units of the game, or its width and height (negative where the y axis
    points up), and `origin` the position of the centre of the tile (0, 0): see `center` and
    `tile_at`.

    With numba installed (the extra `crowd`) it is searched by compiled code, which finds the same
    paths, more than ten times faster; `compiled` says so. The first grid of a program loads that
    code, which takes about a second. `compiled=False` does without, `compiled=True` insists on it.

    Raises ValueError for rows of different lengths, no tiles at all, and costs that are negative
    or not numbers; TypeError if `tiles` is not a map; ImportError for `compiled=True` without
    numba.

    >>> grid = Grid('''
    ...     ..#.
    ...     ..#.
    ...     ....
    ... ''')
    >>> path = grid.find_path((0, 0), (3, 0))
    >>> list(path)
    [(0, 0), (1, 1), (1, 2), (2, 2), (3, 2), (3, 1), (3, 0)]
    """

    def __init__(
        self,
        tiles: str | Iterable[str | Sequence[Any]],
        *,
        neighbours: int = 8,
        diagonals: Diagonals = Diagonals.BOTH_FREE,
        blocked: str = BLOCKED,
        costs: Mapping[str, float] | None = None,
        tile_size: float | tuple[float, float] = 1.0,
        origin: tuple[float, float] = (0.0, 0.0),
        compiled: bool | None = None,
    ) -> None:
        if neighbours not in (4, 8):
            raise ValueError(f"Grid: neighbours must be 4 or 8, got {neighbours!r}.")
        if not isinstance(diagonals, Diagonals):
            raise TypeError(f"Grid: diagonals must be a member of Diagonals, got {diagonals!r}.")
        size = (tile_size, tile_size) if isinstance(tile_size, Real) else tile_size
        self.tile_size = _checked_pair(size, "tile_size", is_size=True)
        """The width and the height of a tile, in the units of the game."""
        self.origin = _checked_pair(origin, "origin")
        """The position of the centre of the tile (0, 0)."""
        rule = diagonals if neighbours == 8 else Diagonals.NEVER
        rows = rows_of(tiles, blocked, costs)
        width, height = len(rows[0]), len(rows)
        self.engine: Engine = engine_for(width, height, compiled)
        """What searches it."""
        self._begin_with(self.engine.terrain(walled(rows), width, height, rule))

    @classmethod
    def from_image(
        cls,
        file: image.Source,
        costs: Mapping[image.Color, float] | None = None,
        *,
        threshold: float = 128,
        share: float = 0.5,
        tile: int | tuple[int, int] | None = None,
        **options: Unpack[GridOptions],
    ) -> Self:
        """Return the map in an image: a file, or an image of Pillow, which this needs.

        A pixel is a wall if it is darker than `threshold`, from 0 for black to 255 for white. Or
        `costs` holds the cost of each colour: a name, `"#rrggbb"`, `(red, green, blue)`, each also
        with an alpha value, or `"transparent"`.

        `tile` is the width and the height of a tile in pixels, if they are larger than one: it is
        a wall if at least `share` of it is dark, and its colour is that of the pixel at its
        centre. Positions are then pixels, unless `tile_size` and `origin` are given; these and the
        other `options` are those of `Grid`.

        Raises ValueError for what is no image, a colour without a cost, and a size that cannot be
        divided into tiles; OSError for a file that cannot be read; ImportError without Pillow (the
        extra `maps`).
        """
        found = image.read_image(file, costs, threshold=threshold, share=share, tile=tile)
        return cls(found.rows, **found.options(options))

    @classmethod
    def from_tiled(
        cls,
        file: tmx_file.Source,
        blocked: str | Iterable[str] | None = None,
        *,
        cost: str = tiled.COST,
        empty: float = 1.0,
        **options: Unpack[GridOptions],
    ) -> Self:
        """Return a map made with the editor Tiled: a `.tmx` file, or what pytmx made of one.

        pytmx reads it, which this needs; no images are loaded. `blocked` names what blocks the
        way: layers, and properties of tiles, tilesets, layers or objects that are true or false.
        If not given it is what is called `walls`, `collision`, `blocked`, `solid` and the like.
        Every tile of such a layer is a wall, and so is what a rectangle in such an object layer
        lies on. Of the other layers the topmost counts that says something about a tile: by such a
        property, or by the property `cost`. Where there are no tiles at all it costs `empty`. It
        does not matter whether a layer is shown.

        Positions are pixels of the map, unless `tile_size` and `origin` are given; these and the
        other `options` are those of `Grid`.

        Raises ValueError for what is no orthogonal map, maps that pytmx cannot read, names that
        the map does not have, and if nothing in it says what blocks the way; OSError for a file
        that cannot be read; ImportError without pytmx (the extra `maps`).
        """
        found = tiled.read_tiled(file, blocked, cost=cost, empty=empty)
        return cls(found.rows, **found.options(options))

    # What is where

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.terrain.width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.terrain.height

    @property
    def size(self) -> tuple[int, int]:
        """The number of columns and of rows."""
        return self.terrain.size

    @property
    def diagonals(self) -> Diagonals:
        """The rule for diagonal steps."""
        return self.terrain.diagonals

    @property
    def has_diagonals(self) -> bool:
        """True if there are diagonal steps at all."""
        return self.diagonals is not Diagonals.NEVER

    @property
    def compiled(self) -> bool:
        """True if it is searched by compiled code."""
        return self.engine.compiled

    def cost(self, tile: Tile) -> float:
        """Return the cost of entering `tile`; infinity for a wall and outside the map."""
        return self.terrain.costs[self.terrain.index(tile)] or inf if self._has(tile) else inf

    def is_free(self, tile: Tile) -> bool:
        """Return True if `tile` is on the map and not a wall."""
        return self._has(tile) and self.terrain.costs[self.terrain.index(tile)] > 0.0

    def center(self, tile: Tile) -> tuple[float, float]:
        """Return the position of the centre of a tile, in the units of the game.

        >>> Grid(["..", ".."], tile_size=32, origin=(16, 16)).center((1, 0))
        (48.0, 16.0)
        """
        self._has(tile)  # or outside; but a tile
        (x, y), (width, height), (left, top) = tile, self.tile_size, self.origin
        return left + x * width, top + y * height

    def tile_at(self, position: Sequence[float]) -> Tile:
        """Return the tile that a position lies on; it may be outside the map.

        Raises TypeError unless `position` is two numbers, or begins with them, ValueError unless
        they are finite.

        >>> Grid(["..", ".."], tile_size=32, origin=(16, 16)).tile_at((63.9, 0.0))
        (1, 0)
        """
        (width, height), (left, top) = self.tile_size, self.origin
        try:
            x, y = (position[0] - left) / width, (position[1] - top) / height
        except (TypeError, LookupError):
            raise TypeError(f"Grid: a position must be two numbers, got {position!r}.") from None
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(f"Grid: a position must be two finite numbers, got {position!r}.")
        return floor(x + 0.5), floor(y + 0.5)

    def is_clear(self, start: Sequence[float], end: Sequence[float]) -> bool:
        """Return True if no wall lies between two positions, and both are on the map.

        That is judged by the line between the centres of their tiles, as by `line_of_sight`: one
        that touches the corner of a wall is not clear. Raises what `tile_at` raises.

        >>> grid = Grid(["....", ".#..", "...."], tile_size=32)
        >>> grid.is_clear((0, 0), (96, 10)), grid.is_clear((0, 32), (96, 32))
        (True, False)
        """
        tiles = crossed_tiles(self.tile_at(start), self.tile_at(end))
        return all(map(self.is_free, tiles))

    # Changes

    def set_cost(self, tile: Tile, cost: float) -> None:
        """Set the cost of entering `tile`; 0 or infinity makes it a wall.

        A search under way goes on with the map as it was when it began; see its `is_outdated`.
        Raises ValueError for a tile outside the map, and for a cost that is not a number >= 0.
        """
        self.set_costs({self._checked(tile): cost})

    def set_costs(self, costs: Mapping[Tile, float]) -> None:
        """Set the costs of entering several tiles, as `set_cost` does: of all or, on errors, none.

        >>> grid = Grid(["...", "..."])
        >>> grid.set_costs({(1, 0): 0, (1, 1): 5})
        >>> grid.cost((1, 0)), grid.cost((1, 1))
        (inf, 5.0)
        """
        if not isinstance(costs, Mapping):
            raise TypeError(f"Grid: costs must be a mapping of tiles to numbers, got {costs!r}.")
        changes: dict[int, float] = {}
        for tile, cost in costs.items():
            changes[self.terrain.index(self._checked(tile))] = checked_cost(cost, tile)
        self._change(changes)

    def masked(self, allowed: Iterable[Sequence[Any]]) -> Grid:
        """Return this map as it is for one kind of walker: walls where `allowed` is false.

        `allowed` has a truth value for each tile, in rows, as lists or as an array with two
        dimensions. The costs stay those of this grid: `set_cost` of either changes both.
        Raises ValueError unless `allowed` is as large as the map.

        >>> lake = Grid([".~.", "..."])
        >>> soldier = lake.masked([[True, False, True], [True, True, True]])
        >>> len(lake.find_path((0, 0), (2, 0))), len(soldier.find_path((0, 0), (2, 0)))
        (3, 5)
        """
        mask = checked_mask(allowed, self.width, self.height)
        with self._lock:
            return MaskedGrid(self, mask)

    # Searches

    def find_path(
        self,
        start: Tile,
        goal: Tile,
        *,
        path: AStarPath[Tile] | None = None,
        max_nodes: int | None = None,
    ) -> AStarPath[Tile]:
        """Return the cheapest path, in `path` or in a new one.

        If there is none, because of walls or because `goal` is a wall itself, it leads to the tile
        that is nearest to the goal if there were no walls. A path may start in a wall. `max_nodes`
        limits the tiles that are expanded. Raises ValueError for tiles outside the map.
        """
        search = self.begin(start, goal, path=path, max_nodes=max_nodes)
        search.run()
        return search.path

    def find_paths(
        self,
        pairs: Iterable[tuple[Tile, Tile]],
        *,
        max_nodes: int | None = None,
        threads: int | None = None,
    ) -> list[AStarPath[Tile]]:
        """Return the cheapest paths for pairs of a start and a goal, as `find_path` does.

        A compiled grid divides them among `threads`: as many as there are processors if not given.
        Raises ValueError for tiles outside the map, before the first search, and for `threads` that
        is less than 1.

        >>> grid = Grid(["...", "..."])
        >>> [path.cost for path in grid.find_paths([((0, 0), (2, 0)), ((0, 1), (0, 0))])]
        [2.0, 1.0]
        """
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise ValueError(f"Grid: threads must be at least 1 or None, got {threads!r}.")
        wanted = [(self._checked(start), self._checked(goal)) for start, goal in pairs]

        def found(pair: tuple[Tile, Tile]) -> AStarPath[Tile]:
            return self.find_path(*pair, max_nodes=max_nodes)

        return self.engine.map(found, wanted, threads)

    def begin(
        self,
        start: Tile,
        goal: Tile,
        *,
        path: AStarPath[Tile] | None = None,
        max_nodes: int | None = None,
    ) -> GridSearch:
        """Begin the same search, to be carried on with `step` over several frames."""
        ends = self._checked(start), self._checked(goal)
        found: AStarPath[Tile] = AStarPath() if path is None else path
        with self._lock:
            return self.engine.begin(found, self, *ends, max_nodes)

    def field(
        self, goals: Iterable[Tile] | Mapping[Tile, float], *, max_cost: float | None = None
    ) -> FlowField:
        """Return the cheapest way to a goal from every tile, for many walkers at once.

        `goals` are tiles, or a mapping of tiles to the cost that each begins with: a far well is
        worse. A goal in a wall cannot be reached. Ways that cost more than `max_cost` are not
        looked for. Raises TypeError unless the goals are tiles, ValueError for tiles outside the
        map and for costs that are not finite numbers >= 0.

        >>> field = Grid(["....", "...."]).field({(0, 0): 0, (3, 0): 2})
        >>> [field.cost((x, 0)) for x in range(4)]
        [0.0, 1.0, 2.0, 2.0]
        """
        return FlowField(self, goals, max_cost, self.engine)

    # Pictures

    def to_svg(
        self,
        path: Iterable[Any] | None = None,
        field: Field | None = None,
        *,
        start: Tile | None = None,
        goal: Tile | None = None,
        places: Mapping[str, Tile] | None = None,
        title: str = "",
        dark: bool = False,
    ) -> str:
        """Return the map as an SVG picture, with tooltips.

        `path` is a path, a list of tiles, or a list of paths; one that ends before its goal is
        dotted, with a cross at its end. `field` is drawn as shades, for the cost of the way from
        each tile, and arrows. `start` and `goal` are marked, as are those of paths and fields;
        `places` maps names to the tiles on which to write them.
        Raises ValueError for tiles outside the map and a field of another map, TypeError for what
        is no path and no field.

        >>> grid = Grid(["..#", "..."])
        >>> grid.to_svg(grid.find_path((0, 0), (2, 1)), title="The way out")[:4]
        '<svg'
        """
        return map_svg(
            self, path, field, start=start, goal=goal, places=places, title=title, dark=dark
        )

    def to_text(
        self,
        path: Iterable[Any] | None = None,
        field: Field | None = None,
        *,
        start: Tile | None = None,
        goal: Tile | None = None,
    ) -> str:
        """Return the map as text, of the same things as `to_svg`.

        `#` is a wall, and `.` a tile that costs 1; others are digits, or letters with a legend.
        Paths are `*`, from `S` to `G`, or to `!` before the goal; a field is arrows.

        >>> grid = Grid(["..#", "..."])
        >>> print(grid.to_text(grid.find_path((0, 0), (2, 1))))
        S.#
        .*G
        """
        return map_text(self, path, field, start=start, goal=goal)

    _repr_mimebundle_ = notebook_picture("fsmkit.pathfinding.pictures.notebook:bundle")

    def __repr__(self) -> str:
        walls = self.terrain.costs.count(0.0) - 2 * (self.width + self.height + 2)
        kind = "compiled" if self.compiled else "in Python"
        return f"<Grid of {self.width} x {self.height} tiles, {walls} walls, searched {kind}>"

    # Inside

    def _begin_with(self, terrain: Terrain) -> None:
        self.terrain = terrain
        """The costs of the tiles, as searches read them. To change them use `set_cost`."""
        self.version = 0
        """The number of changes made to the map."""
        self._link()

    def _link(self) -> None:
        self._lock = RLock()  # what follows this map takes its own lock after this one
        self._dependents: WeakSet[Dependent] = WeakSet()

    def _change(self, changes: Mapping[int, float]) -> None:
        """Set the costs at some indices; searches under way keep the terrain as it was."""
        costs = self.terrain.costs
        changes = {index: cost for index, cost in changes.items() if costs[index] != cost}
        if not changes:
            return
        with self._lock:
            if len(self.terrain.readers):
                self.terrain = self.terrain.copy()
            for index, cost in changes.items():
                self.terrain.set_cost(index, cost)
            self.version += 1
            for dependent in tuple(self._dependents):
                dependent.follow(changes)

    def add_dependent(self, dependent: Dependent) -> None:
        """Let `dependent` follow the changes of this map as long as it lives."""
        with self._lock:
            self._dependents.add(dependent)

    @contextmanager
    def reading(self, reader: object) -> Iterator[Terrain]:
        """Give the terrain to a reader, for whom it stays as it is while others change the map."""
        with self._lock:
            terrain = self.terrain
            terrain.readers.add(reader)
        try:
            yield terrain
        finally:
            terrain.readers.discard(reader)

    @contextmanager
    def held(self) -> Iterator[Terrain]:
        """Give the terrain, while those who would change the map wait."""
        with self._lock:
            yield self.terrain

    def _has(self, tile: Tile) -> bool:
        return is_on_map(tile, *self.size)

    def _checked(self, tile: Tile) -> Tile:
        return checked_tile(tile, *self.size)

    def __copy__(self) -> Self:
        """Return a map of its own: what is set in one is not in the other."""
        other = object.__new__(type(self))
        with self._lock:
            state = {**self.__getstate__(), "terrain": self.terrain.copy()}
        other.__setstate__(state)
        return other

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"], state["_dependents"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._link()


class Dependent(Protocol):
    """What follows the changes of a map."""

    def follow(self, changes: Mapping[int, float]) -> None:
        """Take note of the costs that were set: index of a tile -> its cost; see `Terrain`."""
        ...


class MaskedGrid(Grid):
    """A map as it is for one kind of walker. Made by `Grid.masked`."""

    def __init__(self, whole: Grid, allowed: bytearray) -> None:
        self.tile_size, self.origin = whole.tile_size, whole.origin
        self._whole = whole
        self._allowed = allowed
        self.engine = whole.engine
        costs = array("d", (c * a for c, a in zip(whole.terrain.costs, allowed, strict=True)))
        kind = self.engine.terrain
        self._begin_with(kind(costs, whole.width, whole.height, whole.diagonals))
        whole.add_dependent(self)

    def set_costs(self, costs: Mapping[Tile, float]) -> None:
        """Set the costs in the whole map, for all kinds of walkers; see `Grid.set_costs`."""
        self._whole.set_costs(costs)

    def follow(self, changes: Mapping[int, float]) -> None:
        """Take over the changes of the whole map where the walker may go."""
        self._change({index: cost for index, cost in changes.items() if self._allowed[index]})

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._whole.add_dependent(self)


def _checked_pair(pair: Any, name: str, *, is_size: bool = False) -> tuple[float, float]:
    try:
        x, y = map(float_of, pair)
    except (TypeError, ValueError):
        x = y = nan
    if isfinite(x) and isfinite(y) and not (is_size and 0.0 in (x, y)):
        return x, y
    kind = "a number other than 0, or two" if is_size else "two numbers"
    raise ValueError(f"Grid: {name} must be {kind}, got {pair!r}.")
