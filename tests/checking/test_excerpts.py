"""The line of source that `fsmkit check` shows below a finding, and the mark under it."""

from pathlib import Path
from typing import Any

import pytest

from fsmkit.checking import Finding
from fsmkit.checking.finding import Place
from fsmkit.cli.excerpts import Excerpts
from fsmkit.terminal.console import PAPER, width

PLACES: dict[str, Any] = {
    "action": {"state": "Idle", "action": "actions[0] (Move)"},
    "event": {"state": "Idle", "event": "GO"},
    "state": {"state": "Idle"},
    "comment": {"code": "unused-ignore"},
}


def shown(folder: Path, source: str, about: str, columns: int = 76) -> list[str]:
    """What is shown of the first line of `source` that is indented by two blanks."""
    path = folder / "game.py"
    path.write_text(source, "utf-8")
    line = next(
        number for number, text in enumerate(source.split("\n"), 1) if text.startswith("  ")
    )
    named = {"code": "no-way-out", **PLACES[about]}
    code = named.pop("code")
    place = Place("Guard", file=str(path), line=line, **named)
    excerpt = Excerpts().of(Finding(code, "warning", place, "", ""))
    return [] if excerpt is None else [*excerpt.lines(PAPER, columns)]


@pytest.mark.parametrize(
    ("source", "about", "marked"),
    [
        ("if 1:\n  idle.add_action(Move())  # walks", "action", "idle.add_action(Move())"),
        ("if 1:\n  idle.add_action(\n Move())", "action", "idle.add_action("),
        (
            'if 1:\n  f.add_state("Idle").add_transition("GO", b)',
            "event",
            'add_transition("GO", b)',
        ),
        ('if 1:\n  f.add_state("Idle").add_transition("GO", b)', "state", 'f.add_state("Idle")'),
        (
            'if 1:\n  b, a = f.add_state("Busy"), f.add_state("Idle")',
            "state",
            'f.add_state("Idle")',
        ),
        (
            'if 1:\n  a.add_transition("A", b), a.add_transition("GO", b)',
            "event",
            'a.add_transition("GO", b)',
        ),
        ("if 1:\n  b, a = f.add_state(B), f.add_state(A)", "state", None),
        ('(f\n  .add_state("Idle")\n)', "state", 'add_state("Idle")'),
        ('if 1:\n  巡逻 = f.add_state("Idle")', "state", 'f.add_state("Idle")'),
        ('if 1:\n  machine = Machine("Idle", [\n])', "state", None),
        ("if 1:\n  a = 1  # fsmkit: ignore[trap]", "comment", "# fsmkit: ignore[trap]"),
    ],
)
def test_the_part_that_is_meant_is_marked(
    tmp_path: Path, source: str, about: str, marked: str | None
) -> None:
    line, mark = shown(tmp_path, source, about)
    code = line.partition(" | ")[2]
    marked = code if marked is None else marked
    before = code.index(marked)
    number = line.partition("|")[0]
    assert mark == f"{' ' * len(number)}| {' ' * width(code[:before])}{'^' * width(marked)}"


def test_a_long_line_is_cut_around_the_mark(tmp_path: Path) -> None:
    source = f'if 1:\n  first = {"x" * 40}, f.add_state("Idle"), {"y" * 40}'
    assert shown(tmp_path, source, "state", columns=50) == [
        '2 | ...xxxxxxxxxxxxxxxxxxx, f.add_state("Idle")...',
        f"  | {' ' * 24}{'^' * 19}",
    ]


def test_a_long_mark_is_cut_with_its_line(tmp_path: Path) -> None:
    source = f'if 1:\n  first = {"x" * 40}, f.add_state("Idle", {"y" * 40})'
    assert shown(tmp_path, source, "state", columns=40) == [
        '2 | ...xxxxx, f.add_state("Idle", yyy...',
        "  |           ^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]


@pytest.mark.parametrize("columns", [0, 3, 12])
def test_a_terminal_that_is_too_narrow_is_no_error(tmp_path: Path, columns: int) -> None:
    lines = shown(tmp_path, 'if 1:\n  first = f.add_state("Idle")', "state", columns)
    assert [line[:4] for line in lines] == ["2 | ", "  | "]


@pytest.mark.parametrize("source", ["def build(:\n  pass", "  \0"])
def test_a_file_that_is_no_python_any_more_has_no_excerpt(tmp_path: Path, source: str) -> None:
    assert shown(tmp_path, source, "state") == []


def test_a_line_that_is_gone_has_no_excerpt(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text("pass", "utf-8")
    for file, line in (("game.py", 7), ("none.py", 1)):
        place = Place("Guard", file=str(tmp_path / file), line=line)
        assert Excerpts().of(Finding("no-states", "error", place, "", "")) is None
