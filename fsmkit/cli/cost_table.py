"""The table of `fsmkit run --profile`: what the frames of a run cost."""

from __future__ import annotations

from typing import Final

from fsmkit.recording.frame_costs import CostTable, PartCost
from fsmkit.terminal.console import COLUMNS, Console, cut, width

NUMBER: Final = 9
"""The width of a column of numbers."""

PLACE: Final = 12
"""The width that the state of a part gets at least, where titles are long."""


def print_costs(table: CostTable, console: Console) -> None:
    console.line()
    console.line(console.styled("What a frame costs, in microseconds", "bold"))
    console.line(
        f"  {table.frames:,} frames: {_number(table.mean)} on average, {_number(table.worst)} at "
        f"worst; {_number(table.outside)} between two of them"
    )
    if not table.frames:
        return
    _print_machines(table, console)
    _print_parts(table, console)


def _print_machines(table: CostTable, console: Console) -> None:
    console.line()
    console.line(console.styled(_row("frame", "update", "worst", "updates", "machine"), "faint"))
    for machine in table.machines:
        states = [state for state in table.states if state.machine == machine.machine]
        numbers = [sum(state.own for state in states), machine.mean, machine.worst]
        name = _shown(console, machine.machine, 0)
        console.line(_row(*map(_number, numbers), f"{machine.updates:,}", name))
        for state in sorted(states, key=lambda each: -each.own):
            name = f"  {_shown(console, state.state or '(not running)', 2)}"
            console.line(_row(_number(state.own), "", "", "", name))


def _print_parts(table: CostTable, console: Console) -> None:
    are_several = len(table.machines) > 1
    console.line()
    console.line(console.styled(_row("frame", "whole", "worst", "calls", "the worst"), "faint"))
    for part in table.parts:
        numbers = map(_number, (part.own, part.whole, part.worst))
        console.line(_row(*numbers, f"{part.calls:,}", _title(part, console, are_several)))
    console.line()
    for line in (
        "frame: the average of all frames, without what has a row of its own",
        "whole: the same, with it; update: the average update; worst: the longest one",
    ):
        console.line(console.styled(f"  {line}", "faint"))


def _row(*cells: str) -> str:
    *numbers, name = cells
    return f"{''.join(number.rjust(NUMBER) for number in numbers)}  {name}"


ROOM: Final = COLUMNS - 4 * NUMBER - 2
"""The columns that are left for names."""


def _shown(console: Console, name: str, indent: int) -> str:
    return cut(console.shown(name), ROOM - indent)


def _title(part: PartCost, console: Console, with_machine: bool) -> str:
    """Return the title and the place of a part; where both are long, both are cut."""
    place = f"{part.state}, {part.machine}" if with_machine else part.state
    place, title = console.shown(place), console.shown(part.title)
    title = cut(title, ROOM - 2 - min(width(place), PLACE))
    return f"{title}  {cut(place, ROOM - 2 - width(title))}"


def _number(microseconds: float) -> str:
    """Return a number of at most nine columns.

    >>> [_number(each) for each in (0.04, 3.14159, 99.96, 1234.5)]
    ['0.04', '3.14', '100', '1,234']
    """
    if microseconds < 9.995:
        return f"{microseconds:.2f}"
    return f"{microseconds:.1f}" if microseconds < 99.95 else f"{microseconds:,.0f}"
