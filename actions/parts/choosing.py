"""Choosing: the base of actions that run one of several options, and look at them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from attrs import field, frozen

from actions.definition import define_action
from actions.option import Option
from actions.parts.composite import Composite, attempts
from actions.parts.declarations import Fails, Finishes, fails_with, named
from actions.parts.parameters import ContextT
from actions.parts.validators import is_event_name
from fsmkit import FsmAction
from fsmkit.timing import arguments

NONE = -1
"""The position of an action that runs none of its options."""


@frozen
class _OfAnOption:
    """Allows the index of an option, and `NONE`."""

    def allows(self, action: Any, value: int) -> bool:
        return NONE <= value < len(action.options)

    def __str__(self) -> str:
        return "that is the index of an option, or -1"


@define_action(init=False)
class Choosing(Composite[ContextT]):
    """A composite that runs one of its `options` at a time: on enter and in updates it looks again.

    A subclass overrides `best`, which asks the options, and `went_well`. An option that fails is
    exited and left out, and the best of the others is taken in the same visit; when all have
    failed, so has this action, with the reason of the last. It is left out until its `when` says
    no in an update: what has failed is tried again on a new occasion, not in every update.
    """

    _looks_when_due_ = True

    options: tuple[Option[ContextT], ...]
    finish_event: str | None = field(default=None, validator=is_event_name)
    position: Annotated[int, _OfAnOption()] = field(default=NONE, init=False)
    """The index of the option that runs; -1 if there is none."""
    taking_part: tuple[int, ...] = field(default=(), init=False)
    """The indices of the options whose action was enabled on enter."""
    failures: dict[int, str] = field(factory=dict, init=False)
    """The reasons of the options that have failed and are left out, in words, by their indices."""

    def _accept(self, options: tuple[Option[ContextT], ...], **parameters: Any) -> None:
        """Check the options and set the parameters, as the `__init__` of every subclass does."""
        name = type(self).__name__
        for option in options:
            if not isinstance(option, Option):
                kind = type(option).__name__
                advice = f" Write Option({kind}(...))." if isinstance(option, FsmAction) else ""
                raise TypeError(f"{name}: each option must be an Option, got {option!r}.{advice}")
        if not options:
            raise ValueError(f"{name} must have at least one Option to choose from.")
        for index, option in enumerate(options):
            if problem := self._unfit(option):
                raise ValueError(f"{name}: options[{index}], {option!r}, {problem}")
        self.__attrs_init__(options, **parameters)  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs

    def _unfit(self, option: Option[ContextT]) -> str:
        """Return what is wrong with an option, in words; empty if it fits."""
        raise NotImplementedError

    def best(self, is_update: bool = False) -> int:
        """Ask the options; return the index of the one that is to run, `NONE` for none.

        In an update, those that had failed are forgiven once their `when` says no.
        """
        raise NotImplementedError

    def went_well(self) -> None:
        """See what follows when the option that runs has finished."""
        raise NotImplementedError

    def leave(self, index: int, best: int) -> None:  # noqa: ARG002  # for subclasses
        """Exit the option that runs, for the sake of the `best`."""
        self.end_child(self.options[index].action)

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return tuple([option.action for option in self.options])

    def begin(self) -> None:
        self.position, self.failures = NONE, {}
        enabled = (index for index, each in enumerate(self.options) if each.action.enabled)
        self.taking_part = tuple(enabled)
        if not self.taking_part:
            self.finish()
            return
        self.turn_to(self.best())
        self.look_at_new()

    def on_update(self) -> None:
        nested = self._fsmkit_nested or self.nested
        self.running_callbacks = 1
        try:
            if nested.has_news and self.is_due:
                self.look_at_children()
            elif (best := self.best(True)) == self.position and nested.entered:
                if not self._fsmkit_fsm.is_changing:  # because of a `when` or a `score`
                    child = nested.entered[0]
                    nested.update(child)
                    if nested.has_news:
                        self._look_after_update(child)
            elif best != NONE or self.position != NONE:
                self.turn_to(best)  # the first update of that one is the next
                self.look_at_new()
        finally:
            self.running_callbacks = 0
            if self.seconds_left:
                self.seconds_left = 0.0
            if nested.has_news:
                self._stay_due()

    def turn_to(self, best: int) -> None:
        """Leave the option that runs, if any, and enter or resume the best."""
        if not self.may_go_on:  # a `when` or a `score` has decided a change
            return
        before, self.position = self.position, NONE
        with attempts(self) as attempt:
            if before != NONE:
                attempt(self.leave, before, best)
            if best != NONE:
                attempt(self._take, best)

    def _take(self, best: int) -> None:
        child = self.options[best].action
        if self.nested.has(child):
            self.position = best
            self.nested.resume_child(child)
        else:
            self.begin_child(child)
            self.position = best

    @property
    def is_due(self) -> bool:
        return any(child.finished for child in self.nested.entered)

    def go_on(self) -> None:
        self.skip_failed()
        if self.is_due and self.may_go_on:
            self.went_well()

    def look_at_new(self) -> None:
        """See whether the option that was just entered has ended already."""
        self.look_at_children()

    def skip_failed(self) -> None:
        """While the option that runs has failed, take the best of the others, or fail."""
        while self.nested.failed and self.may_go_on and not self._fail_with_child():
            reason = self.options[self.position].action._reason_
            self.failures[self.position] = "" if reason is None else arguments.shown(reason)
            self.turn_within_step()

    def failed_with(self, failed: Sequence[FsmAction[ContextT]]) -> FsmAction[ContextT] | None:
        """Return the option that runs, if all the others have failed before."""
        left = {*self.taking_part} - self.failures.keys() - {self.position}
        return None if left else failed[0]

    def end_at_moment(self) -> None:
        """Exit all, at the moment within the step at which the option that ran has ended."""
        with self.nested.moment(self.seconds_left):
            self.end_all()

    def end_failed(self) -> None:
        self.end_at_moment()

    def _may_fail_(self, fails: Fails) -> bool | None:
        return fails_with(self.children, fails, needed=1)

    def turn_within_step(self) -> None:
        """Turn to the best at the moment at which an option has ended, with the rest of it."""
        with self.nested.moment(self.seconds_left):
            self.turn_to(self.best())
        for child in self.present:
            self.follow_up(child)

    @property
    def waits_for(self) -> str:
        count = len(self.options)
        if self.position == NONE:
            return f"for one of {count} options" + self._reasons()
        running = named(self.options[self.position].action)
        return f"{self.position + 1} of {count}: {running}" + self._reasons()

    def _reasons(self) -> str:
        """Why this one runs, in words that follow its name: what each option answered."""
        answers = ((index, self.answer_of(index)) for index in range(len(self.options)))
        return "".join(
            f"; {index + 1} ({type(self.options[index].action).__name__}): {answer}"
            for index, answer in answers
            if answer
        )

    def answer_of(self, index: int) -> str:
        """Return what an option answered when it was asked last, in words; empty if it was not."""
        if index not in self.taking_part:
            return "disabled"
        if index in self.failures:
            return f"failed: {self.failures[index]}" if self.failures[index] else "failed"
        return ""

    @property
    def finishes(self) -> Finishes | None:
        raise NotImplementedError
