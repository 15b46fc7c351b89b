"""Comments in the code that ignore findings."""

from pathlib import Path
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.checking import CODES, check
from fsmkit.checking.checker import findings_in
from fsmkit.checking.ignores import Ignores
from fsmkit.introspection.definition_sites import noting_places

HEAD = """\
from actions import Sequence, TimedWait
from fsmkit import Fsm
fsm = Fsm("Guard")
"""


def findings(source: str, file: Path) -> tuple[list[str], list[str]]:
    """What is found about the machine of a script, and about its comments, with the lines."""
    file.write_text(HEAD + source, "utf-8")
    ignores, space = Ignores(), dict[str, Any]()
    with noting_places() as places:
        exec(compile(HEAD + source, str(file), "exec"), space)
    found = findings_in(space["fsm"], ignores, places)
    complaints = [each for met in ignores.comments.meet(places) for each in met.complaints(CODES)]
    return (
        [f"{each.place.line} {each.code}" for each in found],
        [f"{each.place.line} {each.message}" for each in complaints],
    )


WITHOUT = """\
a = fsm.add_state("A")
b = fsm.add_state("B")
c = fsm.add_state("C")
a.add_transition("GO", b)
"""

IGNORING = {
    "nothing": (
        WITHOUT,
        ["6 unreachable-state", "5 no-way-out", "6 no-way-out"],
    ),
    "one code of a line": (
        WITHOUT.replace('add_state("C")', 'add_state("C")  # fsmkit: ignore[no-way-out]'),
        ["6 unreachable-state", "5 no-way-out"],
    ),
    "several codes of a line": (
        WITHOUT.replace('("C")', '("C")  #fsmkit:ignore[ no-way-out ,unreachable-state]'),
        ["5 no-way-out"],
    ),
    "everything of a line": (
        WITHOUT.replace('add_state("C")', 'add_state("C")  # fsmkit: ignore  (it is a dream)'),
        ["5 no-way-out"],
    ),
    "beside other comments": (
        WITHOUT.replace('("B")', '("B")  # noqa: E501  # fsmkit: ignore[no-way-out] # the end'),
        ["6 unreachable-state", "6 no-way-out"],
    ),
    "not in a text": (
        WITHOUT.replace('fsm.add_state("B")', 'fsm.add_state("B # fsmkit: ignore[no-way-out]")'),
        ["6 unreachable-state", "5 no-way-out", "6 no-way-out"],
    ),
    "not from a line of its own": (
        WITHOUT.replace("c = ", "# fsmkit: ignore\nc = "),
        ["7 unreachable-state", "5 no-way-out", "7 no-way-out"],
    ),
}


@pytest.mark.parametrize("case", IGNORING)
def test_a_comment_ignores_findings_about_its_line(case: str, tmp_path: Path) -> None:
    source, expected = IGNORING[case]
    assert findings(source, tmp_path / "guard.py") == (expected, [])


LONG = """\
fsm.add_state(
    "A",
    final=False,
).add_transition(
    "GO",
    fsm.add_state(
        "B",
    ),
)
"""


@pytest.mark.parametrize(("line", "is_hidden"), [(4, False), (7, True), (9, True), (12, True)])
def test_any_line_of_the_call_or_of_one_around_it_will_do(
    line: int, is_hidden: bool, tmp_path: Path
) -> None:
    lines = LONG.splitlines(keepends=True)
    lines[line - 4] = lines[line - 4].replace("\n", "  # fsmkit: ignore[no-way-out]\n")
    expected: list[str] = [] if is_hidden else ["9 no-way-out"]
    assert findings("".join(lines), tmp_path / "guard.py")[0] == expected


TABLE = """\
states = {{
    "a": fsm.add_state("A"),
    "b": fsm.add_state("B"),{}
    "c": fsm.add_state("C"),
}}{}
"""


def test_in_a_statement_with_several_calls_it_is_about_the_one_on_its_line(tmp_path: Path) -> None:
    comment = "  # fsmkit: ignore[no-way-out]"
    everything = ["6 unreachable-state", "7 unreachable-state"]
    stuck = [f"{line} no-way-out" for line in (5, 6, 7)]
    file = tmp_path / "guard.py"
    assert findings(TABLE.format("", ""), file)[0] == everything + stuck
    assert findings(TABLE.format(comment, ""), file)[0] == [*everything, stuck[0], stuck[2]]
    assert findings(TABLE.format("", comment), file)[0] == everything


AROUND = """\
def build(fsm):{}
    state = fsm.add_state("A")
    if state.final:{}
        pass
    else:{}
        fsm.add_state("B")
    with fsm.add_state("C").fsm.running(): pass{}
build(fsm)
"""


