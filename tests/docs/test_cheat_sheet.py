"""All that the cheat sheet says can be run, and fits on its page."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from making.cheat_sheet import COLUMNS, HEIGHT, Section, bottom, overfull

SECTIONS = [section for column in COLUMNS for section in column]
IN_PYTHON = [section for section in SECTIONS if section.kind == "python"]
COMMANDS = [row.code for section in SECTIONS if section.kind == "console" for row in section.rows]


@pytest.mark.parametrize("section", IN_PYTHON, ids=lambda section: section.title)
def test_each_row_of_code_runs(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for row in section.rows:
        namespace: dict[str, object] = {"__name__": "cheat_sheet"}
        exec(compile(section.before, section.title, "exec"), namespace)
        exec(compile(row.code, row.code, "exec"), namespace)


@cache
def help_of(command: str) -> str:
    arguments = [sys.executable, "-m", "fsmkit", command, "--help"]
    done = subprocess.run(arguments, capture_output=True, check=True, encoding="utf-8")
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("fsmkit ")])
def test_each_command_and_its_options_are_known(line: str) -> None:
    _, command, *rest = line.split()
    options = [option for option in rest if option.startswith("-")]
    assert [option for option in options if option not in help_of(command)] == []


def test_the_option_for_pytest_is_known(pytestconfig: pytest.Config) -> None:
    (line,) = (line for line in COMMANDS if line.startswith("pytest "))
    assert pytestconfig.getoption(line.split()[1], "none") != "none"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_nothing_is_too_wide_for_its_box(section: Section) -> None:
    assert overfull(section) == []


def test_no_column_is_longer_than_the_page() -> None:
    assert [bottom(column) for column in COLUMNS if bottom(column) > HEIGHT - 10] == []


def test_a_row_is_written_once() -> None:
    code = [row.code for section in SECTIONS for row in section.rows]
    assert sorted({line for line in code if code.count(line) > 1}) == []


def test_no_meaning_breaks_a_table() -> None:
    assert [row for section in SECTIONS for row in section.rows if re.search(r"\|", row[1])] == []
