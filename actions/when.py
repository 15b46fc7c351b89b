"""When: run an action under a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.composite import Composite, Ends, is_action
from actions.parts.conditions import answered
from actions.parts.declarations import Finishes, finishes_with, named
from actions.parts.parameters import ContextT, Function, is_function
from actions.parts.validators import is_event_name
from fsmkit import FsmAction


@define_action
class When(Composite[ContextT]):
    """Run `action` if `predicate` is true on enter; otherwise finish at once. Fails with `action`.

    `predicate` is a function that takes the state or nothing.

    >>> from actions import DelegateAction
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard", context={"torch": False})
    >>> light = DelegateAction(lambda state: print("it is lit"))
    >>> _ = fsm.add_state("Night").add_action(When(lambda state: state.context["torch"], light))
    >>> fsm.start()
    >>> fsm.context["torch"] = True
    >>> fsm.start()
    it is lit
    """

    _looks_when_due_ = True

    predicate: Function[ContextT] = field(validator=is_function)
    action: FsmAction[ContextT] = field(validator=is_action)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return (self.action,)

    @property
    def finishes(self) -> Finishes | None:
        ending = finishes_with(self.children)
        return None if ending == "never" else ending  # it may not be run at all

    @property
    def waits_for(self) -> str:
        return f"for {named(self.action)}"

    @property
    def _answer_(self) -> str:
        if not self.action.enabled:
            return ""
        return answered(self, self.predicate, holds=bool(self.present))

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:  # noqa: ARG002  # perhaps none
        return ()

    def begin(self) -> None:
        if self.action.enabled and self.predicate(self.state):  # type: ignore[call-arg]  # takes the state by now
            self.begin_child(self.action)
        self._look_if_due()

    @property
    def is_due(self) -> bool:
        return all(child.finished for child in self.present)

    def go_on(self) -> None:
        if self.is_due:
            self.finish(self.seconds_left)
