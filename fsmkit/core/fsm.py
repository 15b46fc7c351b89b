"""Fsm: a machine of named states, driven by events and by time. Its external calls.

An external call ends with `_phase_ = None`, which is set in a `finally` clause, and again around
it: a Ctrl-C may come between the call and that clause.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Self

from fsmkit.core.action import Failure, FsmAction
from fsmkit.core.checks import arguments
from fsmkit.core.checks.frames import is_inside
from fsmkit.core.copies import Copying
from fsmkit.core.delayed import DelayedEvent, DelayingSenders
from fsmkit.core.event_types import Senders, typed_as
from fsmkit.core.observers import interceptable
from fsmkit.core.processing import Processing
from fsmkit.core.run import Target
from fsmkit.core.running import Running
from fsmkit.core.saved_run import Saving
from fsmkit.core.state import FsmState
from fsmkit.core.types import BETWEEN, EXIT, GUARD, SUSPEND, UPDATE, ContextT
from fsmkit.core.words import messages
from fsmkit.core.words.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Callable


class Fsm(Processing[ContextT], Copying, Saving):
    """A state machine: it owns states, knows the current one and takes events and time.

    `context` is the object whose behaviour the machine is; actions and states give access to it.
    `on_unhandled` says what happens to an event that is not handled: `"warn"` (logger `fsmkit`),
    `"ignore"` or `"raise"` (UnhandledEventError). `max_transitions` bounds the state changes that
    one external call may lead to. With `carry_time`, the rest of a step when a state finishes is
    passed on to the next one, so that time is exact at any frame rate.

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

    # Most used

    @property
    def current_state(self) -> FsmState[ContextT] | None:
        """The state the machine is in; None while it is not running."""
        return self._visit_.state

    @property
    def last_event(self) -> str | None:
        """The event that led to the current state, from `on_enter` on; None after a start."""
        return self._visit_.event

    @property
    def event_data(self) -> object:
        """The data of that event."""
        return self._visit_.data

    @property
    def is_running(self) -> bool:
        """True from `start()` to `stop()`."""
        return self._visit_.state is not None

    @property
    def host(self) -> FsmAction[Any] | None:
        """The action of another machine that runs this one, or None (rule 19)."""
        return self._host_

    # External calls

    @interceptable("start")
    def start(self, state: FsmState[ContextT] | str | None = None) -> None:
        """Enter `state` (a state or its name; by default the first one added).

        A running machine exits first. Called from inside a callback it takes effect when that
        returns. Raises UnknownStateError, TransitionOnExitError in an `on_exit`, and FsmError for a
        machine that is suspended with the one it runs in.
        """
        target = self._find_state_(state) if state is not None else self._first_state_()
        if self._host_ is not None and self._halted_ is not None:
            raise messages.start_while_suspended(self.name, self._host_.state)
        self._command_("start()", target)

    @interceptable("stop")
    def stop(self) -> None:
        """Exit the current state; without effect on a machine that is not running.

        Called from inside a callback it takes effect when that returns. Raises
        TransitionOnExitError in an `on_exit`.
        """
        if self.is_running or self._phase_ is not None:
            self._command_("stop()", None)

    def running(self, state: FsmState[ContextT] | str | None = None) -> Running[Self]:
        """Return a context manager: `with fsm.running("Patrol"):`.

        It starts the machine, in `state`, unless it is already running, and stops it however the
        block ends, so that every pending `on_exit` is called. Errors of stopping are raised
        together with the one that ended the block.

        >>> from fsmkit import Fsm
        >>> fsm = Fsm("Robot")
        >>> _ = fsm.add_state("Drive")
        >>> with fsm.running() as robot:
        ...     robot.update(0.1)
        >>> fsm.is_running
        False
        """
        return Running(self, lambda: self.is_running or self.start(state), lambda: (self,))

    @typed_as(Senders.send_event)
    def send_event(self, event: str, data: object = None) -> bool:
        """Offer `event` to the current state's actions, its transitions and the global ones.

        In a callback the change is decided now and carried out when the callback returns; after an
        external call everything has settled. True if a change was decided, the event was queued, or
        an action consumed it.

        Raises TransitionOnExitError in an `on_exit`, TransitionLoopError beyond `max_transitions`,
        UnhandledEventError with `on_unhandled="raise"`, TypeError unless `event` is a str, and the
        exceptions of callbacks.
        """
        try:
            target = self._visit_.routes.get(event)
        except TypeError:  # it cannot be hashed
            target = None
        except AttributeError:
            raise messages.incomplete(type(self).__name__) from None
        if type(target) is not FsmState or self._phase_ is not None or self._host_ is not None:
            observers = self._observers_
            if observers is not None and not observers.lets_through():
                return self._send_observed_(event, data)
            return self._send_(event, data)
        try:  # rule 4; most events lead straight to a change: only those come here
            try:
                if self._change_state_(target, event, data):  # pyright: ignore[reportArgumentType]
                    self._settle_(changes=1)
            except BaseException as error:
                self._reset_after_error_(error)
                raise
            finally:
                self._phase_ = None
        except BaseException:
            self._phase_ = None
            raise
        if self._observers_ is not None:  # attached in a callback
            self._raise_errors_of_observers_()
        return True

    @interceptable("offer_event", Senders.offer_event)
    def offer_event(self, event: str, data: object = None) -> bool:
        """Send `event` as `send_event` does, but allow it to go unhandled.

        For passing events on to a machine that may not know them.
        """
        return self._send_(event, data, optional=True)

    @interceptable("send_event_after", DelayingSenders.send_event_after)
    def send_event_after(
        self, delay: float, event: str, data: object = None, *, keep: bool = False
    ) -> DelayedEvent:
        """Send `event` in the first update after `delay` seconds; the result can `cancel()` it.

        It is dropped when the current state is exited, unless `keep`; sent in an effect, it belongs
        to the target. Raises ValueError unless `delay` is finite and not negative, TypeError unless
        it is a number.
        """
        if not isinstance(event, str):
            raise messages.no_event(self.name, event)
        if self._phase_ is GUARD:
            call = f"send_event_after({delay!r}, {quote(event)})"
            raise messages.from_a_guard(self.current_state, call)
        if type(delay) is not float or not 0.0 <= delay < inf:
            delay = arguments.seconds(delay, f"Fsm {self.name!r}: delay")
        outlives = keep or self._visit_.state is None
        delayed = DelayedEvent(self._delayed_, self._time_ + delay, event, data, outlives)
        delayed.schedule()
        self._visit_.is_special = True
        return delayed

    @typed_as(Senders.send_in_time)
    def send_in_time(self, event: str, data: object = None, unused: float = 0.0) -> bool:
        """Send the event that an action ends with, as `finish` sends its `finish_event`.

        If it changes the state and the machine carries time over, the next one gets the `unused`
        seconds of this update (rule 22). Otherwise the same as `send_event`.
        """
        if self._step_ is None:
            return self.send_event(event, data)
        return self._send_with_rest_(event, data, unused + self._step_.moment)

    @interceptable("post_event", Senders.post_event, by_observers=True)
    def post_event(self, event: str, data: object = None) -> None:
        """Send `event` at the beginning of the next update. May be called from any thread."""
        if not isinstance(event, str):
            raise messages.no_event(self.name, event)
        self._posted_.append((event, data))

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: deliver what is due, then update the current state's actions.

        A machine that is not running, or suspended with the one it runs in, ignores it. Raises
        ValueError unless `dt` is finite and not negative, FsmError from inside one of the machine's
        callbacks, and the exceptions of callbacks.
        """
        try:
            observers = self._observers_
        except AttributeError:
            raise messages.incomplete(type(self).__name__) from None
        if observers is not None and not observers.lets_through():
            return self._update_observed_(dt)
        observed = observers is not None and observers.wants_updates
        if type(dt) is not float or not 0.0 <= dt < inf or self._phase_ is not None:
            dt = self._checked_step_(dt)
        visit = self._visit_
        if visit.state is None or self._halted_ is not None:
            return None
        self._time_ += dt
        self.delta_time = dt
        waits = observed or self._posted_ or self._delayed_ or self._queue_ or visit.is_due
        try:
            try:
                if waits and self._begin_update_(dt, observed):
                    pass  # rule 9: the new state gets its first update in the next one
                elif self._step_ is not None:
                    self._update_actions_()
                    self._carry_on_(self._step_, dt)
                    self._settle_()
                elif self.process_state_actions(UPDATE, visit.updates, visit.actions):
                    self._settle_()
            except BaseException as error:
                self._reset_after_error_(error, observed=observed)
                raise
            finally:
                self._phase_ = None
        finally:
            self._phase_ = None
        if self._observers_ is not None:
            self._end_update_(observed)
        return None

    def _checked_step_(self, dt: float) -> float:
        """Return the seconds of an update as a float; raise if none may begin (rules 13 and 15)."""
        if self._phase_ is not None:
            raise messages.update_refused(self.name, is_inside(self, self.acting))
        return arguments.seconds(dt, f"Fsm {self.name!r}: dt")

    @interceptable("update")
    def _update_observed_(self: Fsm[Any], dt: float) -> None:
        self._let_through_()
        Fsm.update(self, dt)

    def _end_update_(self, observed: bool, *errors: BaseException) -> None:
        if observed:
            self._notify_("update_ended", self)
        self._raise_errors_of_observers_(*errors)

    def _begin_update_(self, dt: float, observed: bool) -> bool:
        """Deliver pending events; True if that changed the state."""
        self._phase_ = BETWEEN
        if observed:
            self._notify_("update_begun", self, dt)
        return self._deliver_posted_() + self._deliver_delayed_() > 0

    @interceptable("send_event")
    def _send_observed_(self: Fsm[Any], event: str, data: object) -> bool:
        self._let_through_()
        return Fsm.send_event(self, event, data)

    def _send_(self, event: str, data: object, optional: bool = False) -> bool:
        if not isinstance(event, str):
            raise messages.no_event(self.name, event)
        if self._phase_ is not None:
            return self._dispatch_(event, data, optional)
        taken: bool = self._call_from_outside_(self._dispatch_in_turn_, event, data, optional)
        return taken

    def _dispatch_in_turn_(self, event: str, data: object, optional: bool) -> bool:
        """Dispatch `event` after the events that an error left queued (rule 12)."""
        if self._queue_ or self._visit_.is_due:
            self._settle_()
        return self._dispatch_(event, data, optional)

    def _command_(self, call: str, target: Target[ContextT]) -> None:
        """Carry out start() or stop(): now, or when the calling callback has returned."""
        if self._phase_ is EXIT or self._phase_ is SUSPEND:
            raise self._change_on_exit_(call)  # rule 6
        if self._phase_ is GUARD:
            raise messages.from_a_guard(self.current_state, call)
        if self._phase_ is None:
            self._call_from_outside_(self._change_state_, target, None, None)
        else:  # rule 15
            self._drop_decided_()
            self._next_ = (target, None, None)

    def _call_from_outside_(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Carry out an external call and let everything settle."""
        try:
            try:
                self._phase_ = BETWEEN
                answer = act(*arguments)
                self._settle_()
            except BaseException as error:
                self._reset_after_error_(error)
                raise
            finally:
                self._phase_ = None
        finally:
            self._phase_ = None
        if self._host_ is not None:
            self._host_._machine_settled_(self)
        if self._observers_ is not None:
            self._raise_errors_of_observers_()
        return answer

    def _reset_after_error_(self, error: BaseException, *, observed: bool = False) -> None:
        """Prepare for the next call while `error` goes to the caller; queued events stay queued."""
        self._drop_decided_()
        self._cut_short_()
        if self._queue_:
            self._visit_.close_routes()
        self._notify_("error_raised", self, error)
        self._end_update_(observed, error)

    # Finishing and time within a step (rules 10 and 22)

    def _finish_(
        self, action: FsmAction[Any], parent: FsmAction[Any] | None, unused: float, data: object
    ) -> None:
        """End the part of `action` in the visit, as failed if `data` is a `Failure`.

        The parent of a child does the rest.
        """
        if self._phase_ is None and (self._queue_ or self._visit_.is_due):
            self._call_from_outside_(self._settle_)  # rule 12
        if action.finished or not self._takes_part_(action, parent) or self._halted_ is not None:
            return
        call = "fail()" if (failed := type(data) is Failure) else "finish()"
        if self._phase_ is GUARD:
            raise messages.from_a_guard(self.current_state, call)
        if self._observers_ is not None:
            self._observers_.refuse(self.name, call)
        action._fsmkit_finish(data)
        if parent is None:
            self._visit_.finish(action, failed=failed)
        elif self._step_ is not None:
            parent.nested.ends[id(action)] = self._time_ - unused
        if self._phase_ is None:
            self._call_from_outside_(self._announce_, action, parent is not None, 0.0, data)
        else:
            self._announce_(action, parent is not None, unused, data)

    def _leave_host_(self) -> None:
        self._host_ = self._halted_ = None

    def __repr__(self) -> str:
        state = self._visit_.state
        return f"<Fsm {self.name!r}: {state.name if state is not None else 'not running'}>"