@pytest.mark.parametrize(("place", "hidden"), [(0, []), (1, []), (2, []), (3, ["10"])])
def test_a_comment_is_not_about_the_statements_inside_its_own(
    place: int, hidden: list[str], tmp_path: Path
) -> None:
    comments = ["", "", "", ""]
    comments[place] = "  # fsmkit: ignore"
    found, _ = findings(AROUND.format(*comments), tmp_path / "guard.py")
    lines = {line.partition(" ")[0] for line in found}
    assert lines == {"5", "9", "10"} - set(hidden)


UNUSED = {
    "no-way-out": "4 The comment ignores 'no-way-out', but there is no such finding.",
    "no-wayout": "4 There is no code 'no-wayout'. Did you mean 'no-way-out'?",
    "": "4 The comment names no code in brackets, so it ignores nothing.",
}


@pytest.mark.parametrize("code", UNUSED)
def test_a_comment_that_ignores_nothing_is_reported(code: str, tmp_path: Path) -> None:
    source = WITHOUT.replace('("A")', f'("A")  # fsmkit: ignore[{code}]')
    assert findings(source, tmp_path / "guard.py")[1] == [UNUSED[code]]


def test_each_code_of_a_comment_must_be_needed(tmp_path: Path) -> None:
    source = WITHOUT.replace('("B")', '("B")  # fsmkit: ignore[no-way-out, runs-twice]')
    assert findings(source, tmp_path / "guard.py") == (
        ["6 unreachable-state", "6 no-way-out"],
        ["5 The comment ignores 'runs-twice', but there is no such finding."],
    )


@pytest.mark.parametrize(
    "comment", ["ignore no-way-out", "ignore: no-way-out", "ignore(no-way-out)"]
)
def test_codes_without_brackets_are_not_taken_for_everything(comment: str, tmp_path: Path) -> None:
    source = WITHOUT.replace('("C")', f'("C")  # fsmkit: {comment}')
    found, complaints = findings(source, tmp_path / "guard.py")
    assert len(found) == 3
    assert complaints == ["6 The comment names no code in brackets, so it ignores nothing."]


def test_a_bare_comment_that_ignores_nothing_is_reported(tmp_path: Path) -> None:
    source = WITHOUT.replace('("A")', '("A")  # fsmkit: ignore')
    _, complaints = findings(source, tmp_path / "guard.py")
    assert complaints == ["4 The comment is unused: there is no finding to ignore."]


def test_a_code_that_was_not_looked_for_may_be_needed(tmp_path: Path) -> None:
    source = WITHOUT.replace('("A")', '("A")  # fsmkit: ignore[never-left]')
    assert findings(source, tmp_path / "guard.py")[1] == []


def test_comments_where_no_machine_was_built_are_left_alone(tmp_path: Path) -> None:
    unseen = "def other(fsm):\n    fsm.add_state('D')  # fsmkit: ignore[no-way-out]\n"
    assert findings(WITHOUT + unseen, tmp_path / "guard.py")[1] == []


@pytest.mark.parametrize("name", ["two words.py", "wächter.py", "100%.py"])
def test_files_may_have_any_name(name: str, tmp_path: Path) -> None:
    source = WITHOUT.replace('("C")', '("C")  # fsmkit: ignore')
    assert findings(source, tmp_path / name) == (["5 no-way-out"], [])


def test_a_file_that_has_changed_or_gone_meanwhile_ignores_nothing(tmp_path: Path) -> None:
    file = tmp_path / "guard.py"
    source = HEAD + WITHOUT.replace('("C")', '("C")  # fsmkit: ignore')
    for later in (None, b"def (", b"\xff\xfe\x00", b"'''"):
        file.write_text(source, "utf-8")
        space: dict[str, Any] = {}
        with noting_places() as places:
            exec(compile(source, str(file), "exec"), space)
        file.unlink() if later is None else file.write_bytes(later)
        assert len(check(space["fsm"], places=places)) == 3


def test_a_test_may_check_the_function_that_builds(tmp_path: Path) -> None:
    space: dict[str, Any] = {}
    file = tmp_path / "guard.py"
    body = "".join(f"    {line}\n" for line in WITHOUT.splitlines()).replace(
        '("C")', '("C")  # fsmkit: ignore'
    )
    source = f"{HEAD}def build():\n    fsm = Fsm('Guard')\n{body}    return fsm\n"
    file.write_text(source, "utf-8")
    exec(compile(source, str(file), "exec"), space)
    assert [finding.place.state for finding in check(space["build"])] == ["B"]
    assert len(check(space["build"]())) == 3


def test_a_text_is_no_list_of_codes() -> None:
    with pytest.raises(TypeError, match="ignore must be a list of codes, got 'no-way-out'"):
        check(Fsm("Guard"), ignore="no-way-out")
