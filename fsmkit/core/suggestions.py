"""Suggestions: what may be meant by a name that is not known, and where an event is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fsmkit.core.run import Run
    from fsmkit.core.state import FsmState

MOST_NAMES: Final = 5
"""How many places a sentence names; of more it says only how many they are."""


def similar(name: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that is most like `name`, whatever the case; None if none is.

    >>> similar("OPNE", ["CLOSE", "OPEN"]), similar("patrol", ["Patrol"]), similar("X", ["Patrol"])
    ('OPEN', 'Patrol', None)
    """
    from difflib import get_close_matches  # here, because it is slow to import and seldom needed

    plain = {other.casefold(): other for other in known}
    return next((plain[close] for close in get_close_matches(name.casefold(), plain, 1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `Did you mean ...? ` with the most similar one; empty if there is none."""
    meant = similar(name, known)
    return "" if meant is None else f"Did you mean {meant!r}? "


def about_event(fsm: Run[Any], event: str) -> Iterator[str]:
    """Yield sentences about an event that the current state does not know: where it is known.

    That is in other states, in nested machines or in the machine around; failing that, an event
    with a similar name.
    """
    places = list(_places(fsm, event))
    if places:
        yield f"It is known in {_listed(places)}."
    elif outer := _outer_knowing(fsm, event):
        yield (
            f"It is known in Fsm {outer.name!r} around it, but an event stays in the machine it is "
            "sent in."
        )
    elif suggestion := did_you_mean(event, _events(fsm)):
        yield suggestion.rstrip()


def _places(fsm: Run[Any], event: str) -> Iterator[str]:
    for state in fsm.states.values():
        alone = (action for action in state.actions if not action.machines)
        if event in state.transitions or any(event in action.takes for action in alone):
            yield repr(state.name)
    for state in fsm.states.values():
        for action in state.actions:
            for machine in action.machines:
                if machine is not fsm and _is_known_in(machine, event):
                    yield f"Fsm {machine.name!r} nested in {state.name!r}"


def _outer_knowing(fsm: Run[Any], event: str) -> Run[Any] | None:
    """The nearest machine around `fsm` that knows `event`."""
    host = fsm.host
    while host is not None and not _is_known_in(host.fsm, event):
        host = host.fsm.host
    return None if host is None else host.fsm


def _is_known_in(fsm: Run[Any], event: str) -> bool:
    states = fsm.states.values()
    return event in fsm.global_transitions or any(_knows(state, event) for state in states)


def _knows(state: FsmState[Any], event: str) -> bool:
    return event in state.transitions or any(event in action.takes for action in state.actions)


def _events(fsm: Run[Any]) -> Iterator[str]:
    """Every event that the machine knows anywhere; those that are known now come last."""
    for state in fsm.states.values():
        yield from state.transitions
        for action in state.actions:
            yield from action.takes
    yield from fsm.global_transitions
    if fsm.current_state is not None:
        yield from fsm.current_state.transitions


def _listed(places: list[str]) -> str:
    if len(places) <= MOST_NAMES:
        return ", ".join(places)
    return f"{', '.join(places[:MOST_NAMES])} and {len(places) - MOST_NAMES} more"
