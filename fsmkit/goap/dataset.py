"""Data sets: the actions of a kind of agent, and those it shares with others by extensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, field, frozen

from fsmkit.goap.action import Conditions, GoapAction, checked_conditions
from fsmkit.goap.arguments import shown
from fsmkit.goap.counts import Condition, both


class DataSetError(ValueError):
    """Data sets do not fit together, or cannot be read.

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
        checked_conditions(
            self.preconditions, f"The preconditions of the extension {self.dataset!r}"
        )


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
    """The way to a data set: by an extension of the last one of a shorter route."""

    dataset: DataSet
    extension: Extension | None = None
    shorter: _Route | None = None
    preconditions: Conditions = field(factory=dict)
    """What all the extensions on the way need together."""
    is_possible: bool = True
    """False if they contradict each other."""

    def longer(self, extension: Extension, other: DataSet) -> _Route:
        """Return the route that goes on to the data set `other`."""
        needs = dict(extension.preconditions)
        is_possible = self.is_possible and not _contradictions(needs, self.preconditions)
        return _Route(other, extension, self, _together(needs, self.preconditions), is_possible)

    def extended(self, action: GoapAction) -> GoapAction:
        """Return the action with all preconditions of the extensions on the way."""
        if self.shorter is None:
            return action
        needs = _together(action.preconditions, self.preconditions)
        if not self.is_possible or _contradictions(action.preconditions, self.preconditions):
            raise self._contradiction(action)
        if _contradictions(action.spends, self.preconditions):
            raise self._contradiction(action)
        return evolve(action, preconditions=needs)

    def datasets(self) -> list[DataSet]:
        """Return the data sets on the way, the first one first."""
        found = [self.dataset]
        route = self
        while route.shorter is not None:
            route = route.shorter
            found.append(route.dataset)
        return found[::-1]

    def _contradiction(self, action: GoapAction) -> DataSetError:
        """Return the error for the first extension, from the action on, that contradicts it."""
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


def _together(one: Conditions, other: Conditions) -> dict[str, Condition]:
    """Return what asks for both; where they contradict each other, the second has its way."""
    found = {**one, **other}
    for fact in one.keys() & other.keys():
        asked = both(one[fact], other[fact])
        found[fact] = other[fact] if asked is None else asked
    return found


def _contradictions(one: Conditions, other: Conditions) -> list[str]:
    """Return the facts of which nothing meets both conditions, in the order of `other`."""
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

    A data set without actions is passed over the second time; one with actions is an error.
    """
    under_way: list[tuple[_Route, Iterator[Extension], int]] = []
    names: set[str] = set()  # of those under way
    empty: set[str] = set()
    found = 0
    route = _Route(start)
    while True:
        if route.dataset.name in names:
            raise _circle(route)
        if route.dataset.name not in empty:
            names.add(route.dataset.name)
            under_way.append((route, iter(route.dataset.extensions), found))
            for action in route.dataset.actions:
                found += 1
                yield route, action
        while (extension := next(under_way[-1][1], None)) is None:
            done, _, before = under_way.pop()
            names.remove(done.dataset.name)
            if found == before:
                empty.add(done.dataset.name)
            if not under_way:
                return
        last = under_way[-1][0]
        route = last.longer(extension, _find(extension.dataset, known, last.dataset))


def _circle(route: _Route) -> DataSetError:
    """Return the error for a route whose last data set is on it already."""
    datasets = route.datasets()
    names = [dataset.name for dataset in datasets]
    return DataSetError(
        f"The extensions of {route.dataset} lead back to itself: "
        f"{_shown(datasets[names.index(route.dataset.name) :])}. Remove one of them."
    )


def _clash(action: str, first: _Route, second: _Route) -> DataSetError:
    """Return the error for an action name that occurs twice."""
    ways = first.datasets(), second.datasets()
    start, one, other = ways[0][0], first.dataset, second.dataset
    if one is other and first is not second:
        return DataSetError(
            f"The action {action!r} of {one} is reached from {start} by two routes: "
            f"{_shown(ways[0])} and {_shown(ways[1])}. Remove one of these extensions."
        )
    return DataSetError(
        f"The action {action!r} occurs twice in {start}: in {one} and in {other}. Rename one, or "
        "remove it."
    )


def _shown(datasets: Iterable[DataSet]) -> str:
    return " -> ".join(dataset.name for dataset in datasets)


def _find(name: str, known: _DataSets, wanted_by: DataSet | None) -> DataSet:
    if name not in known:
        by = f", an extension of {wanted_by}" if wanted_by is not None else ""
        names = ", ".join(map(repr, known)) or "none"
        raise DataSetError(
            f"There is no data set {name!r}{by}. There are: {names}. Check the spelling."
        )
    return known[name]
