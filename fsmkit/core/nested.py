"""Nested: how an action runs other actions, or machines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from fsmkit.core.errors import FsmError, as_one
from fsmkit.core.observers import looking_in
from fsmkit.core.step import (
    first_end,
    parts_of,
    rounds_of,
    too_many_rounds,
    update_in_step,
    within_step,
)
from fsmkit.core.types import ENTER, EVENT, EXIT, RESUME, SUSPEND, UPDATE
from fsmkit.core.words.messages import not_in_a_machine
from fsmkit.core.words.notes import add_note, titled

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
        "_calls", "_entered", "_exits_due", "_owner", "_suspended", "ends", "entered", "failed",
        "has_news", "listens", "report",
    )  # fmt: skip

    def __init__(self, owner: FsmAction[Any]) -> None:
        self._owner = owner
        self.entered: tuple[FsmAction[Any], ...] = ()
        """The children that were entered, and neither exited nor suspended; in order, to read."""
        self.has_news = False
        """Whether something has happened that the action has not looked at, as a child's end."""
        self.failed: tuple[FsmAction[Any], ...] = ()
        """The children that have failed and were not exited yet, in the order of failing."""
        self.listens = False
        """Whether the action has asked for events, by `listen`."""
        self._entered: dict[int, FsmAction[Any]] = {}
        """The same by their ids, as actions may be equal."""
        self._suspended: dict[int, FsmAction[Any]] = {}
        """The children that `suspend_child` has suspended: no updates, no events, an exit due."""
        self._calls: tuple[FsmAction[Any], ...] = ()
        """The children whose callbacks are on the stack, the innermost one last."""
        self._exits_due: list[FsmAction[Any]] = []
        """The children to exit as soon as their callback has returned."""
        self.ends: dict[int, float] = {}
        """The `fsm.time` at which finished children ended, if time is carried over."""
        self.report: CallsReport | None = None
        """Whom `report_calls` reports to."""

    def __getstate__(self) -> tuple[Any, ...]:
        return self._owner, self.entered, self.has_news, self.failed, *self._suspended.values()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        owner, entered, has_news, failed, *suspended = state
        self.report_calls(None)  # a copy is not watched
        Nested.__init__(self, owner)
        self._entered = {id(child): child for child in entered}
        self._suspended = {id(child): child for child in suspended}
        self.entered, self.has_news, self.failed = entered, has_news, failed

    # Children

    @property
    def entering(self) -> tuple[FsmAction[Any], ...]:
        """The children whose `on_enter` has not returned yet, the innermost one last."""
        return tuple(child for child in self._calls if id(child) not in self._entered)

    def has(self, child: FsmAction[Any]) -> bool:
        """Whether a child was entered and not exited yet; it may be suspended."""
        return id(child) in self._entered or id(child) in self._suspended

    def has_suspended(self, child: FsmAction[Any]) -> bool:
        """Whether `suspend_child` has suspended a child, and it was not resumed yet."""
        return id(child) in self._suspended

    def is_calling(self, child: FsmAction[Any]) -> bool:
        """Whether a callback of a child is on the stack."""
        return _is_among(child, self._calls)

    def enter(self, child: FsmAction[Any]) -> None:
        """Enter one of `children`. If its `on_enter` raises, it counts as not entered.

        Raises FsmError for one that is entered and not exited yet, and for anything but a child.
        """
        calls = self._calls
        if self._entered or self._suspended or calls or child._fsmkit_parent is not self._owner:
            self._check_enterable(child)
        if child.finished:
            self._reset(child)
        try:  # as in `_call`, without a further call
            try:
                self._calls = (*calls, child) if calls else (child,)
                child.on_enter()
            except BaseException as error:
                self._calls = calls
                self._fail(child, ENTER, error)
                raise
            finally:
                self._calls = calls
        except BaseException:
            self._calls = calls
            self._reset(child)
            raise
        self._entered[id(child)] = child
        self.entered = (*self.entered, child) if self.entered else (child,)
        if self._owner.fsm._observers_ is not None:
            notify("action_entered", child)

    def update(self, child: FsmAction[Any], left: float | None = None) -> None:
        """Update one of `children`, if it is entered and has not finished.

        `left` are the seconds of this update that are left for it, if it began within the step.
        """
        if left is not None:
            with self._within_step(0.0, left):
                self.update(child)
            return
        entered = self.entered
        if child._fsmkit_finished or not entered:
            return
        if entered[0] is not child and id(child) not in self._entered:  # id() takes 50 ns
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

    def update_next(self, children: Iterator[FsmAction[Any]]) -> bool:
        """Update the next `children`, as `update` does, until there is news of one; True if so.

        A change that is decided ends it as well, and so does `finish()` of the action itself.
        """
        owner, calls, child = self._owner, self._calls, None
        fsm = owner.fsm
        try:
            try:
                for child in children:
                    if child._fsmkit_finished or id(child) not in self._entered:
                        continue
                    self._calls = (*calls, child) if calls else (child,)
                    child.on_update()
                    if (
                        self.has_news
                        or self._exits_due
                        or owner._fsmkit_finished
                        or fsm.is_changing
                    ):
                        break
                else:
                    return False
            except BaseException as error:
                self._calls = calls
                if child is not None:
                    self._fail(child, UPDATE, error)
                raise
            finally:
                self._calls = calls
        finally:
            self._calls = calls
        if self._exits_due:
            self._exit_if_due(child)
        return True

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
        key = id(child)
        if key not in self._entered and key not in self._suspended:
            return
        if self._calls and self.is_calling(child):  # rule 2
            self._exits_due.append(child)
            return
        if self._suspended:
            self._suspended.pop(key, None)
        self._entered.pop(key, None)
        self.entered = tuple(self._entered.values()) if self._entered else ()
        self.has_news = True
        try:
            self._owner.fsm._exit_alone_(child)
        except BaseException as error:
            add_note(error, f"{self._title(child)}, {EXIT}")
            raise
        finally:
            if child.finished:
                self._reset(child)
                self.ends.pop(key, None)

    def exit_all(self, *errors: BaseException) -> None:
        """Exit the `children` that were entered, in list order, even if some of them fail.

        Raises `errors` followed by what they raised: one error itself, several as a group.
        """
        is_one = len(self.entered) < 2 and not self._suspended
        if is_one and not errors:
            for child in self.entered:
                self.exit(child)
            return
        raised = errors
        for child in self.entered if is_one else self._owner.children:
            try:
                self.exit(child)
            except BaseException as error:
                raised = (*raised, error)
        if raised:
            raise self._as_one(raised)

    def suspend_child(self, child: FsmAction[Any]) -> None:
        """Suspend one of `children`, if it is entered, as a state does its actions (rule 18).

        It counts as suspended even if its `on_suspend` raises.
        """
        if id(child) in self._entered:
            self._forget(child)
            self._suspended[id(child)] = child
            self._call(child, SUSPEND, child.on_suspend)

    def resume_child(self, child: FsmAction[Any]) -> None:
        """Resume one of `children`, if it is suspended; also if its `on_resume` raises."""
        if id(child) in self._suspended:
            self._forget(child)
            self._add(child)
            self._call(child, RESUME, child.on_resume)

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
        fsm, around = self._owner.fsm, _around(action)
        end = None if around is None else around.ends.get(id(action))
        return fsm.delta_time if end is None else min(fsm.time - end, fsm.delta_time)

    # For tools that measure

    def report_calls(self, report: CallsReport | None) -> None:
        """Report from now on when a callback of a child begins and ends; None ends that.

        Those of `on_exit` are not reported. It costs nothing while it is not asked for.
        """
        kind: Any = Nested if report is None else ReportingNested
        self.__class__ = kind
        self.report = report

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
        """Whether a child takes part: it was entered, or is just now, and is not suspended."""
        takes_part = id(child) in self._entered or self.is_calling(child)
        return takes_part and not self.is_suspended

    @property
    def is_suspended(self) -> bool:
        """Whether the action, or one that runs it, is a child that `suspend_child` suspended."""
        around = _around(self._owner)
        return around is not None and (around.has_suspended(self._owner) or around.is_suspended)

    def child_finished(self, failed: FsmAction[Any] | None = None) -> None:
        """Note that a child has finished, or which one has failed.

        In a callback of a child, the action looks afterwards.
        """
        self.has_news = True
        if failed is not None:
            self.failed = (*self.failed, failed)
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

    def restore(self, child: FsmAction[Any], *, entered: bool, suspended: bool = False) -> None:
        """Mark a child as entered and suspended or not, as it was when the machine was saved."""
        self._forget(child)
        if suspended:
            self._suspended[id(child)] = child
        elif entered:
            self._add(child)
            if child.failed:
                self.failed = (*self.failed, child)
        self.has_news = bool(self.entered)  # perhaps: the action will see

    def _add(self, child: FsmAction[Any]) -> None:
        self._entered[id(child)] = child
        self.entered = (*self.entered, child) if self.entered else (child,)

    def _forget(self, child: FsmAction[Any]) -> None:
        self._entered.pop(id(child), None)
        self.entered = tuple(self._entered.values()) if self._entered else ()
        if self._suspended:
            self._suspended.pop(id(child), None)
        if self.failed:
            self.failed = tuple(each for each in self.failed if each is not child)

    def _check_enterable(self, child: FsmAction[Any]) -> None:
        owner = self._owner
        if owner.fsm is None or not _is_among(child, owner.children):
            raise self._no_child(child)
        if self.has(child) or self.is_calling(child):
            raise FsmError(
                f"{owner.state}: {self._title(child)} has been entered already. Exit it with "
                "nested.exit() before it is entered again."
            )

    def _reset(self, child: FsmAction[Any]) -> None:
        """Clear the finished mark of a child that is not entered, or not any more."""
        reset(child)
        if self.failed:
            self.failed = tuple(each for each in self.failed if each is not child)

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
        return within_step(self._owner.fsm, before_end, left)

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

    def _fail(self, child: FsmAction[Any], phase: str, error: BaseException) -> None:
        """Say where an error comes from, and exit the child if that was requested meanwhile."""
        add_note(error, f"{self._title(child)}, {phase}")
        self._exit_if_due(child, error)

    def _exit_if_due(self, child: FsmAction[Any], *errors: BaseException) -> None:
        """Exit a child, unless another of its callbacks is running; errors follow `errors`."""
        if not _is_among(child, self._exits_due) or self.is_calling(child):
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
        owner = self._owner
        return titled(child, owner.children, f"{type(owner).__name__}.children")

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


