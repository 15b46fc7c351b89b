"""Data sets: the actions of a kind of agent, and those it shares with others by extensions.

In a TOML file:

name = "Student"

[[extensions]]
dataset = "Needs"
preconditions = { in_class = false }

[[actions]]
name = "Study"
cost = 4
preconditions = { in_class = true, pages = { at_least = 3 } }
effects = { knows_lesson = true, pages = { add = -3 } }
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from fsmkit.core.checks.arguments import shown
from fsmkit.goap.domain import GoapAction
from fsmkit.goap.facts import Conditions, Minimum, Requirement, add, at_least, both, check_facts

MadeT = TypeVar("MadeT")

KEYS_OF_FILE: Final = ("name", "actions", "extensions")


class DataSetError(ValueError):
    """Data sets contradict each other, or cannot be read.

    >>> try:
    ...     actions_of("Smith", [DataSet("Needs", [])])
    ... except DataSetError as error:
    ...     print(error)
    There is no data set 'Smith'. There are: 'Needs'. Check the spelling.
    """


@frozen
class Extension:
    """A reference to another data set: all its actions, each with `preconditions` added.

    >>> from fsmkit.goap import GoapAction
    >>> eat = GoapAction("Eat", 2, {"has_food": True}, {"hungry": False})
    >>> student = DataSet("Student", [], [Extension("Needs", {"in_class": False})])
    >>> actions_of("Student", [DataSet("Needs", [eat]), student])[0].preconditions
    {'has_food': True, 'in_class': False}
    """

    dataset: str
    preconditions: Conditions = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.dataset, str) or not self.dataset:
            raise TypeError(
                f"The dataset of an Extension must be the name of one, got {shown(self.dataset)}."
            )
        what = f"The preconditions of the extension {self.dataset!r}"
        check_facts(self.preconditions, what, Minimum)


@frozen
class DataSet:
    """The actions of a kind of agent, and the extensions by which it shares those of others.

    `source` says where it comes from, for error messages.

    >>> from fsmkit.goap import GoapAction
    >>> eat = GoapAction("Eat", 2, {"has_food": True}, {"hungry": False})
    >>> [action.name for action in DataSet("Needs", [eat]).actions]
    ['Eat']
    """

    name: str
    actions: Sequence[GoapAction] = ()
    extensions: Sequence[Extension] = ()
    source: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        return f"data set {self.name!r}" + (f" ({self.source})" if self.source else "")


_DataSets: TypeAlias = Mapping[str, DataSet]


@frozen(eq=False)
class _Route:
    dataset: DataSet
    extension: Extension | None = None
    shorter: _Route | None = None
    preconditions: Conditions = field(factory=dict)
    """The conditions of all extensions on the route."""
    is_possible: bool = True
    """False if they contradict each other."""

    def longer(self, extension: Extension, other: DataSet) -> _Route:
        needs = dict(extension.preconditions)
        is_possible = self.is_possible and not _contradictions(needs, self.preconditions)
        return _Route(other, extension, self, _together(needs, self.preconditions), is_possible)

    def extended(self, action: GoapAction) -> GoapAction:
        if self.shorter is None:
            return action
        needs = (action.preconditions, action.spends)
        if not self.is_possible or any(_contradictions(n, self.preconditions) for n in needs):
            raise self._contradiction(action)
        return evolve(action, preconditions=_together(action.preconditions, self.preconditions))

    def datasets(self) -> list[DataSet]:
        found = [self.dataset]
        route = self
        while route.shorter is not None:
            route = route.shorter
            found.append(route.dataset)
        return found[::-1]

    def _contradiction(self, action: GoapAction) -> DataSetError:
        needs = _together(action.spends, action.preconditions)
        route = self
        while route.extension is not None and route.shorter is not None:
            extension, route = route.extension, route.shorter
            for fact in _contradictions(needs, extension.preconditions):
                return DataSetError(
                    f"{route.dataset}: its extension {extension.dataset!r} needs {fact!r} to be "
                    f"{extension.preconditions[fact]}, but the action {action.name!r} needs it to "
                    f"be {needs[fact]}: it could never be used."
                )
            needs = _together(needs, extension.preconditions)
        raise AssertionError("no contradiction")


def actions_of(name: str, datasets: Iterable[DataSet]) -> tuple[GoapAction, ...]:
    """Return all actions of the data set `name`: its own, then those of each extension in order.

    The preconditions of an extension are added to every action that it brings, on every level.
    Raises DataSetError for a data set that does not exist or exists twice, a circle of extensions,
    an action that occurs twice or is reached by two routes, and an extension whose precondition
    contradicts an action's.

    >>> eat = GoapAction("Eat", 2, {"has_food": True}, {"hungry": False})
    >>> needs = DataSet("Needs", [eat])
    >>> student = DataSet("Student", [], [Extension("Needs", {"in_class": False})])
    >>> actions_of("Student", [needs, student])[0].preconditions
    {'has_food': True, 'in_class': False}
    """
    known = _by_name(datasets)
    routes: dict[str, _Route] = {}
    actions: list[GoapAction] = []
    for route, action in _gather(_find(name, known, None), known):
        extended = route.extended(action)
        if action.name in routes:
            raise _clash(action.name, routes[action.name], route)
        routes[action.name] = route
        actions.append(extended)
    return tuple(actions)


def _together(one: Conditions, other: Conditions) -> dict[str, Requirement]:
    """Return the conditions of both; where they contradict each other, the second prevails."""
    found = {**one, **other}
    for fact in one.keys() & other.keys():
        asked = both(one[fact], other[fact])
        found[fact] = other[fact] if asked is None else asked
    return found


def _contradictions(one: Conditions, other: Conditions) -> list[str]:
    return [fact for fact in other if fact in one and both(one[fact], other[fact]) is None]


def _by_name(datasets: Iterable[DataSet]) -> dict[str, DataSet]:
    known: dict[str, DataSet] = {}
    for dataset in datasets:
        if dataset.name in known:
            raise DataSetError(
                f"There are two data sets called {dataset.name!r}: {known[dataset.name]} and "
                f"{dataset}. Rename one of them."
            )
        known[dataset.name] = dataset
    return known


def _gather(start: DataSet, known: _DataSets) -> Iterator[tuple[_Route, GoapAction]]:
    """Yield the actions of `start`, then those of its extensions, each with the route to it.

    A data set without actions is skipped the second time; one with actions is an error.
    """
    pending: list[tuple[_Route, Iterator[Extension], int]] = []
    names: set[str] = set()  # of the data sets on the route
    empty: set[str] = set()
    found = 0
    route = _Route(start)
    while True:
        if route.dataset.name in names:
            raise _circle(route)
        if route.dataset.name not in empty:
            names.add(route.dataset.name)
            pending.append((route, iter(route.dataset.extensions), found))
            for action in route.dataset.actions:
                found += 1
                yield route, action
        while (extension := next(pending[-1][1], None)) is None:
            done, _, before = pending.pop()
            names.remove(done.dataset.name)
            if found == before:
                empty.add(done.dataset.name)
            if not pending:
                return
        last = pending[-1][0]
        route = last.longer(extension, _find(extension.dataset, known, last.dataset))


def _circle(route: _Route) -> DataSetError:
    datasets = route.datasets()
    names = [dataset.name for dataset in datasets]
    return DataSetError(
        f"The extensions of {route.dataset} lead back to itself: "
        f"{_arrows(datasets[names.index(route.dataset.name) :])}. Remove one of them."
    )


def _clash(action: str, first: _Route, second: _Route) -> DataSetError:
    routes = first.datasets(), second.datasets()
    start, one, other = routes[0][0], first.dataset, second.dataset
    if one is other and first is not second:
        return DataSetError(
            f"The action {action!r} of {one} is reached from {start} by two routes: "
            f"{_arrows(routes[0])} and {_arrows(routes[1])}. Remove one of these extensions."
        )
    return DataSetError(
        f"The action {action!r} occurs twice in {start}: in {one} and in {other}. Rename one, or "
        "remove it."
    )


def _arrows(datasets: Iterable[DataSet]) -> str:
    return " -> ".join(dataset.name for dataset in datasets)


def _find(name: str, known: _DataSets, wanted_by: DataSet | None) -> DataSet:
    if name not in known:
        by = f", an extension of {wanted_by}" if wanted_by is not None else ""
        names = ", ".join(map(repr, known)) or "none"
        raise DataSetError(
            f"There is no data set {name!r}{by}. There are: {names}. Check the spelling."
        )
    return known[name]


def load_datasets(*paths: str | Path) -> tuple[DataSet, ...]:
    r"""Return the data sets in files, and in all `.toml` files of folders, in order.

    A data set without a `name` has that of its file. No code is run. Raises DataSetError with the
    file and the key for any mistake in a file, OSError if one cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "Needs.toml")
    ...     _ = file.write_text('[[actions]]\nname = "Eat"\ncost = 2\neffects = {hungry = false}\n')
    ...     [dataset] = load_datasets(folder)
    >>> dataset.name, dataset.actions[0].name
    ('Needs', 'Eat')
    """
    return tuple(_load(path) for path in _files(paths))


def _files(paths: Iterable[str | Path]) -> Iterable[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from (each for each in sorted(path.glob("*.toml")) if not each.is_dir())
        else:
            yield path


def _load(path: Path) -> DataSet:
    written = path.read_bytes()
    try:
        content = tomllib.loads(written.decode("utf-8-sig"))  # editors may write a byte order mark
    except (RecursionError, ValueError) as error:  # a number with too many digits is a ValueError
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        advice = " Save the file as UTF-8." if isinstance(error, UnicodeDecodeError) else ""
        raise DataSetError(f"{path}: this is not valid TOML: {why}.{advice}") from None
    _check_keys(content, KEYS_OF_FILE, str(path))
    return DataSet(
        _text(content.get("name", path.stem), f"{path}: name"),
        _tables(content, "actions", path, GoapAction),
        _tables(content, "extensions", path, Extension),
        source=str(path),
    )


KEYS_OF_TABLES: Final = {
    GoapAction: ("name", "cost", "preconditions", "effects"),
    Extension: ("dataset", "preconditions"),
}
"""The keys of a table; the first is required."""


def _tables(content: Mapping[str, Any], key: str, path: Path, kind: type[MadeT]) -> list[MadeT]:
    tables = content.get(key, [])
    if not isinstance(tables, list):
        raise DataSetError(
            f"{path}: {key} must be written as [[{key}]], one for each, got {shown(tables)}."
        )
    return [_made(kind, table, f"{path}: {key}[{index}]") for index, table in enumerate(tables)]


def _made(kind: type[MadeT], table: Mapping[str, Any], place: str) -> MadeT:
    keys = KEYS_OF_TABLES[kind]
    _check_keys(table, keys, place)
    if keys[0] not in table:
        raise DataSetError(f"{place}: the key {keys[0]!r} is missing. Add it.")
    if kind is GoapAction:
        place = f"{place} ({_text(table['name'], f'{place}: name')})"
    return _with_place(place, kind, **_counted(table, place))


def _counted(table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the table with `{ at_least = 3 }` and `{ add = 1 }` replaced by calls."""
    found = dict(table)
    for key, word, make in (("preconditions", "at_least", at_least), ("effects", "add", add)):
        if isinstance(table.get(key), dict):
            found[key] = {
                fact: _with_place(f"{place}: {key}: {fact}", make, value[word])
                if isinstance(value, dict) and [*value] == [word]
                else value
                for fact, value in table[key].items()
            }
    return found


def _with_place(place: str, make: Callable[..., MadeT], *arguments: Any, **options: Any) -> MadeT:
    try:
        return make(*arguments, **options)
    except (TypeError, ValueError) as error:
        raise DataSetError(f"{place}: {error}") from None


def _check_keys(table: object, known: tuple[str, ...], place: str) -> None:
    if not isinstance(table, Mapping):
        raise DataSetError(
            f"{place} must be a table with the keys {', '.join(known)}, got {shown(table)}."
        )
    for key in table:
        if key not in known:
            raise DataSetError(
                f"{place}: unknown key {key!r}. It knows {', '.join(known)}. Check the spelling."
            )


def _text(value: object, place: str) -> str:
    if not isinstance(value, str) or not value:
        raise DataSetError(f"{place} must be a non-empty text, got {shown(value)}.")
    return value
