"""Explanations: why the agents on display do what they do, asked a few times a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import define, field

from fsmkit import Fsm
from fsmkit.inspector.reading.page_values import error_text, shortened, text_of

if TYPE_CHECKING:
    from fsmkit.goap import Explanation, GoapAgent, Sensed


INTERVAL: Final = 0.25
"""Seconds between two readings at least, of real time."""

SHARE: Final = 0.05
"""The part of the time that readings may take: slow sensors are read less often."""

LASTING: Final = 2.0
"""Seconds for which a reading is kept after a page last asked for it."""

ExplanationRow: TypeAlias = dict[str, Any]

MOST: Final = 60
"""Goals, actions left out, or facts that are shown; the others are counted."""

MOST_STEPS: Final = 24
"""Steps of a plan that are shown: those around the present one."""

BEFORE: Final = 5
"""Steps that are shown before the present one, unless the plan ends soon."""

FOREVER: Final = 1e9
"""Seconds from which on a time is left out."""


def agents_among(machines: Iterable[Fsm[Any]]) -> list[GoapAgent[Any]]:
    goap = sys.modules.get("fsmkit.goap")  # unless it is imported, there are no agents
    every: Iterable[Any] = () if goap is None else machines
    return [each for each in every if goap is not None and isinstance(each, goap.GoapAgent)]


def unread(machine: str) -> ExplanationRow:
    return {"machine": machine, "read": None}


@define(eq=False)
class Explanations:
    """Explains why the agents among some machines do what they do, as data for the page.

    An agent that explains asks its sensors and the functions of its goals, which belong to the
    game. So it is asked between two updates only, while a page shows the machines, and no more
    often than `INTERVAL` and `SHARE` say. Errors of these functions are shown, not raised.
    """

    _machines: Callable[[], Iterable[Fsm[Any]]]
    _names: Mapping[Fsm[Any], str]
    _rows: dict[Fsm[Any], ExplanationRow] = field(factory=dict, init=False)
    _is_wanted: bool = field(default=False, init=False)
    _wanted_at: float = field(default=0.0, init=False)
    _due_at: float = field(default=0.0, init=False)

    def rows(self) -> list[ExplanationRow]:
        agents = agents_among(self._machines())
        return [self._rows.get(agent) or unread(self._names[agent]) for agent in agents]

    def want(self) -> None:
        self._is_wanted, self._wanted_at = True, monotonic()

    def read_if_due(self) -> None:
        """Read the agents if a page shows them and it is time. Called between two updates."""
        begun = monotonic()
        if self._is_wanted and begun >= self._due_at:
            self._is_wanted = False
            self._rows = {each: self._read(each) for each in agents_among(self._machines())}
            taken = monotonic() - begun
            self._due_at = begun + max(INTERVAL, taken / SHARE)
        elif self._rows and begun > self._wanted_at + LASTING:
            self._rows = {}

    def forget(self) -> None:
        """Drop what was read: the machines are in other states without having changed to them."""
        self._rows, self._due_at = {}, 0.0

    def _read(self, agent: GoapAgent[Any]) -> ExplanationRow:
        row: ExplanationRow = {"machine": self._names[agent], "read": agent.time}
        try:
            world = agent.sense()
            return {**row, **_explained(agent.why(world)), **_facts_of(world, agent.sensors)}
        except Exception as error:  # from the agent's own class, or from what it holds
            return {**row, "error": error_text(error)}


def _explained(explanation: Explanation) -> ExplanationRow:
    failure = explanation.last_failure
    goals = [
        {
            "name": shortened(each.goal),
            "priority": "?" if each.priority is None else f"{each.priority:g}",
            "standing": each.standing,
            "reason": shortened(each.reason),
            "until": _known_time(each.until),
            "fallback_of": _name(each.fallback_of),
        }
        for each in explanation.goals[:MOST]
    ]
    left_out = [
        {
            "name": shortened(each.action),
            "reason": shortened(each.reason),
            "failures": each.failures,
            "until": _known_time(each.until),
        }
        for each in explanation.left_out[:MOST]
    ]
    return {
        "doing": shortened(explanation.doing),
        "goals": goals,
        "more_goals": len(explanation.goals) - len(goals),
        "goal": _name(explanation.goal),
        "plan": list(_steps(explanation)),
        "steps": len(explanation.plan),
        "left_out": left_out,
        "more_left_out": len(explanation.left_out) - len(left_out),
        "failure": failure and {
            "name": _name(failure.action),
            "reason": shortened(failure.reason),
            "time": failure.time,
        },
    }  # fmt: skip


def _facts_of(world: Sensed, sensors: Container[str]) -> ExplanationRow:
    """Return the part of a row that shows the world: beliefs first, then sensor readings."""
    facts = [_fact(world, fact, fact in sensors) for fact in islice(world, MOST)]
    return {"facts": facts, "more_facts": len(world) - len(facts)}


def _steps(explanation: Explanation) -> Iterator[ExplanationRow]:
    first = max(0, min(explanation.step - BEFORE, len(explanation.plan) - MOST_STEPS))
    for index, name in enumerate(explanation.plan[first : first + MOST_STEPS], first):
        standing = (
            "done" if index < explanation.step else "now" if index == explanation.step else "next"
        )
        yield {"index": index, "name": shortened(name), "standing": standing}


def _fact(world: Sensed, fact: str, is_sensed: bool) -> ExplanationRow:
    row: ExplanationRow = {"name": shortened(fact), "sensed": is_sensed, "text": "", "error": ""}
    try:
        row["text"] = text_of(world[fact])
    except Exception as error:  # from the sensor
        row["error"] = error_text(error)
    return row


def _name(name: str | None) -> str | None:
    return None if name is None else shortened(name)


def _known_time(time: float | None) -> float | None:
    return None if time is None or time >= FOREVER else time
