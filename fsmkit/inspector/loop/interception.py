"""Interception of updates, between the loop of a program and its machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.tooling.interception import intercept

Advance: TypeAlias = Callable[[float], None]
"""Updates the machines by that many seconds."""


class UpdateHandler(Protocol):
    """Called in place of the update of the machines."""

    def __call__(self, carry_out: Advance, dt: float, /) -> None:
        """Handle one update; `carry_out` carries it out."""
        ...


def check_uninspected(machines: Fsm[Any] | FsmGroup) -> None:
    """Raise ValueError if the machines are already inspected."""
    if machines in _HANDLERS:
        raise ValueError(f"{machines!r} is already inspected. Close that inspector first.")


def intercept_updates(machines: Fsm[Any] | FsmGroup, handler: UpdateHandler) -> Callable[[], None]:
    """Have `handler` called in place of `machines.update`; the function returned ends that.

    For a group it replaces the update of the group only: its machines are not touched, so that
    thousands of them cost nothing.
    """
    _HANDLERS[machines] = handler
    if isinstance(machines, FsmGroup):
        detach = _intercept_group(machines)
    else:
        detach = _intercept(machines, handler)

    def undo() -> None:
        if _HANDLERS.pop(machines, None) is not None:
            detach()

    return undo


def _intercept(machine: Fsm[Any], handler: UpdateHandler) -> Callable[[], None]:
    def called(
        _fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call != "update":
            return carry_out(**arguments)
        return handler(lambda dt: carry_out(dt=dt), arguments["dt"])

    return intercept(machine, called)


def _intercept_group(group: FsmGroup) -> Callable[[], None]:
    group.__class__ = _inspected(type(group))

    def detach() -> None:
        group.__class__ = type(group).__mro__[1]

    return detach


def _inspected(kind: type[FsmGroup]) -> type[FsmGroup]:
    """Return the class for inspected groups of the class `kind`."""
    if kind not in _CLASSES:
        names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        _CLASSES[kind] = type(kind.__name__, (kind,), {"__slots__": (), **names, "update": _update})
    return _CLASSES[kind]


def _update(group: FsmGroup, dt: float) -> None:
    kind: Any = type(group)
    _HANDLERS[group](super(kind, group).update, dt)


_HANDLERS: Final[dict[Fsm[Any] | FsmGroup, UpdateHandler]] = {}
_CLASSES: Final[dict[type[FsmGroup], type[FsmGroup]]] = {}
