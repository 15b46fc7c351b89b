"""Parameters: what a study may vary of a crowd, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from attrs import evolve, frozen

from fsmkit.core.words.suggestions import similar
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import fitted

Part: TypeAlias = Literal["world", "action", "agents"]


@frozen
class Parameter:
    """Something that has another value in each run."""

    name: str
    """Its name in the study, as the user wrote it."""
    part: Part
    key: str
    """The field of the world, the argument of the loops, or the column of the agents."""
    kind: type
    action: Behaviour | None = None
    """The action that was given the number."""


@frozen
class Axis:
    """A parameter with its values in a study."""

    parameter: Parameter
    values: tuple[Any, ...]


def axes_of(layout: Layout, parameters: Mapping[str, Iterable[Any]]) -> list[Axis]:
    """Return the parameters with their values. Raises CrowdError for what cannot be varied."""
    if not isinstance(parameters, Mapping):
        raise CrowdError(
            "parameters must be a dict of names with their values, such as "
            f'{{"world.speed": [1.0, 2.0]}}, got {parameters!r}.'
        )
    known = Known(layout)
    return [_axis(known.parameter(name), values) for name, values in parameters.items()]


def _axis(parameter: Parameter, values: Any) -> Axis:
    what = f"The values of {parameter.name!r}"
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise CrowdError(f"{what} must be a row of numbers, got {values!r}. Write [{values!r}].")
    try:
        row = tuple(fitted(parameter.kind, each, what) for each in values)
    except (TypeError, OverflowError) as error:
        is_whole = parameter.part == "action" and parameter.kind is int
        advice = " The machine has a whole number there: write it as 1.0." if is_whole else ""
        raise CrowdError(f"{error}{advice}") from None
    if not row:
        raise CrowdError(f"{what} must be one at least, got none.")
    if parameter.action is not None:
        own = parameter.name.rpartition(".")[2]
        for each in row:
            parameter.action.check_parameter(own, each, what)
    return Axis(parameter, row)


class Known:
    """The parameters of a machine: `world.field`, `State.parameter`, and fields of the agents.

    `State[1].parameter` is that of the action with this index, for a state where several have it.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        fields = {each.name: each for each in _fields(layout)}
        own = list(_numbers(layout))
        short = {_short(each.name): each for each in own}
        owners = Counter(_short(each.name) for each in own)
        self._several = {name for name, number in owners.items() if number > 1}
        unique = {name: evolve(each, name=name) for name, each in short.items()
                  if name not in self._several}  # fmt: skip
        self._every = {each.name: each for each in own} | unique | fields
        self._shown = [*unique, *(each.name for each in own if _short(each.name) not in unique),
                       *fields]  # fmt: skip

    def parameter(self, name: str) -> Parameter:
        """Return the parameter with that name. Raises CrowdError."""
        if name in self._every:
            return self._every[name]
        known = ", ".join(self._shown) or "none"
        owner, _, own = str(name).rpartition(".")
        if owner == "world" and own in self._layout.columns.world.tables:
            raise CrowdError(
                f"{name!r} is a table, but only numbers can be varied. Known: {known}."
            )
        if name in self._several:
            raise CrowdError(
                f"{name!r} is a parameter of several actions. Write {_numbered(name, self._shown)}."
            )
        field = self._field(owner, own)
        if field is not None:
            raise CrowdError(f"{name!r} is not a number but the field {field!r}. Vary that.")
        raise CrowdError(f"There is no parameter {name!r}. {self._meant(name)}Known: {known}.")

    def _meant(self, name: object) -> str:
        """Return `Did you mean ...? ` with a similar name of the same owner; empty without one."""
        owner, _, own = str(name).rpartition(".")
        known = [each.rpartition(".") for each in self._every]
        meant = similar(own, [other for each, _, other in known if each == owner])
        return "" if meant is None else f"Did you mean {f'{owner}.{meant}'.lstrip('.')!r}? "

    def _field(self, state: str, name: str) -> str | None:
        """Return the field that an action was given as a parameter, instead of a number."""
        for each in self._layout.states:
            for index, action in enumerate(each.actions):
                if state in (each.name, f"{each.name}[{index}]") and isinstance(action, Behaviour):
                    value = action.definition.parameters.get(name)
                    if isinstance(value, str):
                        return value
        return None


def _fields(layout: Layout) -> Iterator[Parameter]:
    """Yield the fields of the agents and of the world."""
    columns = layout.columns
    for name, kind in columns.record.kinds.items():
        yield Parameter(name, "agents", columns.field(name), kind)
    for name, kind in columns.world.kinds.items():
        if name != "dt":
            yield Parameter(f"world.{name}", "world", name, kind)


def _numbers(layout: Layout) -> Iterator[Parameter]:
    """Yield the numbers that actions were given, by their full names."""
    for state in layout.states:
        for index, action in enumerate(state.actions):
            assert isinstance(action, Behaviour)  # CrowdFsm.copy() has checked it
            for name, argument in layout.binding(state, index).constants.items():
                kind = type(layout.columns.parameters[argument])
                own = f"{state.name}[{index}].{name}"
                yield Parameter(own, "action", argument, kind, action)


def _short(name: str) -> str:
    """Return `State.parameter` for `State[1].parameter`."""
    owner, _, own = name.rpartition(".")
    return f"{owner.rpartition('[')[0]}.{own}"


def _numbered(name: str, names: Iterable[str]) -> str:
    return " or ".join(repr(each) for each in names if each[-1:] != "]" and _short(each) == name)
