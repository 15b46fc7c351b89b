"""Processing: the walk over a state's actions, and what may interrupt it.

Theory of operation
-------------------
Everything happens inside a *call from outside*: start, stop, send_event, update, or the finish() of
an action. `_phase` says what such a call is doing; it is None while the machine is at rest.

    send_event --> dispatch --> decide          decide fills _next = (lead, event, data)
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
many actions have finished. A visit that is interrupted waits in `_suspended`.

*Failing.* An exception of a callback is kept in `_failures` until nothing is decided, then becomes
the event ERROR or is raised. So a change, once begun, is always completed.

The rules are those of docs/processing_model.md, named where they are kept. Only
`process_state_actions` assigns the current state.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from fsmkit.core import messages
from fsmkit.core.deciding import Deciding
from fsmkit.core.errors import ERROR, FINISHED, as_one
from fsmkit.core.run import Event, Lead, Target
from fsmkit.core.suspension import Suspension
from fsmkit.core.transition import BACK, Transition, routes
from fsmkit.core.types import BETWEEN, ENTER, EXIT, GUARD, RESUME, SUSPEND, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT, NOWHERE, Visit, overridden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fsmkit.core.action import FsmAction
    from fsmkit.core.state import FsmState
    from fsmkit.core.visit import Hook, Hooks


class Processing(Deciding[ContextT]):
    """The part of an `Fsm` that carries out what has been called for."""

    __slots__ = ()

    if TYPE_CHECKING:

        def send_event(self, event: str, data: object = None) -> bool:
            """See `Fsm.send_event`."""
            raise NotImplementedError

        def _call(self, act: Callable[..., Any], *arguments: Any) -> Any:
            """See `Fsm._call`."""
            raise NotImplementedError

    # The walk

    def process_state_actions(
        self, phase: str, hooks: Hooks, target: Target[ContextT] = None, event: Event = None,
        data: object = None,
    ) -> bool:  # fmt: skip
        """Call `hooks` in list order; stop after the callback that decided a change (rule 1).

        An error stops the walk as well, except on exit: there the others are still called. After
        the last exit the state changes, and the walk goes on with the enters of `target` (None: the
        machine has stopped).

        True if something has come up that has to be settled.
        """
        # With a walk for each half an event takes a fifth longer.
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
            self._entered_at = self._time
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
        """Carry out what was decided, then dispatch what waits; return how often it changed.

        `changes` is how many there were before, at the same moment.
        """
        trail: list[str] = []
        while True:
            if self._next is not None:  # rule 2
                if self._phase is ENTER:  # rule 5: whom the walk did not reach takes no part
                    self._keep_entered(self._visit.position(self._acting) + 1)
                changes += 1
                if changes > 1:
                    self._check_chain(changes, trail)
                lead, event, data = self._next
                self._next = None
                self._interrupted = False
                self._change_state(lead, event, data)
            elif self._failures:
                self._resolve_failures()
            elif self._queue:
                self._phase = BETWEEN
                self._dispatch(*self._take_queued())
            else:
                break
        self._phase = BETWEEN
        return changes

    def _change_state(self, lead: Lead[ContextT] | None, event: Event, data: object) -> None:
        if isinstance(lead, Transition):
            self._take(lead, event, data)
        else:
            self.process_state_actions(EXIT, self._visit.exits, lead, event, data)

    def _take(self, transition: Transition[ContextT], event: Event, data: object) -> None:
        """Change the state by a transition that is more than its target (rules 17 and 18)."""
        target, exits, visit, effect = transition.target, self._visit.exits, None, transition.do
        did: Hooks = () if effect is None else ((partial(self._perform, transition, data), None),)
        if target is BACK:
            exits = tuple(hook for hook in exits if hook[0] is not Processing._exit_suspended)
            last = self._suspended[-1]
            target, event, data = last.state, last.event, last.data
            visit = self._resuming_visit
        elif transition.suspend:
            self._suspend_current(target)
            exits, visit = (), partial(self._interrupting_visit, target)
        if visit is not None:  # the last exit: those before may change what the target is like
            did = (*did, (partial(self._enter_with, target, visit), None))
        self.process_state_actions(EXIT, (*exits, *did), target, event, data)
        if visit is not None:
            target._forget_visit()

    def _perform(self, transition: Transition[ContextT], data: object, _: None) -> None:
        """Call the effect of a transition, after the exits."""
        self._acting = None
        try:
            transition.do(self._current_state, data)  # type: ignore[misc]  # it has one
        except BaseException as error:
            messages.note_function(error, self._current_state, transition, "do")
            raise

    def _call_all(self, phase: str, hooks: Iterable[Hook]) -> None:
        """Call `hooks` even if some fail, up to one that decides a change."""
        self._phase = phase
        for function, action in hooks:
            self._acting = action
            try:
                function(action)
            except BaseException as error:
                self._fail(error)
            if self._interrupted:
                break

    # Visits

    def _new_visit(self, state: FsmState[ContextT], actions: tuple[FsmAction[Any], ...]) -> Visit:
        """Make a visit of `state` in which `actions` take part."""
        observers = self._observers
        if observers is None:
            visit = Visit(actions, routes(state._transitions))
            if visit.size:
                return visit
        else:
            visit = Visit(actions, NOWHERE, told=observers.wants_actions)
        enters, exits = visit.enters, (*visit.exits, (Processing._end_visit, self))
        if observers is not None:
            enters = ((Processing._begin_visit, self), *enters)
        if not visit.size:
            enters = (*enters, (Processing._finish_entering, self))
        return visit.evolve(enters=enters, exits=exits)

    def _begin_visit(self) -> None:
        """Tell who looks on."""
        self._acting = None
        self._tell("state_entered", self, self._current_state, self.last_event)

    def _finish_entering(self) -> None:
        """A state with nothing to wait for has finished (rule 10)."""
        self._acting = None
        self._phase = BETWEEN
        self._send_finished()
        self._interrupted = self._interrupted or bool(self._failures)

    def _end_visit(self) -> None:
        """Leave nothing behind: who has finished, and the events that were meant for this state."""
        self._acting = None
        if self._current_state is not None:
            self._leave_behind(self._current_state)
        self._finished = 0
        if self._delayed:
            self._delayed[:] = [delayed for delayed in self._delayed if delayed.keep]

    def _leave_behind(self, state: FsmState[ContextT]) -> None:
        for action in state.actions:  # even one whose on_enter finished it and then raised
            action._fsmkit_reset()
        self._tell("state_exited", self, state)

    def _tidy_up_on_exit(self, resting: FsmAction[Any] | None = None) -> None:
        """Have `_end_visit` called, which most visits do not need; update `resting` no more."""
        self._visit = self._visit.ending_with((Processing._end_visit, self), resting)

    def _keep_entered(self, count: int) -> None:
        """Entering was cut short: only the first `count` actions take part (rule 5)."""
        if missed := self._visit.actions[count:]:
            self._visit = self._visit.without(missed)

    def _remove_from_visit(self, action: FsmAction[Any]) -> bool:
        """Exit an action that is removed during a visit; True if that finishes the state."""
        state = action.state
        suspension = next((each for each in self._suspended if each.state is state), None)
        visit = suspension.visit if suspension is not None else self._visit
        if (suspension is None and state is not self._current_state) or not visit.has(action):
            return False
        was_finished, counts = action.finished, not action.background
        action._fsmkit_reset()
        visit = visit.without([action]).evolve(size=visit.size - counts)
        if suspension is not None:
            suspension.visit = visit
            suspension.finished -= was_finished and counts
        else:
            self._visit = visit
            self._finished -= was_finished and counts
        try:
            self._exit_child(action)
        except BaseException as error:
            messages.note_place(error, action, EXIT)
            raise
        finally:
            self._tell("action_exited", action)
        return suspension is None and not was_finished and self._finished == visit.size

    def _renew_routes(self, state: FsmState[Any]) -> None:
        """See to it that the machine knows where the events of `state` lead now."""
        state._forget_visit()
        if state is self._current_state and self._visit.routes is not NOWHERE:
            self._visit = self._visit.evolve(routes=routes(state._transitions))

    # Suspending (rule 18)

    def _suspend_current(self, target: FsmState[ContextT]) -> None:
        """Interrupt the current state for `target`; a visit of that which waits is over."""
        state = self._current_state
        assert state is not None
        self._call_all(SUSPEND, overridden("on_suspend", self._visit.actions))
        self._acting = None
        passed = self._time - self._entered_at
        waits = Suspension(
            state,
            self._visit,
            finished=self._finished,
            passed=passed,
            event=self.last_event,
            data=self.event_data,
        )
        for delayed in [delayed for delayed in self._delayed if not delayed.keep]:
            self._delayed.remove(delayed)
            delayed.move(waits.delayed, -self._time)
        self._finished = 0
        old = [each for each in self._suspended if each.state is target]
        self._suspended = (*(each for each in self._suspended if each not in old), waits)
        self._tell("state_suspended", self, state)
        for suspension in old:
            self._exit_suspension(suspension)

    def _enter_with(self, state: FsmState[ContextT], visit: Callable[[], Visit], _: object) -> None:
        state._enter_with(visit())

    def _resuming_visit(self) -> Visit:
        """The visit that was suspended last, to be entered by resuming it."""
        return self._suspended[-1].visit.evolve(enters=((Processing._resume_last, self),))

    def _interrupting_visit(self, state: FsmState[ContextT]) -> Visit:
        """A visit of `state` after which those that are suspended are exited as well."""
        visit = state._visit or state._prepare_visit()
        return visit.ending_with((Processing._end_visit, self)).ending_with(
            (Processing._exit_suspended, self)
        )

    def _exit_suspended(self) -> None:
        """Exit what is suspended, the last one first."""
        before = len(self._failures)
        while self._suspended:
            last = self._suspended[-1]
            self._suspended = self._suspended[:-1]
            self._exit_suspension(last)
        if len(self._failures) > before:  # the walk has to know
            *others, error = self._failures
            self._failures = tuple(others)
            raise error

    def _exit_suspension(self, suspension: Suspension) -> None:
        self._call_all(EXIT, [hook for hook in suspension.visit.exits if hook[1] is not self])
        self._acting = None
        suspension.delayed.clear()
        self._leave_behind(suspension.state)

    def _resume_last(self) -> None:
        """Go on with the visit that was suspended last; its state is current again."""
        last = self._suspended[-1]
        self._suspended = self._suspended[:-1]
        self._visit = last.visit
        self._finished, self._entered_at = last.finished, self._time - last.passed
        for delayed in [*last.delayed]:
            delayed.move(self._delayed, self._time)
        last.delayed.clear()
        self._renew_routes(last.state)
        self._call_all(RESUME, overridden("on_resume", last.visit.actions))
        self._tell("state_resumed", self, last.state)

    def _check_chain(self, changes: int, trail: list[str]) -> None:
        """Raise TransitionLoopError for one change too many (rule 11)."""
        if self._current_state is not None:
            trail.append(self._current_state.name)
        if changes > self.max_transitions and self._next is not None and self._next[0] is not None:
            self._keep_failure(messages.endless_chain(self, trail))
            raise self._take_failures()

    # Failing (rule 12)

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
        if not isinstance(error, Exception):
            raise error
        try:
            lead = self._lead(ERROR, error)
        except BaseException as another:
            both = f"Fsm {self.name!r}: an error, and one in a guard of ERROR"
            raise as_one([error, another], both) from None
        if isinstance(lead, str):
            raise error
        self._tell("error_raised", self, error)
        self._decide(lead, ERROR, error)

    # Finishing (rule 10)

    def _check_finish(self) -> None:
        """Raise FsmError where nothing may finish: in a guard, and in an observer."""
        if self._phase is GUARD:
            raise messages.from_a_guard(self, "finish()")
        if self._observers is not None:
            self._observers.refuse(self, "finish()")

    def _action_finished(
        self, action: FsmAction[Any], is_child: bool, unused: float, data: object
    ) -> None:
        """Take in that `action` has finished; who runs a child sees to the rest."""
        if not is_child:
            self._finished += not action.background
            self._tidy_up_on_exit(resting=action)
            if self._phase is UPDATE and action is not self._acting:
                self._interrupted = True  # the walk has to look who is left
        if self._phase is None:
            self._call(self._announce, action, is_child, 0.0, data)
        else:
            self._announce(action, is_child, unused, data)

    def _announce(
        self, action: FsmAction[Any], is_child: bool, unused: float, data: object
    ) -> None:
        self._tell("action_finished", action)
        if self._carry_time and not is_child:  # rule 22: of those in this update, the smallest
            before = self._unused if self._finished_at == self._time else inf
            self._unused, self._finished_at = min(before, unused), self._time
        if action.finish_event is not None:
            self._send_with_rest(action.finish_event, data, unused)
        if not is_child and self._finished == self._visit.size and not action.background:
            self._send_finished(data)

    def _send_finished(self, data: object = None) -> None:
        """Send FINISHED if it leads somewhere and no change of this state has been decided."""
        state = self._current_state
        if state is None or self._next is not None:
            return
        if FINISHED in state._transitions or FINISHED in self._global_transitions:
            if self._carry_time or data is not None:
                self._send_with_rest(FINISHED, data, self._unused)
            else:
                self.send_event(FINISHED)

    def _send_with_rest(self, event: str, data: object, unused: float) -> bool:
        """Send an event because something has finished; a change hands on the rest (rule 22)."""
        rest = unused if self._phase is UPDATE else self._rest
        was_decided = self._next is not None
        taken = self.send_event(event, data)
        if self._carry_time and not was_decided and self._next is not None:
            self._rest = min(max(0.0, rest), self.delta_time)
        return taken

    @contextmanager
    def _within_step(self, before_end: float, left: float) -> Iterator[None]:
        """Be at a moment within this update, or in an update of what is left of it (rule 22)."""
        end, step, moment = self._time, self.delta_time, self._moment
        self._time, self.delta_time, self._moment = end - before_end, left, before_end
        try:
            yield
        finally:
            self._time, self.delta_time, self._moment = end, step, moment

    def _exit_child(self, child: FsmAction[Any]) -> None:
        """Call `on_exit` of a single action; it may not change the state."""
        phase, alone = self._phase, self._exits_alone
        self._phase, self._exits_alone = EXIT, alone or phase is not EXIT
        try:
            child.on_exit()
        finally:
            self._phase, self._exits_alone = phase, alone
