"""Processing: how events are handled, and how the changes that they decide are carried out.

Theory of operation
-------------------
Everything happens inside an *external call*: start, stop, send_event, update, or the finish() of an
action. `_phase_` says what such a call is doing; it is None while the machine is at rest.

    send_event --> dispatch --> decide          decide fills _next_ = (lead, event, data)
                                  |
    update --> walk of on_update  |
                  |               |             as long as _next_ is filled:
                  +---------------+--> settle ------> walk of on_exit
                                         ^            another visit becomes current
                                         |            walk of on_enter
                                         +---------------+

*Walk.* `process_state_actions` calls one kind of callback of the actions, in list order, and stops
after the callback that decided a change.

*Decide, then change.* An event sent in a callback only decides: it fills `_next_`. When the
callback has returned and its walk has stopped, `_settle_` carries the change out. If that decides
another change, it is the next round of the same loop, so a chain of any length needs no recursion.
Events sent while `_next_` is filled go to `_queue_` and are dispatched when no change is pending.

*Visit.* From entering a state to exiting it; see `Visit`. `_visit_` is the current one, and says
which state is current. Suspending a state lays the visit of the next one on top of its own; `BACK`
takes that off again. The visit on top is exchanged in a single statement, in `_swap_`, together
with the record of how far entering it has come: a Ctrl-C comes before it or after it.

*Failing.* An exception of a callback is kept in `_failures_` until no change is pending, then
becomes the event ERROR or is raised. So a change, once begun, is always completed. A Ctrl-C between
two callbacks ends the call as it stands: `_cut_short_` then leaves only the entered actions in the
visit.

The rules are those of docs/processing_model.md, named where they are implemented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsmkit.core.action import Failure, callbacks_of, overridden
from fsmkit.core.checks.frames import came_before
from fsmkit.core.delayed import CARRIED
from fsmkit.core.errors import ERROR, FAILED, FINISHED, FsmError, UnhandledEventError, as_one
from fsmkit.core.run import Cause, Lead, Run, Taken, Target
from fsmkit.core.state import BACK, FsmState, Transition
from fsmkit.core.types import BETWEEN, ENTER, EVENT, EXIT, GUARD, RESUME, SUSPEND, UPDATE, ContextT
from fsmkit.core.visit import NO_VISIT, NOWHERE, Visit
from fsmkit.core.words import messages
from fsmkit.core.words.notes import add_note, titled
from fsmkit.core.words.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsmkit.core.action import Actions, Callbacks, FsmAction, Hook, Hooks

FEW_ANSWERS: Final = 10
"""Events sent in reply to each other: with fewer, a RecursionError has another cause."""


class Processing(Run[ContextT]):
    """The part of an `Fsm` that decides changes and carries them out."""

    __slots__ = ()

    # The walk

    def process_state_actions(self, phase: str, hooks: Iterable[Hook], actions: Actions) -> bool:
        """Call `hooks` of `actions` in order; stop after the one that decided a change (rule 1).

        An error stops entering and updating as well; otherwise the others are still called. True if
        something has to be settled.
        """
        failed = False
        self._phase_ = phase
        for function, position in hooks:
            action = actions[position]
            try:
                self._acting_ = action
                function(action)
            except BaseException as error:
                self._fail_(error, action)
                if phase is ENTER or phase is UPDATE:
                    return True
                failed = True
                if not issubclass(type(error), Exception) and came_before(function):
                    # its callback is still due
                    self.process_state_actions(phase, ((function, 0),), (action,))
            if self._next_ is not None and phase is not EXIT:
                return True
        return failed

    # Changing

    def _settle_(self, changes: int = 0) -> int:
        """Carry out decided changes, then dispatch queued events; return the number of changes.

        `changes` is the number of changes before, at the same moment.
        """
        trail: list[str] = []
        while True:
            if self._next_ is not None:  # rule 2
                # rule 5: what the walk did not reach takes no part
                if self._phase_ is ENTER and self._acting_ is not self._visit_.actions[-1]:
                    self._keep_entered_(self._visit_.position(self._acting_) + 1)
                lead, event, data = self._next_
                changes += 1
                if changes > 1 and lead is not None:
                    self._check_chain_(changes, trail)
                self._phase_, self._acting_ = EXIT, None  # nothing decides before the next ENTER
                self._next_ = None
                if isinstance(lead, Transition):
                    self._take_(lead, event, data)
                else:
                    self._change_state_(lead, event, data)
            elif self._failures_:
                self._resolve_failures_()
            else:
                self._phase_ = BETWEEN
                if self._visit_.is_due:
                    self._send_finished_()
                elif self._queue_:
                    first, self._queue_ = self._queue_[0], self._queue_[1:]
                    self._dispatch_(*first)
                elif self._halted_ is None or not self._suspend_late_(self._halted_):
                    return changes

    def _change_state_(
        self, target: Target[ContextT], event: Cause, data: object, effect: Taken[ContextT] = None
    ) -> bool:
        """Exit the current state, then enter `target`; True if something has to be settled."""
        self._acting_ = None
        before = self._visit_
        failed = self.process_state_actions(EXIT, before.callbacks.exits, before.actions)
        if before.is_special:
            self._leave_()
            if effect is not None:
                self._perform_(effect, data)
            return self._enter_(target, event, data)
        visit = before.spare
        if (visit is None or visit.is_special or target is None
                or not (callbacks := target._callbacks).is_plain
                or (callbacks.kinds and callbacks.is_stale)):  # fmt: skip
            return self._enter_(target, event, data)
        if visit.state is not target or visit.callbacks is not callbacks:
            visit.state, visit.callbacks, visit.actions = target, callbacks, target.actions
            visit.routes = NOWHERE if callbacks.listeners else target._transitions
            visit.updates = callbacks.every_update and [*callbacks.every_update]
        visit.event, visit.data, visit.since = event, data, self._time_
        self.previous_state = before.state
        self._phase_, self._acting_, self._visit_ = ENTER, None, visit
        return self.process_state_actions(ENTER, callbacks.enters, visit.actions) or failed

    def _take_(self, transition: Transition[ContextT], event: Cause, data: object) -> None:
        """Change the state by a transition that is more than its target (rules 17 and 18)."""
        target: Any = transition.target
        if transition.suspend:
            self._suspend_()
            for visit in self._visits_() if self._visit_.below is not None else ():
                if visit.below is not None and visit.below.state is target:
                    self._exit_below_(visit)  # a suspended one of the target is over
        elif target is not BACK:
            self._visit_.is_special = True
            self._change_state_(target, event, data, transition)
            return
        else:
            visit = self._visit_
            self.process_state_actions(EXIT, visit.callbacks.exits, visit.actions)
            self._leave_(resumes=True)
        if transition.do is not None:
            self._perform_(transition, data)
        if target is BACK:
            self._resume_()
        else:
            self._enter_(target, event, data, suspends=True)

    def _leave_(self, *, resumes: bool = False) -> None:
        """After the exits: end everything that ends with the current visit.

        The visits suspended below it are exited too, unless the last of them is resumed.
        """
        self._end_visit_(self._visit_)
        while self._visit_.below is not None and not resumes:
            self._exit_below_(self._visit_)
        if self._delayed_:
            self._leave_delayed_()

    def _end_visit_(self, visit: Visit) -> None:
        visit.is_exited = True
        self._acting_ = None
        if self._halted_ is not None:
            self._halted_.clear()
        visit.forget_finished()
        if visit.state is not None:
            self._notify_("state_exited", self, visit.state)

    def _perform_(self, transition: Transition[ContextT], data: object) -> None:
        """Call the effect of a transition, after the exits; it may not change the state."""
        self._phase_, self._acting_ = EXIT, None
        try:
            effect: Any = transition.do  # it has one
            self._instrumented_(effect)(self._visit_.state, data)
        except BaseException as error:
            self._note_function_(error, transition, "do")
            self._keep_failure_(error)

    def _enter_(
        self, target: Target[ContextT], event: Cause, data: object, *, suspends: bool = False
    ) -> bool:
        """Begin a visit of `target` (None: stop); True: something may have to be settled."""
        if target is None:
            self._swap_(NO_VISIT, BETWEEN)
            return True
        before, callbacks = self._visit_, self._prepare_(target)
        visit = before.spare or Visit()
        if before is not NO_VISIT:
            before.spare, visit.spare = (None, None) if suspends else (visit, before)
        visit.event, visit.data, visit.since = event, data, self._time_
        visit.begin(target, callbacks, before if suspends else None)
        self._open_routes_(visit)
        self._swap_(visit, ENTER)
        self._notify_("state_entered", self, target, event)
        is_over = self.process_state_actions(ENTER, callbacks.enters, visit.actions)
        if not (is_over or callbacks.size):  # rule 10: there is nothing to wait for
            self._phase_, self._acting_ = BETWEEN, None
            try:
                self._send_finished_()
            except BaseException as error:
                self._keep_failure_(error)
        return True

    def _swap_(self, visit: Visit, phase: str) -> None:
        """Make another visit current: nothing else changes the current state."""
        self.previous_state, self._visit_, self._phase_, self._acting_ = (
            self._visit_.state, visit, phase, None,
        )  # fmt: skip

    # Suspending (rule 18)

    def _suspend_(self) -> None:
        """Suspend the current visit, its time and its delayed events."""
        visit = self._visit_
        self.process_state_actions(SUSPEND, visit.callbacks.suspends, visit.actions)
        self._acting_ = None
        visit.since, visit.delayed = self._time_ - visit.since, []
        if self._delayed_:
            self._suspend_delayed_(visit.delayed)
        self._notify_("state_suspended", self, visit.state)

    def _exit_below_(self, upper: Visit) -> None:
        """Exit the suspended visit below another."""
        visit = upper.below
        assert visit is not None
        if visit.delayed is not None:
            visit.delayed.clear()
            visit.delayed = None
        self.process_state_actions(EXIT, visit.callbacks.exits, visit.actions)
        self._end_visit_(visit)
        upper.below = visit.below

    def _resume_(self) -> None:
        """Resume the visit that was suspended last; its state is current again."""
        visit = self._visit_.below
        assert visit is not None  # _lead_ has looked
        visit.spare = self._visit_
        self._swap_(visit, RESUME)
        self._let_time_go_on_(visit)
        self.process_state_actions(RESUME, visit.callbacks.resumes, visit.actions)
        self._acting_ = None
        self._notify_("state_resumed", self, visit.state)

    def _let_time_go_on_(self, visit: Visit) -> None:
        if visit.delayed is not None:
            for delayed in [*visit.delayed]:
                delayed.move(self._delayed_, self._time_)
            visit.since, visit.delayed = self._time_ - visit.since, None
        visit.is_special = True

    def _walk_all_(self, phase: str, callback: str, actions: Actions) -> None:
        """Call a callback for which no hooks are prepared."""
        self.process_state_actions(phase, overridden(callback, actions), actions)

    # Visits

    def _prepare_(self, state: FsmState[ContextT]) -> Callbacks:
        """What `state` is entered with."""
        return state._prepare(self._watching_())

    def _visit_with_(self, state: FsmState[ContextT], actions: Actions) -> Visit:
        """A visit in which `actions` were entered, as when the machine was saved."""
        visit = Visit()
        visit.begin(state, callbacks_of(actions), below=None)
        visit.actions = actions
        self._watch_(visit)
        return visit

    def _watch_(self, visit: Visit) -> None:
        """See to it that a visit knows where its events lead, and who observes it."""
        visit.watch(self._watching_())
        self._open_routes_(visit)

    def _watching_(self) -> Any:
        """The observers, if they change what a state is entered with; otherwise None."""
        observers = self._observers_
        return observers if observers is not None and observers.changes_hooks else None

    def _open_routes_(self, visit: Visit) -> None:
        """Let events lead straight to a change, unless somebody is to hear of them first."""
        is_observed = self._observers_ is not None
        visit.is_special = visit.is_special or is_observed or bool(self._delayed_)
        is_closed = is_observed or self._queue_ or visit.is_due or visit.callbacks.listeners
        visit.routes = NOWHERE if is_closed else visit.state._transitions

    def _renew_visits_(self) -> None:
        """Rebuild visits: where their events lead, and which observers to notify."""
        for state in self._states_.values():
            state._forget_callbacks()
        for visit in self._visits_():
            if visit.state is not None:
                self._watch_(visit)

    def _keep_entered_(self, count: int) -> None:
        """Entering was cut short: only the first `count` actions take part (rule 5)."""
        self._visit_.leave_out(self._visit_.actions[count:])

    def _cut_short_(self) -> None:
        """A Ctrl-C has ended the call, perhaps between two callbacks: keep the entered actions."""
        if self._phase_ is ENTER:
            self._keep_entered_(self._visit_.position(self._acting_) + 1)
        elif self._phase_ is EXIT:
            for visit in self._visits_():
                exited = visit.position(self._acting_) + 1
                visit.leave_out(visit.actions[: None if visit.is_exited else exited])
        if self._visit_.delayed is not None:
            self._let_time_go_on_(self._visit_)

    def _exit_removed_(self, action: FsmAction[Any]) -> bool:
        """Exit an action that is removed, if it was entered; True if its state has now finished."""
        visit = next((visit for visit in self._visits_() if visit.position(action) >= 0), None)
        if visit is None:
            return False
        is_over = visit.remove(action) and visit is self._visit_
        try:
            self._exit_alone_(action)
        except BaseException as error:
            self._note_place_(error, action, EXIT)
            raise
        return is_over

    def _exit_alone_(self, action: FsmAction[Any]) -> None:
        """Call `on_exit` of a single action; it may not change the state."""
        phase, acting = self._phase_, self._acting_
        try:
            self._phase_ = EXIT
            if phase is None:  # an action of a state, which is removed
                self._acting_ = action
            action.on_exit()
        finally:
            self._phase_, self._acting_ = phase, acting
            if self._observers_ is not None:
                self._notify_("action_exited", action)

    # Failing (rule 12)

    def _check_chain_(self, changes: int, trail: list[str]) -> None:
        """Raise TransitionLoopError for one change too many (rule 11)."""
        if self._visit_.state is not None:
            trail.append(self._visit_.state.name)
        if changes > self._options_.max_transitions:
            error = messages.endless_chain(self.name, self._options_.max_transitions, trail)
            self._keep_failure_(error)
            raise self._take_failures_()

    def _fail_(self, error: BaseException, action: FsmAction[Any] | None) -> None:
        """Keep the error of a callback and drop the change that it has decided."""
        if action is not None and self._phase_ is not None:
            self._note_place_(error, action, self._phase_)
        if self._phase_ is ENTER:
            self._keep_entered_(max(0, self._visit_.position(action)))
        self._keep_failure_(error)
        if self._phase_ is EXIT and action is not None and not issubclass(type(error), Exception):
            for another in action.nested.end():  # a Ctrl-C may have come before its exits
                self._keep_failure_(another)

    def _keep_failure_(self, error: BaseException) -> None:
        """Keep `error`, to be resolved when no change is pending, and drop the pending one."""
        self._failures_ = (*self._failures_, error)
        self._drop_decided_()

    def _drop_decided_(self) -> None:
        self._next_ = None
        if self._step_ is not None:
            self._step_.rest = 0.0

    def _take_failures_(self) -> BaseException:
        failures, self._failures_ = self._failures_, ()
        what = f"Fsm {self.name!r}: several errors in one call"
        return failures[0] if len(failures) == 1 else as_one(failures, what)

    def _resolve_failures_(self) -> None:
        """Turn the failures into the event ERROR if that leads somewhere, otherwise raise them."""
        self._phase_ = BETWEEN
        error = self._take_failures_()
        if not issubclass(type(error), Exception):
            raise error
        try:
            lead = self._lead_(ERROR, error)
        except BaseException as another:
            both = f"Fsm {self.name!r}: an error, and one in a guard of ERROR"
            raise as_one([error, another], both) from None
        if isinstance(lead, str):
            raise error
        self._notify_("error_raised", self, error)
        self._decide_(lead, ERROR, error)

    def _note_place_(self, error: BaseException, action: FsmAction[Any], phase: str) -> None:
        add_note(error, f"{action.state}, {titled(action, action.state.actions)}, {phase}")

    def _note_function_(self, error: BaseException, transition: Transition[Any], what: str) -> None:
        add_note(error, f"{self._visit_.state}, transition for {quote(transition.event)}, {what}")

    # Deciding

    def _dispatch_(self, event: str, data: object, optional: bool = False) -> bool:
        """Offer `event` to the actions, then the state, then the machine; True if it was taken."""
        if self._phase_ is GUARD:
            raise messages.from_a_guard(self._visit_.state, f"send_event({quote(event)})")
        if self._next_ is not None:
            return self._enqueue_(event, data, optional)
        if self._halted_ is not None:
            return self._not_taken_(event, data, optional, "unhandled")
        lead = self._choose_(event, data)
        if isinstance(lead, str):
            return lead == "consumed" or self._not_taken_(event, data, optional, lead)
        if self._phase_ is EXIT or self._phase_ is SUSPEND:  # rule 6
            raise self._change_on_exit_(f"send_event({quote(event)})")
        self._decide_(lead, event, data)
        return True

    def _choose_(self, event: str, data: object) -> Lead[ContextT] | str:
        """Where `event` leads once it was offered to the actions, or its outcome.

        "consumed" also if an error is kept: that of an event from outside.
        """
        outcome = "unhandled"
        try:
            if self._visit_.callbacks.listeners and self._phase_ not in {EXIT, SUSPEND}:
                outcome = self._offer_(event, data)
            lead = self._lead_(event, data) if outcome != "consumed" else outcome
            return outcome if lead == "unhandled" else lead
        except BaseException as error:
            if self._phase_ is not BETWEEN:
                self._next_ = None  # a failed callback has decided nothing
                raise  # to the callback that sent the event
            self._keep_failure_(error)
            return "consumed"

    def _decide_(self, lead: Lead[ContextT], event: str, data: object) -> None:
        """Decide that `event` leads there; the callback continues, its walk does not."""
        self._next_ = (lead, event, data)
        if self._step_ is not None:
            self._step_.rest = 0.0  # rule 22: only finished actions pass on time
        self._notify_("event_sent", self, event, data, "changed")

    def _enqueue_(self, event: str, data: object, optional: bool) -> bool:
        """Queue `event` for the state that was decided (rule 3); after a stop there is none."""
        lead = self._next_[0] if self._next_ is not None else None
        if lead is None or (optional and not self._will_know_(lead, event)):
            return self._not_taken_(event, data, optional, "unhandled")
        self._queue_ = (*self._queue_, (event, data))
        self._notify_("event_sent", self, event, data, "queued")
        return True

    def _will_know_(self, lead: Lead[ContextT], event: str) -> bool:
        """Whether the state that was decided may take `event`; otherwise it goes elsewhere."""
        target: Any = lead.target if isinstance(lead, Transition) else lead
        if target is BACK:
            target = self._suspended_()[-1].state
        return self._leads_on_(target, event) or bool(overridden("on_event", target.actions))

    def _offer_(self, event: str, data: object) -> str:
        """Offer `event` to the entered actions that listen (rule 8); return the outcome.

        "consumed" if one took it; otherwise its outcome in nested machines.
        """
        phase, actions = self._phase_, self._visit_.actions
        listeners: Hooks = self._visit_.callbacks.listeners
        if phase is ENTER:
            listeners = self._entered_so_far_(listeners)
        before, action = self._offered_, None
        events = (event,) if before is None else (*before[0], event)
        self._offered_ = events, "unhandled"
        try:
            if before is not None and len(events) > self._options_.max_transitions:
                raise messages.endless_answers(self.name, events)
            is_event = phase is BETWEEN or phase is EVENT
            for on_event, position in listeners:
                action = actions[position]
                if is_event:
                    self._phase_, self._acting_ = EVENT, action
                if on_event(action, event, data) or self._next_ is not None:
                    break
            else:
                return self._offered_[1]
        except BaseException as error:
            if action is not None:
                self._note_place_(error, action, EVENT)
            if issubclass(type(error), RecursionError) and len(events) > FEW_ANSWERS:
                raise messages.endless_answers(self.name, events) from None
            raise
        finally:
            self._phase_, self._offered_ = phase, before
        if self._observers_ is not None:
            self._notify_("event_sent", self, event, data, "consumed")
        return "consumed"

    def _not_taken_(self, event: str, data: object, optional: bool, outcome: str) -> bool:
        """Report the outcome of an event that changes nothing (rules 7, 14 and 17)."""
        if optional is CARRIED:
            self.carry_event(event, data)
            return False
        policy = self._options_.on_unhandled if outcome == "unhandled" else ""
        if policy and optional:
            return False
        self._notify_("event_sent", self, event, data, outcome if policy != "ignore" else "ignored")
        if not policy and self._host_ is not None:
            self._host_.fsm._note_outcome_(event, outcome)
        if policy == "raise":
            raise UnhandledEventError(self._text_of_(event))
        if policy == "warn":
            messages.warn_of_unhandled(self, self._visit_.state, event, self._text_of_)
        return False

    def _text_of_(self, event: str) -> str:
        if self._halted_ is not None and self._host_ is not None:
            return messages.behind_its_host(self.name, event, str(self._host_.state))
        if self._visit_.state is None or self._next_ is not None:
            return messages.not_running(self.name, event)
        return self._unhandled_(event, self._visit_.state)

    def _note_outcome_(self, event: str, outcome: str) -> None:
        """Note that a nested machine, which was offered `event`, knows it and lets it pass."""
        if self._offered_ is not None and self._offered_[0][-1] == event:
            self._offered_ = self._offered_[0], outcome

    def _lead_(self, event: str, data: object) -> Lead[ContextT] | str:
        """Where `event` leads (rules 7, 17, 18, 26), or the outcome of one that changes nothing."""
        state = self._visit_.state
        if state is None:
            return "unhandled"
        outcome = "unhandled"
        own, shared, anywhere = state._transitions, state._shared, self._global_transitions_
        for table in (own, *shared, anywhere) if shared else (own, anywhere):
            if (way := table.get(event)) is None:
                continue
            lead = self._agreed_(way, data) if isinstance(way, tuple) else way
            if lead is None:
                outcome = "refused"
                continue
            target = lead.target if isinstance(lead, Transition) else lead
            if target is state and table is not own:
                return "ignored"
            return lead if target is not BACK or self._suspended_() else "unhandled"
        return outcome

    def _leads_on_(self, state: FsmState[ContextT], event: str) -> bool:
        """Whether there are transitions that `event` may take from `state`."""
        return event in self._global_transitions_ or state._leads_on(event)

    def _agreed_(
        self, transitions: tuple[Transition[ContextT], ...], data: object
    ) -> Lead[ContextT] | None:
        """The first of `transitions` without a guard, or whose guard agrees.

        Of one that has nothing but a guard, its target.
        """
        phase, self._phase_ = self._phase_, GUARD
        transition = transitions[0]
        try:
            for transition in transitions:
                _, target, guard, effect, suspends = transition
                if self._observers_ is not None:
                    guard = self._observers_.instrumented(guard)
                if guard is None or guard(self._visit_.state, data):
                    if effect is None and not suspends and target is not BACK:
                        return target
                    return transition
            return None
        except BaseException as error:
            self._note_function_(error, transition, GUARD)
            raise
        finally:
            self._phase_ = phase

    def _change_on_exit_(self, call: str) -> FsmError:
        place = f"an {self._phase_}" if self._acting_ is not None else "an effect (`do`)"
        return messages.change_on_exit(self._visit_.state, call, place)

    # Finishing (rules 10 and 25)

    def _announce_(
        self: Any, action: FsmAction[Any], is_child: bool, unused: float, data: object
    ) -> None:
        """Send the events due because `action` has finished or failed."""
        self._notify_("action_finished", action)
        if self._step_ is not None and not is_child:
            self._step_.note_finished(unused, self._time_)
        if type(data) is Failure:
            if not is_child and self._next_ is None:
                self.send_in_time(FAILED, data.reason, unused)
            return
        counts, visit = not (is_child or action.background), self._visit_
        try:
            if action.finish_event is not None:
                self.send_in_time(action.finish_event, data, unused)
        except BaseException:
            if counts and visit.has_all_finished():  # the error may drop what is decided now
                visit.owe_finished()
            raise
        if counts and visit.has_all_finished():
            self._send_finished_(data)

    def _send_finished_(self: Any, data: object = None) -> None:
        """Send FINISHED, once in a visit, if it leads somewhere and no change was decided."""
        visit = self._visit_
        visit.is_due = False
        if visit.state is None or self._next_ is not None or visit.is_announced:
            return
        visit.is_announced = True
        if self._leads_on_(visit.state, FINISHED):
            if self._step_ is not None:
                self._send_with_rest_(FINISHED, data, self._step_.unused)
            else:
                self.send_event(FINISHED, data)

    # Taking part

    def _lets_pass_(self, event: str) -> bool:
        """Whether an event would certainly change nothing here, as most that a host passes down."""
        routes = NOWHERE if self._phase_ is not None else self._visit_.routes
        return not (routes is NOWHERE or self._leads_on_(self._visit_.state, event))

    def _takes_part_(self, action: FsmAction[Any], parent: FsmAction[Any] | None) -> bool:
        """Whether `action`, or the child of `parent`, was entered in this visit, or is just now."""
        phase, acting = self._phase_, self._acting_
        if action is acting and (phase is ENTER or phase is UPDATE):
            return True
        if phase is EXIT or phase is SUSPEND or action.state is not self._visit_.state:
            return False
        if parent is not None:
            return parent.nested.may_finish(action)
        position = self._visit_.position(action)
        return position >= 0 and (phase is not ENTER or position <= self._visit_.position(acting))

    def _entered_so_far_(self, hooks: Hooks) -> Hooks:
        """Of `hooks`, those of the actions entered so far, while the state is being entered."""
        reached = self._visit_.position(self._acting_)
        return tuple(hook for hook in hooks if hook[1] < reached)

    def _visits_(self) -> list[Visit]:
        """The current visit, then those below it."""
        found = [self._visit_]
        while (below := found[-1].below) is not None:
            found.append(below)
        return found

    def _notify_(self, hook: str, *arguments: object) -> None:
        if self._observers_ is not None and self._observers_.methods[hook]:
            self._observers_.notify(hook, *arguments)

    def _suspended_(self) -> list[Visit]:
        """The visits that are suspended, the last one last."""
        return [visit for visit in reversed(self._visits_()) if visit.delayed is not None]
