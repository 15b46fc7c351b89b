"""Composite: the base of actions that run other actions; `InTurn` runs one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Never, TypeAlias

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Fails, fails_with
from actions.parts.parameters import ContextT, OneOf, Seconds
from actions.parts.validators import is_event_name
from fsmkit import FAILED, Fsm, FsmAction

MYPY = False
"""True to mypy alone, which knows it by this name; for a signature that the type checkers need."""

AnyContext: TypeAlias = Callable[[Never], Never]
"""A context that no machine has, so that only an action for any context fits it.

It is a function, as pyright tries those last: otherwise a lambda beside such an action would get
it.
"""

Ends: TypeAlias = Callable[[FsmAction[Any]], bool]
"""Tells which actions finish on enter."""


@define_action
class Composite(FsmAction[ContextT]):
    """An action that runs `children`: it enters, updates and exits them, and passes them events.

    A subclass overrides `begin` ("enter the first ones") and `go_on` ("see which have finished").
    They use `begin_child` and `end_child`, so that every child that was entered is exited exactly
    once, in list order, whatever happens. A disabled child takes no part and counts as finished. A
    subclass that enters several children stops when `may_go_on` is no longer true.

    `go_on` is called after each callback of a child, but never inside one. If a child sends an
    event that reaches the composite meanwhile, the event is passed on, and `go_on` is called when
    the outermost callback has returned. A child that is finished from outside its own callbacks is
    noticed in the next update. If `go_on` raises an error, the next update calls it again.

    When a child fails, `failed_with` decides whether the composite fails too: by default it does,
    with the reason of the first child that has failed. `go_on` is not called then, so it sees a
    failed child only if `failed_with` accepts the failure.

    A class whose `go_on` does nothing unless `is_due` may say so with `_looks_when_due_`. Then it
    is called once a child has finished, or the class itself has set `nested.has_news`.
    """

    _looks_when_due_ = False
    _updates_plainly_ = False
    """Whether updating a child is no more than `nested.update`, and it looks when it is due."""

    seconds_left: Seconds = field(default=0.0, init=False)
    """Seconds left of the present update, where time is carried over; 0 between calls."""
    running_callbacks: Annotated[int, OneOf((0,))] = field(default=0, init=False)
    """How many of its callbacks are on the stack; 0 between calls to the machine."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Have the `go_on` of a subclass called after each callback, unless it says otherwise."""
        super().__init_subclass__(**options)
        names = vars(cls).keys()
        if names & {"go_on", "is_due", "is_over"} and "_looks_when_due_" not in names:
            cls._looks_when_due_ = False
        plainly = cls.update_child is Composite.update_child
        cls._updates_plainly_ = plainly and cls._looks_when_due_

    def begin(self) -> None:
        """Enter the first children."""
        raise NotImplementedError

    def go_on(self) -> None:
        """See which of the entered children have finished, and act on it."""
        raise NotImplementedError

    def failed_with(self, failed: Sequence[FsmAction[ContextT]]) -> FsmAction[ContextT] | None:
        """Return the child with whose reason it fails; None: not yet.

        `failed` are the children that have failed and were not exited, in the order of failing.
        """
        return failed[0]

    def _may_fail_(self, fails: Fails) -> bool | None:
        return FAILED in self.sends or fails_with(self.children, fails)

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:  # noqa: ARG002  # see below
        """Return the children that are certainly entered with it, in order; read by checks.

        `ends` says which of them finish on enter. None, unless a subclass overrides this.
        """
        return ()

    @property
    def present(self) -> Sequence[FsmAction[ContextT]]:
        """The children that were entered and not exited, in the order of entering."""
        return self.nested.entered

    @property
    def may_go_on(self) -> bool:
        """False once it has finished or a change of the state is decided."""
        return not (self._fsmkit_finished or self._fsmkit_fsm.is_changing)

    def begin_child(self, child: FsmAction[ContextT]) -> None:
        """Enter a child."""
        (self._fsmkit_nested or self.nested).enter(child)

    def update_child(self, child: FsmAction[ContextT], left: float | None = None) -> None:
        """Update a child, with the `left` seconds of this update if it began within the step."""
        self._fsmkit_nested.update(child, left)

    def update_without_children(self) -> None:
        """Do what an update brings while no child is entered."""
        self.look_at_children()

    def offer_child(self, child: FsmAction[ContextT], event: str, data: object) -> bool:
        """Offer an event to a child; True if it took the event."""
        return self.nested.offer(child, event, data)

    def end_child(self, child: FsmAction[ContextT]) -> None:
        """Exit a child."""
        self._fsmkit_nested.exit(child)

    def end_all(self, *errors: BaseException) -> None:
        """Exit every child that was entered, in list order, even if one of them fails.

        Raises `errors` followed by what they raised: one error itself, several as a group.
        """
        (self._fsmkit_nested or self.nested).exit_all(*errors)

    @property
    def is_due(self) -> bool:
        """Whether `go_on` already has something to do: a child was finished from outside."""
        return any(child.finished for child in self.present)

    @property
    def next_due(self) -> float:
        if self.is_due or not self.present:
            return 0.0
        return min((child.next_due for child in self.present if not child.finished), default=inf)

    @property
    def _fsmkit_listens(self) -> bool:
        """Whether an event concerns a child, or may be what makes the composite go on."""
        if self.nested.has_news or type(self).on_event is not Composite.on_event:
            return True
        return any(map(self._may_offer_to, self.children))

    def _may_offer_to(self, child: FsmAction[ContextT]) -> bool:
        """Whether events concern a child, or make the composite look at its children."""
        return overrides_on_event(child) and (child._fsmkit_listens or not self._looks_when_due_)

    def _would_take_(self, event: str) -> bool | str | None:  # noqa: ARG002  # any event
        is_going_on = self.is_due and not self.finished and self._listening()
        return None if is_going_on else False

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # any event
        return self.present

    def on_enter(self) -> None:
        self.running_callbacks = 1
        try:
            self.begin()
            return
        except BaseException as error:
            failure = error
        finally:
            self.running_callbacks = 0
            if (self._fsmkit_nested or self.nested).has_news:
                self._stay_due()
        try:  # this action does not count as entered, so nothing else would exit its children
            self.end_all(failure)
        finally:
            self.nested.has_news = False

    def on_update(self) -> None:
        nested = self._fsmkit_nested or self.nested
        self.running_callbacks = 1
        try:
            children = nested.entered
            if len(children) == 1 and not nested.has_news:  # so it has not finished
                if self._updates_plainly_:
                    nested.update(children[0])
                else:
                    self.update_child(children[0])
                if nested.has_news or not self._looks_when_due_:
                    self._look_after_update(children[0])
            elif not children:
                self.update_without_children()
            elif nested.has_news or not self._updates_plainly_ or self._fsmkit_fsm.carry_time:
                nested.update_all(self._update_next)
            else:
                waiting = iter(children)
                while nested.update_next(waiting):
                    self.look_at_children()
                    if not self.may_go_on:
                        break
        finally:
            self.running_callbacks = 0
            if self.seconds_left:
                self.seconds_left = 0.0
            if nested.has_news:
                self._stay_due()

    def on_event(self, event: str, data: object) -> bool:
        taken = False
        self.running_callbacks += 1
        is_outermost = self.running_callbacks == 1
        try:
            for child in self._listening():
                taken = self.offer_child(child, event, data) or taken
                if is_outermost:  # otherwise the callback that is will look afterwards
                    self._look_if_due()
                if self.fsm.is_changing:
                    return True
                if not self.goes_further(taken):
                    break
            return taken
        finally:
            self.running_callbacks -= 1
            if self.nested.has_news:
                self._stay_due()

    def on_exit(self) -> None:
        try:
            self.end_all()
        finally:
            (self._fsmkit_nested or self.nested).has_news = False

    def on_suspend(self) -> None:
        self.nested.suspend_all()

    def on_resume(self) -> None:
        try:
            self.nested.resume_all()
        finally:
            if self.nested.has_news:
                self._stay_due()

    def _stay_due(self) -> None:
        """After a callback in which it has not looked: the next event that passes makes it look."""
        if not self.running_callbacks and self._listening():
            self.nested.listen()

    def _update_and_look(self, child: FsmAction[ContextT]) -> None:
        """Update a child, and see what follows."""
        self.seconds_left = 0.0
        if child.finished:
            self._look_if_due()
        else:
            self.update_child(child)
            if self.nested.has_news or not self._looks_when_due_:
                self._look_after_update(child)

    def _look_after_update(self, child: FsmAction[ContextT]) -> None:
        if self._fsmkit_fsm.carry_time and child.finished:
            nested = self.nested
            finished = (each for each in nested.entered if each.finished)
            self.seconds_left = min(map(nested.unused_of, finished))
        self.look_at_children()

    def _update_next(self, child: FsmAction[ContextT]) -> bool:
        """Update one child of several; False to update no further one."""
        self._update_and_look(child)
        return self.may_go_on

    def _look_if_due(self) -> None:
        nested = self._fsmkit_nested or self.nested
        if nested.has_news or not (nested.entered and self._looks_when_due_):
            self.look_at_children()

    def look_at_children(self) -> None:
        """Call `go_on`, unless it has finished or a change is decided."""
        if not self._fsmkit_finished and not self._fsmkit_fsm.is_changing:  # as `may_go_on`
            nested = self._fsmkit_nested or self.nested
            nested.has_news = False
            try:
                if not (nested.failed and self._fail_with_child()):
                    self.go_on()
                    if nested.failed and self.may_go_on:
                        self._fail_with_child()
            except BaseException:
                nested.has_news = True  # so that it is called again
                raise
            if nested.has_news or not self._looks_when_due_:
                nested.has_news = not self._fsmkit_finished and self.is_due

    def _fail_with_child(self) -> bool:
        """Fail, if the children that have failed make it."""
        child = self.failed_with(self.nested.failed)
        if child is None:
            return False
        reason = child._reason_
        with attempts(self) as attempt:
            attempt(self.end_failed)
            attempt(self.fail, reason, self.seconds_left)
        return True

    def end_failed(self) -> None:
        """Exit the children that are not needed any more when it fails: by default, none yet."""

    def goes_further(self, taken: bool) -> bool:
        """Whether an event is offered to the next child: by default, until one has taken it."""
        return not taken

    def follow_up(self, child: FsmAction[ContextT]) -> bool:
        """Update a child that began within this update with the rest of it (rule 22).

        True if it has finished and used some of it, so that something else may follow.
        """
        left = self.seconds_left
        if not left or child.finished or not self.may_go_on:
            return False
        self.seconds_left = 0.0
        self.update_child(child, left)
        self.seconds_left = self.nested.unused_of(child) if child.finished else 0.0
        return has_succeeded(child) and self.seconds_left < left

    def _listening(self) -> list[FsmAction[ContextT]]:
        """The present children whose class overrides `on_event`; the others need no call."""
        return [child for child in self.present if overrides_on_event(child)]


