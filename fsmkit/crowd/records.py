"""Records: the fields of agents and of the world, read from attrs classes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, Flag
from typing import Any, Final, get_type_hints

from attrs import NOTHING, Factory, fields, frozen, has
from attrs.exceptions import FrozenError

from fsmkit.crowd.argument_checks import WHOLE_NUMBERS, plain
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.table import Table, fitted_table, kind_of_table

FITTING: Final[Mapping[type, tuple[type, ...]]] = {
    float: (float, int, bool),
    int: (int, bool),
    bool: (bool,),
}
"""Kind of a field -> types of the values that it accepts."""


@frozen
class Record:
    """The fields of a class: name -> kind (float, int or bool) and default; and the tables."""

    name: str
    kinds: Mapping[str, type]
    defaults: Mapping[str, Any]
    tables: Mapping[str, type] = {}
    """The fields that are tables: name -> the kind of the numbers in them."""

    @property
    def fields(self) -> list[str]:
        return [*self.kinds, *self.tables]


def record_of(kind: Any, what: str, *, may_have_tables: bool = False) -> Record:
    """Return the fields of `kind`. Raises CrowdError unless all are scalars with a default.

    A world may have tables beside them.
    """
    if not isinstance(kind, type) or not has(kind):
        shown = kind.__name__ if isinstance(kind, type) else repr(kind)
        raise CrowdError(
            f"{what} must be described by an attrs class, got {shown}. Write `@define` above a "
            "class with lines such as `x: float = 0.0`."
        )
    try:
        hints = get_type_hints(kind)
    except NameError as error:
        raise CrowdError(f"{kind.__name__} has an unknown annotation: {error}.") from None
    kinds: dict[str, type] = {}
    defaults: dict[str, Any] = {}
    tables: dict[str, type] = {}
    for each in fields(kind):
        numbers = kind_of_table(hints.get(each.name)) if may_have_tables else None
        if numbers is not None:
            if each.name == "dt":
                raise CrowdError(
                    f"{kind.__name__}.dt must not be a table: world.dt is the seconds of a step. "
                    "Give it another name."
                )
            tables[each.name] = numbers
            _check_table_default(kind, each.name, numbers, each.default)
            continue
        kinds[each.name] = _checked_kind(kind, each.name, hints.get(each.name))
        defaults[each.name] = _checked_default(kind, each.name, kinds[each.name], each.default)
    return Record(kind.__name__, kinds, defaults, tables)


def world_record_of(kind: Any, what: str) -> Record:
    if kind is None:
        return Record("nothing", {}, {})
    return record_of(kind, what, may_have_tables=True)


def fitted_tables(
    record: Record, world: Any, what: str, dimensions: Mapping[str, int] | None = None
) -> dict[str, Table[Any]]:
    """Return the tables of a world. Raises TypeError for a field of another kind.

    `dimensions` says with how many functions read each table, as far as known.
    """
    known = dimensions or {}
    return {
        name: fitted_table(kind, getattr(world, name), f"{what}{name}", known.get(name))
        for name, kind in record.tables.items()
    }


def check_writable(agent: Any) -> None:
    """Raise CrowdError unless the fields of `agent`, which has its defaults, can be written."""
    for each in fields(type(agent)):
        try:
            setattr(agent, each.name, getattr(agent, each.name))
        except FrozenError:
            raise CrowdError(
                f"{type(agent).__name__}.{each.name} is frozen, but the fields of agents are "
                "written to. Write `@define` above the class, and freeze no field."
            ) from None


def fitted(kind: type, value: Any, what: str) -> Any:
    """Return `value` as a field of `kind` holds it, from numpy too. `what` is for messages.

    Raises TypeError for one of another kind, OverflowError for a number that is too large.
    """
    if type(value) is kind is not int:  # the usual case
        return value
    number = plain(value)
    if not isinstance(number, FITTING[kind]):
        raise TypeError(f"{what} must be {kind.__name__}, got {value!r}.")
    if kind is int and number not in WHOLE_NUMBERS:
        raise OverflowError(f"{what} must be a 64-bit integer, got {value!r}.")
    return kind(number)


def _checked_kind(owner: type, name: str, hint: Any) -> type:
    if _is_int_enum(hint):
        return int
    if hint not in (float, int, bool):
        shown = getattr(hint, "__name__", str(hint)) if hint is not None else "nothing"
        raise CrowdError(
            f"{owner.__name__}.{name} must be annotated with float, int or bool, got {shown}."
        )
    kind: type = hint
    return kind


def _is_int_enum(hint: Any) -> bool:
    is_whole = isinstance(hint, type) and issubclass(hint, int) and issubclass(hint, Enum)
    return is_whole and not issubclass(hint, Flag)


def _check_table_default(owner: type, name: str, numbers: Any, default: object) -> None:
    if default is NOTHING:
        raise CrowdError(
            f"{owner.__name__}.{name} must have a default, got none. Write "
            f"`{name}: Table[{numbers.__name__}] = field(factory=Table)`."
        )
    if isinstance(default, Factory):  # type: ignore[arg-type]  # a class, whatever its stub says
        return
    try:
        fitted_table(numbers, default, f"The default of {owner.__name__}.{name}")
    except TypeError as error:
        raise CrowdError(str(error)) from None


def _checked_default(owner: type, name: str, kind: Any, given: Any) -> Any:
    default = plain(given) if isinstance(given, Enum) else given
    if default is NOTHING or type(default) not in FITTING:
        shown = "none" if default is NOTHING else repr(default)
        raise CrowdError(
            f"{owner.__name__}.{name} must have a number as default, got {shown}. Every agent "
            f"starts with it: `{name}: {kind.__name__} = {kind()!r}`."
        )
    if type(default) is not kind and not (kind is float and type(default) is int):
        raise CrowdError(
            f"The default of {owner.__name__}.{name} must be {kind.__name__}, got {default!r}."
        )
    try:
        return fitted(kind, default, f"{owner.__name__}.{name}")
    except OverflowError as error:
        raise CrowdError(str(error)) from None
