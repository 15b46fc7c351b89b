"""Grid: a map of tiles, and the searches in it, without an object for every tile."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from math import dist, inf, isfinite, nan
from numbers import Real
from typing import Any, Self, Unpack
from warnings import warn

from fsmkit.core.checks import arguments
from fsmkit.pathfinding.cost_map import CostMap
from fsmkit.pathfinding.costs import BLOCKED, checked_mask, float_of, rows_of
from fsmkit.pathfinding.flow_field import FlowField
from fsmkit.pathfinding.grid_engine import GridEngine
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.maps import GridOptions, image, tiled, tiled_files
from fsmkit.pathfinding.pictures.content import DrawnField, MapContent
from fsmkit.pathfinding.pictures.map_svg import map_svg
from fsmkit.pathfinding.pictures.map_text import map_text
from fsmkit.pathfinding.search import AStarPath
from fsmkit.pathfinding.terrain import walled
from fsmkit.pathfinding.tile import Diagonals, Tile, TileSequence, checked_tile, crossed_tiles


class Grid(CostMap):
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
        arguments.choice(neighbours, "Grid: neighbours", (4, 8))
        arguments.instance(diagonals, "Grid: diagonals", Diagonals, "a member of Diagonals")
        size = (tile_size, tile_size) if isinstance(tile_size, Real) else tile_size
        pairs = _pair(size, "tile_size", is_size=True), _pair(origin, "origin")
        rule = diagonals if neighbours == 8 else Diagonals.NEVER
        rows = rows_of(tiles, blocked, costs)
        width, height = len(rows[0]), len(rows)
        self.engine: GridEngine = engine_for(width, height, compiled)
        """The engine that searches it."""
        super().__init__(self.engine.terrain(walled(rows), width, height, rule), *pairs)

    @classmethod
    def from_image(
        cls,
        file: image.ImageSource,
        costs: Mapping[image.PixelColor, float] | None = None,
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

        Raises ValueError unless it is an image, for a colour without a cost, and for a size that
        cannot be divided into tiles; OSError for a file that cannot be read; ImportError without
        Pillow (the extra `maps`).
        """
        found = image.read_image(file, costs, threshold=threshold, share=share, tile=tile)
        return cls(found.rows, **found.options(options))

    @classmethod
    def from_tiled(
        cls,
        file: tiled_files.TiledSource,
        blocked: str | Iterable[str] | None = None,
        *,
        cost: str = tiled.COST,
        empty: float = 1.0,
        **options: Unpack[GridOptions],
    ) -> Self:
        """Return a map made with the editor Tiled: a file, or a map that pytmx has loaded.

        A `.tmx` file is read by pytmx, which it needs; a `.tmj` or `.json` file needs nothing. No
        images are loaded. `blocked` names what blocks the way: layers, and properties of tiles,
        tilesets, layers or objects that are true or false. If not given it is anything called
        `walls`, `collision`, `blocked`, `solid` and the like. Every tile of such a layer is a
        wall, and so is every tile below a rectangle in such an object layer. Of the other layers
        the topmost counts that says something about a tile: by such a property, or by the property
        `cost`. Where there are no tiles at all it costs `empty`. It does not matter whether a
        layer is shown.

        Positions are pixels of the map, unless `tile_size` and `origin` are given; these and the
        other `options` are those of `Grid`.

        Raises ValueError for maps that are not orthogonal or cannot be read, names that the map
        does not have, and if nothing in it says what blocks the way; OSError for a file that
        cannot be read; ImportError without pytmx (the extra `maps`) unless it is JSON.
        """
        found = tiled.read_tiled(file, blocked, cost=cost, empty=empty)
        return cls(found.rows, **found.options(options))

    @property
    def compiled(self) -> bool:
        """True if it is searched by compiled code."""
        return self.engine.compiled

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
        if threads is not None:
            arguments.integer(
                threads, "Grid: threads", least=1, otherwise=" or None", error=ValueError
            )
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
        """Begin the same search, to be continued with `step` over several frames."""
        ends = self._checked(start), self._checked(goal)
        found: AStarPath[Tile] = AStarPath() if path is None else path
        with self._lock:
            return self.engine.search(found, self, *ends, max_nodes)

    def field(
        self, goals: Iterable[Tile] | Mapping[Tile, float], *, max_cost: float | None = None
    ) -> FlowField:
        """Return the cheapest way to a goal from every tile, for many walkers at once.

        `goals` are tiles, or a mapping of tiles to initial costs: a far well is worse. A goal in a
        wall cannot be reached. Ways that cost more than `max_cost` are ignored. Raises TypeError
        unless the goals are tiles, ValueError for tiles outside the map and for costs that are not
        finite numbers >= 0.

        >>> field = Grid(["....", "...."]).field({(0, 0): 0, (3, 0): 2})
        >>> [field.cost((x, 0)) for x in range(4)]
        [0.0, 1.0, 2.0, 2.0]
        """
        return FlowField(self, goals, max_cost, self.engine)

    # Pictures

    def to_svg(
        self,
        path: Iterable[Any] | None = None,
        field: DrawnField | None = None,
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
        Raises ValueError for tiles outside the map and a field of another map, TypeError for
        anything that is not a path or a field.

        >>> grid = Grid(["..#", "..."])
        >>> grid.to_svg(grid.find_path((0, 0), (2, 1)), title="The way out")[:4]
        '<svg'
        """
        content = MapContent.of("to_svg", self, path, field, start=start, goal=goal, places=places)
        return map_svg(content, title, dark=dark)

    def to_text(
        self,
        path: Iterable[Any] | None = None,
        field: DrawnField | None = None,
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
        return map_text(MapContent.of("to_text", self, path, field, start=start, goal=goal))

    def _repr_mimebundle_(self, **_wishes: Any) -> dict[str, str]:
        return {"image/svg+xml": self.to_svg()}

    def __repr__(self) -> str:
        walls = self.terrain.costs.count(0.0) - 2 * (self.width + self.height + 2)
        kind = "compiled" if self.compiled else "in Python"
        return f"<Grid of {self.width} x {self.height} tiles, {walls} walls, searched {kind}>"


class MaskedGrid(Grid):
    """A map as it is for one kind of walker. Made by `Grid.masked`."""

    def __init__(self, whole: Grid, allowed: bytearray) -> None:
        self._whole = whole
        self._allowed = allowed
        self.engine = whole.engine
        costs = array("d", (c * a for c, a in zip(whole.terrain.costs, allowed, strict=True)))
        terrain = self.engine.terrain(costs, whole.width, whole.height, whole.diagonals)
        CostMap.__init__(self, terrain, whole.tile_size, whole.origin)
        whole.add_dependent(self)

    def set_costs(self, costs: Mapping[Tile, float]) -> None:
        """Set the costs in the whole map, for all kinds of walkers; see `Grid.set_costs`."""
        self._whole.set_costs(costs)

    def follow(self, changes: Mapping[int, float]) -> None:
        self._change({index: cost for index, cost in changes.items() if self._allowed[index]})

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._whole.add_dependent(self)


def _pair(pair: Any, name: str, *, is_size: bool = False) -> tuple[float, float]:
    try:
        x, y = map(float_of, pair)
    except (TypeError, ValueError):
        x = y = nan
    if isfinite(x) and isfinite(y) and not (is_size and 0.0 in (x, y)):
        return x, y
    kind = "a number other than 0, or two" if is_size else "two numbers"
    raise ValueError(f"Grid: {name} must be {kind}, got {pair!r}.")


def engine_for(width: int, height: int, compiled: bool | None) -> GridEngine:
    """Return the engine for a map; compiled if numba is there, unless `compiled` says otherwise.

    Raises ImportError for `compiled=True` without a numba that works.
    """
    arguments.choice(compiled, "Grid: compiled", (True, False, None), error=TypeError)
    if compiled or (compiled is None and find_spec("numba") is not None and _can_compile()):
        # imported here: it takes about a second
        from fsmkit.pathfinding.compiled.compiled_engine import CompiledEngine

        return CompiledEngine(width, height)
    return GridEngine(width, height)


@cache
def _can_compile() -> bool:
    """Return True if the compiled engine can be loaded; warn if it cannot, once."""
    try:
        import_module("fsmkit.pathfinding.compiled.compiled_engine")
    except Exception as error:
        warn(
            f"Grids are searched in Python: numba is installed, but cannot be used ({error}). "
            "Give compiled=False to do without it, and without this warning.",
            RuntimeWarning,
            stacklevel=4,
        )
        return False
    return True


def smooth(grid: Grid, path: Iterable[Tile]) -> AStarPath[Tile]:
    r"""Return `path` with only the tiles at which it really has to turn.

    Between two of them the straight line from centre to centre crosses no wall, touches none at a
    corner, and crosses no tile that costs more than those of the path. So the result is never
    longer, and never costs more: its cost is the length of each line times the cost of the
    cheapest tile of the path next to it. It takes time in proportion to the length of the path.

    A path that does not reach its goal stays one that does not; any other iterable of tiles is
    taken for a way to the last of them. Raises ValueError for tiles outside the map.

    >>> grid = Grid("....\n....\n....")
    >>> path = smooth(grid, [(0, 0), (1, 1), (2, 1), (3, 1)])
    >>> list(path), path.reachable
    ([(0, 0), (3, 1)], True)
    """
    given = AStarPath.of(path)
    indices = _indices(grid, given)
    places, limits = grid.engine.pull(grid.terrain, indices)
    corners = [grid.terrain.tile(indices[place]) for place in (0, *places)] if indices else []
    lines = zip(map(dist, corners, corners[1:]), limits, strict=True)
    cost = sum((length * (limit or inf) for length, limit in lines if length), 0.0)
    pulled: AStarPath[Tile] = AStarPath()
    pulled.fill(corners, cost, reachable=given.reachable, nodes=given.nodes, gave_up=given.gave_up)
    return pulled


def line_of_sight(grid: Grid, start: Tile, end: Tile) -> bool:
    r"""Return True if the straight line between the centres of two tiles meets no wall.

    `Grid.is_clear` asks the same of two positions.

    >>> line_of_sight(Grid("..\n.#"), (0, 1), (1, 0))
    False
    """
    return all(grid.is_free(tile) for tile in crossed_tiles(start, end))


def _indices(grid: Grid, path: AStarPath[Tile]) -> Sequence[int]:
    terrain, known = grid.terrain, path.positions
    if isinstance(known, TileSequence) and known.size == grid.size:
        return known.indices
    return [terrain.index(checked_tile(tile, *grid.size)) for tile in path]