def overrides_on_event(action: FsmAction[Any]) -> bool:
    """Whether the class of an action may take events."""
    return type(action).on_event is not FsmAction.on_event


def has_succeeded(action: FsmAction[Any]) -> bool:
    """Whether it has finished and not failed."""
    return action._fsmkit_finished is True


def is_action(composite: Composite[Any], _field: object, action: object) -> None:
    """Raise TypeError unless `action` is an action."""
    if not isinstance(action, FsmAction):
        name = type(composite).__name__
        raise TypeError(
            f"{name}: each action must be an instance of FsmAction, got {action!r}. "
            "Pass actions as separate arguments."
        )


@define_action(init=False)
class ActionList(Composite[ContextT]):
    """A composite of any number of actions, passed as separate arguments."""

    actions: tuple[FsmAction[ContextT], ...]
    finish_event: str | None = field(default=None, validator=is_event_name)

    # To pyright the context of `Sequence(Charge(), TimedWait(1.0))` would be Any, as the last one
    # asks for no certain context, so it would fit every machine. The union sets such actions apart.
    # Mypy finds the context of Charge without it, and with it would lose the context in lambdas.
    if MYPY or not TYPE_CHECKING:

        def __init__(self, *actions: FsmAction[ContextT], finish_event: str | None = None) -> None:  # pyright: ignore[reportRedeclaration]
            self._accept(actions, finish_event=finish_event)

    else:

        def __init__(
            self,
            *actions: FsmAction[ContextT] | FsmAction[AnyContext],
            finish_event: str | None = None,
        ) -> None: ...

    def _accept(self, actions: tuple[FsmAction[ContextT], ...], **parameters: Any) -> None:
        """Check the actions and set the parameters, as the `__init__` of every subclass does."""
        for action in actions:
            is_action(self, None, action)
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            actions, **parameters
        )

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return self.actions


