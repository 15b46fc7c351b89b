"""Selector: run the first of several options that may run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.option import Option
from actions.parts.choosing import NONE, Choosing
from actions.parts.composite import Ends, attempts
from actions.parts.conditions import answered
from actions.parts.declarations import Finishes
from actions.parts.parameters import ContextT
from actions.parts.validators import is_flag
from fsmkit import FsmAction


@define_action(init=False)
class Selector(Choosing[ContextT]):
    """Run the first option whose `when` holds; finish when its action finishes.

    The options are asked in order, on enter and before each update, up to the first that holds; one
    without `when` always holds. A higher option interrupts a lower one, which is exited, or with
    `suspend=True` suspended and resumed when its turn comes again. An option whose `when` no longer
    holds is exited in any case. While none holds, nothing runs. The option that takes over gets its
    first update in the next one.

    An option that fails is exited, and the next one that holds is taken at once; the failed one is
    left out until its `when` has said no in an update. When all of them have failed, the selector
    fails, with the reason of the last. Disabled ones take no part; if all are, it finishes on
    enter.

    A `when` at the edge of a distance would flicker; a condition such as `Sees(..., until=30.0)`
    does not. Raises TypeError for anything but options, ValueError for none, and for one with a
    `score`, which is for a `Utility`.

    >>> from actions import DelegateAction, TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard", context={"thief": False})
    >>> selector = fsm.add_state("Duty").add_action(Selector(
    ...     Option(TimedWait(2.0), when=lambda state: state.context["thief"]),
    ...     Option(TimedWait(60.0)),
    ...     suspend=True,
    ... ))
    >>> fsm.start()
    >>> fsm.update(1.0)
    >>> selector.position
    1
    >>> fsm.context["thief"] = True
    >>> fsm.update(1.0)
    >>> selector.position, selector.options[1].action
    (0, TimedWait(duration=60.0, elapsed=1.0, length=60.0))
    """

    _looks_when_due_ = True

    suspend: bool = field(default=False, kw_only=True, validator=is_flag)

    def __init__(
        self,
        *options: Option[ContextT],
        suspend: bool = False,
        finish_event: str | None = None,
    ) -> None:
        self._accept(options, suspend=suspend, finish_event=finish_event)

    def _unfit(self, option: Option[ContextT]) -> str:
        if option.score is None:
            return ""
        return (
            "must have no score: a Selector takes the first that holds. Use a Utility for scores."
        )

    def best(self, is_update: bool = False) -> int:
        state, options, failures = self._fsmkit_state, self.options, self.failures
        for index in self.taking_part:
            when: Any = options[index].when
            if when is None or when(state):
                if not failures or index not in failures:
                    return index
            elif failures and is_update:
                failures.pop(index, None)
        return NONE

    def leave(self, index: int, best: int) -> None:
        child = self.options[index].action
        if self.suspend and NONE < best < index and not child.finished:
            self.nested.suspend_child(child)
        else:
            self.end_child(child)

    def went_well(self) -> None:
        with attempts(self) as attempt:
            attempt(self.end_at_moment)
            attempt(self.finish, self.seconds_left)

    @property
    def finishes(self) -> Finishes | None:
        first = self._first()
        if len(first) == 1 and first[0].when is None:
            return first[0].action.finishes
        endings = {option.action.finishes for option in first}
        return "never" if endings == {"never"} else None if endings else "at once"

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:  # noqa: ARG002  # it is one
        first = self._first()
        return [first[0].action] if first and first[0].when is None else ()

    def _first(self) -> list[Option[ContextT]]:
        """The options that may run unless one of them fails: those up to one without `when`."""
        enabled = [option for option in self.options if option.action.enabled]
        always = (index for index, option in enumerate(enabled, 1) if option.when is None)
        return enabled[: next(always, len(enabled))]

    def answer_of(self, index: int) -> str:
        option = self.options[index]
        if self.nested.has_suspended(option.action):
            return "suspended"
        if known := super().answer_of(index):
            return known
        if option.when is None or NONE < self.position < index:
            return ""
        return answered(self, option.when, holds=index == self.position)
