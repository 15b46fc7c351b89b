"""Prospects: what an event would do in each machine that runs, as text and as objects."""

from __future__ import annotations

from attrs import asdict

from fsmkit import FsmGroup
from fsmkit.cli.json_answer import JsonObject
from fsmkit.introspection.nesting import MachineNames
from fsmkit.recording import Prospect, why
from fsmkit.recording.why import NOT_GIVEN
from fsmkit.terminal.console import Console


def prospects(group: FsmGroup, event: str, data: object = NOT_GIVEN) -> dict[str, Prospect]:
    """Return the machines that run, by name; guards are asked only if there is data."""
    named = MachineNames().add(group)
    return {name: why(machine, event, data) for name, machine, _ in named if machine.is_running}


def print_prospects(console: Console, event: str, time: float, found: dict[str, Prospect]) -> None:
    console.line(console.shown(f"{event} at {time:.2f} s:"))
    for name, prospect in found.items():
        console.line(console.shown(f"  {name}: {prospect}"))


def prospect_objects(found: dict[str, Prospect]) -> list[JsonObject]:
    return [{"machine": name, **asdict(prospect)} for name, prospect in found.items()]
