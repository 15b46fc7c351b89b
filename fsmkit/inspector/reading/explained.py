"""What an agent says about itself, as data for the page: short texts, and not too many."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.inspector.reading.values import error_text, shortened, text_of

if TYPE_CHECKING:
    from fsmkit.goap import Explanation, Sensed

Row: TypeAlias = dict[str, Any]

MOST: Final = 60
"""Goals, actions left out, or facts that are shown; of others, how many."""

MOST_STEPS: Final = 24
"""Steps of a plan that are shown: those around the present one."""

BEFORE: Final = 5
"""Steps that are shown before the present one, unless the plan ends soon."""

FOR_EVER: Final = 1e9
"""Seconds from which on a time is not told."""


def unread(machine: str) -> Row:
    """Return the row of an agent that has not been asked."""
    return {"machine": machine, "read": None}


def explained(told: Explanation) -> Row:
    """Return the part of a row that is from `agent.why()`."""
    failure = told.last_failure
    goals = [
        {
            "name": shortened(each.goal),
            "priority": "?" if each.priority is None else f"{each.priority:g}",
            "standing": each.standing,
            "reason": shortened(each.reason),
            "until": _known_time(each.until),
            "fallback_of": _name(each.fallback_of),
        }
        for each in told.goals[:MOST]
    ]
    left_out = [
        {
            "name": shortened(each.action),
            "reason": shortened(each.reason),
            "failures": each.failures,
            "until": _known_time(each.until),
        }
        for each in told.left_out[:MOST]
    ]
    return {
        "doing": shortened(told.doing),
        "goals": goals,
        "more_goals": len(told.goals) - len(goals),
        "goal": _name(told.goal),
        "plan": list(_steps(told)),
        "steps": len(told.plan),
        "left_out": left_out,
        "more_left_out": len(told.left_out) - len(left_out),
        "failure": failure and {
            "name": _name(failure.action),
            "reason": shortened(failure.reason),
            "time": failure.time,
        },
    }  # fmt: skip


def facts_of(world: Sensed, sensors: Container[str]) -> Row:
    """Return the part of a row that is a look at the world: beliefs first, then sensors.

    These are asked; what they raise is told.
    """
    facts = [_fact(world, fact, fact in sensors) for fact in islice(world, MOST)]
    return {"facts": facts, "more_facts": len(world) - len(facts)}


def _steps(told: Explanation) -> Iterator[Row]:
    """Yield the steps of the plan, or those around the present one."""
    first = max(0, min(told.step - BEFORE, len(told.plan) - MOST_STEPS))
    for index, name in enumerate(told.plan[first : first + MOST_STEPS], first):
        standing = "done" if index < told.step else "now" if index == told.step else "next"
        yield {"index": index, "name": shortened(name), "standing": standing}


def _fact(world: Sensed, fact: str, is_sensed: bool) -> Row:
    row: Row = {"name": shortened(fact), "sensed": is_sensed, "text": "", "error": ""}
    try:
        row["text"] = text_of(world[fact])
    except Exception as error:  # from the sensor
        row["error"] = error_text(error)
    return row


def _name(name: str | None) -> str | None:
    return None if name is None else shortened(name)


def _known_time(time: float | None) -> float | None:
    return None if time is None or time >= FOR_EVER else time
