"""Fsm: a machine of named states, driven by events and by time.

Theory of operation
-------------------
Everything happens inside a *call from outside*: start, stop, send_event or update. `_phase` says
what such a call is doing; it is None while the machine is at rest.

    send_event --> offer --> decide          decide fills _next = (target, event, data)
                               |
    update --> walk of on_update
                  |            |             as long as _next is filled:
                  +------> _settle ------> walk of on_exit, current_state = target,
                               ^           walk of on_enter
                               +-------------------+

*Walk.* `process_state_actions` calls a tuple of hooks in list order and stops after the callback
that interrupted it, normally by deciding a change.

*Decide, then change.* An event sent in a callback only decides: it fills `_next`. When the callback
has returned and its walk has stopped, `_settle` carries the change out. What that decides is the
next round of the same loop, so a chain of any length needs no recursion. Events sent while `_next`
is filled go to `_queue` and are offered when nothing is decided any more.

*Visit.* From entering a state to leaving it. A `Visit` is what a state's callbacks come to; each
state keeps one ready. `_visit` is the present one, replaced by a smaller one when entering is cut
short or an action finishes.

*Failing.* An exception of a callback is kept in `_failures` until nothing is decided, then becomes
the event ERROR or is raised. So a change, once begun, is always completed.

*Fast lane.* Most events come from outside and lead straight to a change: nobody listens, nobody
watches, nothing waits. Those are `_visit.routes`, and `send_event` takes them without asking
further. Whatever is special empties `routes` or adds a hook to the visit.

Only the walk assigns `current_state`. The rest of the story stands in `deciding`, `finishing`,
`failing` and `delivery` (events that wait).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, overload

from fsmkit.core.deciding import change_watched, offer, offer_in_turn, resolve_failures
from fsmkit.core.definition import Definition
from fsmkit.core.delayed import DelayedEvent, deliver, schedule
from fsmkit.core.errors import FsmError
from fsmkit.core.failing import (
    change_on_exit,
    check_event,
    come_to_rest,
    endless_chain,
    fail,
    keep_failure,
    take_failures,
)
from fsmkit.core.observers import Observers, checked
from fsmkit.core.types import BETWEEN, ENTER, EXIT, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT, behind

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.state import FsmState
    from fsmkit.core.visit import Hooks

OnUnhandled: TypeAlias = Literal["warn", "ignore", "raise"]


class Fsm(Definition[ContextT]):
    """A state machine: it owns states, knows the current one and takes events and time.

    `context` is whatever the machine is the behaviour of; actions and states hand it on.
    `on_unhandled` says what happens to an event that nobody handles: `"warn"` (logger `fsmkit`),
    `"ignore"` or `"raise"` (UnhandledEventError). `max_transitions` bounds the state changes that
    one call from outside may lead to.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Turnstile")
    >>> locked, opened = fsm.add_state("Locked"), fsm.add_state("Opened")
    >>> locked.add_transition("COIN", opened)
    >>> opened.add_transition("PUSH", locked)
    >>> fsm.start()
    >>> fsm.send_event("COIN")
    True
    >>> fsm.current_state.name
    'Opened'
    """

    __slots__ = (
        "__weakref__",
        "_acting",
        "_delayed",
        "_entered_at",
        "_failures",
        "_finished",
        "_interrupted",
        "_next",
        "_observers",
        "_posted",
        "_queue",
        "_unsettled",
        "_visit",
        "_waiting",
        "context",
        "delta_time",
        "event_data",
        "last_event",
        "max_transitions",
        "on_unhandled",
        "previous_state",
        "time",
    )

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

    @overload
    def __init__(
        self: Fsm[None],
        name: str,
        context: None = None,
        *,
        on_unhandled: OnUnhandled = "warn",
        max_transitions: int = 100,
    ) -> None: ...

    @overload
    def __init__(
        self,
        name: str,
        context: ContextT,
        *,
        on_unhandled: OnUnhandled = "warn",
        max_transitions: int = 100,
    ) -> None: ...

    def __init__(
        self,
        name: str,
        context: Any = None,
        *,
        on_unhandled: OnUnhandled = "warn",
        max_transitions: int = 100,
    ) -> None:
        super().__init__(name)
        if on_unhandled not in ("warn", "ignore", "raise"):
            raise ValueError(f'on_unhandled is "warn", "ignore" or "raise", not {on_unhandled!r}.')
        if max_transitions < 1:
            raise ValueError(f"max_transitions is at least 1, not {max_transitions!r}.")
        self.context = context
        self.on_unhandled = on_unhandled
        self.max_transitions = max_transitions

        self._current_state = None
        self.previous_state = None
        self.last_event = None
        self.event_data = None
        self.time = 0.0
        self.delta_time = 0.0

        self._phase: str | None = None
        self._acting: FsmAction[Any] | FsmState[Any] | None = None
        self._next: tuple[FsmState[ContextT] | None, str | None, object] | None = None
        self._interrupted = self._unsettled = False
        self._failures: tuple[BaseException, ...] = ()
        self._queue: list[tuple[str, object]] = []
        self._posted: list[tuple[str, object]] = []
        self._delayed: list[DelayedEvent] = []
        self._waiting = False
        self._observers: Observers | None = None

        self._visit = NO_VISIT
        self._finished = 0
        self._entered_at = 0.0

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
        acting = self._acting
        if acting is self._current_state or self._phase in (None, BETWEEN):
            return None
        return cast("FsmAction[Any] | None", acting)

    @property
    def time_in_state(self) -> float:
        """Seconds since the current state was entered; 0 while not running."""
        return self.time - self._entered_at if self._current_state is not None else 0.0

    # Calls from outside

    def start(self, state: FsmState[ContextT] | str | None = None) -> None:
        """Enter `state` (a state or its name; by default the first one added).

        A running machine exits first. Called from inside a callback it takes effect when that
        returns. Raises UnknownStateError, and TransitionOnExitError in an `on_exit`.
        """
        if state is None:
            if not self._states:
                raise FsmError(
                    f"Fsm {self.name!r} has no states to start in. Call add_state() first."
                )
            state = next(iter(self._states))
        self._command("start()", self._find_state(state))

    def stop(self) -> None:
        """Exit the current state; without effect on a machine that is not running.

        Called from inside a callback it takes effect when that returns. Raises
        TransitionOnExitError in an `on_exit`.
        """
        if self._current_state is not None or self._phase is not None:
            self._command("stop()", None)

    def send_event(self, event: str, data: object = None) -> bool:
        """Offer `event` to the current state's actions, its transitions and the global ones.

        From inside a callback the change is decided now and carried out when the callback returns;
        from outside everything has settled on return. True if a change was decided, the event was
        queued, or an action consumed it.

        Raises TransitionOnExitError in an `on_exit`, TransitionLoopError beyond `max_transitions`,
        UnhandledEventError if so chosen, TypeError for what is no str, and what callbacks raise.
        """
        visit = self._visit
        if self._phase is not None:
            return offer(self, event, data)
        if event not in visit.routes:
            decide = change_watched if event in visit.watched else offer_in_turn
            return self._call(decide, self, event, data, False)
        try:
            self.process_state_actions(EXIT, visit.exits, visit.routes[event], event, data)
            if self._unsettled:
                self._settle(changes=1)
            return True
        except BaseException as error:
            come_to_rest(self, error)
            raise
        finally:
            self._phase = None

    def offer_event(self, event: str, data: object = None) -> bool:
        """Send `event` as `send_event` does, but one that nobody handles is no fault.

        For handing events on to a machine that may not know them.
        """
        if self._phase is not None:
            return offer(self, event, data, optional=True)
        return self._call(offer_in_turn, self, event, data, True)

    def send_event_after(
        self, delay: float, event: str, data: object = None, *, keep: bool = False
    ) -> DelayedEvent:
        """Send `event` in the first update after `delay` seconds; the result can `cancel()` it.

        It is dropped when the current state is left, unless `keep`. Raises ValueError unless
        `delay` is finite and not negative.
        """
        return schedule(self, delay, event, data, keep)

    def post_event(self, event: str, data: object = None) -> None:
        """Have `event` sent at the beginning of the next update. May be called from any thread."""
        check_event(self, event)
        self._posted.append((event, data))
        self._waiting = True

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: deliver what is due, then update the current state's actions.

        A machine that is not running ignores it. Raises ValueError unless `dt` is finite and not
        negative, FsmError from inside one of the machine's callbacks, and what callbacks raise.
        """
        if not 0.0 <= dt < inf:
            raise ValueError(f"Fsm {self.name!r}: dt is in seconds, finite and >= 0, not {dt!r}.")
        if self._phase is not None:
            raise FsmError(
                f"Fsm {self.name!r}: update() from inside one of its own callbacks. "
                "Call it once per frame, from the game loop."
            )
        if self._current_state is None:
            return
        self.time += dt
        self.delta_time = dt
        if self._observers is not None:
            self._phase = BETWEEN
            self._observers.update_begun(self, dt)
        try:
            if self._waiting and deliver(self):
                return  # the new state gets its first update in the next one
            self.process_state_actions(UPDATE, self._visit.updates)
            if self._unsettled or self._observers is not None:
                self._go_on_updating()
                self._settle()
        except BaseException as error:
            come_to_rest(self, error)
            raise
        finally:
            self._phase = None
            if self._observers is not None:
                self._observers.update_ended(self)

    def observe(self, observer: object) -> Callable[[], None]:
        """Attach an observer (see `fsmkit.observer`); the function returned detaches it.

        Raises TypeError for an object with none of the methods.
        """
        attached = self._observers.attached if self._observers is not None else ()
        self._set_observers((*attached, checked(observer)))

        def undo() -> None:
            if self._observers is not None:
                others = [other for other in self._observers.attached if other is not observer]
                self._set_observers(tuple(others))

        return undo

    # The walk

    def process_state_actions(
        self,
        phase: str,
        hooks: Hooks,
        target: FsmState[ContextT] | None = None,
        event: str | None = None,
        data: object = None,
    ) -> None:
        """Call `hooks` in list order; stop after the callback that interrupted the walk.

        Behind the last exit the state changes: `target` becomes current (None: the machine has
        stopped) and the walk goes on with its enters. One loop for both halves of a change makes
        an event cost 2.6 times hand-written code; with a method for each half it was 3.0.
        """
        while True:
            self._phase = phase
            try:
                for function, action in hooks:
                    self._acting = action
                    function(action)
                    if self._interrupted:
                        return
            except BaseException as error:
                fail(self, error)
                if phase is not EXIT:
                    return
                hooks = behind(hooks, self._acting)
            else:
                if phase is not EXIT:
                    return
                self.previous_state = self._current_state
                self._current_state = target
                self.last_event = event
                self.event_data = data
                self._entered_at = self.time
                if target is None:
                    self._visit = NO_VISIT
                    return
                visit = target._visit
                if visit is None:
                    visit = target._prepare_visit()
                self._visit = visit
                phase, hooks = ENTER, visit.enters

    def _go_on_updating(self) -> None:
        """Take up a walk that was interrupted only because one action finished another."""
        while self._interrupted and self._next is None:
            self._interrupted = False
            visit = self._visit
            reached = visit.position(self._acting)
            rest = tuple(hook for hook in visit.updates if visit.position(hook[1]) > reached)
            self.process_state_actions(UPDATE, rest)

    # Changing

    def _call(self, decide: Callable[..., bool], *arguments: Any) -> bool:
        """Make a call from outside: decide something and let it settle."""
        self._phase = BETWEEN
        try:
            answer = decide(*arguments)
            if self._unsettled or self._queue:
                self._settle()
            elif self._observers is not None:
                self._observers.raise_errors()
            return answer
        except BaseException as error:
            come_to_rest(self, error)
            raise
        finally:
            self._phase = None

    def _command(self, call: str, target: FsmState[ContextT] | None) -> None:
        """Carry out start() or stop(): now, or when the callback it comes from has returned."""
        if self._phase is EXIT:
            raise change_on_exit(self, call)
        if self._phase is None:
            self._call(self._change_state, target, None, None)
        else:
            self._next = (target, None, None)
            self._interrupted = self._unsettled = True

    def _settle(self, changes: int = 0) -> int:
        """Carry out what was decided, then offer what waits; return how often the state changed."""
        trail: list[str] = []
        while True:
            if self._next is not None:
                if self._phase is ENTER:  # cut short: whom the walk did not reach takes no part
                    reached = self._visit.position(self._acting) + 1
                    self._visit = self._visit.first(reached)
                changes += 1
                if changes > 1:
                    self._check_chain(changes, trail)
                target, event, data = self._next
                self._next = None
                self._interrupted = False
                self._change_state(target, event, data)
            elif self._failures:
                self._phase = BETWEEN
                resolve_failures(self)
            elif self._queue:
                self._phase = BETWEEN
                offer(self, *self._queue.pop(0))
            else:
                break
        self._phase = BETWEEN
        self._unsettled = False
        if self._observers is not None:
            self._observers.raise_errors()
        return changes

    def _change_state(
        self, target: FsmState[ContextT] | None, event: str | None, data: object
    ) -> bool:
        self.process_state_actions(EXIT, self._visit.exits, target, event, data)
        return True

    def _check_chain(self, changes: int, trail: list[str]) -> None:
        if self._current_state is not None:
            trail.append(self._current_state.name)
        if changes > self.max_transitions and self._next is not None and self._next[0] is not None:
            keep_failure(self, endless_chain(self, trail))
            raise take_failures(self)

    # Telling

    def _set_observers(self, attached: tuple[object, ...]) -> None:
        self._observers = Observers(attached) if attached else None
        for state in self._states.values():
            state._visit = None
        self._visit = self._visit.observed(self._observers)
        if self._queue:
            self._visit = self._visit.unrouted()

    def __repr__(self) -> str:
        current = self._current_state.name if self._current_state is not None else "not running"
        return f"<Fsm {self.name!r}: {current}>"
