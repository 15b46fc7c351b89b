"""Run: what a machine knows of its run, and what can be asked about it."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from fsmkit.core import messages
from fsmkit.core.definition import Definition
from fsmkit.core.types import BETWEEN, ENTER, EXIT, SUSPEND, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.observers import Observers
    from fsmkit.core.state import FsmState
    from fsmkit.core.suspension import Suspension
    from fsmkit.core.transition import Transition
    from fsmkit.core.warned import Warned

Event: TypeAlias = str | None
Target: TypeAlias = "FsmState[ContextT] | None"
Lead: TypeAlias = "FsmState[ContextT] | Transition[ContextT]"
"""What was chosen for an event: a transition, or of a plain one the target alone."""
Queue: TypeAlias = deque[tuple[str, object]] | tuple[()]
Posted: TypeAlias = tuple[str | None, Any]
"""An event that was posted, with its data; or None, with the result of work elsewhere."""

OnUnhandled: TypeAlias = Literal["warn", "ignore", "raise"]

NOTHING_HOLDS: Final[frozenset[object]] = frozenset()
"""Shared by all machines: an empty frozenset of its own would cost each of them 216 bytes."""


class Run(Definition[ContextT]):
    """The part of an `Fsm` that changes while it runs. Only `Fsm` writes what is private here."""

    __slots__ = (
        "__weakref__", "_acting", "_answering", "_carry_time", "_delayed", "_entered_at",
        "_exits_alone", "_failures", "_finished", "_finished_at", "_groups", "_holding", "_host",
        "_interrupted", "_max_transitions", "_moment", "_next", "_observers", "_on_unhandled",
        "_outcome_inside", "_posted", "_queue", "_rest", "_suspended", "_time", "_unused", "_visit",
        "_warned", "context", "delta_time", "event_data", "last_event", "previous_state",
    )  # fmt: skip

    context: ContextT
    """Whatever the machine is the behaviour of."""

    previous_state: FsmState[ContextT] | None
    """The state it was in before; None if it was not running."""

    last_event: str | None
    """The event that led to the current state, readable from `on_enter` on; None after a start."""

    event_data: object
    """The data of that event."""

    _on_unhandled: OnUnhandled

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
        super().__init__(name)
        self.context = context
        if on_unhandled != "warn" or max_transitions != 100 or carry_time is not False:
            messages.check_options(on_unhandled, max_transitions, carry_time)
        self._on_unhandled = on_unhandled
        self._max_transitions = max_transitions
        self._carry_time = carry_time
        self._observers: Observers | None = None
        self._host: FsmAction[Any] | None = None
        self._groups = 0
        self._warned: Warned | None = None
        self._be_at_rest()

    def _be_at_rest(self) -> None:
        self._current_state = None
        self.previous_state = None
        self.last_event = None
        self.event_data = None
        self._time = self.delta_time = 0.0

        self._phase: str | None = None
        self._acting: FsmAction[Any] | None = None
        self._visit = NO_VISIT
        self._finished = 0
        self._entered_at = 0.0
        self._suspended: tuple[Suspension, ...] = ()
        self._rest = self._unused = self._moment = self._finished_at = 0.0

        self._next: tuple[Lead[ContextT] | None, Event, object] | None = None
        self._interrupted = False
        self._exits_alone = False
        self._failures: tuple[BaseException, ...] = ()
        self._queue: Queue = ()
        self._posted: list[Posted] = []
        self._delayed: list[DelayedEvent] = []
        self._answering: tuple[str, ...] = ()
        self._outcome_inside = "unhandled"
        self._holding = NOTHING_HOLDS

    @property
    def on_unhandled(self) -> OnUnhandled:
        """What happens to an event that nobody handles."""
        return self._on_unhandled

    @on_unhandled.setter
    def on_unhandled(self, choice: OnUnhandled) -> None:
        self._on_unhandled = messages.checked_choice(choice)

    @property
    def max_transitions(self) -> int:
        """How many state changes one call from outside may lead to."""
        return self._max_transitions

    @max_transitions.setter
    def max_transitions(self, bound: int) -> None:
        self._max_transitions = messages.checked_bound(bound)

    @property
    def carry_time(self) -> bool:
        """Whether what is left of a step when a state finishes goes on in the next (rule 22)."""
        return self._carry_time

    @carry_time.setter
    def carry_time(self, carry_time: bool) -> None:
        messages.check_options(self._on_unhandled, self._max_transitions, carry_time)
        self._carry_time = carry_time

    @property
    def time(self) -> float:
        """Seconds that have passed, over all updates."""
        return self._time

    @time.setter
    def time(self, seconds: float) -> None:
        self._time = messages.checked_seconds(self, "time", seconds)

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
        return self._time - self._entered_at if self._current_state is not None else 0.0

    @property
    def next_due(self) -> float:
        """Seconds until something is due by itself: a delayed event, the end of a wait.

        For those who do not update in frames but from one event to the next. 0.0 where something is
        due now, or an action is at work in every update, as a movement or a condition is: then
        choose a step of your own. inf where only an event from outside leads on, and while it is
        not running. Ask again after each event and update.

        >>> from actions import TimedWait
        >>> from fsmkit import FINISHED, Fsm
        >>> fsm = Fsm("Kettle")
        >>> heat, ready = fsm.add_state("Heat"), fsm.add_state("Ready")
        >>> _ = heat.add_action(TimedWait(180.0))
        >>> _ = heat.add_transition(FINISHED, ready)
        >>> fsm.start()
        >>> fsm.next_due
        180.0
        >>> fsm.update(fsm.next_due)
        >>> fsm.current_state.name, fsm.next_due
        ('Ready', inf)
        """
        if self._current_state is None:
            return inf
        if self._posted or self._queue:
            return 0.0
        delayed = self._delayed[0].due - self._time if self._delayed else inf
        waits: list[float] = [action.next_due for _, action in self._visit.updates]
        return max(0.0, min([delayed, *waits]))

    @property
    def holding(self) -> frozenset[object]:
        """The conditions that held when the machine last asked them, of those that remember it."""
        return self._holding

    _wrapper: ClassVar[str] = "DelegateAction"
    """The name of the action that calls a function, for messages."""

    conditions_held_alone: ClassVar[bool] = False
    """Whether a condition that remembers has ever held when it was asked without a machine.

    Until then tools need not look for such conditions.
    """

    def hold(self, condition: object, *, holds: bool) -> None:
        """Have the machine remember, as a part of its run, whether a condition held."""
        if bool(holds) is not (condition in self._holding):
            self._holding ^= {condition}

    @property
    def suspended(self) -> tuple[FsmState[ContextT], ...]:
        """The states that are suspended, the last one last; `BACK` leads to that (rule 18)."""
        return tuple(suspension.state for suspension in self._suspended)

    @property
    def host(self) -> FsmAction[Any] | None:
        """The action of another machine that runs this one, or None (rule 19)."""
        return self._host

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the current states, from the outermost machine inwards.

        Where a state runs several machines, the path goes through the first that is running.
        """
        return (*self._path_to_here(), *self._path_from_here())

    def _path_to_here(self) -> tuple[str, ...]:
        host = self._host
        return () if host is None else (*host.fsm._path_to_here(), host.state.name)

    def _path_from_here(self) -> tuple[str, ...]:
        state = self._current_state
        if state is None:
            return ()
        for action in self._visit.actions:
            for machine in action.machines:
                if machine.is_running and machine.host is not None and machine.host.fsm is self:
                    return (state.name, *machine._path_from_here())
        return (state.name,)

    def _has_part(self, action: FsmAction[Any]) -> bool:
        """Whether `action` was entered in this visit, or is just being entered."""
        phase, acting = self._phase, self._acting
        if action is acting and (phase is ENTER or phase is UPDATE):
            return True
        if phase is EXIT or phase is SUSPEND or action.state is not self._current_state:
            return False
        position = self._visit.position(action)
        return position >= 0 and (phase is not ENTER or position <= self._visit.position(acting))

    def _is_suspended(self, state: FsmState[Any]) -> bool:
        return any(suspension.state is state for suspension in self._suspended)

    def _attached(self) -> tuple[object, ...]:
        return self._observers.attached if self._observers is not None else ()

    def _tell(self, hook: str, *arguments: object) -> None:
        if self._observers is not None and self._observers.methods[hook]:
            self._observers.tell(hook, *arguments)
