"""What a detail shows of the way a machine has come: the edge taken, the time in each state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from fsmkit import Fsm
from fsmkit.inspector.loop.time_spent import divided
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.machine_course import Change, MachineCourse
from fsmkit.inspector.reading.chart import Chart

Courses: TypeAlias = Mapping[Fsm[Any], MachineCourse]
Now: TypeAlias = tuple[int, float]
"""A position and its time."""


def traces_of(
    course: Course, chart: Chart, names: Mapping[Fsm[Any], str], position: int
) -> dict[str, Any]:
    """Return these parts of the details of a machine at a position."""
    courses = {
        machine: course.machines[names[machine]]
        for machine in chart.machines
        if names[machine] in course.machines
    }
    now = position, course.time_at(position)
    own = course.machines[names[chart.machine]].at(position)
    return {
        **_failures(courses, chart, position),
        "origin": _origin(own),
        "resumed_by": own.event if own.is_resumed and own.state is not None else None,
        "edge": _edge(courses, chart, position),
        **_time_spent([_seconds(each, chart, fsm, now) for fsm, each in courses.items()]),
        "size": chart.size,
    }


def _origin(change: Change) -> dict[str, str]:
    """Return the event that led to the state and its sender; the line of code is not recorded."""
    if change.state is None or not change.event:
        return {}
    return {"event": change.event, **({"sender": change.sender} if change.sender else {})}


def _edge(courses: Courses, chart: Chart, position: int) -> str | None:
    """Return the id of the edge that was taken last."""
    latest: tuple[Fsm[Any], Change] | None = None
    for machine, course in courses.items():
        change = course.last_entry(position)
        if change is not None and (latest is None or change.order > latest[1].order):
            latest = machine, change
    if latest is None:
        return None
    machine, change = latest
    if not change.event or change.previous is None or change.state is None:
        return None
    target = None if change.is_resumed else change.state
    return chart.transition(machine, change.previous, target, change.event)


def _time_spent(seconds: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the shading and the share of each state: see `TimeSpent`, which does it for now."""
    longest = max((spent for each in seconds for spent in each.values()), default=0.0)
    shade: dict[str, float] = {}
    share: dict[str, float] = {}
    for each in seconds:
        shade.update(divided(each, longest))
        share.update(divided(each, sum(each.values())))
    return {"shade": shade, "share": share}


def _seconds(course: MachineCourse, chart: Chart, machine: Fsm[Any], now: Now) -> dict[str, float]:
    found = course.seconds(*now).items()
    return {chart.state(machine, state): spent for state, spent in found if state in machine.states}


def _failures(courses: Courses, chart: Chart, position: int) -> dict[str, list[str]]:
    """Return the states that an error was raised in during this visit, and the errors."""
    states, texts = [], []
    for machine, course in courses.items():
        state = course.at(position).state
        errors = course.errors_of_visit(position)
        if errors and state is not None and state in machine.states:
            states.append(chart.state(machine, state))
            texts += [f"{text} ({state})" for text in dict.fromkeys(errors)]
    return {"failed": states, "failures": texts}
