"""The recipes are complete, short programs in which the checks find nothing to report."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from making import recipes

PROGRAMS = sorted(recipes.PROGRAMS.glob("*.py"))
LONGEST = 40
LONGER = {"emergency_stop": 75, "orders_in_a_database": 240}
"""Programs that have to be longer: drivers of both sorts, and a whole service."""

every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)


def test_every_recipe_is_in_one_group() -> None:
    assert recipes.faults(recipes.recipe_names()) == []


@every_program
def test_a_recipe_is_short(program: Path) -> None:
    source = program.read_text("utf-8")
    docstring = ast.parse(source).body[0]
    lines = source.splitlines()
    assert [line for line in lines if len(line) > 80] == []
    code = "\n".join(lines[docstring.end_lineno :]).strip().splitlines()
    assert len(code) < LONGER.get(program.stem, LONGEST)


@pytest.mark.slow
@every_program
def test_there_is_nothing_to_report_about_a_recipe(
    program: Path, command: Callable[..., Any]
) -> None:
    exit_code, lines, errors = command("check", str(program))
    assert (exit_code, lines[0][:18], errors) == (0, "Nothing to report:", [])
