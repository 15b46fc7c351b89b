"""Data sets: the actions of a kind of agent, and those it shares with others by extensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, field, frozen

from fsmkit.goap.action import Facts, GoapAction, checked_facts


class DataSetError(ValueError):
    """Data sets do not fit together, or cannot be read."""


@frozen
class Extension:
    """A reference to another data set: all its actions, each with `preconditions` added."""

    dataset: str
    preconditions: Facts = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.dataset, str) or not self.dataset:
            raise TypeError(
                f"The dataset of an Extension must be the name of one, got {self.dataset!r}."
            )
        checked_facts(self.preconditions, f"The preconditions of the extension {self.dataset!r}")


@frozen
class DataSet:
    """The actions of a kind of agent, and the extensions by which it shares those of others.

    `source` says where it comes from, for error messages.
    """

    name: str
    actions: Sequence[GoapAction] = ()
    extensions: Sequence[Extension] = ()
    source: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        return f"data set {self.name!r}" + (f" ({self.source})" if self.source else "")


_DataSets: TypeAlias = Mapping[str, DataSet]
_Route: TypeAlias = tuple[DataSet, ...]
"""The data sets whose extensions lead to an action, its own last."""


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
    for route, action in _gather((_find(name, known, None),), known):
        if action.name in routes:
            raise _clash(action.name, routes[action.name], route)
        routes[action.name] = route
        actions.append(action)
    return tuple(actions)


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


def _gather(route: _Route, known: _DataSets) -> Iterator[tuple[_Route, GoapAction]]:
    """Yield the actions of the data set at the end of `route`, each with the route to it."""
    dataset = route[-1]
    if dataset in route[:-1]:
        raise DataSetError(
            f"The extensions of {dataset} lead back to itself: "
            f"{_shown(route[route.index(dataset) :])}. Remove one of them."
        )
    yield from ((route, action) for action in dataset.actions)
    for extension in dataset.extensions:
        other = _find(extension.dataset, known, dataset)
        for longer, action in _gather((*route, other), known):
            yield longer, _extended(action, extension, dataset)


def _clash(action: str, first: _Route, second: _Route) -> DataSetError:
    """Return the error for an action name that occurs twice."""
    start, one, other = first[0], first[-1], second[-1]
    if one is other and first is not second:
        return DataSetError(
            f"The action {action!r} of {one} is reached from {start} by two routes: "
            f"{_shown(first)} and {_shown(second)}. Remove one of these extensions."
        )
    return DataSetError(
        f"The action {action!r} occurs twice in {start}: in {one} and in {other}. Rename one, or "
        "remove it."
    )


def _shown(route: _Route) -> str:
    return " -> ".join(dataset.name for dataset in route)


def _find(name: str, known: _DataSets, wanted_by: DataSet | None) -> DataSet:
    if name not in known:
        by = f", an extension of {wanted_by}" if wanted_by is not None else ""
        names = ", ".join(map(repr, known)) or "none"
        raise DataSetError(
            f"There is no data set {name!r}{by}. There are: {names}. Check the spelling."
        )
    return known[name]


def _extended(action: GoapAction, extension: Extension, dataset: DataSet) -> GoapAction:
    for fact, value in extension.preconditions.items():
        if action.preconditions.get(fact, value) is not value:
            raise DataSetError(
                f"{dataset}: its extension {extension.dataset!r} needs {fact!r} to be {value}, but "
                f"the action {action.name!r} needs it to be {not value}: it could never be used."
            )
    return evolve(action, preconditions={**action.preconditions, **extension.preconditions})
