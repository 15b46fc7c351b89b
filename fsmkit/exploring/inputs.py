"""Inputs: the events to offer from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fsmkit import ERROR, FAILED, FINISHED, Fsm
from fsmkit.checking.emissions import Emissions
from fsmkit.checking.transitions import Transitions
from fsmkit.core.checks import arguments
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.scripts import Input
from fsmkit.introspection.known_events import named_events
from fsmkit.introspection.run_state import read_run_state

Inputs: TypeAlias = "Iterable[str] | Mapping[str, Sequence[object]]"
"""The events to offer; in a mapping each with the data to try."""


def chosen_inputs(inputs: Inputs) -> tuple[Input, ...]:
    """Return the inputs that a user named. Raises TypeError unless they are events.

    >>> [each.event for each in chosen_inputs(["OPEN", "CLOSE"])]
    ['OPEN', 'CLOSE']
    >>> [each.data for each in chosen_inputs({"HIT": [1, 5]})]
    [1, 5]
    """
    return tuple(
        Input(event, value, number)
        for event in arguments.names(inputs, "inputs", "events")
        for number, value in enumerate(_data_of(event, inputs))
    )


def default_inputs(members: Sequence[Fsm[Any]], machines: Sequence[Fsm[Any]]) -> tuple[Input, ...]:
    """Return the events that `members` know and that no action of `machines` sends.

    Their data are those of pending events of that name.
    """
    known = dict.fromkeys(event for machine in members for event in named_events(machine))
    pending, hidden = pending_events(machines), {FINISHED, FAILED, ERROR, *sent_in(machines)}
    return tuple(
        Input(event, value, number)
        for event in known
        if event not in hidden
        for number, value in enumerate(pending.get(event, [None]))
    )


def sent_in(machines: Sequence[Fsm[Any]]) -> set[str]:
    """Return the events that actions of `machines` declare, or whose code sends them."""
    return {sent.event for machine in machines for sent in Emissions(Transitions(machine)).every()}


def pending_events(machines: Sequence[Fsm[Any]]) -> dict[str, list[object]]:
    found: dict[str, dict[str, object]] = {}
    for machine in machines:
        for _, name, data, _ in read_run_state(machine).delayed:
            found.setdefault(name, {})[repr(data)] = data
    return {name: [*data.values()] for name, data in found.items()}


def _data_of(event: str, inputs: Inputs) -> Sequence[object]:
    if not isinstance(inputs, Mapping):
        return (None,)
    values = inputs[event]
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(
            f"inputs[{quote(event)}] must be a list of the data to try, got {values!r}. "
            f"Write {{{quote(event)}: [{values!r}]}}."
        )
    return values or (None,)
