"""check(): whom it looks at, in which order it tells, and what may be left out."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from actions import DelegateAction, MoveConstantly, Race, RunFsm, SendEvent, TimedWait
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.checking import CODES, Finding, Place, check
from fsmkit.cli.targets import load
from fsmkit.space import Transform

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def faulty(name: str = "M") -> Fsm:
    """A -> B on GO; B goes nowhere and sends an event that nobody knows, as A does."""
    fsm = Fsm(name)
    fsm.add_state("A").add_transition("GO", fsm.add_state("B"))
    fsm.states["A"].add_action(SendEvent("HEY", delay=1.0))
    fsm.states["B"].add_action(SendEvent("HEY", delay=1.0))
    return fsm


class Runs(FsmAction):
    """Declares the machines that it runs only once it belongs to a state."""

    def __init__(self, *inner: Fsm) -> None:
        self.inner = inner

    @property
    def machines(self) -> Sequence[Fsm]:
        return () if self.state is None else self.inner


def told(findings: list[Finding]) -> list[str]:
    return [f"{finding.code} {finding.place}" for finding in findings]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_there_is_nothing_to_say_about_an_example(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    try:
        machines = load(str(example))
        assert check(machines) == []
        for fsm in [machines] if isinstance(machines, Fsm) else machines:
            fsm.start()
        assert check(machines) == []
    finally:
        for name in set(sys.modules) - before:  # the example, and what lies beside it
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(example.parent)):
                del sys.modules[name]


def test_a_machine_without_states_is_an_error() -> None:
    assert check(Fsm("Empty")) == [
        Finding(
            "no-states",
            "error",
            Place("Empty"),
            "The machine has no states, so it cannot be started.",
            "Add one with add_state().",
        )
    ]


def test_only_machines_and_groups_are_checked() -> None:
    with pytest.raises(TypeError, match="must be an Fsm or an FsmGroup, got 'guard.py'"):
        check("guard.py")  # type: ignore[arg-type]
    assert check(FsmGroup()) == []


def test_errors_come_before_warnings_and_states_in_their_order() -> None:
    assert told(check(faulty())) == [
        "dead-end-event Fsm 'M', state 'A', actions[0] (SendEvent)",
        "dead-end-event Fsm 'M', state 'B', actions[0] (SendEvent)",
        "no-way-out Fsm 'M', state 'B'",
    ]


def test_the_order_does_not_depend_on_anything_else() -> None:
    assert check(faulty()) == check(faulty())


def test_a_finding_reads_as_a_line() -> None:
    assert str(check(faulty())[2]) == (
        "warning no-way-out: Fsm 'M', state 'B': No transition leads from here to another state, "
        "and it is not marked as final. Add a transition, or mark the end: add_state(..., "
        "final=True)."
    )


# Many machines


def test_machines_of_the_same_shape_are_reported_once() -> None:
    group = FsmGroup(faulty(name) for name in ("Ann", "Bob", "Cid"))
    assert told(check(group)) == told(check(faulty("Ann")))


def test_what_only_one_of_them_has_is_still_reported() -> None:
    ann, bob = faulty("Ann"), faulty("Bob")
    bob.states["A"].add_action(SendEvent("YOU", delay=1.0))
    assert told(check(FsmGroup([ann, bob]))) == [
        *told(check(ann)),
        "dead-end-event Fsm 'Bob', state 'A', actions[1] (SendEvent)",
    ]


def test_machines_of_other_shapes_are_reported_separately() -> None:
    ann, bob = faulty("Guard"), faulty("Guard")
    bob.add_state("C", final=True)
    findings = check(FsmGroup([ann, bob]))
    assert [finding.place.machine for finding in findings] == ["Guard"] * 3 + ["Guard #2"] * 4


def test_nested_machines_are_checked_wherever_they_are() -> None:
    innermost, middle, outer = faulty("Innermost"), Fsm("Middle"), Fsm("Outer")
    middle.add_state("Only").add_action(Race(TimedWait(9.0), RunFsm(innermost)))
    outer.add_state("Only").add_action(RunFsm(middle))
    assert told(check(outer)) == [
        "dead-end-event Fsm 'Outer/Middle/Innermost', state 'A', actions[0] (SendEvent)",
        "dead-end-event Fsm 'Outer/Middle/Innermost', state 'B', actions[0] (SendEvent)",
    ]


def test_a_machine_that_contains_itself_is_checked_once() -> None:
    fsm, other = faulty("One"), faulty("Other")
    fsm.states["A"].add_action(Runs(fsm))
    fsm.states["A"].add_action(RunFsm(other))
    other.states["B"].add_action(Runs(fsm))
    other.add_state("C", final=True)
    names = [finding.place.machine for finding in check(fsm)]
    assert list(dict.fromkeys(names)) == ["One", "One/Other"]


# Leaving findings out


def test_findings_are_ignored_by_their_code() -> None:
    assert told(check(faulty(), ignore=["dead-end-event"])) == ["no-way-out Fsm 'M', state 'B'"]
    assert check(faulty(), ignore=CODES) == []


def test_findings_are_ignored_by_their_code_and_state_or_event() -> None:
    assert told(check(faulty(), ignore=["dead-end-event:A", "no-way-out:A"])) == [
        "dead-end-event Fsm 'M', state 'B', actions[0] (SendEvent)",
        "no-way-out Fsm 'M', state 'B'",
    ]
    assert told(check(faulty(), ignore=["dead-end-event:HEY"])) == ["no-way-out Fsm 'M', state 'B'"]


def test_a_code_that_does_not_exist_is_refused() -> None:
    for text in ("no-exit", "no-exit:B", ""):
        with pytest.raises(ValueError, match="There is no code .* The codes are: no-states, "):
            check(faulty(), ignore=[text])


# It only looks


def test_nothing_is_run_and_a_running_machine_runs_on() -> None:
    calls: list[str] = []
    fsm = faulty()
    fsm.states["A"].add_action(DelegateAction(calls.append))  # type: ignore[arg-type]
    fsm.states["A"].add_action(MoveConstantly(Transform((0.0,)), lambda: calls.append("velocity")))
    before = check(fsm)
    assert not fsm.is_running
    fsm.states["A"].remove_action(fsm.states["A"].actions[-1])
    fsm.start()
    fsm.update(0.25)
    calls.clear()
    assert check(fsm) == before
    assert (calls, fsm.current_state, fsm.time) == ([], fsm.states["A"], 0.25)
