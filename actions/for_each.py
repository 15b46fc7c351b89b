"""ForEach: run an action for each of several items, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from typing import Any

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.composite import InTurn
from actions.parts.declarations import Fails, named
from actions.parts.parameters import ContextT, Param, is_parameter, value_of
from actions.parts.validators import is_callable, is_event_name
from fsmkit import FsmAction


def _are_items(action: ForEach[Any], attribute: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` can be iterated in every visit, or is a function."""
    if not callable(value) and (not isinstance(value, Iterable) or isinstance(value, Iterator)):
        raise TypeError(
            f"{type(action).__name__}: items must be an iterable that can be iterated again, "
            f"such as a list, or a function that returns an iterable, got {value!r}."
        )
    is_parameter(action, attribute, value)


def _is_maker(action: ForEach[Any], attribute: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` is a plain function that can be called with an item."""
    is_callable(action, attribute, value)
    try:
        signature(value).bind(None)
    except ValueError:  # its signature cannot be read
        return
    except TypeError as error:
        raise TypeError(
            f"{type(action).__name__}: make must take an item and nothing else, got {value!r} "
            f"({error}). Give the others defaults, or bind them with functools.partial."
        ) from None


@define_action
class ForEach(InTurn[ContextT]):
    """Run an action for each of `items`, one after another: the one that `make` returns for it.

    `items` is an iterable, or a function that returns one; it is read once, on enter. An action is
    made when its turn comes, entered, exited when it has finished, and then free again; the next
    one follows as in a `Sequence`, and a disabled one is skipped. Finishes with the last one, on
    enter if there are no items; fails with the one that fails. `item` and `index` are those of the
    current action.

    `make` takes an item and returns an action; a class of actions will do:
    `ForEach([0.5, 1.0], TimedWait)`. Because the actions are made while it runs, a snapshot can
    save it only before the first and after the last.

    Raises TypeError for items that cannot be iterated, or only once, such as a generator; for a
    `make` that does not take an item; and, when its turn comes, if it does not return an action.
    ActionOwnershipError for an action that already belongs to a state.

    >>> from actions import DelegateAction, Sequence, TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Waiter", context=["soup", "fish"])
    >>> def serve(dish):
    ...     return Sequence(
    ...         TimedWait(2.0),
    ...         DelegateAction(lambda state: print(dish, "at", state.fsm.time)),
    ...     )
    >>> serving = fsm.add_state("Serve").add_action(ForEach(lambda state: state.context, serve))
    >>> fsm.start()
    >>> for _ in range(2):
    ...     fsm.update(2.0)
    soup at 2.0
    fish at 4.0
    >>> serving.finished
    True
    """

    items: Param[Iterable[Any]] = field(validator=_are_items)
    make: Callable[[Any], FsmAction[ContextT]] = field(validator=_is_maker)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    index: int = field(default=0, init=False)
    """The index of the current item; at the end, the number of items."""
    item: Any = field(default=None, init=False)
    """The current item; None if there is none."""
    action: FsmAction[ContextT] | None = field(default=None, init=False)
    """The action that was made for the current item."""
    given: tuple[Any, ...] = field(default=(), init=False)
    """The items of this visit, while it lasts."""

    _makes_children_ = True
    _looks_when_due_ = True

    @property
    def children(self) -> Sequence[FsmAction[ContextT]]:
        return () if self.action is None else (self.action,)

    @property
    def _fsmkit_listens(self) -> bool:
        return super()._fsmkit_listens or self.nested.listens

    @property
    def is_over(self) -> bool:
        return self.index >= len(self.given)

    def _may_fail_(self, fails: Fails) -> bool | None:  # noqa: ARG002  # none is made yet
        return None

    @property
    def waits_for(self) -> str:
        if self.action is None:
            return ""
        return f"{self.index + 1} of {len(self.given)}: {named(self.action)}"

    def begin(self) -> None:
        items = value_of(self.items, self)
        if not isinstance(items, Iterable):
            raise TypeError(f"{type(self).__name__}: items must return an iterable, got {items!r}.")
        self.given = tuple(items)
        self.index = -1
        super().begin()

    def begin_next(self) -> None:
        for index in range(self.index + 1, len(self.given)):
            self.index, self.item = index, self.given[index]
            action = self._made()
            if not self.may_go_on:  # `make` decided a change
                return
            if action.enabled:
                self._begin(action)
                return
        self.index = len(self.given)
        self._forget_items()

    def end_child(self, child: FsmAction[ContextT]) -> None:
        """Exit and release the action."""
        try:
            super().end_child(child)
        finally:
            self._release(child)

    def end_all(self, *errors: BaseException) -> None:
        """Exit the action, if any, and forget the items: the visit is over."""
        action = self.action
        try:
            super().end_all(*errors)
        finally:
            if action is not None:
                self._release(action)
            self._forget_items()

    def _made(self) -> FsmAction[ContextT]:
        action: object = self.make(self.item)
        if not isinstance(action, FsmAction):
            raise TypeError(
                f"{type(self).__name__}: make must return an action, got {action!r} for item "
                f"{self.index}, {self.item!r}."
            )
        return action

    def _begin(self, action: FsmAction[ContextT]) -> None:
        self.nested.adopt(action)
        self.action = action
        if self._may_offer_to(action):
            self.nested.keep_listening()
        try:
            self.begin_child(action)
        except BaseException:
            self._release(action)  # it does not count as entered, so nothing else would
            raise

    def _release(self, action: FsmAction[ContextT]) -> None:
        self.action = None
        self.nested.release(action)

    def _forget_items(self) -> None:
        """Drop the items, so that a snapshot need not hold them either."""
        self.given = ()
        self.item = None
