"""Run: the state of a running machine, and the properties that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from fsmkit.core.checks import arguments
from fsmkit.core.definition import Definition, OnUnhandled
from fsmkit.core.delayed import DelayedEvent, HasDelayed
from fsmkit.core.hosting import Hosted
from fsmkit.core.observers import Observed
from fsmkit.core.step import CarriesTime
from fsmkit.core.types import BETWEEN, NO_EXTRAS, ContextT
from fsmkit.core.visit import NO_VISIT, Visit
from fsmkit.core.work import HasWork

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.state import FsmState, Transition

Cause: TypeAlias = str | None
"""The event that leads to a state; none leads to the first."""
Target: TypeAlias = "FsmState[ContextT] | None"
Lead: TypeAlias = "FsmState[ContextT] | Transition[ContextT]"
"""The choice for an event: a transition, or the target alone of a plain one."""
Taken: TypeAlias = "Transition[ContextT] | None"
"""The transition whose effect is due, if one has an effect."""
Posted: TypeAlias = tuple[str | None, Any]
"""A posted event with its data; or None with the result of external work."""
Offered: TypeAlias = tuple[tuple[str, ...], str]
"""The event being offered to actions, after those during which it was sent; and the outcome of it
in nested machines."""


class Run(Definition[ContextT], Hosted, Observed, HasDelayed, CarriesTime, HasWork):
    """The part of an `Fsm` that changes while it runs.

    Internal names have an underscore on both sides, like those of `enum`, so that a subclass may
    have a `_time`, a `_queue` and a `_send()` of its own.
    """

    __slots__ = (
        "__weakref__", "_acting_", "_delayed_", "_extras_", "_failures_", "_groups_", "_halted_",
        "_host_", "_next_", "_offered_", "_posted_", "_queue_", "_time_", "_visit_", "context",
        "delta_time", "previous_state",
    )  # fmt: skip

    context: ContextT
    """The object whose behaviour the machine is."""

    previous_state: FsmState[ContextT] | None
    """The state it was in before; None if it was not running."""

    delta_time: float
    """Seconds that the last update stood for."""

    def __init__(
        self,
        name: str,
        context: ContextT = None,  # type: ignore[assignment]  # then ContextT is None
        *,
        on_unhandled: OnUnhandled = "warn",
        max_transitions: int = 100,
        carry_time: bool = False,
    ) -> None:
        super().__init__(name, on_unhandled, max_transitions, carry_time)
        self.context = context
        self.previous_state = None
        self._time_ = self.delta_time = 0.0

        self._acting_: FsmAction[Any] | None = None
        self._visit_: Visit = NO_VISIT
        self._next_: tuple[Lead[ContextT] | None, Cause, object] | None = None
        self._failures_: tuple[BaseException, ...] = ()
        self._offered_: Offered | None = None

        self._queue_: tuple[tuple[Any, ...], ...] = ()
        self._posted_: list[Posted] = []
        self._delayed_: list[DelayedEvent] = []

        self._host_: FsmAction[Any] | None = None
        self._halted_: list[FsmAction[Any]] | None = None
        self._groups_ = 0
        self._extras_ = NO_EXTRAS
        """Values that others keep with the run, by their own keys; never changed in place."""

    @property
    def time(self) -> float:
        """Seconds that have passed, over all updates."""
        return self._time_

    @time.setter
    def time(self, seconds: float) -> None:
        self._time_ = arguments.seconds(seconds, f"Fsm {self.name!r}: time")

    @property
    def is_changing(self) -> bool:
        """True once a change of the current state has been decided, until it is carried out."""
        return self._next_ is not None

    @property
    def phase(self) -> str | None:
        """What an external call is doing: the name of a callback, or `"between callbacks"`.

        None while the machine is at rest.
        """
        return self._phase_

    @property
    def acting(self) -> FsmAction[Any] | None:
        """The action whose callback is being carried out; None outside of callbacks."""
        return None if self._phase_ is None or self._phase_ is BETWEEN else self._acting_

    @property
    def time_in_state(self) -> float:
        """Seconds since the current state was entered; 0 while not running."""
        return self._time_ - self._visit_.since if self._visit_.state is not None else 0.0

    @property
    def suspended(self: Any) -> tuple[FsmState[ContextT], ...]:
        """The states that are suspended, the last one last; `BACK` leads to that (rule 18)."""
        return tuple(visit.state for visit in self._suspended_())
