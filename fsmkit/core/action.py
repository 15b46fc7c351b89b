"""FsmAction: what a state does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeAlias

from fsmkit.core.errors import as_one
from fsmkit.core.functions import described, handed
from fsmkit.core.messages import entered_already, not_in_a_machine, note_child
from fsmkit.core.own_actions import (
    OWN_VALUES,
    cannot_be_set,
    check_declaration,
    check_own_action,
    refuse_assignments,
)
from fsmkit.core.parameters import parameters, remembered, shown
from fsmkit.core.types import ENTER, EVENT, EXIT, GUARD, RESUME, SUSPEND, UPDATE, ActionContextT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


Finishes: TypeAlias = Literal["at once", "in time", "never"]
"""Within `on_enter`; later, but certainly; not before the state is exited."""


class FsmAction(Generic[ActionContextT]):
    """One thing a state does, from entering it to exiting it.

    Subclass it and override any of `on_enter`, `on_update`, `on_exit` and `on_event`. A subclass
    needs no `super().__init__()`. What is not overridden costs nothing.

    >>> from fsmkit import Fsm, FsmAction
    >>> class Greet(FsmAction):
    ...     def on_enter(self):
    ...         print("hello from", self.state.name)
    >>> fsm = Fsm("Door")
    >>> _ = fsm.add_state("Open").add_action(Greet())
    >>> fsm.start("Open")
    hello from Open
    """

    # Bookkeeping, under names that no subclass has. What is seldom set has its default here.
    _fsmkit_state: FsmState[ActionContextT] = None  # type: ignore[assignment]
    _fsmkit_fsm: Fsm[ActionContextT]
    _fsmkit_parent: FsmAction[Any] | None = None
    _fsmkit_enabled: bool = True
    _fsmkit_finished: bool = False
    _fsmkit_under_way: bool = False
    _fsmkit_calls: Sequence[FsmAction[Any]] = ()
    _fsmkit_unused: float = 0.0
    _fsmkit_exit_due: bool = False
    _fsmkit_declares: bool = False  # its class has a background, sends or takes of its own

    background: bool = False
    """Whether it counts as finished for `FINISHED` although it is updated (rule 20)."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse what a class of actions cannot mean, such as a misspelt callback: TypeError."""
        super().__init_subclass__(**options)
        check_own_action(cls)
        if not vars(cls).keys().isdisjoint(OWN_VALUES):
            cls._fsmkit_declares = True
        if _rank(cls, "on_update") < _rank(cls, "next_due"):
            setattr(cls, "next_due", FsmAction.next_due)  # noqa: B010  # a property for a property

    makes_children: bool = False
    """Whether its `children` are made while it runs, and so are no part of what is defined."""

    finish_event: str | None = None
    """Sent by `finish()`, before the state's own `FINISHED`."""

    @property
    def state(self) -> FsmState[ActionContextT]:
        """The state it belongs to; None before it is added to one."""
        return self._fsmkit_state

    @state.setter
    def state(self, state: Never) -> None:  # noqa: ARG002  # nothing fits
        raise cannot_be_set(self, "state")

    @property
    def fsm(self) -> Fsm[ActionContextT]:
        """The machine it belongs to; None before it is added to a state."""
        try:
            return self._fsmkit_fsm
        except AttributeError:
            return None  # type: ignore[return-value]  # until it is added to a state

    @fsm.setter
    def fsm(self, fsm: Never) -> None:  # noqa: ARG002  # nothing fits
        raise cannot_be_set(self, "fsm")

    # What a subclass overrides

    def on_enter(self) -> None:
        """Called when the state is entered."""

    def on_update(self) -> None:
        """Called in every update of the machine, until the action has finished."""

    def on_exit(self) -> None:
        """Called when the state is exited, if `on_enter` was completed."""

    def on_suspend(self) -> None:
        """Called when the state is suspended: it is left for a while, without an exit."""

    def on_resume(self) -> None:
        """Called when the state that was suspended goes on."""

    def on_event(self, event: str, data: object) -> bool:  # noqa: ARG002  # for those who override it
        """Called with every event for the machine; True means: consumed, nobody else gets it."""
        return False

    @property
    def sends(self) -> Sequence[str]:
        """The events it may send, beside its `finish_event`; read by checks and pictures."""
        return ()

    @property
    def takes(self) -> Sequence[str]:
        """The events that its `on_event` may consume; read by checks and `why`.

        Unless a class or an action says otherwise: what its `children` take.
        """
        own: Sequence[str] | None = vars(self).get("takes")
        if own is not None:
            return own
        return tuple(event for child in self.children for event in child.takes)

    if not TYPE_CHECKING:  # so that a subclass may say it by a property without a setter

        @takes.setter
        def takes(self, events: Sequence[str]) -> None:
            check_declaration(type(self), "takes", events)
            vars(self)["takes"] = events

    def would_take(self, event: str) -> bool | str | None:  # noqa: ARG002  # for those who override it
        """Return whether its `on_event` would consume `event` now; None if only its code knows.

        A text stands for True and says what is done with it, as `"0.4 s to go"`. Asked by `why` of
        an action that is entered; it may change nothing. What those in `offers_to` take need not be
        said again.
        """
        return None

    def offers_to(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # as above
        """Return those to whom its `on_event` would hand `event` on now, in order.

        `children` that it has entered, and nested machines: what one of them takes, it takes. Asked
        by `why` as `would_take` is.
        """
        return ()

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        """The nested machines it runs; read by checks, pictures and the inspector."""
        return tuple(machine for child in self.children for machine in child.machines)

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        """The actions it runs itself, with `enter_child`, `update_child` and so on."""
        return ()

    @property
    def finishes(self) -> Finishes | None:
        """When it finishes by itself: `"at once"`, `"in time"` or `"never"`; read by checks.

        None means that it cannot be known before it runs.
        """
        return None

    @property
    def waits_for(self) -> str:
        """What it still needs to finish, in words that follow its name, as `"1.2 of 2.0 s"`.

        Read by `why` while it is entered and has not finished. Empty if there is nothing to say.
        """
        own: str | None = vars(self).get("waits_for")
        if own is not None:
            return own
        return "which never finishes by itself" if self.finishes == "never" else ""

    @property
    def next_due(self) -> float:
        """Seconds of the machine until its `on_update` has something to do; see `Fsm.next_due`.

        0.0, in every update, unless a class says otherwise; inf for one that only reacts to events.
        Asked while it is entered and has not finished. A class that overrides `on_update` says it
        anew: what its base says of another `on_update` does not hold.
        """
        own: float = vars(self).get("next_due", 0.0)
        return own

    if not TYPE_CHECKING:  # so that a subclass may say it by a property without a setter

        @next_due.setter
        def next_due(self, seconds: float) -> None:
            vars(self)["next_due"] = seconds

    if not TYPE_CHECKING:  # so that a subclass may say it by a property without a setter

        @waits_for.setter
        def waits_for(self, words: str) -> None:
            vars(self)["waits_for"] = words

    # What a subclass uses

    @property
    def context(self) -> ActionContextT:
        """The context of the machine."""
        return self._fsmkit_machine().context

    @property
    def delta_time(self) -> float:
        """Seconds that the current update stands for."""
        return self._fsmkit_machine().delta_time

    @property
    def finished(self) -> bool:
        """True from `finish()` until the state is exited."""
        return self._fsmkit_finished

    @property
    def enabled(self) -> bool:
        """Whether it takes part in a visit; read when the state is entered."""
        return self._fsmkit_enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._fsmkit_enabled = enabled
        if self.state is not None:
            self.state._forget_visit()

    def finish(self, unused: float = 0.0, data: object = None) -> None:
        """End this action's part in the visit: no more `on_update`, still `on_exit`.

        `unused` are the seconds of this update that it did not need; where the machine carries time
        over, the next state gets them (rule 22).

        Sends `finish_event`, and `FINISHED` if it was the last unfinished action of its state, both
        with `data`. Without effect in `on_exit`, outside a visit and a second time.
        """
        fsm = self.fsm
        if self._fsmkit_finished or fsm is None:
            return
        if fsm._queue and fsm._phase is None:
            fsm._offer_leftovers()  # rule 12
        is_child = self._fsmkit_parent is not None
        if self._fsmkit_has_part() if is_child else fsm._has_part(self):
            if fsm._phase is GUARD or fsm._observers is not None:
                fsm._check_finish()
            self._fsmkit_finished = True
            if fsm._carry_time:
                self._fsmkit_unused = unused = unused + fsm._moment
            fsm._action_finished(self, is_child, unused, data)

    def send_in_time(self, event: str, data: object = None, unused: float = 0.0) -> bool:
        """Send the event that this action ends with, as `finish` sends its `finish_event`.

        If it changes the state, the next one gets the `unused` seconds of this update, where the
        machine carries time over (rule 22). Else as `Fsm.send_event`.
        """
        fsm = self._fsmkit_machine()
        return fsm._send_with_rest(event, data, unused + fsm._moment)

    @property
    def unused(self) -> float:
        """Seconds that it did not need of the update in which it finished (rule 22)."""
        return self._fsmkit_unused

    # What an action uses that runs other actions

    def enter_child(self, child: FsmAction[Any]) -> None:
        """Enter one of `children`. If its `on_enter` raises, it counts as not entered.

        Raises FsmError for one that has been entered and not exited yet.
        """
        if child._fsmkit_under_way or self._fsmkit_is_calling(child):
            raise entered_already(self, child)
        child._fsmkit_finished = False
        try:
            self._fsmkit_call(child, ENTER, child.on_enter)
        except BaseException:
            child._fsmkit_finished = False
            raise
        child._fsmkit_under_way = True
        self.fsm._tell("action_entered", child)

    def update_child(self, child: FsmAction[Any], left: float | None = None) -> None:
        """Update one of `children`, if it is entered and has not finished.

        `left` are the seconds of this update that are left for it, where it began within the step.
        """
        if not child._fsmkit_under_way or child._fsmkit_finished:
            return
        if left is None:
            self._fsmkit_call(child, UPDATE, child.on_update)
        else:
            with self.fsm._within_step(0.0, left):
                self._fsmkit_call(child, UPDATE, child.on_update)

    def moment(self, left: float) -> AbstractContextManager[None]:
        """The moment `left` seconds before the end of this update: what is called then sees it."""
        return self.fsm._within_step(left, self.fsm.delta_time)

    def offer_child(self, child: FsmAction[Any], event: str, data: object) -> bool:
        """Offer an event to one of `children`, if it is entered; True if it took the event."""
        if not child._fsmkit_under_way or child._fsmkit_exit_due:
            return False
        return bool(self._fsmkit_call(child, EVENT, child.on_event, event, data))

    def exit_child(self, child: FsmAction[Any]) -> None:
        """Exit one of `children`, if it is entered. Its `on_exit` may not change the state.

        In the middle of one of its callbacks it is exited as soon as that has returned; one whose
        `on_enter` has not returned is not entered yet.
        """
        if not child._fsmkit_under_way:
            return
        if self._fsmkit_is_calling(child):  # rule 2
            child._fsmkit_exit_due = True
            return
        child._fsmkit_under_way = child._fsmkit_exit_due = False
        try:
            self.fsm._exit_child(child)
        except BaseException as error:
            note_child(error, self, child, EXIT)
            raise
        finally:
            child._fsmkit_finished = False
            self.fsm._tell("action_left", child)

    def exit_children(self, *errors: BaseException) -> None:
        """Exit the `children` that were entered, in list order, even if some of them fail.

        Raises what they raised after `errors`: one error itself, several as a group.
        """
        self._fsmkit_call_each(self.exit_child, *errors)

    def suspend_children(self) -> None:
        """Call `on_suspend` of the `children` that are entered; else as `exit_children`."""
        self._fsmkit_call_each(lambda child: self._fsmkit_call(child, SUSPEND, child.on_suspend))

    def resume_children(self) -> None:
        """Call `on_resume` of the `children` that are entered; else as `exit_children`."""
        self._fsmkit_call_each(lambda child: self._fsmkit_call(child, RESUME, child.on_resume))

    def adopt_child(self, child: FsmAction[Any]) -> None:
        """Take in a free action that will be one of `children` until `release_child`.

        For children that are not known when this action is added to its state. Raises
        ActionOwnershipError for one that belongs to a state already, and FsmError if it runs this
        machine.
        """
        for member in self.state._checked_family(child):
            member._fsmkit_join(self.state)
            member._fsmkit_adopt()
        child._fsmkit_parent = self

    def release_child(self, child: FsmAction[Any]) -> None:
        """Set free an action that was taken in by `adopt_child`, and exited."""
        for member in child._fsmkit_family():
            member._fsmkit_leave()

    def _fsmkit_call(
        self, child: FsmAction[Any], phase: str, callback: Callable[..., Any], *arguments: object
    ) -> Any:
        """Call a callback of a child; then exit it, if that was asked for meanwhile."""
        errors: list[BaseException] = []
        answer = None
        calls = self._fsmkit_calls  # a list, as attrs makes it slow to set attributes of a child
        if not isinstance(calls, list):
            calls = self._fsmkit_calls = []
        calls.append(child)
        try:
            answer = callback(*arguments)
        except BaseException as error:
            note_child(error, self, child, phase)
            errors.append(error)
        finally:
            calls.pop()
        if child._fsmkit_exit_due:  # if it is still in another callback, that comes later
            try:
                self.exit_child(child)
            except BaseException as error:
                errors.append(error)
        if errors:
            raise as_one(errors, f"{type(self).__name__}: a child failed twice")
        return answer

    def _fsmkit_is_calling(self, child: FsmAction[Any]) -> bool:
        return any(called is child for called in self._fsmkit_calls)

    def _fsmkit_call_each(
        self, call: Callable[[FsmAction[Any]], object], *errors: BaseException
    ) -> None:
        """Call something with each child that is entered; raise `errors` and what is raised."""
        raised = list(errors)
        for child in self.children:
            if child._fsmkit_under_way:
                try:
                    call(child)
                except BaseException as error:
                    raised.append(error)
        if raised:
            raise as_one(raised, f"{type(self).__name__}: several children failed")

    # What an action uses that runs a machine

    def start_machine(self, machine: Fsm[Any], state: FsmState[Any] | str | None = None) -> None:
        """Start a nested machine, which this action runs from now on (rule 19).

        Raises FsmError for a machine that another action runs, that this one's machine runs in, or
        that is a member of an `FsmGroup`. If the start raises, the machine is stopped.
        """
        machine._join_host(self)
        try:
            machine.start(state)
        except BaseException:
            self.stop_machine(machine)  # this action does not count as entered: nobody else would
            raise

    def stop_machine(self, machine: Fsm[Any]) -> None:
        """Stop a nested machine; without effect on one that this action does not run."""
        if machine.host is self:
            try:
                machine.stop()
            finally:
                machine._leave_host()

    def suspend_machine(self, machine: Fsm[Any]) -> None:
        """Have the actions of a nested machine know that they are suspended (rule 18)."""
        machine._call_each("on_suspend")

    def resume_machine(self, machine: Fsm[Any]) -> None:
        """Have the actions of a nested machine know that they go on."""
        machine._call_each("on_resume")

    def machine_settled(self, machine: Fsm[Any]) -> None:
        """Called when a nested machine has settled after a call that did not come from here."""

    def machine_restored(self) -> None:
        """Called when a tool has put the machine elsewhere: what it began elsewhere is to end."""

    def send_outward(self, event: str, data: object = None) -> bool:
        """Send `event` to this machine, for the nested one: it is not handed back to that."""
        return self.fsm.send_event(event, data)

    # What an action uses that has work done elsewhere, by `Fsm.begin_work`

    def work_done(self, number: int, data: object, error: BaseException | None) -> None:
        """Called at the beginning of an update with what `Fsm.post_result` was called with.

        Perhaps the state was left, or suspended, meanwhile. Only keep it, and act on it in
        `on_update`, where an error is noted, retried and sent as any other.
        """

    # What its state uses

    def _fsmkit_family(self) -> Sequence[FsmAction[Any]]:
        """This action and all that it runs, directly or not."""
        children = self.children
        if not children:
            return (self,)
        return (self, *(member for child in children for member in child._fsmkit_family()))

    def _fsmkit_join(self, state: FsmState[Any]) -> None:
        """Belong to `state` from now on."""
        self._fsmkit_state = state
        self._fsmkit_fsm = state.fsm

    def _fsmkit_adopt(self) -> None:
        """Have the children know who runs them."""
        for child in self.children:
            child._fsmkit_parent = self

    def _fsmkit_has_part(self) -> bool:
        """Whether this child takes part; nobody finishes on exit or suspension (rules 6 and 18)."""
        fsm, parent = self.fsm, self._fsmkit_parent
        if fsm.phase is EXIT or fsm.phase is SUSPEND or self.state is not fsm.current_state:
            return False
        is_being_entered = parent is not None and parent._fsmkit_is_calling(self)
        return self._fsmkit_under_way or is_being_entered

    def _fsmkit_leave(self) -> None:
        """Be free for another state again."""
        self._fsmkit_state = self._fsmkit_fsm = None  # type: ignore[assignment]  # as in the beginning
        self._fsmkit_parent = None

    def _fsmkit_reset(self) -> None:
        """Have finished no more."""
        if self._fsmkit_finished:
            self._fsmkit_finished = False

    def _fsmkit_handed(
        self: object, name: str, function: Callable[..., Any], **options: bool
    ) -> Callable[..., Any]:
        """Return `function`, given as `name`, as what is called with the state; see `handed`."""
        return handed(function, f"{type(self).__name__}: {name}", **options)

    def _fsmkit_described(self: object, function: Callable[..., Any]) -> str:
        """Return what `function` is called in a sentence; see `described`."""
        return described(function)

    def _fsmkit_fits(self, state: FsmState[ActionContextT]) -> Self:  # noqa: ARG002  # a type, no code
        """Never called: tells type checkers which states this action fits; see `Fitting`."""
        return self

    def _fsmkit_machine(self) -> Fsm[ActionContextT]:
        if self.fsm is None:
            raise not_in_a_machine(self)
        return self.fsm

    def __repr__(self) -> str:
        values = {**parameters(self), **remembered(self)}
        return f"{type(self).__name__}({', '.join(f'{k}={shown(v)}' for k, v in values.items())})"


def _rank(kind: type, name: str) -> int:
    """Where in the order of its classes `name` is defined first."""
    return next(rank for rank, each in enumerate(kind.__mro__) if name in vars(each))


refuse_assignments(FsmAction)
