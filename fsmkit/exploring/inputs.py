"""Inputs: the events to offer from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fsmkit import ERROR, FINISHED, Fsm
from fsmkit.checking.sending import Sending
from fsmkit.checking.ways import Ways
from fsmkit.core.words.quoting import quote
from fsmkit.exploring.scripts import Input
from fsmkit.tooling.run_state import read_run_state
from fsmkit.tooling.taking import named_events

Inputs: TypeAlias = "Iterable[str] | Mapping[str, Sequence[object]]"
"""The events to offer; in a mapping each with the data to try."""


def chosen_inputs(inputs: Inputs) -> tuple[Input, ...]:
    """Return the inputs that a user has named. Raises TypeError for what are no events.

    >>> [each.event for each in chosen_inputs(["OPEN", "CLOSE"])]
    ['OPEN', 'CLOSE']
    >>> [each.data for each in chosen_inputs({"HIT": [1, 5]})]
    [1, 5]
    """
    if isinstance(inputs, str):
        raise TypeError(f"inputs must be a list of events, got {inputs!r}. Write [{inputs!r}].")
    if not isinstance(inputs, Iterable):
        raise TypeError(f"inputs must be a list of events, got {inputs!r}.")
    events = list(inputs)
    for event in events:
        if not isinstance(event, str):
            raise TypeError(f"inputs must be names of events, got {event!r} in it.")
    return tuple(
        Input(event, value, number)
        for event in events
        for number, value in enumerate(_data_of(event, inputs))
    )


def default_inputs(members: Sequence[Fsm[Any]], machines: Sequence[Fsm[Any]]) -> tuple[Input, ...]:
    """Return the events that `members` know and that no action of `machines` sends.

    The data are those with which the event is on its way already.
    """
    known = dict.fromkeys(event for machine in members for event in named_events(machine))
    sent = sent_in(machines)
    return tuple(
        Input(event, value, number)
        for event in known
        if event not in (FINISHED, ERROR) and event not in sent
        for number, value in enumerate(_data_on_the_way(event, machines))
    )


def sent_in(machines: Sequence[Fsm[Any]]) -> set[str]:
    """Return the events that actions of `machines` declare, or whose code sends them."""
    return {
        sent.event
        for machine in machines
        for sending in [Sending(Ways(machine))]
        for state in machine.states.values()
        for sent in sending.of_state(state)
    }


def events_on_the_way(machines: Sequence[Fsm[Any]]) -> set[str]:
    """Return the events that are delayed already, before the machine does anything itself."""
    return {name for machine in machines for _, name, *_ in read_run_state(machine).delayed}


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


def _data_on_the_way(event: str, machines: Sequence[Fsm[Any]]) -> list[object]:
    """Return the different data with which `event` is delayed now, else None alone."""
    found = {
        repr(data): data
        for machine in machines
        for _, name, data, _ in read_run_state(machine).delayed
        if name == event
    }
    return list(found.values()) or [None]
