"""Composite: the base of actions that run other actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from actions.parts.parameters import ContextT
from actions.parts.validators import is_event_name
from fsmkit import FsmAction


@define(eq=False, repr=False, slots=False)
class Composite(FsmAction[ContextT]):
    """An action that runs `children`: it enters, updates and exits them, and hands them events.

    A subclass overrides `begin` ("enter the first ones") and `go_on` ("see which have finished"),
    called after each callback of a child. They use `begin_child` and `end_child`, so that every
    child that was entered is exited exactly once, in list order, whatever happens. A disabled child
    takes no part and counts as finished. A child that is finished from outside its own callbacks
    is noticed in the next update.
    """

    entered: list[int] = field(factory=list, init=False)
    """The indices of the children that were entered and not exited, in the order of entering."""

    def begin(self) -> None:
        """Enter the first children."""
        raise NotImplementedError

    def go_on(self) -> None:
        """See which of the entered children have finished, and act on it."""
        raise NotImplementedError

    @property
    def present(self) -> Sequence[FsmAction[ContextT]]:
        """The children that were entered and not exited, in the order of entering."""
        return tuple(self.children[index] for index in self.entered)

    def begin_child(self, child: FsmAction[ContextT]) -> None:
        """Enter a child."""
        self.enter_child(child)
        self.entered.append(self._index(child))

    def end_child(self, child: FsmAction[ContextT]) -> None:
        """Exit a child that was entered."""
        self.exit_child(child)

    def end_all(self) -> None:
        """Exit every child that was entered, in list order, even if one of them fails."""
        self.exit_children()

    def exit_child(self, child: FsmAction[ContextT]) -> None:
        """Exit a child, unless its `on_enter` has not returned yet."""
        index = self._index(child)
        if index in self.entered:
            self.entered.remove(index)
            super().exit_child(child)

    def on_enter(self) -> None:
        self.entered = []
        try:
            self.begin()
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nobody else would exit its children.
        self.exit_children(failure)

    def on_update(self) -> None:
        for child in self.present:
            self.update_child(child)
            if self.fsm.is_changing:
                return
            self.go_on()
            if self.finished or self.fsm.is_changing:
                return

    def on_event(self, event: str, data: object) -> bool:
        for child in self.present:
            if child.on_event(event, data) or self.fsm.is_changing:
                self._go_on_unless_over()
                return True
        self._go_on_unless_over()
        return False

    def on_exit(self) -> None:
        self.end_all()

    def _go_on_unless_over(self) -> None:
        if self.entered and not self.finished and not self.fsm.is_changing:
            self.go_on()

    def _index(self, child: FsmAction[ContextT]) -> int:
        return [other is child for other in self.children].index(True)


@define(eq=False, repr=False, slots=False, init=False)
class ActionList(Composite[ContextT]):
    """A composite of any number of actions, passed one after another."""

    actions: tuple[FsmAction[ContextT], ...]
    finish_event: str | None = field(default=None, validator=is_event_name)

    def __init__(self, *actions: FsmAction[ContextT], finish_event: str | None = None) -> None:
        for action in actions:
            checked_action(self, action)
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            actions, finish_event=finish_event
        )

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return self.actions


def checked_action(composite: Composite[Any], action: object) -> None:
    """Raise TypeError unless `action` is an action."""
    if not isinstance(action, FsmAction):
        name = type(composite).__name__
        raise TypeError(
            f"{name}: each action must be an instance of FsmAction, got {action!r}. "
            "Pass actions one after another."
        )
