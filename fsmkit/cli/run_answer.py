"""The object of `fsmkit run --format json`: what happened, and when."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TypeAlias

from fsmkit import FsmGroup
from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.json_answer import (
    JsonAnswer,
    JsonObject,
    chronicle_fields,
    error_object,
    seconds,
)
from fsmkit.cli.options import (
    DEFAULT_SECONDS,
    check_run_options,
    expressions_in,
    group_of,
    states_of,
)
from fsmkit.cli.prospects import prospect_objects, prospects
from fsmkit.cli.simulation import ReportedChange, SimulatedMachines, Simulation
from fsmkit.cli.targets import find
from fsmkit.cli.watched_values import WatchedValues
from fsmkit.recording import History

GoThrough: TypeAlias = Callable[[Simulation[SimulatedMachines], argparse.Namespace], int]
"""Carries out a simulation and returns the exit code."""


class ChronicledMachines(SimulatedMachines):
    """Machines whose visits, events and errors are kept, also of those that join them."""

    def __init__(self, group: FsmGroup, report: Callable[[ReportedChange], object]) -> None:
        super().__init__(group, report)
        self.history = History(group, limit=sys.maxsize)

    def update(self, dt: float) -> None:
        super().update(dt)
        self.history.watch_all()


def run_answer(options: argparse.Namespace, go_through: GoThrough) -> JsonAnswer:
    """Run the machines, also where that fails, and return what happened up to there."""
    build = find(options.target)
    group = group_of(build())
    watched: list[JsonObject] = []
    unheard: list[JsonObject] = []

    def note(change: ReportedChange) -> None:
        time = seconds(change.step / options.fps)
        if not change.has_effect:
            unheard.append({"time": time, "event": change.event, "reason": change.target[1:-1]})
        elif options.watch:
            texts = values.of(change.machine)
            watched.append({"time": time, "machine": change.machine, "values": texts})

    machines = ChronicledMachines(group, note)
    values = WatchedValues(expressions_in(options.watch, build.module), machines.names)
    options.seconds = options.seconds or DEFAULT_SECONDS
    simulation: Simulation[SimulatedMachines] = Simulation(
        machines, options.fps, options.seconds, options.events
    )
    check_run_options(states_of(group), options)
    exit_code, error = 0, None
    try:
        exit_code = go_through(simulation, options)
    except CommandError as failure:
        exit_code, error = failure.exit_code, error_object(failure)
    machines.count()
    asked = options.why
    why = None if asked is None else prospect_objects(prospects(group, asked.event, asked.data))
    fields = {
        "error": error,
        "seconds": seconds(simulation.time),
        "machines": _machine_objects(simulation),
        **chronicle_fields(machines.history.chronicle()),
        "unheard": unheard,
        "values": watched,
        "why": why,
    }
    return JsonAnswer(fields, exit_code)


def _machine_objects(simulation: Simulation[SimulatedMachines]) -> list[JsonObject]:
    simulated = simulation.simulated
    return [
        {
            "machine": name,
            "state": None if machine.current_state is None else machine.current_state.name,
            "seconds": {
                state: seconds(steps / simulation.fps)
                for state, steps in simulated.steps[machine].items()
            },
        }
        for machine, name in simulated.names.items()
    ]
