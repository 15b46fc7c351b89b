"""Possible events: what the actions and transitions of a machine would do with an event now.

Actions declare what they take before transitions are considered: by `takes`,
`_would_take_` and `_offers_to_`. A declaration of a class holds for its subclasses as well, unless
they override `on_event`: then they may do anything.

Machines, states and actions are only read, so that this needs no type of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fsmkit.core.types import ENTER, EXIT, GUARD, SUSPEND

Answered: TypeAlias = tuple[str, Any, Any, Any, bool | None, Exception | None]
"""The fields of a `PossibleEvent`."""


class ListenerAnswer(NamedTuple):
    action: Any
    """The action that is asked; of an action that passes the event on, the one that gets it."""
    takes: bool | None
    """True: it certainly consumes the event. False: it lets the event pass. None: not known."""
    reason: str = ""
    """What it does with an event that it takes, in the words of the action."""
    machine: Any = None
    """The nested machine that the action asks; then `takes` is None, since the machine decides."""


class Foreseeing:
    """The part of an `Fsm` that says what it would do, and changes nothing."""

    __slots__ = ()

    def _foreseen_(self: Any) -> Iterator[Answered]:
        """The parts of `possible_events`."""
        visit = self._visit_
        if visit.state is None or self._halted_ is not None or self._next_ is not None:
            return
        if self._phase_ in (EXIT, SUSPEND, GUARD):
            return
        tables = self._transitions_from_(visit.state)
        search = _Search(self, self._listeners_(), tables, self._asked_)
        for event in search.known():
            yield from search.takers(event)

    def _listeners_(self: Any) -> tuple[Any, ...]:
        """The actions that an event sent now would be offered to, if they listen, in order.

        None while the state is exited or suspended; while it is entered, those entered so far.
        """
        if self._phase_ in (EXIT, SUSPEND):
            return ()
        entered: tuple[Any, ...] = self._visit_.actions
        if self._phase_ is not ENTER:
            return entered
        return entered[: max(0, self._visit_.position(self.acting))]

    def _asked_(self: Any, transition: Any) -> tuple[bool | None, Exception | None]:
        """Whether the guard of a transition agrees, if there is one, and what it has raised."""
        remembered = self._extras_
        try:
            return self._agreed_((transition,), None) is not None, None
        except Exception as error:
            return None, error
        finally:
            self._extras_ = remembered  # a condition may have remembered its answer


class _Search:
    """What may take an event in a machine; each guard and each nested machine is asked once.

    `tables` are the transitions of the current state, those of its groups, and those from any
    state; `ask` asks a guard.
    """

    def __init__(
        self,
        machine: Any,
        listeners: tuple[Any, ...],
        tables: tuple[Mapping[str, tuple[Any, ...]], ...],
        ask: Callable[[Any], tuple[bool | None, Exception | None]],
    ) -> None:
        self.machine = machine
        self.listeners = listeners
        self.tables = tables
        self.ask = ask
        self.inside: dict[Any, Sequence[Answered]] = {}

    def known(self) -> Iterable[str]:
        """Return the events that the transitions are for, then those that actions say they take."""
        events = dict.fromkeys(event for table in self.tables for event in table)
        return {**events, **{event: None for each in self.listeners for event in each.takes}}

    def takers(self, event: str) -> Iterator[Answered]:
        """Yield what may take `event`, in the order of asking, up to what certainly takes it."""
        for action in self.listeners:
            is_taken = False
            for possible in self._heard(action, event):
                yield possible
                is_taken = is_taken or bool(possible[4])
                if is_taken and not goes_further(action):
                    break
            if is_taken:
                return
        yield from self._led(event)

    def _heard(self, action: Any, event: str) -> Iterator[Answered]:
        for answer in answers_of(action, event):
            if answer.machine is None:
                if answer.takes or event in answer.action.takes:
                    yield event, self.machine, None, answer.action, answer.takes, None
                continue
            if answer.machine not in self.inside:
                self.inside[answer.machine] = answer.machine.possible_events()
            for possible in self.inside[answer.machine]:
                if possible[0] == event:
                    yield possible

    def _led(self, event: str) -> Iterator[Answered]:
        state, suspended = self.machine.current_state, self.machine.suspended
        for table in self.tables:
            for transition in table.get(event, ()):
                target = transition.target
                agrees, error = self.ask(transition)
                is_idle = target is state and table is not self.tables[0]  # rule 7
                if not is_idle and (suspended or is_state(target)):
                    yield event, self.machine, transition, None, agrees, error
                if agrees:
                    return


def answers_of(action: Any, event: str) -> Iterator[ListenerAnswer]:
    """Yield the answers of an entered action, and of those it passes events on to."""
    if not listens(action):
        return
    hands_on = is_declared(action, "_offers_to_")
    if hands_on:
        for other in action._offers_to_(event):
            if not hasattr(other, "on_event"):
                yield ListenerAnswer(action, None, machine=other)
            elif action.nested.has(other):
                yield from answers_of(other, event)
    if is_declared(action, "_would_take_"):
        takes = action._would_take_(event)
    elif declares_takes(action):
        takes = None if event in action.takes else False
    else:
        takes = False if hands_on else None
    if takes or takes is None:
        reason = takes if isinstance(takes, str) else ""
        yield ListenerAnswer(action, None if takes is None else True, reason)


def goes_further(action: Any) -> bool:
    """Return whether an action offers an event to its other children once one has taken it."""
    decide = getattr(action, "goes_further", None)
    return decide is not None and bool(decide(True))


def is_state(target: Any) -> bool:
    """Return True unless the target of a transition is `BACK`."""
    return hasattr(target, "transitions")


def listens(action: Any) -> bool:
    """Return True if the class of an action overrides `on_event`."""
    return not _is_base(_definer(action, "on_event"))


def is_declared(action: Any, name: str) -> bool:
    """Return True if an action has a declaration that holds for its `on_event`."""
    if name in vars(action):
        return True
    declares = _definer(action, name)
    return not _is_base(declares) and issubclass(declares, _definer(action, "on_event"))


def _definer(action: Any, name: str) -> type:
    return next(kind for kind in type(action).__mro__ if name in vars(kind))


def _is_base(kind: type) -> bool:
    """Return True for `FsmAction` itself."""
    return "_fsmkit_join" in vars(kind)


def declares_takes(action: Any) -> bool:
    """Return True if an action says what its `on_event` takes.

    An empty `takes` of a class declares nothing, as a function may take events; one that is set on
    the action does.
    """
    return "takes" in vars(action) or (bool(action.takes) and is_declared(action, "takes"))