@define_action
class OfOne(Composite[ContextT]):
    """A composite of one action."""

    action: FsmAction[ContextT] = field(validator=is_action)

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return (self.action,)

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[ContextT]]:  # noqa: ARG002  # it is one
        return self.children if self.action.enabled else ()


@define_action
class InTurn(Composite[ContextT]):
    """A composite with at most one child entered: when that finishes, it exits it, enters the next.

    A subclass overrides `begin_next` and `is_over`. It finishes when it is over.
    """

    _looks_when_due_ = True

    def begin_next(self) -> None:
        """Enter the next child that takes part, if there is one."""
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        """Whether no child is left."""
        raise NotImplementedError

    def begin(self) -> None:
        self.begin_next()
        self._look_if_due()

    @property
    def is_due(self) -> bool:
        return self.is_over or self._finished_child() is not None

    def go_on(self) -> None:
        errors: list[BaseException] = []
        try:
            while (child := self._finished_child()) is not None:
                if self.seconds_left:
                    with self.nested.moment(self.seconds_left):
                        self._turn_to_next(child, errors)
                    for each in self.present:
                        self.follow_up(each)
                else:
                    self._turn_to_next(child, errors)
        except BaseException as error:
            errors.append(error)
        if errors:
            raise_together(self, errors)
        if self.is_over:
            self.finish(self.seconds_left)

    def _turn_to_next(self, child: FsmAction[ContextT], errors: list[BaseException]) -> None:
        try:
            self.end_child(child)
        except BaseException as error:
            errors.append(error)
        self.begin_next()

    def _finished_child(self) -> FsmAction[ContextT] | None:
        """The child that has finished and not failed, unless it is too late to go on."""
        for child in (self._fsmkit_nested or self.nested).entered:
            return child if has_succeeded(child) and self.may_go_on else None
        return None

    def end_failed(self) -> None:
        """Exit the child."""
        self.end_all()


