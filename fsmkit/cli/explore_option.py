"""`fsmkit check --explore`: the options, and the walk through the machines of a target."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import Finding
from fsmkit.checking.ignoring import Ignores
from fsmkit.checking.locating import located
from fsmkit.cli.errors import MISUSED, CommandError
from fsmkit.cli.targets import Build
from fsmkit.tooling.places import Places

if TYPE_CHECKING:
    from fsmkit.exploring import Exploration, ExploredFinding
    from fsmkit.exploring.inputs import Inputs

TWINS: Final = {
    "never-left": "no-way-out",
    "never-entered": "unreachable-state",
    "never-taken": "shadowed-transition",
}
"""Codes of walks, and those that say the same without one: one of the two is enough."""

OPTIONS: Final = ("moments", "seconds_per_step", "seconds", "every_step")


def add_explore_arguments(command: argparse.ArgumentParser) -> None:
    """Declare `--explore` and what belongs to it."""
    group = command.add_argument_group(
        "walking through the machine",
        "With --explore the machine is run, by all inputs and through all its time,\n"
        "and what goes wrong is printed with a test that shows it.",
    )
    group.add_argument("--explore", action="store_true", help="walk through the machine as well")
    group.add_argument(
        "--moments", type=_count, metavar="N", help="how many moments to walk (default: 1000)"
    )
    group.add_argument(
        "--seconds-per-step", type=_seconds, metavar="S", help="the longest update (default: 0.5)"
    )
    group.add_argument(
        "--seconds", type=_seconds, metavar="S", help="how far to go in time (default: 60)"
    )
    group.add_argument(
        "--every-step", action="store_true", default=None,
        help="follow inputs after each update, not only where they make a difference",
    )  # fmt: skip


@frozen
class Explorer:
    """Walks through the machines of targets, as the options say."""

    options: dict[str, Any]

    def walk(self, build: Build, inputs: Inputs | None) -> Exploration:
        """Walk through the machines that `build` returns. Raises CommandError if that fails."""
        from fsmkit.exploring import explore  # here, because it is slow to import

        try:
            return explore(_named(build), inputs=inputs, **self.options)
        except CommandError:
            raise
        except Exception as error:
            raise CommandError(f"{build.label!r} cannot be walked through.") from error


def explorer_for(options: argparse.Namespace) -> Explorer | None:
    """Return what walks, None if that is not asked for. Raises CommandError for lone options."""
    given = {name: value for name in OPTIONS if (value := getattr(options, name)) is not None}
    if not options.explore:
        for name in given:
            flag = f"--{name.replace('_', '-')}"
            raise CommandError(f"{flag} is about a walk: give --explore, too.", MISUSED)
        return None
    names = {"seconds_per_step": "step"}
    return Explorer({names.get(name, name): value for name, value in given.items()})


def new_findings(
    exploration: Exploration, machines: Fsm[Any] | FsmGroup, places: Places, ignores: Ignores,
    known: Sequence[Finding],
) -> Iterator[ExploredFinding]:  # fmt: skip
    """Yield what a walk has found beside what is `known`, with lines, without what is ignored."""
    said = {(each.code, evolve(each.place, action=None, event=None)) for each in known}
    for finding in located(exploration.findings, machines, places):
        twin = TWINS.get(finding.code, finding.code)
        is_said = (twin, evolve(finding.place, action=None, event=None)) in said
        if not is_said and not ignores.covers(finding) and not _covers_twin(ignores, finding, twin):
            yield finding


def _covers_twin(ignores: Ignores, finding: ExploredFinding, twin: str) -> bool:
    """Return True if the author has said already that it is meant so."""
    return twin != finding.code and ignores.covers(evolve(finding, code=twin))


def _named(build: Build) -> Any:
    """Return the function with the name that a test imports it by."""

    def named() -> Fsm[Any] | FsmGroup:
        return build()

    named.__module__ = build.module
    named.__name__ = named.__qualname__ = build.name
    return named


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}.")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds > 0, got {text!r}.")
    return seconds
