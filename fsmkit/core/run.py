"""Run: what a machine knows of its run, and what can be asked about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fsmkit.core.definition import Definition
from fsmkit.core.messages import check_options
from fsmkit.core.types import BETWEEN, ENTER, EXIT, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.observers import Observers
    from fsmkit.core.state import FsmState

Event: TypeAlias = str | None
Target: TypeAlias = "FsmState[ContextT] | None"
OnUnhandled: TypeAlias = Literal["warn", "ignore", "raise"]


class Run(Definition[ContextT]):
    """The part of an `Fsm` that changes while it runs. Only `Fsm` writes what is private here."""

    __slots__ = (
        "__weakref__", "_acting", "_delayed", "_entered_at", "_exits_alone", "_failures",
        "_finished", "_interrupted", "_next", "_observers", "_posted", "_queue", "_visit",
        "context", "delta_time", "event_data", "last_event", "max_transitions", "on_unhandled",
        "previous_state", "time",
    )  # fmt: skip

    context: ContextT
    """Whatever the machine is the behaviour of."""

    on_unhandled: OnUnhandled
    """What happens to an event that nobody handles."""

    max_transitions: int
    """How many state changes one call from outside may lead to."""

    previous_state: FsmState[ContextT] | None
    """The state it was in before; None if it was not running."""

    last_event: str | None
    """The event that led to the current state, readable from `on_enter` on; None after a start."""

    event_data: object
    """The data of that event."""

    time: float
    """Seconds that have passed, over all updates."""

    delta_time: float
    """Seconds that the last update stood for."""

    def __init__(
        self,
        name: str,
        context: ContextT = None,  # type: ignore[assignment]  # then ContextT is None
        *,
        on_unhandled: OnUnhandled = "warn",
        max_transitions: int = 100,
    ) -> None:
        super().__init__(name)
        check_options(on_unhandled, max_transitions)
        self.context = context
        self.on_unhandled = on_unhandled
        self.max_transitions = max_transitions

        self._current_state = None
        self.previous_state = None
        self.last_event = None
        self.event_data = None
        self.time = self.delta_time = 0.0

        self._phase: str | None = None
        self._acting: FsmAction[Any] | None = None
        self._visit = NO_VISIT
        self._finished = 0
        self._entered_at = 0.0

        self._next: tuple[Target[ContextT], Event, object] | None = None
        self._interrupted = False
        self._exits_alone = False
        self._failures: tuple[BaseException, ...] = ()
        self._queue: list[tuple[str, object]] = []
        self._posted: list[tuple[str, object]] = []
        self._delayed: list[DelayedEvent] = []
        self._observers: Observers | None = None

    @property
    def current_state(self) -> FsmState[ContextT] | None:
        """The state the machine is in; None while it is not running."""
        return self._current_state

    @property
    def is_running(self) -> bool:
        """True from `start()` to `stop()`."""
        return self._current_state is not None

    @property
    def is_changing(self) -> bool:
        """True once a change of the current state has been decided, until it is carried out."""
        return self._next is not None

    @property
    def phase(self) -> str | None:
        """What a call from outside is doing: the name of a callback, or `"between callbacks"`.

        None while the machine is at rest.
        """
        return self._phase

    @property
    def acting(self) -> FsmAction[Any] | None:
        """The action whose callback is being carried out; None outside of callbacks."""
        return None if self._phase in (None, BETWEEN) else self._acting

    @property
    def time_in_state(self) -> float:
        """Seconds since the current state was entered; 0 while not running."""
        return self.time - self._entered_at if self._current_state is not None else 0.0

    def _target(self, event: str) -> FsmState[ContextT] | None:
        """The state that `event` leads to; None where it would change nothing (rule 7)."""
        state = self._current_state
        if state is None:
            return None
        own = state._transitions.get(event)
        if own is not None:
            return own
        target = self._global_transitions.get(event)
        return target if target is not state else None

    def _has_part(self, action: FsmAction[Any]) -> bool:
        """Whether `action` was entered in this visit, or is just being entered."""
        phase, acting = self._phase, self._acting
        if action is acting and (phase is ENTER or phase is UPDATE):
            return True
        if phase is EXIT or action.state is not self._current_state:
            return False
        position = self._visit.position(action)
        return position >= 0 and (phase is not ENTER or position <= self._visit.position(acting))

    def _attached(self) -> tuple[object, ...]:
        return self._observers.attached if self._observers is not None else ()

    def _tell(self, hook: str, *arguments: object) -> None:
        if self._observers is not None and self._observers.methods[hook]:
            self._observers.tell(hook, *arguments)
