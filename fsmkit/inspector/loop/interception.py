"""Interception of updates, between the loop of a program and its machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from attrs import frozen

from fsmkit import Fsm

Advance: TypeAlias = Callable[[float], None]
"""Updates the machines by that many seconds."""


class Interceptable(Protocol):
    """A group of machines, or a crowd."""

    def __len__(self) -> int: ...

    def intercept(self, handler: Callable[[Advance, float], None], /) -> Callable[[], None]:
        """Have `handler` called in place of `update`, until the result is called."""
        ...


Updated: TypeAlias = "Fsm[Any] | Interceptable"
"""What a loop updates."""


class UpdateHandler(Protocol):
    """Called in place of the update of the machines."""

    def __call__(self, carry_out: Advance, dt: float, /) -> None:
        """Handle one update; `carry_out` carries it out."""
        ...


def check_uninspected(machines: Updated) -> None:
    """Raise ValueError if the machines are already inspected."""
    if machines in _HANDLERS:
        raise ValueError(f"{machines!r} is already inspected. Close that inspector first.")


def intercept_updates(machines: Updated, handler: UpdateHandler) -> Callable[[], None]:
    """Have `handler` called in place of `machines.update`; the function returned ends that.

    For a group it replaces the update of the group only: its machines are not touched, so that
    thousands of them cost nothing. A crowd likewise.
    """
    _HANDLERS[machines] = handler
    if isinstance(machines, Fsm):
        detach = machines.observe(_UpdateInterceptor(handler))
    else:
        detach = machines.intercept(handler)

    def undo() -> None:
        if _HANDLERS.pop(machines, None) is not None:
            detach()

    return undo


@frozen
class _UpdateInterceptor:
    """Hands the updates of one machine to `handler`."""

    handler: UpdateHandler

    def intercept(
        self, _fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        """Carry out all calls but update."""
        if call != "update":
            return carry_out(**arguments)
        return self.handler(lambda dt: carry_out(dt=dt), arguments["dt"])


_HANDLERS: Final[dict[Updated, UpdateHandler]] = {}
