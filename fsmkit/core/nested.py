"""Nested: how an action runs other actions, or machines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fsmkit.core.errors import FsmError, as_one
from fsmkit.core.observers import looking_in
from fsmkit.core.step import first_end, parts_of, rounds_of, too_many_rounds, update_in_step
from fsmkit.core.types import ENTER, EVENT, EXIT, RESUME, SUSPEND, UPDATE
from fsmkit.core.words.messages import index_of, not_in_a_machine
from fsmkit.core.words.notes import add_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState


class Nested:
    """Calls the `children` of an action, and drives the machines that it runs.

    It knows which children are entered, so that each of them is exited exactly once, whatever they
    raise. An action gets it from `action.nested`.
    """

    __slots__ = (
        "_calls", "_entered", "_exits_due", "_owner", "ends", "entered", "has_news", "listens",
    )  # fmt: skip

    def __init__(self, owner: FsmAction[Any]) -> None:
        self._owner = owner
        self.entered: tuple[FsmAction[Any], ...] = ()
        """The children that were entered and not exited yet, in the order of entering; to read."""
        self.has_news = False
        """Whether something has happened that the action has not looked at, as a child's end."""
        self.listens = False
        """Whether the action has asked for events, by `listen`."""
        self._entered: dict[int, FsmAction[Any]] = {}
        """The same by their ids, as actions may be equal."""
        self._calls: tuple[FsmAction[Any], ...] = ()
        """The children whose callbacks are on the stack, the innermost one last."""
        self._exits_due: list[FsmAction[Any]] = []
        """The children to exit as soon as their callback has returned."""
        self.ends: dict[int, float] = {}
        """The `fsm.time` at which finished children ended, if time is carried over."""

    def __getstate__(self) -> tuple[FsmAction[Any], tuple[FsmAction[Any], ...], bool]:
        return self._owner, self.entered, self.has_news

    def __setstate__(self, state: tuple[FsmAction[Any], tuple[FsmAction[Any], ...], bool]) -> None:
        owner, entered, has_news = state
        Nested.__init__(self, owner)
        self._entered = {id(child): child for child in entered}
        self.entered, self.has_news = entered, has_news

    # Children

    def has(self, child: FsmAction[Any]) -> bool:
        """Whether a child was entered and not exited yet."""
        return id(child) in self._entered

    def enter(self, child: FsmAction[Any]) -> None:
        """Enter one of `children`. If its `on_enter` raises, it counts as not entered.

        Raises FsmError for one that is entered and not exited yet, and for anything but a child.
        """
        owner = self._owner
        fsm = owner.fsm
        if fsm is None or not _is_among(child, owner.children):
            raise self._no_child(child)
        if id(child) in self._entered or (self._calls and self._is_calling(child)):
            raise FsmError(
                f"{owner.state}: {self._title(child)} has been entered already. Exit it with "
                "nested.exit() before it is entered again."
            )
        if child.finished:
            _reset(child)
        try:
            self._call(child, ENTER, child.on_enter)
        except BaseException:
            _reset(child)
            raise
        self._entered[id(child)] = child
        self.entered = (*self.entered, child) if self.entered else (child,)
        self._notify("action_entered", child)

    def update(self, child: FsmAction[Any], left: float | None = None) -> None:
        """Update one of `children`, if it is entered and has not finished.

        `left` are the seconds of this update that are left for it, if it began within the step.
        """
        if child.finished or id(child) not in self._entered:
            return
        if left is not None:
            with self._within_step(0.0, left):
                self.update(child)
            return
        calls = self._calls  # as in `_call`, without a further call in every update
        try:
            try:
                self._calls = (*calls, child) if calls else (child,)
                child.on_update()
            except BaseException as error:
                self._calls = calls
                self._fail(child, UPDATE, error)
                raise
            finally:
                self._calls = calls
        finally:
            self._calls = calls
        if self._exits_due:
            self._exit_if_due(child)

    def offer(self, child: FsmAction[Any], event: str, data: object) -> bool:
        """Offer an event to one of `children`, if it is entered; True if it took the event."""
        if id(child) not in self._entered or _is_among(child, self._exits_due):
            return False
        return bool(self._call(child, EVENT, child.on_event, event, data))

    def exit(self, child: FsmAction[Any]) -> None:
        """Exit one of `children`, if it is entered. Its `on_exit` may not change the state.

        In the middle of one of its callbacks it is exited as soon as that has returned; one whose
        `on_enter` has not returned is not entered yet.
        """
        if id(child) not in self._entered:
            return
        if self._calls and self._is_calling(child):  # rule 2
            self._exits_due.append(child)
            return
        self._forget(child)
        self.has_news = True
        fsm = self._owner.fsm
        try:
            fsm._exit_alone_(child)
        except BaseException as error:
            add_note(error, f"{self._title(child)}, {EXIT}")
            raise
        finally:
            if child.finished:
                _reset(child)
                self.ends.pop(id(child), None)
            self._notify("action_exited", child)

    def exit_all(self, *errors: BaseException) -> None:
        """Exit the `children` that were entered, in list order, even if some of them fail.

        Raises `errors` followed by what they raised: one error itself, several as a group.
        """
        raised = errors
        for child in self._owner.children if len(self.entered) > 1 else self.entered:
            try:
                self.exit(child)
            except BaseException as error:
                raised = (*raised, error)
        if raised:
            raise self._as_one(raised)

    def suspend_all(self) -> None:
        """Call `on_suspend` of the entered `children`; errors as in `exit_all`."""
        self._call_each(lambda child: self._call(child, SUSPEND, child.on_suspend))

    def resume_all(self) -> None:
        """Call `on_resume` of the entered `children`; errors as in `exit_all`."""
        self._call_each(lambda child: self._call(child, RESUME, child.on_resume))

    def adopt(self, child: FsmAction[Any]) -> None:
        """Adopt a free action, which will be one of `children` until `release`.

        For children that are not known when the action is added to its state. Raises
        ActionOwnershipError for one that already belongs to a state, and FsmError if it runs this
        machine.
        """
        self._owner.state._take_in(child)
        child._fsmkit_parent = self._owner

    def release(self, child: FsmAction[Any]) -> None:
        """Release an action that was adopted, and exited."""
        self._forget(child)
        self._owner.state._set_free(child)

    def update_all(self, update: Callable[[FsmAction[Any]], bool]) -> None:
        """Call `update` with each entered child, until it returns False.

        If time is carried over, as often as something ends within the step: those that end first
        come first.
        """
        fsm = self._owner.fsm
        if len(self.entered) > 1 and fsm.carry_time:
            update_in_step(fsm, lambda: self.entered, update)
        else:
            for child in self.entered:
                if not update(child):
                    return

    # Time within a step (rule 22)

    def ends_in(self) -> float:
        """Seconds until something in one of the children ends by itself."""
        return first_end(child for child in self.entered if not child.finished)

    def rounds(self) -> Iterator[int]:
        """Count the rounds of the action in one update; raise FsmError after too many."""
        return rounds_of(self._owner)

    def too_many_rounds(self) -> FsmError:
        """The error for an update so long that the action would go on endlessly."""
        return too_many_rounds(self._owner)

    def parts(self) -> Iterator[AbstractContextManager[None]]:
        """Cut this update where something in the action ends; enter each part by `with`."""
        return parts_of(self._owner.fsm, lambda: (self._owner,))

    def part(self, length: float) -> AbstractContextManager[None]:
        """A context manager: the first `length` seconds of this update, as if they were all."""
        return self._within_step(self._owner.fsm.delta_time - length, length)

    def moment(self, left: float) -> AbstractContextManager[None]:
        """A context manager: the moment `left` seconds before the end of this update."""
        return self._within_step(left, self._owner.fsm.delta_time)

    def unused_of(self, action: FsmAction[Any]) -> float:
        """Seconds of this update that a finished action did not need.

        All of them if it finished before. Below 0 if it ended later than this part of the update.
        """
        fsm, parent = self._owner.fsm, action._fsmkit_parent
        end = None if parent is None else parent.nested.ends.get(id(action))
        return fsm.delta_time if end is None else min(fsm.time - end, fsm.delta_time)

    # Machines (rule 19)

    def start(self, machine: Fsm[Any], state: FsmState[Any] | str | None = None) -> None:
        """Start a nested machine, which the action then runs.

        Raises FsmError for a machine that another action runs, that this one's machine runs in, or
        that is a member of an `FsmGroup`. If the start raises, the machine is stopped.
        """
        self._check_owner()
        machine._join_host_(self._owner)
        try:
            machine.start(state)
        except BaseException:
            self.stop(machine)  # the action does not count as entered, so nothing else would
            raise

    def stop(self, machine: Fsm[Any]) -> None:
        """Stop a nested machine; without effect on one that the action does not run."""
        if machine.host is self._owner:
            try:
                machine.stop()
            except BaseException:
                machine.stop()  # a Ctrl-C may have come before the exits; otherwise it is stopped
                raise
            finally:
                machine._leave_host_()
                for inward in looking_in(self._owner):
                    inward.leave(machine)

    def suspend(self, machine: Fsm[Any]) -> None:
        """Suspend the actions of a nested machine (rule 18)."""
        machine._halt_()

    def resume(self, machine: Fsm[Any]) -> None:
        machine._go_on_()

    # For machines and snapshots

    def end(self) -> list[BaseException]:
        """Exit all children and stop all machines, after a Ctrl-C; return the errors."""
        raised: list[BaseException] = []
        ends: list[Callable[[], None]] = [self.exit_all]
        ends += [partial(self.stop, machine) for machine in self._owner.machines]
        for end in ends:
            try:
                end()
            except BaseException as error:
                raised.append(error)
        return raised

    def may_finish(self, child: FsmAction[Any]) -> bool:
        """Whether a child takes part; none finishes on exit or suspension (rules 6 and 18)."""
        fsm = self._owner.fsm
        phase = fsm.phase
        if phase is EXIT or phase is SUSPEND or child.state is not fsm.current_state:
            return False
        return id(child) in self._entered or self._is_calling(child)

    def child_finished(self) -> None:
        """Note that a child has finished. In a callback of a child, the action looks afterwards."""
        self.has_news = True
        if not self._calls:
            self.listen()

    def listen(self) -> None:
        """Offer events to the action in this visit, although it has said that none concern it."""
        self._owner.fsm._visit_.listen()

    def keep_listening(self) -> None:
        """Offer events to the action from now on, if its `_fsmkit_listens` says so by `listens`."""
        if not self.listens:
            self.listens = True
            self.listen()

    def restore(self, child: FsmAction[Any], *, entered: bool) -> None:
        """Mark a child as entered or not, as it was when the machine was saved."""
        self._forget(child)
        if entered:
            self._entered[id(child)] = child
            self.entered = (*self.entered, child)
        self.has_news = bool(self.entered)  # perhaps: the action will see

    def _forget(self, child: FsmAction[Any]) -> None:
        self._entered.pop(id(child), None)
        self.entered = tuple(self._entered.values()) if self._entered else ()

    def _no_child(self, child: FsmAction[Any]) -> FsmError:
        owner = self._owner
        if owner.fsm is None:
            return not_in_a_machine(type(owner).__name__)
        return FsmError(
            f"{owner.state}: {child!r} is not one of the children of "
            f"{type(owner).__name__}. Return it from `children`, or take it in with "
            "nested.adopt() first."
        )

    def _check_owner(self) -> None:
        if self._owner.fsm is None:
            raise not_in_a_machine(type(self._owner).__name__)

    def _within_step(self, before_end: float, left: float) -> AbstractContextManager[None]:
        return self._owner.fsm._within_step_(before_end, left)

    # Calls

    def _call(
        self, child: FsmAction[Any], phase: str, callback: Callable[..., Any], *arguments: object
    ) -> Any:
        """Call a callback of a child; then exit it, if that was requested meanwhile."""
        calls = self._calls
        try:
            try:
                self._calls = (*calls, child) if calls else (child,)
                answer = callback(*arguments) if arguments else callback()
            except BaseException as error:
                self._calls = calls
                self._fail(child, phase, error)
                raise
            finally:
                self._calls = calls
        finally:  # also if a Ctrl-C came before that line
            self._calls = calls
        if self._exits_due:
            self._exit_if_due(child)
        return answer

    def _notify(self, hook: str, child: FsmAction[Any]) -> None:
        self._owner.fsm._notify_(hook, child)

    def _fail(self, child: FsmAction[Any], phase: str, error: BaseException) -> None:
        """Say where an error comes from, and exit the child if that was requested meanwhile."""
        add_note(error, f"{self._title(child)}, {phase}")
        self._exit_if_due(child, error)

    def _exit_if_due(self, child: FsmAction[Any], *errors: BaseException) -> None:
        """Exit a child, unless another of its callbacks is running; errors follow `errors`."""
        if not _is_among(child, self._exits_due) or self._is_calling(child):
            return
        self._exits_due = [each for each in self._exits_due if each is not child]
        try:
            self.exit(child)
        except BaseException as error:
            if not errors:
                raise
            what = f"{type(self._owner).__name__}: a child failed twice"
            raise as_one([*errors, error], what) from None

    def _title(self, child: FsmAction[Any]) -> str:
        place = f"{type(self._owner).__name__}.children[{index_of(child, self._owner.children)}]"
        return f"{place} ({type(child).__name__})"

    def _is_calling(self, child: FsmAction[Any]) -> bool:
        return _is_among(child, self._calls)

    def _call_each(self, call: Callable[[FsmAction[Any]], object]) -> None:
        """Call something with each entered child, in list order, even if some of them fail."""
        raised: list[BaseException] = []
        for child in self._owner.children:
            if id(child) in self._entered:
                try:
                    call(child)
                except BaseException as error:
                    raised.append(error)
        if raised:
            raise self._as_one(raised)

    def _as_one(self, errors: Sequence[BaseException]) -> BaseException:
        return as_one(errors, f"{type(self._owner).__name__}: several children failed")


def _is_among(child: object, children: Sequence[FsmAction[Any]]) -> bool:
    """Whether a child is one of `children`; actions may be equal."""
    for other in children:  # noqa: SIM110  # any() of a generator takes five times as long
        if other is child:
            return True
    return False


def _reset(child: FsmAction[Any]) -> None:
    child._fsmkit_reset()