class CallsReport(Protocol):
    """What `Nested.report_calls` reports to."""

    def begin(self, child: FsmAction[Any]) -> None: ...

    def end(self) -> None: ...


class ReportingNested(Nested):
    """Takes the place of a `Nested` while a tool wants to know which child is being called."""

    __slots__ = ()

    if not TYPE_CHECKING:

        @property
        def _calls(self) -> tuple[FsmAction[Any], ...]:
            return CALLS.__get__(self)

        @_calls.setter
        def _calls(self, calls: tuple[FsmAction[Any], ...]) -> None:
            before = CALLS.__get__(self)
            CALLS.__set__(self, calls)
            if len(calls) == len(before) and (not calls or calls[-1] is before[-1]):
                return
            if len(calls) <= len(before):
                self.report.end()
            if len(calls) >= len(before):
                self.report.begin(calls[-1])


CALLS: Final[Any] = vars(Nested)["_calls"]
"""The slot behind the property."""


def _around(action: FsmAction[Any]) -> Nested | None:
    """What the action that runs another one uses for that."""
    parent = action._fsmkit_parent
    return None if parent is None else parent.nested


def _is_among(child: object, children: Sequence[FsmAction[Any]]) -> bool:
    """Whether a child is one of `children`; actions may be equal."""
    for other in children:  # noqa: SIM110  # any() of a generator takes five times as long
        if other is child:
            return True
    return False


def notify(hook: str, action: Any) -> None:
    """Notify the observers of the machine of an action."""
    action.fsm._notify_(hook, action)


def reset(action: Any) -> None:
    """Clear the finished mark of an action."""
    action._fsmkit_reset()