def raise_together(owner: object, errors: Sequence[BaseException]) -> Never:
    """Raise the errors of several steps: one error itself, several as a group."""
    if len(errors) == 1:
        raise errors[0]
    raise BaseExceptionGroup(f"{type(owner).__name__}: several steps failed", errors)


class attempts:  # noqa: N801  # reads as a verb in `with`, as contextlib.suppress does
    """A block in which every step is taken, even if steps before it raise errors.

    The errors are raised at the end: one error itself, several as a group. An error of the block
    itself ends it and comes last. (No `contextmanager`: that one writes to the error, which a
    frozen dataclass refuses.)

    >>> with attempts("Cook") as attempt:
    ...     attempt(float, "two")
    ...     attempt(print, "goes on")
    Traceback (most recent call last):
    ...
    ValueError: could not convert string to float: 'two'
    """

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self._errors: list[BaseException] = []

    def __enter__(self) -> Callable[..., None]:
        return self._attempt

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if error is not None and not self._errors:
            return  # it propagates by itself
        errors = self._errors if error is None else [*self._errors, error]
        if errors:
            raise_together(self._owner, errors)

    def _attempt(self, step: Callable[..., object], *arguments: object) -> None:
        try:
            step(*arguments)
        except BaseException as error:
            self._errors.append(error)


def until_first(actions: Sequence[FsmAction[Any]], wanted: Ends) -> Sequence[FsmAction[Any]]:
    """Return the enabled actions up to and including the first one that is `wanted`."""
    enabled = [action for action in actions if action.enabled]
    count = next((i for i, action in enumerate(enabled, 1) if wanted(action)), len(enabled))
    return enabled[:count]
