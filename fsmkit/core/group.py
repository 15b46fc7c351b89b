"""FsmGroup: many machines, one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

from fsmkit.core.errors import FsmError, as_one
from fsmkit.core.fsm import Fsm


class FsmGroup:
    """Machines that are updated together, in the order in which they were added.

    Machines may be added and removed at any time, from their own callbacks too: one that is removed
    is not updated any more, one that is added is updated from the next call on.

    >>> from fsmkit import Fsm
    >>> guards = FsmGroup(Fsm(name) for name in ("Ann", "Bob"))
    >>> for guard in guards:
    ...     _ = guard.add_state("Patrol").add_transition("ALARM", guard.add_state("Chase"))
    ...     guard.start()
    >>> guards.broadcast("ALARM")
    2
    """

    __slots__ = ("__weakref__", "_handler", "_machines")

    def __init__(self, machines: Iterable[Fsm[Any]] = ()) -> None:
        self._machines: dict[Fsm[Any], None] = {}
        self._handler: Callable[[Callable[[float], None], float], None] | None = None
        for machine in machines:
            self.add(machine)

    def __del__(self) -> None:
        """Let the machines run inside another one again, once nobody has this group."""
        for machine in getattr(self, "_machines", ()):  # none, if it could not be copied
            machine._leave_group()

    def add(self, machine: Fsm[Any]) -> Fsm[Any]:
        """Add `machine` and return it; without effect if it is in the group already.

        Raises TypeError for what is no machine, FsmError for one that runs inside another.
        """
        if not isinstance(machine, Fsm):
            has_inside = isinstance(getattr(machine, "machine", None), Fsm)
            advice = " Add its attribute machine." if has_inside else ""
            raise TypeError(f"A member of an FsmGroup must be an Fsm, got {machine!r}.{advice}")
        if machine not in self._machines:
            machine._join_group()
            self._machines[machine] = None
        return machine

    def remove(self, machine: Fsm[Any]) -> None:
        """Take `machine` out, without stopping it; ValueError if it is not in the group."""
        if machine not in self._machines:
            raise ValueError(f"{machine!r} is not in this group of {len(self)} machines.")
        del self._machines[machine]
        machine._leave_group()

    @property
    def is_running(self) -> bool:
        """Whether any of the machines is running."""
        return any(machine.is_running for machine in self._machines)

    @property
    def next_due(self) -> float:
        """Seconds until something is due in one of the machines by itself; see `Fsm.next_due`."""
        return min((machine.next_due for machine in self._machines), default=inf)

    def update(self, dt: float) -> None:
        """Update every machine by `dt` seconds.

        An exception in one does not keep the others from being updated: afterwards one exception is
        raised itself, several as an ExceptionGroup.
        """
        if self._handler is None:
            self._update(dt)
        else:
            self._handler(self._update, dt)

    def intercept(
        self, handler: Callable[[Callable[[float], None], float], None]
    ) -> Callable[[], None]:
        """Have `handler(carry_out, dt)` called in place of `update`, until the result is called.

        For tools that pause machines: `carry_out(dt)` updates them. Raises TypeError for what is no
        function, and FsmError if there is such a handler already.
        """
        if not callable(handler):
            raise TypeError(f"handler must be a function (carry_out, dt), got {handler!r}.")
        if self._handler is not None:
            raise FsmError(f"{self!r} is intercepted already. Undo that first.")
        self._handler = handler

        def undo() -> None:
            self._handler = None

        return undo

    def _update(self, dt: float) -> None:
        self._each(lambda machine: machine.update(dt))

    def broadcast(self, event: str, data: object = None) -> int:
        """Send `event` to every machine; return how many took it. Exceptions as in `update`."""
        return sum(self._each(lambda machine: machine.send_event(event, data)))

    def _each(self, call: Callable[[Fsm[Any]], Any]) -> list[Any]:
        answers: list[Any] = []
        errors: list[Exception] = []
        for machine in tuple(self._machines):
            if machine in self._machines:
                try:
                    answers.append(call(machine))
                except Exception as error:
                    errors.append(error)
        if errors:
            raise as_one(errors, f"{len(errors)} machines of the group failed")
        return answers

    def __getstate__(self) -> list[Fsm[Any]]:
        """What a copy has: the machines. Whoever intercepts its updates stays behind (rule 23)."""
        return list(self._machines)

    def __setstate__(self, machines: list[Fsm[Any]]) -> None:
        self._handler = None
        self._machines = dict.fromkeys(machines)
        for machine in machines:
            machine._copied_with_group()

    def __contains__(self, machine: object) -> bool:
        return machine in self._machines

    def __iter__(self) -> Iterator[Fsm[Any]]:
        return iter(tuple(self._machines))

    def __len__(self) -> int:
        return len(self._machines)

    def __repr__(self) -> str:
        return f"<FsmGroup of {len(self)} machines>"
