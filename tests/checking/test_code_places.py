"""Findings say which line of the code they are about, if the machine is built for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actions import Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
from fsmkit.checking import Finding, Place, check
from fsmkit.checking.subject import located
from fsmkit.introspection.definition_sites import noting_places

HERE = Path(__file__).resolve()
LINES = HERE.read_text("utf-8").splitlines()

Build = Callable[[], Fsm[Any]]


def line(mark: str) -> int:
    """The line of this file that ends with a comment `(mark)`."""
    (found,) = (number for number, text in enumerate(LINES, 1) if text.endswith(f"# ({mark})"))
    return found


def always() -> bool:
    return bool(LINES)


def guard() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    lost = fsm.add_state("Lost")  # (lost)
    chase = fsm.add_state("Chase")
    patrol.add_action(  # (waits)
        Sequence(
            TimedWait(1.0),
            TimedWait(1.0, finish_event="TIRED"),
        )
    )
    patrol.add_transition("SEEN", chase, when=always)
    patrol.add_transition("SEEN", lost, when=always)  # (shadowed)
    patrol.add_transition(FINISHED, chase)
    chase.add_transition("SEEM", patrol)  # (similar)
    chase.add_transition("RESUME", BACK)  # (back)
    lost.add_transition("LOST", patrol, suspend=True)  # (suspends)
    return fsm


def test_each_finding_has_the_line_of_what_it_is_about() -> None:
    found = check(guard)
    assert {finding.place.file for finding in found} == {str(HERE)}
    assert sorted((finding.code, finding.place.line) for finding in found) == [
        ("dead-end-event", line("waits")),
        ("never-resumed", line("suspends")),
        ("nothing-to-resume", line("back")),
        ("shadowed-transition", line("shadowed")),
        ("similar-events", line("similar")),
    ]


def shadowed() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Guard")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for state in (a, b):
        state.add_transition("GO", "A")
    fsm.add_global_transition("STOP", "A")
    fsm.add_global_transition("GO", "B", when=always)  # (global)
    fsm.add_state("C").add_transition("GO", a)  # (unreachable)
    return fsm


def stuck() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Guard")
    fsm.add_state("A").add_transition(
        "GO",
        fsm.add_state("B"),  # (inner)
    )
    (
        fsm.add_state("C")  # (chained)
        .add_transition("GO", "B")
    )  # fmt: skip
    return fsm


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (shadowed, {"shadowed-transition": "global", "unreachable-state": "unreachable"}),
        (stuck, {"no-way-out": "inner", "unreachable-state": "chained"}),
    ],
)
def test_it_is_the_line_of_the_call_that_added(build: Build, expected: dict[str, str]) -> None:
    found = {finding.code: finding.place.line for finding in check(build)}
    assert found == {code: line(mark) for code, mark in expected.items()}


def test_a_machine_that_has_been_built_has_no_lines_unless_they_were_noted() -> None:
    assert {finding.place.code for finding in check(guard())} == {None}
    with noting_places() as places:
        fsm = guard()
    assert [f.place.line for f in check(fsm, places=places)] == [f.place.line for f in check(guard)]


def test_findings_are_equal_wherever_the_code_is() -> None:
    assert check(guard) == check(guard())
    assert Place("Guard", "A", file="a.py", line=1) == Place("Guard", "A", file="b.py", line=2)


def test_findings_that_know_names_alone_can_be_located() -> None:
    def build() -> FsmGroup:
        return FsmGroup([guard(), guard(), stuck()])

    with noting_places() as places:
        machines = build()
    found = check(build())
    assert {finding.place.code for finding in found} == {None}
    lines = [(each.code, each.place.line) for each in located(found, machines, places)]
    expected = [(each.code, each.place.line) for each in check(build)]
    assert [each for each in lines if each[0] != "shadowed-transition"] == [
        each
        for each in expected
        if each[0] != "shadowed-transition"  # there are two of them
    ]


def test_what_is_located_already_or_unknown_stays_as_it_is() -> None:
    with noting_places() as places:
        fsm = guard()
    known = check(guard)
    assert [each.place.line for each in located(known, stuck(), places)] == [
        each.place.line for each in known
    ]
    strange = [
        Finding("no-way-out", "warning", place, "Nothing.", "Add.")
        for place in (Place("Nobody"), Place("Guard"), Place("Guard", "Nowhere"))
    ]
    assert [each.place.code for each in located(strange, fsm, places)] == [None] * 3


def test_alike_machines_are_reported_once_with_the_line_of_the_first() -> None:
    def build() -> FsmGroup:
        first = Fsm[Any]("First")
        first.add_state("A").add_transition("GO", first.add_state("B"))  # (first)
        second = Fsm[Any]("Second")
        second.add_state("A").add_transition("GO", second.add_state("B"))
        return FsmGroup([first, second])

    assert [(f.place.machine, f.place.line) for f in check(build)] == [("First", line("first"))]


def test_a_finding_reads_as_editors_want_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE.parent)
    (finding,) = (each for each in check(guard) if each.code == "never-resumed")
    assert str(finding).startswith(
        f"{HERE.name}:{line('suspends')}: warning never-resumed: Fsm 'Guard', state 'Lost': "
    )
    bare = Finding("no-way-out", "warning", Place("Guard"), "Nothing.", "Add.")
    assert str(bare) == "warning no-way-out: Fsm 'Guard': Nothing. Add."


def test_a_function_must_return_a_machine() -> None:
    def nothing() -> None: ...

    with pytest.raises(TypeError, match=r"nothing.* must return an Fsm or an FsmGroup, got None"):
        check(nothing)  # type: ignore[arg-type]
