"""Random crowds with all of the language: objects, both engines, sweeps, threads, one journal.

A seed makes a machine: typed expressions, loops, `match`, tables, functions that draw and raise,
several actions in a state, guards, births and deaths, states that are passed through. It also makes
a course of updates, events, external changes, files and characters. All must agree after every
step, on the errors and their places, too; a population of objects until the first error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from any_crowd.blueprint import Blueprint
from any_crowd.plain_text import plain_module
from any_crowd.populations import OneCrowd, Population, compare

from fsmkit.crowd import Crowd, CrowdFsm, SubsetError

REFUSED = "not on every path|has one kind where|an int on one path|draws, and may raise|some cases"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use threads, counting loops and full lists of births for a few agents already."""
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.MIN_AGENTS_PER_THREAD", 4)
    monkeypatch.setattr("fsmkit.crowd.engine.report.ROOM", 3)
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.MAX_RAISED", 5)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the text of the loops as plain Python."""
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.load", plain_module)


def built(blueprint: Any) -> CrowdFsm | None:
    """Return the machine; None if a function of it is refused."""
    machine: CrowdFsm = blueprint.machine()
    try:
        Crowd(machine, 0)
    except SubsetError as refused:
        assert re.search(REFUSED, str(refused)), (str(refused), blueprint.text)  # noqa: PT017
        return None
    return machine


def check(seed: int, folder: Path, courses: int = 1) -> None:
    """Check one machine, if it is not refused."""
    blueprint = Blueprint(seed)
    machine = built(blueprint)
    for _ in range(courses if machine is not None else 0):
        crowds = [
            OneCrowd(machine, folder, engine="python"),
            OneCrowd(machine, folder),
            OneCrowd(machine, folder, parallel=2),
        ]
        compare(Population(machine), crowds, blueprint.course())


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", [2, 3, *range(20, 24)])
def test_the_text_of_the_loops_does_what_objects_do(seed: int, folder: Path) -> None:
    check(seed, folder)


@pytest.mark.slow
@pytest.mark.usefixtures("plain", "always_sweeps")
@pytest.mark.parametrize("seed", [2, 3, *range(20, 24)])
def test_the_text_of_a_sweep_does_what_objects_do(seed: int, folder: Path) -> None:
    check(seed + 100, folder)


@pytest.mark.long
@pytest.mark.parametrize("number", [1_000])
def test_compiled_agents_do_what_objects_do(number: int, folder: Path) -> None:
    check(number, folder, 8)


@pytest.mark.long
@pytest.mark.usefixtures("always_sweeps")
@pytest.mark.parametrize("number", [2_000])
def test_swept_agents_do_what_objects_do(number: int, folder: Path) -> None:
    check(number, folder, 8)
