"""Where the inspector comes in: between the loop of a program and its machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.tooling.interception import intercept

Carry: TypeAlias = Callable[[float], None]
"""Lets so many seconds pass for the machines."""


class Updating(Protocol):
    """Is asked to update in the place of the machines."""

    def __call__(self, carry_out: Carry, dt: float, /) -> None:
        """Deal with one update; `carry_out` makes it."""
        ...


def check_uninspected(machines: Fsm[Any] | FsmGroup) -> None:
    """Raise ValueError if there is an inspector already."""
    if machines in _UPDATING:
        raise ValueError(f"{machines!r} is inspected already. Close that inspector first.")


def intercept_updates(machines: Fsm[Any] | FsmGroup, updating: Updating) -> Callable[[], None]:
    """Have `updating` called in the place of `machines.update`; the function returned ends that.

    Of a group it is the update of the group: those of its machines are not looked at, so that
    thousands of them cost nothing.
    """
    _UPDATING[machines] = updating
    if isinstance(machines, FsmGroup):
        detach = _intercept_group(machines)
    else:
        detach = _intercept(machines, updating)

    def undo() -> None:
        if _UPDATING.pop(machines, None) is not None:
            detach()

    return undo


def _intercept(machine: Fsm[Any], updating: Updating) -> Callable[[], None]:
    def called(
        _fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call != "update":
            return carry_out(**arguments)
        return updating(lambda dt: carry_out(dt=dt), arguments["dt"])

    return intercept(machine, called)


def _intercept_group(group: FsmGroup) -> Callable[[], None]:
    group.__class__ = _inspected(type(group))

    def detach() -> None:
        group.__class__ = type(group).__mro__[1]

    return detach


def _inspected(kind: type[FsmGroup]) -> type[FsmGroup]:
    """The class of groups of the class `kind` that are inspected."""
    if kind not in _CLASSES:
        names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        _CLASSES[kind] = type(kind.__name__, (kind,), {"__slots__": (), **names, "update": _update})
    return _CLASSES[kind]


def _update(group: FsmGroup, dt: float) -> None:
    kind: Any = type(group)
    _UPDATING[group](super(kind, group).update, dt)


_UPDATING: Final[dict[Fsm[Any] | FsmGroup, Updating]] = {}
_CLASSES: Final[dict[type[FsmGroup], type[FsmGroup]]] = {}
