"""The words of a cover, and its summary for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fsmkit.pytest_plugin.cover import Arrow, Cover, MachineCover
from fsmkit.pytest_plugin.outline import ANY_STATE
from fsmkit.terminal.console import padded, width


def summary(cover: Cover, texts: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table: each machine, and what was missed of it.

    `texts` are those that the machines were selected by.
    """
    machines = [*cover]
    if not machines:
        wanted = " or ".join(map(repr, texts))
        where = f" with {wanted} in its name or its place" if texts else ""
        yield f"No machine{where} was started."
        return
    rows = [(m.title, states_taken(m), arrows_taken(m), m.place) for m in machines]
    columns = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for machine, row in zip(machines, rows, strict=True):
        yield "  ".join(map(padded, row, columns)).rstrip()
        yield from (f"    {each}" for each in misses(machine))
    yield total(cover)


def total(cover: Cover) -> str:
    """Return the sum over all machines.

    >>> total(Cover())
    '0 of 0 transitions taken (100 %)'
    """
    share = int(cover.percent) if cover.taken < cover.arrows else 100  # 99.6 % is not all of them
    return f"{cover.taken} of {cover.arrows} transitions taken ({share} %)"


def states_taken(machine: MachineCover) -> str:
    """Return how many states were entered."""
    return f"{_share(machine.states)} states"


def arrows_taken(machine: MachineCover) -> str:
    """Return how many transitions were taken."""
    return f"{_share(machine.arrows)} transitions"


def misses(machine: MachineCover) -> Iterator[str]:
    """Yield a line for each state that was never entered and each transition never taken."""
    for state in machine.missed_states:
        yield f"never entered: {state}"
    for arrow in machine.missed_arrows:
        yield f"never taken: {arrow_text(arrow)}"


def arrow_text(arrow: Arrow) -> str:
    """Return a transition in words.

    >>> arrow_text(("Patrol", "SPOTTED", "Chase"))
    'Patrol --SPOTTED--> Chase'
    """
    source, event, target = arrow
    place = "any state" if source == ANY_STATE else source
    return f"{place} --{event}--> {target if target is not None else 'back'}"


def _share(counts: Mapping[Any, int]) -> str:
    return f"{sum(count > 0 for count in counts.values())} of {len(counts)}"
