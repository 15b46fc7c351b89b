"""Fsm: a machine of named states, driven by events and by time. What can be called from outside."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from fsmkit.core import messages
from fsmkit.core.delayed import TIME_TOLERANCE, DelayedEvent, handles_for, put_back
from fsmkit.core.elsewhere import Elsewhere, events_among, results_last
from fsmkit.core.observers import Observers, checked_observer
from fsmkit.core.processing import Processing
from fsmkit.core.quoting import quote
from fsmkit.core.run import Target
from fsmkit.core.running import Running
from fsmkit.core.suspension import Suspension
from fsmkit.core.types import BETWEEN, ENTER, EXIT, GUARD, SUSPEND, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT, NOWHERE, overridden

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fsmkit.core.action import FsmAction
    from fsmkit.core.delayed import Waiting
    from fsmkit.core.state import FsmState
    from fsmkit.core.visit import Visit

MOST_CHANGES: Final = 10_000
"""How many state changes one update may hold that carries time over (rule 22)."""


class Fsm(Elsewhere[ContextT]):
    """A state machine: it owns states, knows the current one and takes events and time.

    `context` is whatever the machine is the behaviour of; actions and states hand it on.
    `on_unhandled` says what happens to an event that nobody handles: `"warn"` (logger `fsmkit`),
    `"ignore"` or `"raise"` (UnhandledEventError). `max_transitions` bounds the state changes that
    one call from outside may lead to. With `carry_time`, what is left of a step when a state
    finishes goes on in the next one, so that time is exact at any frame rate.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Turnstile")
    >>> locked, opened = fsm.add_state("Locked"), fsm.add_state("Opened")
    >>> _ = locked.add_transition("COIN", opened)
    >>> _ = opened.add_transition("PUSH", locked)
    >>> fsm.start()
    >>> fsm.send_event("COIN")
    True
    >>> fsm.current_state.name
    'Opened'
    """

    __slots__ = ()

    # Calls from outside

    def start(self, state: FsmState[ContextT] | str | None = None) -> None:
        """Enter `state` (a state or its name; by default the first one added).

        A running machine exits first. Called from inside a callback it takes effect when that
        returns. Raises UnknownStateError, and TransitionOnExitError in an `on_exit`.
        """
        if self._observers is not None and self._observers.hold(self, "start()"):
            return self._observers.ask(self, Fsm.start, state=state)
        target = self._find_state(state) if state is not None else self._first_state()
        return self._command("start()", target)

    def stop(self) -> None:
        """Exit the current state; without effect on a machine that is not running.

        Called from inside a callback it takes effect when that returns. Raises
        TransitionOnExitError in an `on_exit`.
        """
        if self._observers is not None and self._observers.hold(self, "stop()"):
            return self._observers.ask(self, Fsm.stop)
        if self._current_state is None and self._phase is None:
            return None
        return self._command("stop()", None)

    def running(self, state: FsmState[ContextT] | str | None = None) -> Running[Self]:
        """Return a context manager: `with fsm.running("Patrol"):`.

        It starts the machine, in `state`, unless it runs already, and stops it however the block is
        left, so that every `on_exit` owed is called. Errors of stopping are raised with the one
        that ended the block.

        >>> from fsmkit import Fsm
        >>> fsm = Fsm("Robot")
        >>> _ = fsm.add_state("Drive")
        >>> with fsm.running() as robot:
        ...     robot.update(0.1)
        >>> fsm.is_running
        False
        """
        return Running(self, state)

    def send_event(self, event: str, data: object = None) -> bool:
        """Offer `event` to the current state's actions, its transitions and the global ones.

        From inside a callback the change is decided now and carried out when the callback returns;
        from outside everything has settled on return. True if a change was decided, the event was
        queued, or an action consumed it.

        Raises TransitionOnExitError in an `on_exit`, TransitionLoopError beyond `max_transitions`,
        UnhandledEventError if so chosen, TypeError for what is no str, and what callbacks raise.
        """
        try:
            target = self._visit.routes.get(event) if self._phase is None else None
        except TypeError:  # it cannot be hashed
            target = None
        if target is None:
            if self._observers is not None and self._observers.hold(self, "send_event()"):
                return self._observers.ask(self, Fsm.send_event, event=event, data=data)
            messages.check_event(self, event)
            return self._send(event, data)
        try:  # rule 4; most events lead straight to a change: only those come here
            if self.process_state_actions(EXIT, self._visit.exits, target, event, data):
                self._settle(changes=1)
        except BaseException as error:
            self._reset_after_error(error)
            raise
        finally:
            self._phase = None
        if self._host is not None:
            self._host.machine_settled(self)
        return True

    def offer_event(self, event: str, data: object = None) -> bool:
        """Send `event` as `send_event` does, but one that nobody handles is no fault.

        For handing events on to a machine that may not know them.
        """
        if self._observers is not None and self._observers.hold(self, "offer_event()"):
            return self._observers.ask(self, Fsm.offer_event, event=event, data=data)
        return self._send(event, data, optional=True)

    def send_event_after(
        self, delay: float, event: str, data: object = None, *, keep: bool = False
    ) -> DelayedEvent:
        """Send `event` in the first update after `delay` seconds; the result can `cancel()` it.

        It is dropped when the current state is exited, unless `keep`. Raises ValueError unless
        `delay` is finite and not negative, TypeError unless it is a number.
        """
        if self._observers is not None and self._observers.hold(self, "send_event_after()"):
            given: dict[str, Any] = {"delay": delay, "event": event, "data": data}
            given.update({"keep": True} if keep else {})
            return self._observers.ask(self, Fsm.send_event_after, **given)
        messages.check_event(self, event)
        if self._phase is GUARD:
            raise messages.from_a_guard(self, f"send_event_after({delay!r}, {quote(event)})")
        delay = messages.checked_seconds(self, "delay", delay)
        outlives = keep or self._current_state is None
        delayed = DelayedEvent(self._delayed, self._time + delay, event, data, outlives)
        if keep or self._phase is not EXIT or self._exits_alone:
            delayed.schedule()
            self._tidy_up_on_exit()
        return delayed

    def post_event(self, event: str, data: object = None) -> None:
        """Have `event` sent at the beginning of the next update. May be called from any thread."""
        if self._observers is not None and self._observers.hold(self):
            return self._observers.ask(self, Fsm.post_event, event=event, data=data)
        messages.check_event(self, event)
        return self._posted.append((event, data))

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: deliver what is due, then update the current state's actions.

        A machine that is not running ignores it. Raises ValueError unless `dt` is finite and not
        negative, FsmError from inside one of the machine's callbacks, and what callbacks raise.
        """
        observers = None if self._observers is None else self._observers.of_updates
        if observers is not None and observers.hold(self, "update()"):
            return observers.ask(self, Fsm.update, dt=dt)
        if type(dt) is not float:
            dt = messages.checked_seconds(self, "dt", dt)
        if not 0.0 <= dt < inf or self._phase is not None:  # rules 13 and 15
            raise messages.update_refused(self, dt)
        if self._current_state is None:
            return None
        self._time += dt
        self.delta_time = dt
        try:
            something = observers is not None or self._posted or self._delayed or self._queue
            if something and self._begin_update(dt):
                pass  # rule 9: the new state gets its first update in the next one
            elif self.process_state_actions(UPDATE, self._visit.updates) or observers is not None:
                self._update_the_rest()
                if self._rest:
                    self._carry_on(dt)
                self._settle()
        except BaseException as error:
            self._reset_after_error(error, in_update=observers is not None)
            raise
        finally:
            self._phase = None
        if self._observers is not None and (observers or self._observers.have_left_something):
            self._end_update(is_told=observers is not None)
        return None

    def _begin_update(self, dt: float) -> bool:
        """Tell that an update begins and deliver what waits; True if that changed the state."""
        self._phase = BETWEEN
        self._tell("update_begun", self, dt)
        return self._deliver_posted() + self._deliver_delayed() > 0

    def _end_update(self, *, is_told: bool) -> None:
        """Tell who was told that it began, and raise what observers have raised meanwhile."""
        if is_told:
            self._tell("update_ended", self)
        self._raise_errors_of_observers()

    def _carry_on(self, dt: float) -> None:
        """Change the state and update the next ones, with what is left of the step (rule 22)."""
        end, left, total, at_once = self._time, dt, 0, 0
        try:
            while self._rest:
                before, rest = (at_once if self._rest == left else 0), self._rest
                self._time = end - rest
                at_once = self._settle(before)
                total += at_once - before
                if not self._rest or self._current_state is None:
                    return
                if total > MOST_CHANGES:
                    raise messages.too_many_changes(self, MOST_CHANGES)
                left, self._rest, self._unused = rest, 0.0, inf
                self._time, self.delta_time = end, rest
                if self._deliver_delayed():
                    return
                self.process_state_actions(UPDATE, self._visit.updates)
                self._update_the_rest()
        finally:
            self._time, self.delta_time, self._rest = end, dt, 0.0

    def _send(self, event: str, data: object, optional: bool = False) -> bool:
        if self._phase is not None:
            return self._dispatch(event, data, optional)
        taken: bool = self._call(self._dispatch_in_turn, event, data, optional)
        return taken

    def _dispatch_in_turn(self, event: str, data: object, optional: bool) -> bool:
        """Dispatch `event` after those that an error has left (rule 12)."""
        if self._queue:
            self._settle()
        return self._dispatch(event, data, optional)

    def _offer_leftovers(self) -> None:
        """Offer the events that an error has left, as a call from outside."""
        self._call(lambda: None)  # which lets everything settle

    def _command(self, call: str, target: Target[ContextT]) -> None:
        """Carry out start() or stop(): now, or when the callback it comes from has returned."""
        if self._phase is EXIT or self._phase is SUSPEND:
            raise messages.change_on_exit(self, call)  # rule 6
        if self._phase is GUARD:
            raise messages.from_a_guard(self, call)
        if self._phase is None:
            self._call(self._change_state, target, None, None)
        else:  # rule 15
            self._next = (target, None, None)
            self._interrupted = True
            self._rest = 0.0

    def _call(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Make a call from outside: do something and let everything settle."""
        try:
            self._phase = BETWEEN
            answer = act(*arguments)
            self._settle()
        except BaseException as error:
            self._reset_after_error(error)
            raise
        finally:
            self._phase = None
        if self._host is not None:
            self._host.machine_settled(self)
        if self._observers is not None:
            self._raise_errors_of_observers()
        return answer

    def _reset_after_error(self, error: BaseException, in_update: bool = False) -> None:
        """Be ready for the next call while `error` goes to the caller; what waits, waits on."""
        self._next = None
        self._interrupted = False
        self._rest = 0.0
        if self._queue:  # rule 12: it comes before the next event
            self._visit = self._visit.evolve(routes=NOWHERE)
        if self._observers is not None:
            self._tell("error_raised", self, error)
            if in_update:
                self._tell("update_ended", self)
            self._raise_errors_of_observers(error)

    # Events that wait

    def _deliver_posted(self) -> int:
        """Send the events left by an error and the posted ones; return how often that changed.

        Results of work elsewhere come after them (rule 21). What is posted or delayed meanwhile
        waits for the next update. Each event settles before the next one is sent; one that raises
        leaves those after it in their place.
        """
        changes = self._settle()
        waiting = deque(results_last(self._posted))
        del self._posted[: len(waiting)]
        try:
            while waiting:
                event, data = waiting.popleft()
                if event is None:
                    self._take_result(data)
                else:
                    self._dispatch(event, data)
                    changes += self._settle()
        finally:
            self._posted[:0] = waiting
        return changes

    def _deliver_delayed(self) -> int:
        """Send the events that are due, by due time; return how often that changed the state."""
        changes = 0
        now = self._time + TIME_TOLERANCE
        for delayed in [delayed for delayed in self._delayed if delayed.due <= now]:
            if delayed in self._delayed:  # else cancelled, or its state is suspended by now
                delayed.cancel()
                self._dispatch(delayed.event, delayed.data)
                changes += self._settle()
        return changes

    # Nested machines (rule 19)

    def _join_host(self, action: FsmAction[Any]) -> None:
        """Run inside `action` from now on."""
        messages.check_host(self, action)
        self._host = action

    def _leave_host(self) -> None:
        self._host = None

    def _join_group(self) -> None:
        messages.check_group(self)
        self._groups += 1

    def _leave_group(self) -> None:
        self._groups -= 1

    def _call_each(self, callback: Literal["on_suspend", "on_resume"]) -> None:
        """Call `on_suspend` or `on_resume` of all that was entered, as a call from outside."""
        if self._current_state is None:
            return
        hooks = overridden(callback, self._visit.actions)
        if self._phase is None:
            self._call(self._call_all, callback, hooks)
        else:  # in the middle of a callback of its own, which then goes on
            phase, acting = self._phase, self._acting
            if phase is ENTER:
                reached = self._visit.position(acting)
                hooks = tuple(hook for hook in hooks if self._visit.position(hook[1]) < reached)
            self._call_all(callback, hooks)
            self._phase, self._acting = phase, acting

    # Tools that look on

    def observe(self, observer: object) -> Callable[[], None]:
        """Attach an observer (see `fsmkit.observer`); the function returned detaches it.

        An observer that is attached twice is told twice. Raises TypeError for an object with none
        of the methods.
        """
        self._set_observers((*self._attached(), checked_observer(observer)))
        attached = [observer]

        def undo() -> None:
            """Detach that one attachment; a second call does nothing."""
            if attached:
                attached.clear()
                others = list(self._attached())
                del others[messages.index_of(observer, others)]
                self._set_observers(tuple(others))

        return undo

    def _set_observers(self, attached: tuple[object, ...]) -> None:
        observers = self._observers if self._observers is not None else Observers()
        observers.attach(attached)
        self._observers = observers if observers.is_needed else None
        self._renew_visits()

    def _raise_errors_of_observers(self, *errors: BaseException) -> None:
        """Raise what observers have raised in this call, beside the `errors` of the machine."""
        observers = self._observers
        if observers is None:
            return
        raised = observers.take_errors()
        if not observers.attached:
            self._observers = None
        if raised:
            raise messages.with_observers(self, errors, raised)

    def _renew_visits(self) -> None:
        """Make visits anew: who looks on wants to be told."""
        for state in self._states.values():
            state._forget_visit()
        for suspension in self._suspended:
            old = suspension.visit
            suspension.visit = self._visit_again(suspension.state, old.actions, old.size)
        if self._current_state is not None:
            old = self._visit
            self._visit = self._visit_again(self._current_state, old.actions, old.size)

    def _run(self) -> tuple[Any, ...]:
        """What changes while the machine runs, beside what is public, for tools that save it."""
        visit = self._visit
        waiting = (tuple(self._queue), events_among(self._posted), _delayed(self._delayed))
        suspended = tuple(_remembered(each) for each in self._suspended)
        so_far = (self._entered_at, visit.actions, visit.size, self._finished)
        return (*so_far, *waiting, suspended)

    def _handles(self) -> tuple[Sequence[DelayedEvent], ...]:
        """The delayed events in the order of `_run`, those of suspended states after the others."""
        return (self._delayed, *(suspension.delayed for suspension in self._suspended))

    def _handles_for(self, schedules: Sequence[Sequence[Waiting]]) -> list[list[DelayedEvent]]:
        """The handles, in the order of `_handles`, that `_resume` is to have for such events."""
        return handles_for(schedules, (each for handles in self._handles() for each in handles))

    def _resume(
        self,
        state: FsmState[ContextT] | None,
        run: tuple[Any, ...],
        handles: Sequence[Sequence[DelayedEvent]],
    ) -> None:
        """Be in `state`, as a machine was whose `_run` this is; nothing is called."""
        self._current_state = state
        self._entered_at, entered, size, self._finished, queued, posted, delayed, suspended = run
        self._queue = deque(queued) if queued else ()
        self._posted[:] = posted
        for suspension in self._suspended:
            suspension.delayed.clear()
        own, *of_suspended = handles
        put_back(self._delayed, own, delayed)
        self._suspended = ()
        for (where, visited, (actions, its_size), its_delayed), its_handles in zip(
            suspended, of_suspended, strict=True
        ):
            waits = Suspension(where, self._visit_again(where, actions, its_size), **visited)
            put_back(waits.delayed, its_handles, its_delayed)
            self._suspended = (*self._suspended, waits)
        self._visit = NO_VISIT
        if state is not None:
            self._visit = self._visit_again(state, entered, size)

    def _tell_restored(self, time: float) -> None:
        """Tell who looks on that the machine was put elsewhere; its clock showed `time` before."""
        self._tell("restored", self, time)
        self._raise_errors_of_observers()

    def _resume_in(self, host: FsmAction[Any] | None) -> None:
        """Run inside `host`, as a machine did; None: by itself."""
        self._host = host

    def _visit_again(
        self, state: FsmState[ContextT], entered: tuple[FsmAction[Any], ...], size: int
    ) -> Visit:
        """A visit in which `entered` were entered, as far as they have got."""
        visit = self._new_visit(state, entered)
        updates = tuple(hook for hook in visit.updates if not hook[1].finished)
        visit = visit.evolve(size=size, updates=updates).ending_with((Processing._end_visit, self))
        if self._queue:  # rule 12: it comes before the next event
            visit = visit.evolve(routes=NOWHERE)
        return visit.ending_with((Processing._exit_suspended, self)) if self._suspended else visit

    def __repr__(self) -> str:
        current = self._current_state.name if self._current_state is not None else "not running"
        return f"<Fsm {self.name!r}: {current}>"


def _remembered(waits: Suspension) -> tuple[Any, ...]:
    visited = {name: getattr(waits, name) for name in ("finished", "passed", "event", "data")}
    visit = waits.visit
    return (waits.state, visited, (visit.actions, visit.size), _delayed(waits.delayed))


def _delayed(schedule: list[DelayedEvent]) -> tuple[tuple[Any, ...], ...]:
    return tuple((each.due, each.event, each.data, each.keep) for each in schedule)
