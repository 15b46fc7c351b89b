"""Fsm: a machine of named states, driven by events and by time.

Theory of operation
-------------------
Everything happens inside a *call from outside*: start, stop, send_event, update, or the finish() of
an action. `_phase` says what such a call is doing; it is None while the machine is at rest.

    send_event --> dispatch --> decide          decide fills _next = (target, event, data)
                                  |
    update --> walk of on_update  |
                  |               |             as long as _next is filled:
                  +---------------+--> settle ------> walk of on_exit
                                         ^            current_state = target
                                         |            walk of on_enter
                                         +---------------+

*Walk.* `process_state_actions` calls one kind of callback of the actions, in list order, and stops
after the callback that decided a change.

*Decide, then change.* An event sent in a callback only decides: it fills `_next`. When the callback
has returned and its walk has stopped, `_settle` carries the change out. What that decides is the
next round of the same loop, so a chain of any length needs no recursion. Events sent while `_next`
is filled go to `_queue` and are dispatched when nothing is decided any more.

*Visit.* From entering a state to exiting it. `_visit` says whom there is to call, `_finished` how
many actions have finished.

*Failing.* An exception of a callback is kept in `_failures` until nothing is decided, then becomes
the event ERROR or is raised. So a change, once begun, is always completed.

The rules are those of docs/processing_model.md, named where they are kept. Only
`process_state_actions` assigns the current state.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Self

from fsmkit.core import messages
from fsmkit.core.delayed import TIME_TOLERANCE, DelayedEvent
from fsmkit.core.errors import ERROR, FINISHED, UnhandledEventError, as_one
from fsmkit.core.observers import Observers, checked_observer
from fsmkit.core.run import Event, Run, Target
from fsmkit.core.running import Running
from fsmkit.core.seconds import to_seconds
from fsmkit.core.types import BETWEEN, ENTER, EVENT, EXIT, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT, NOWHERE, Visit
from fsmkit.core.warned import Warned

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.state import FsmState
    from fsmkit.core.visit import Hook, Hooks


class Fsm(Run[ContextT]):
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

    __slots__ = ()

    # Calls from outside

    def start(self, state: FsmState[ContextT] | str | None = None) -> None:
        """Enter `state` (a state or its name; by default the first one added).

        A running machine exits first. Called from inside a callback it takes effect when that
        returns. Raises UnknownStateError, and TransitionOnExitError in an `on_exit`.
        """
        if self._observers is not None and self._observers.hold(self):
            return self._observers.ask(self, Fsm.start, state=state)
        return self._command("start()", self._find_state(state))

    def stop(self) -> None:
        """Exit the current state; without effect on a machine that is not running.

        Called from inside a callback it takes effect when that returns. Raises
        TransitionOnExitError in an `on_exit`.
        """
        if self._observers is not None and self._observers.hold(self):
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
        visit = self._visit
        if self._phase is not None or event not in visit.routes:
            if self._observers is not None and self._observers.hold(self):
                return self._observers.ask(self, Fsm.send_event, event=event, data=data)
            return self._send(event, data)
        try:  # rule 4; most events lead straight to a change: only those come here
            if self.process_state_actions(EXIT, visit.exits, visit.routes[event], event, data):
                self._settle(changes=1)
            return True
        except BaseException as error:
            self._reset_after_error(error)
            raise
        finally:
            self._phase = None

    def offer_event(self, event: str, data: object = None) -> bool:
        """Send `event` as `send_event` does, but one that nobody handles is no fault.

        For handing events on to a machine that may not know them.
        """
        if self._observers is not None and self._observers.hold(self):
            return self._observers.ask(self, Fsm.offer_event, event=event, data=data)
        return self._send(event, data, optional=True)

    def send_event_after(
        self, delay: float, event: str, data: object = None, *, keep: bool = False
    ) -> DelayedEvent:
        """Send `event` in the first update after `delay` seconds; the result can `cancel()` it.

        It is dropped when the current state is exited, unless `keep`. Raises ValueError unless
        `delay` is finite and not negative, TypeError unless it is a number.
        """
        if self._observers is not None and self._observers.hold(self):
            given: dict[str, Any] = {"delay": delay, "event": event, "data": data}
            given.update({"keep": True} if keep else {})
            return self._observers.ask(self, Fsm.send_event_after, **given)
        messages.check_event(self, event)
        delay = to_seconds(delay, f"Fsm {self.name!r}: delay")
        outlives = keep or self._current_state is None
        delayed = DelayedEvent(self._delayed, self.time + delay, event, data, outlives)
        if keep or self._phase is not EXIT:
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
        observers = self._observers
        if observers is not None and observers.hold(self):
            return observers.ask(self, Fsm.update, dt=dt)
        if not 0.0 <= dt < inf or self._phase is not None:  # rules 13 and 15
            raise messages.update_refused(self, dt)
        if self._current_state is None:
            return None
        self.time += dt
        self.delta_time = dt
        try:
            something = observers is not None or self._posted or self._delayed or self._queue
            if something and self._begin_update(dt):
                return None  # rule 9: the new state gets its first update in the next one
            if self.process_state_actions(UPDATE, self._visit.updates) or observers is not None:
                self._update_the_rest()
                self._settle()
            return None
        except BaseException as error:
            self._reset_after_error(error)
            raise
        finally:
            self._phase = None
            if self._observers is not None:
                self._observers.tell("update_ended", self)

    def _begin_update(self, dt: float) -> bool:
        """Tell that an update begins and deliver what waits; True if that changed the state."""
        self._phase = BETWEEN
        self._tell("update_begun", self, dt)
        return self._deliver()

    def _send(self, event: str, data: object, optional: bool = False) -> bool:
        if self._phase is not None:
            return self._dispatch(event, data, optional)
        taken: bool = self._call(self._dispatch_in_turn, event, data, optional)
        return taken

    def _command(self, call: str, target: Target[ContextT]) -> None:
        """Carry out start() or stop(): now, or when the callback it comes from has returned."""
        if self._phase is EXIT:
            raise messages.change_on_exit(self._current_state, call)  # rule 6
        if self._phase is None:
            self._call(self._change_state, target, None, None)
        else:  # rule 15
            self._next = (target, None, None)
            self._interrupted = True

    def _call(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Make a call from outside: do something and let everything settle."""
        self._phase = BETWEEN
        try:
            answer = act(*arguments)
            self._settle()
            return answer
        except BaseException as error:
            self._reset_after_error(error)
            raise
        finally:
            self._phase = None

    def _reset_after_error(self, error: BaseException) -> None:
        """Be ready for the next call while `error` goes to the caller; what waits, waits on."""
        self._next = None
        self._interrupted = False
        if self._queue:  # rule 12: it comes before the next event
            self._visit = self._visit.evolve(routes=NOWHERE)
        self._tell("error_raised", self, error)

    # The walk

    def process_state_actions(
        self, phase: str, hooks: Hooks, target: Target[ContextT] = None, event: Event = None,
        data: object = None,
    ) -> bool:  # fmt: skip
        """Call `hooks` in list order; stop after the callback that decided a change (rule 1).

        An error stops the walk as well, except on exit: there the others are still called. After
        the last exit the state changes, and the walk goes on with the enters of `target` (None: the
        machine has stopped). (With a walk for each half an event takes a fifth longer.)

        True if something has come up that has to be settled.
        """
        failed = False
        while True:
            self._phase = phase
            for function, action in hooks:
                self._acting = action
                try:
                    function(action)
                except BaseException as error:
                    self._fail(error)
                    if phase is not EXIT:
                        return True
                    failed = True
                if self._interrupted:
                    return True
            if phase is not EXIT:
                return failed
            self.previous_state, self._current_state = self._current_state, target
            self.last_event, self.event_data = event, data
            self._entered_at = self.time
            visit = NO_VISIT if target is None else target._visit or target._prepare_visit()
            self._visit = visit
            phase, hooks = ENTER, visit.enters

    def _update_the_rest(self) -> None:
        """Take up a walk that stopped only because one action finished another."""
        while self._interrupted and self._next is None:
            self._interrupted = False
            visit = self._visit
            reached = visit.position(self._acting)
            rest = tuple(hook for hook in visit.updates if visit.position(hook[1]) > reached)
            self.process_state_actions(UPDATE, rest)

    # Changing

    def _settle(self, changes: int = 0) -> int:
        """Carry out what was decided, then dispatch what waits; return how often it changed."""
        trail: list[str] = []
        while True:
            if self._next is not None:  # rule 2
                if self._phase is ENTER:  # rule 5: whom the walk did not reach takes no part
                    self._keep_entered(self._visit.position(self._acting) + 1)
                changes += 1
                if changes > 1:
                    self._check_chain(changes, trail)
                target, event, data = self._next
                self._next = None
                self._interrupted = False
                self._change_state(target, event, data)
            elif self._failures:
                self._resolve_failures()
            elif self._queue:
                self._phase = BETWEEN
                self._dispatch(*self._queue.pop(0))
            else:
                break
        self._phase = BETWEEN
        if self._observers is not None:
            self._observers.raise_errors()
        return changes

    def _change_state(self, target: Target[ContextT], event: Event, data: object) -> None:
        self.process_state_actions(EXIT, self._visit.exits, target, event, data)

    def _new_visit(self, state: FsmState[ContextT], actions: tuple[FsmAction[Any], ...]) -> Visit:
        """Make a visit of `state` in which `actions` take part."""
        observers = self._observers
        if observers is None and actions:
            return Visit(actions, state._transitions)
        told = observers is not None and observers.wants_actions
        visit = Visit(actions, state._transitions if observers is None else NOWHERE, told=told)
        begin, end = (Fsm._begin_visit, self), (Fsm._end_visit, self)
        return visit.evolve(enters=(begin, *visit.enters), exits=(*visit.exits, end))

    def _begin_visit(self) -> None:
        """Tell who looks on; a state with nothing to do has finished (rule 10)."""
        self._acting = None
        self._tell("state_entered", self, self._current_state, self.last_event)
        if not self._visit.size:
            self._send_finished()

    def _end_visit(self) -> None:
        """Leave nothing behind: who has finished, and the events that were meant for this state."""
        self._acting = None
        state = self._current_state
        if state is not None:
            for action in state.actions:  # even one whose on_enter finished it and then raised
                action._fsmkit_reset()
            self._tell("state_left", self, state)
        self._finished = 0
        if self._delayed:
            self._delayed[:] = [delayed for delayed in self._delayed if delayed.keep]

    def _tidy_up_on_exit(self, resting: FsmAction[Any] | None = None) -> None:
        """Have `_end_visit` called, which most visits do not need; update `resting` no more."""
        self._visit = self._visit.ending_with((Fsm._end_visit, self), resting)

    def _keep_entered(self, count: int) -> None:
        """Entering was cut short: only the first `count` actions take part (rule 5)."""
        if missed := self._visit.actions[count:]:
            self._visit = self._visit.without(missed)

    def _remove_from_visit(self, action: FsmAction[Any]) -> None:
        """Exit an action that is removed from the current state."""
        visit = self._visit
        if action.state is not self._current_state or not visit.has(action):
            return
        self._finished -= action.finished
        action._fsmkit_reset()
        self._visit = visit.without([action]).evolve(size=visit.size - 1)
        try:
            self._exit_child(action)
        except BaseException as error:
            messages.note_place(error, action, EXIT)
            raise
        finally:
            self._tell("action_left", action)

    def _check_chain(self, changes: int, trail: list[str]) -> None:
        """Raise TransitionLoopError for one change too many (rule 11)."""
        if self._current_state is not None:
            trail.append(self._current_state.name)
        if changes > self.max_transitions and self._next is not None and self._next[0] is not None:
            self._keep_failure(messages.endless_chain(self, trail))
            raise self._take_failures()

    # Failing (rule 12)

    def _keep_failure(self, error: BaseException) -> None:
        """Have `error` resolved when nothing is decided any more; now nothing is."""
        self._failures = (*self._failures, error)
        self._next = None
        self._interrupted = False

    def _fail(self, error: BaseException) -> None:
        """Keep the error of the acting callback and drop what that callback has decided."""
        if self._acting is not None and self._phase is not None:
            messages.note_place(error, self._acting, self._phase)
        if self._phase is ENTER:
            self._keep_entered(max(0, self._visit.position(self._acting)))
        self._keep_failure(error)

    def _take_failures(self) -> BaseException:
        failures, self._failures = self._failures, ()
        return as_one(failures, f"Fsm {self.name!r}: several errors in one call")

    def _resolve_failures(self) -> None:
        """Turn what failed into the event ERROR if that leads somewhere, else raise it."""
        self._phase = BETWEEN
        error = self._take_failures()
        target = self._target(ERROR)
        if target is None or not isinstance(error, Exception):
            raise error
        self._tell("error_raised", self, error)
        self._decide(target, ERROR, error)

    # Deciding

    def _dispatch_in_turn(self, event: str, data: object, optional: bool) -> bool:
        """Dispatch `event` after those that an error has left (rule 12)."""
        if self._queue:
            self._settle()
        return self._dispatch(event, data, optional)

    def _dispatch(self, event: str, data: object, optional: bool = False) -> bool:
        """Offer `event` to the actions, then the state, then the machine; True if it was taken."""
        if self._next is not None:
            return self._enqueue(event, data, optional)
        if self._visit.listeners and self._phase is not EXIT and self._consumed(event, data):
            return True
        target = self._target(event)
        if target is None:
            return self._not_taken(event, data, optional)
        if self._phase is EXIT:  # rule 6
            raise messages.change_on_exit(self._current_state, f"send_event({event!r})")
        self._decide(target, event, data)
        return True

    def _decide(self, target: FsmState[ContextT], event: str, data: object) -> None:
        """Decide that `event` leads to `target`; the callback goes on, its walk does not."""
        self._next = (target, event, data)
        self._interrupted = True
        self._tell("event_sent", self, event, data, "changed")

    def _enqueue(self, event: str, data: object, optional: bool) -> bool:
        """Let `event` wait for the state that was decided (rule 3); after a stop there is none."""
        if self._next is not None and self._next[0] is None:
            return self._not_taken(event, data, optional)
        self._queue.append((event, data))
        self._tell("event_sent", self, event, data, "queued")
        return True

    def _consumed(self, event: str, data: object) -> bool:
        """Offer `event` to the entered actions that listen (rule 8); True if one took it."""
        visit, phase = self._visit, self._phase
        listeners = visit.listeners
        if phase is ENTER:  # only those before the one that is being entered
            reached = visit.position(self._acting)
            listeners = tuple(hook for hook in listeners if visit.position(hook[1]) < reached)
        try:
            taken = any(self._takes(hook, event, data) for hook in listeners)
        except BaseException as error:
            if phase is not BETWEEN:
                self._next = None
                raise  # to the callback that sent the event
            self._keep_failure(error)
            return True
        if taken:
            self._tell("event_sent", self, event, data, "consumed")
        return taken

    def _takes(self, hook: Hook, event: str, data: object) -> bool:
        on_event, action = hook
        phase = self._phase
        if phase is BETWEEN:
            self._phase = EVENT
        if self._phase is EVENT:
            self._acting = action
        try:
            return on_event(action, event, data) or self._next is not None
        except BaseException as error:
            messages.note_place(error, action, EVENT)
            raise
        finally:
            self._phase = phase

    def _not_taken(self, event: str, data: object, optional: bool) -> bool:
        """Say what becomes of an event that changes nothing (rules 7 and 14)."""
        messages.check_event(self, event)  # here, because what is handled is one
        if self._next is None and self._current_state and event in self._global_transitions:
            self._tell("event_sent", self, event, data, "ignored")
        elif not optional:
            self._tell("event_sent", self, event, data, "unhandled")
            if self.on_unhandled == "raise":
                raise UnhandledEventError(messages.unhandled(self, event))
            if self.on_unhandled == "warn":
                self._warn_of(event)
        return False

    def _warn_of(self, event: str) -> None:
        """Log that `event` is unhandled: the first time in this state, then ever less often."""
        if self._warned is None:
            self._warned = Warned()
        state = self._current_state
        times = self._warned.times_to_tell(state.name if state is not None else None, event)
        if times:
            import logging  # here, because most programs never need it and it is slow to import

            logging.getLogger("fsmkit").warning(messages.unhandled_again(self, event, times))

    # Finishing (rule 10)

    def _action_finished(self, action: FsmAction[Any], is_child: bool) -> None:
        """Take in that `action` has finished; who runs a child sees to the rest."""
        if not is_child:
            self._finished += 1
            self._tidy_up_on_exit(resting=action)
            if self._phase is UPDATE and action is not self._acting:
                self._interrupted = True  # the walk has to look who is left
        if self._phase is None:
            self._call(self._announce, action, is_child)
        else:
            self._announce(action, is_child)

    def _announce(self, action: FsmAction[Any], is_child: bool) -> None:
        self._tell("action_finished", action)
        if action.finish_event is not None:
            self.send_event(action.finish_event)
        if not is_child and self._finished == self._visit.size:
            self._send_finished()

    def _send_finished(self) -> None:
        """Send FINISHED if it leads somewhere and no change of this state has been decided."""
        state = self._current_state
        if state is None or self._next is not None:
            return
        if FINISHED in state._transitions or FINISHED in self._global_transitions:
            self.send_event(FINISHED)

    def _exit_child(self, child: FsmAction[Any]) -> None:
        """Call `on_exit` of a single action; it may not change the state."""
        phase, self._phase = self._phase, EXIT
        try:
            child.on_exit()
        finally:
            self._phase = phase

    # Events that wait

    def _deliver(self) -> bool:
        """Send the events left by an error, the posted ones and those that are due (rule 13).

        What is posted or delayed meanwhile waits for the next update. Each event settles before the
        next one is sent; one that raises leaves those after it in their place. True if one of them
        changed the state.
        """
        changes = self._settle()
        for _ in range(len(self._posted)):
            self._dispatch(*self._posted.pop(0))
            changes += self._settle()
        now = self.time + TIME_TOLERANCE
        for delayed in [delayed for delayed in self._delayed if delayed.due <= now]:
            if delayed.pending:
                delayed.cancel()
                self._dispatch(delayed.event, delayed.data)
                changes += self._settle()
        return changes > 0

    # Tools that look on

    def observe(self, observer: object) -> Callable[[], None]:
        """Attach an observer (see `fsmkit.observer`); the function returned detaches it.

        Raises TypeError for an object with none of the methods.
        """
        self._set_observers((*self._attached(), checked_observer(observer)))
        return lambda: self._set_observers(
            tuple(other for other in self._attached() if other is not observer)
        )

    def _set_observers(self, attached: tuple[object, ...]) -> None:
        self._observers = Observers(attached) if attached else None
        self._renew_visits()

    def _renew_visits(self) -> None:
        """Make visits anew: who looks on wants to be told."""
        for state in self._states.values():
            state._forget_visit()
        if self._current_state is not None:
            old = self._visit
            visit = self._new_visit(self._current_state, old.actions)
            self._visit = visit.evolve(size=old.size, updates=old.updates)
            self._tidy_up_on_exit()

    def _run(self) -> tuple[Any, ...]:
        """What changes while the machine runs, beside what is public, for tools that save it."""
        delayed = [(each.due, each.event, each.data, each.keep) for each in self._delayed]
        visit = self._visit
        waiting = (tuple(self._queue), tuple(self._posted), tuple(delayed))
        return (self._entered_at, visit.actions, visit.size, self._finished, *waiting)

    def _resume(self, state: FsmState[ContextT] | None, run: tuple[Any, ...]) -> None:
        """Be in `state`, as a machine was whose `_run` this is; nothing is called."""
        self._current_state = state
        self._entered_at, entered, size, self._finished, queued, posted, delayed = run
        self._queue[:], self._posted[:] = queued, posted
        self._delayed[:] = [DelayedEvent(self._delayed, *each) for each in delayed]
        self._visit = NO_VISIT
        if state is not None:
            visit = self._new_visit(state, entered)
            updates = tuple(hook for hook in visit.updates if not hook[1].finished)
            self._visit = visit.evolve(size=size, updates=updates)
            self._tidy_up_on_exit()

    def __repr__(self) -> str:
        current = self._current_state.name if self._current_state is not None else "not running"
        return f"<Fsm {self.name!r}: {current}>"
