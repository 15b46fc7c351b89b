"""Transitions: where an event leads, on what condition, and what happens on the way.

Most transitions have neither a guard nor an effect. Of those a table keeps the target alone: it
takes half the memory, and the event leads straight to the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from fsmkit.core.functions import described, handed
from fsmkit.core.quoting import quote
from fsmkit.core.types import ContextT

if TYPE_CHECKING:
    from fsmkit.core.state import FsmState

Function: TypeAlias = Callable[..., Any]
StateT_contra = TypeVar("StateT_contra", contravariant=True)


class TakesNothing(Protocol):
    """A guard or an effect that takes nothing.

    Not written as a `Callable`: beside a second one mypy would lose the context inside lambdas.
    """

    def __call__(self) -> object:
        """Call it."""
        ...


class TakesState(Protocol[StateT_contra]):
    """The same that takes the state, beside one that takes the event's data as well."""

    def __call__(self, state: StateT_contra, /) -> object:
        """Call it."""
        ...


OfState: TypeAlias = "Callable[[FsmState[ContextT]], object] | TakesNothing"
OfData: TypeAlias = (
    "Callable[[FsmState[ContextT], Any], object] | TakesState[FsmState[ContextT]] | TakesNothing"
)
"""Guards and effects. Two types, so that checkers know the context in lambdas of both kinds."""


class Back(Enum):
    """The target that is no state: where the current state was interrupted. See `BACK`."""

    BACK = "BACK"


BACK: Final = Back.BACK
"""The target of a transition that goes back to the state that was suspended last."""


class Transition(NamedTuple, Generic[ContextT]):
    """A way from a state, or from any state, to `target`: another state, or `BACK`.

    `when` is its guard: a function that says whether it may be taken. `do` is its effect: a
    function called after the exits and before the target becomes current. Each takes nothing, the
    state, or the state and the data of the event. With `suspend` the state it leads away from is
    suspended, to be resumed by a transition to `BACK`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Turnstile", context={"paid": False})
    >>> locked, opened = fsm.add_state("Locked"), fsm.add_state("Opened")
    >>> push = locked.add_transition("PUSH", opened, when=lambda state: state.context["paid"])
    >>> fsm.start()
    >>> fsm.send_event("PUSH")
    False
    >>> fsm.context["paid"] = True
    >>> fsm.send_event("PUSH")
    True
    >>> push.event, push.target.name
    ('PUSH', 'Opened')
    """

    event: str
    """What leads this way."""
    target: FsmState[ContextT] | Back
    """The state it leads to, or `BACK`."""
    when: Function | None = None
    """The guard; None: it may always be taken."""
    do: Function | None = None
    """The effect, if it has one."""
    suspend: bool = False
    """Whether the state that it leads away from is suspended."""

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing more to it than its target."""
        return self.when is None and self.do is None and not self.suspend and self.target != BACK

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={described(f)}" for name in ("when", "do") if (f := getattr(self, name))
        )
        more += ", suspend=True" if self.suspend else ""
        return f"Transition({quote(self.event)} -> {self.target.name!r}{more})"


plain: Callable[[tuple[Any, ...]], Transition[Any]] = partial(tuple.__new__, Transition)
"""Makes a transition of all of its parts in less than half the time."""

Way: TypeAlias = "FsmState[ContextT] | tuple[Transition[ContextT], ...]"
"""What a table has for an event: the target of a plain transition, or all that are asked."""

Table: TypeAlias = "dict[str, Way[ContextT]]"
"""The transitions of a state, or the global ones, by event."""


def checked(given: Transition[Any], owner: str) -> Transition[Any]:
    """Return a transition with functions that take the state and the data; TypeError for others."""
    place = f"{owner}, transition {quote(given.event)}"
    if not isinstance(given.suspend, bool):
        raise TypeError(f"{place}: suspend must be True or False, got {given.suspend!r}.")
    functions: dict[str, Any] = {
        name: handed(function, f"{place}: {name}", data=True)
        for name in ("when", "do")
        if (function := getattr(given, name)) is not None
    }
    return given._replace(**functions)


def transitions_of(event: str, way: Way[ContextT] | None) -> tuple[Transition[ContextT], ...]:
    """All transitions that a table has for `event`, in the order in which they are asked."""
    if way is None:
        return ()
    return way if isinstance(way, tuple) else (Transition(event, way),)


def all_transitions(table: Table[ContextT]) -> Iterator[tuple[str, tuple[Transition[Any], ...]]]:
    """Event by event, all transitions of a table."""
    return ((event, transitions_of(event, way)) for event, way in table.items())


def routes(table: Table[ContextT]) -> dict[str, FsmState[ContextT]]:
    """The events that lead straight to a state; where all do, the very table."""
    if any(isinstance(way, tuple) for way in table.values()):
        return {event: way for event, way in table.items() if not isinstance(way, tuple)}
    return table  # type: ignore[return-value]  # there are states alone in it


def without_target(table: Table[ContextT], target: FsmState[ContextT]) -> Table[ContextT]:
    """The transitions of a table that do not lead to `target`."""
    left: Table[ContextT] = {}
    for event, way in table.items():
        if isinstance(way, tuple):
            if others := tuple(each for each in way if each.target is not target):
                left[event] = others
        elif way is not target:
            left[event] = way
    return left
