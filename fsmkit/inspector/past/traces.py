"""What a detail shows of the way a machine has come: the edge taken, the time in each state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.machine_course import Change
from fsmkit.inspector.reading.chart import Chart


def traces_of(
    course: Course, chart: Chart, names: Mapping[Fsm[Any], str], position: int
) -> dict[str, Any]:
    """Return these parts of the details of a machine at a position."""
    own = course.machines[names[chart.machine]].at(position)
    return {
        "resumed_by": own.event if own.is_resumed and own.state is not None else None,
        "edge": _edge(course, chart, names, position),
        "shade": _shade(course, chart, names, position),
    }


def _edge(course: Course, chart: Chart, names: Mapping[Fsm[Any], str], position: int) -> str | None:
    latest: tuple[Fsm[Any], Change] | None = None
    for machine in chart.machines:
        if names[machine] not in course.machines:
            continue
        change = course.machines[names[machine]].last_entry(position)
        if change is not None and (latest is None or change.order > latest[1].order):
            latest = machine, change
    if latest is None:
        return None
    machine, change = latest
    if not change.event or change.previous is None or change.state is None:
        return None
    target = None if change.is_resumed else change.state
    return chart.transition(machine, change.previous, target, change.event)


def _shade(
    course: Course, chart: Chart, names: Mapping[Fsm[Any], str], position: int
) -> dict[str, float]:
    now = course.time_at(position)
    seconds = {
        chart.state(machine, state): spent
        for machine in chart.machines
        if names[machine] in course.machines
        for state, spent in course.machines[names[machine]].seconds(position, now).items()
        if state in machine.states
    }
    longest = max(seconds.values(), default=0.0)
    return {each: spent / longest for each, spent in seconds.items()} if longest else {}
