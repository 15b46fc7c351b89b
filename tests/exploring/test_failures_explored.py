"""Failures on a walk: those that happen by themselves, and every one that might."""

from collections.abc import Callable
from typing import Any

import pytest
from pasting import run_pasted

from actions import Await, DelegateAction, Parallel, Retry, RunFsm, Sequence, TimedWait
from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.cli import main
from fsmkit.exploring import Exploration, explore
from fsmkit.testing import drive, paths


class PickUp(FsmAction):
    """Slips where the context says so."""

    def on_update(self) -> None:
        if self.context["slippery"]:
            self.fail("slipped")
        else:
            self.finish()


def robot(*, slippery: bool = False, heard: bool = True, times: int = 1) -> Fsm[Any]:
    """Grab -> Carry on FINISHED, and -> Help on FAILED; both lead back."""
    fsm = Fsm("Robot", {"slippery": slippery})
    grab, carry, wait = map(fsm.add_state, ("Grab", "Carry", "Help"))
    grab.add_action(Retry(Sequence(TimedWait(1.0), PickUp()), times=times))
    grab.add_transition(FINISHED, carry)
    grab.add_transition(FAILED if heard else "LATE", wait)
    carry.add_transition("DROPPED", grab)
    wait.add_transition("HELPED", grab)
    return fsm


def told(exploration: Exploration) -> list[tuple[str, str, str | None]]:
    return [(each.code, each.severity, each.place.state) for each in exploration.findings]


# Failures that happen


def test_a_failure_that_happens_is_followed() -> None:
    exploration = explore(lambda: robot(slippery=True))
    assert exploration.script_to("Help") == [0.5, 0.5, 0.5]
    (finding,) = exploration.findings
    assert (finding.code, finding.place.state) == ("never-entered", "Carry")
    assert "'FINISHED' from 'Grab': the actions of the state never finish" in finding.message


def test_one_that_nothing_handles_is_found() -> None:
    def build() -> Fsm[Any]:
        return robot(slippery=True, heard=False)

    findings = explore(build).findings
    (finding,) = [each for each in findings if each.code == "unhandled-event"]
    assert finding.message == (
        "'FAILED' is sent by the machine itself, but nothing handles it in state 'Grab'."
    )
    run_pasted(build, finding)


def test_failed_is_no_input() -> None:
    exploration = explore(robot)
    assert [given.event for given in exploration.walk.inputs] == ["DROPPED", "HELPED"]


def test_a_failure_that_never_happened_is_only_an_info() -> None:
    (finding,) = explore(robot).findings
    assert told(explore(robot)) == [("never-entered", "info", "Help")]
    assert finding.message == (
        "Nothing leads here. 'FAILED' from 'Grab': PickUp of 'Grab' may fail, but never did."
    )


def test_a_transition_that_no_failure_ever_takes() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("M")
        work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
        work.add_action(TimedWait(1.0))
        work.add_transition(FINISHED, rest)
        work.add_transition(FAILED, rest)
        rest.add_transition("AGAIN", work)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.severity) == ("never-taken", "warning")
    assert finding.message.endswith("is never taken: no action of the state ever fails.")


def test_moments_differ_by_what_has_failed() -> None:
    class Button(FsmAction):
        def on_event(self, event: str, _data: object) -> bool:
            is_first = event == "PRESS" and not self.finished
            if is_first:
                self.fail()
            return is_first

    def build() -> Fsm[Any]:
        fsm = Fsm("M", on_unhandled="ignore")
        work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
        work.add_action(Parallel(Button(), Button(), needed=1))
        work.add_transition(FAILED, rest)
        rest.add_transition("AGAIN", work)
        return fsm

    assert explore(build, inputs=["PRESS", "AGAIN"]).script_to("Rest") == ["PRESS", "PRESS"]


# Every failure that might happen


def test_with_failures_every_action_that_may_fail_does() -> None:
    exploration = explore(robot, failures=True)
    assert exploration.findings == []
    script = exploration.script_to("Help")
    assert (script[:2], script[2].place) == ([0.5, 0.5], "0/0/1")
    fsm = robot()
    drive(fsm, script)
    assert (fsm.path, fsm.event_data) == (("Help",), None)


def test_composites_take_them_first() -> None:
    script = explore(lambda: robot(times=2), failures=True).script_to("Help")
    assert [step.place for step in script if not isinstance(step, float)] == ["0/0/1"] * 2


def test_one_that_nothing_handles_is_found_wherever_it_might_come() -> None:
    def build() -> Fsm[Any]:
        return robot(heard=False)

    assert "unhandled-event" not in [code for code, *_ in told(explore(build))]
    findings = explore(build, failures=True).findings
    (finding,) = [each for each in findings if each.code == "unhandled-event"]
    assert "lambda: fsm.states['Grab'].actions[0].children[0].children[1].fail()" in finding.test
    run_pasted(build, finding)


async def connect() -> None:
    """Connect to the server."""


@pytest.mark.slow
def test_work_elsewhere_fails_where_it_says_on_what() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Service")
        call, sorry = fsm.add_state("Call"), fsm.add_state("Sorry")
        call.add_action(Await(connect, fails_on=(TimeoutError,)))
        call.add_transition(FAILED, sorry)
        sorry.add_transition("AGAIN", call)
        return fsm

    with pytest.raises(LookupError):
        explore(build).script_to("Sorry")
    assert len(explore(build, failures=True).script_to("Sorry")) == 1


def test_actions_of_the_library_fail_by_themselves_only() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("M")
        fsm.add_state("Work").add_action(DelegateAction(on_update=print))
        return fsm

    assert explore(build, failures=True).walk.inputs == ()


def nested() -> Fsm[Any]:
    outer = Fsm("Outer", on_unhandled="warn")
    work = outer.add_state("Work")
    work.add_action(RunFsm(robot(heard=False)))
    return outer


def group() -> FsmGroup:
    return FsmGroup([robot(heard=False)])


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (nested, "fsm.states['Work'].actions[0].machines[0].states['Grab']"),
        (group, "list(group)[0].states['Grab']"),
    ],
)
def test_printed_tests_name_the_action_wherever_it_is(build: Callable[[], Any], code: str) -> None:
    findings = explore(build, failures=True).findings
    (finding,) = [each for each in findings if each.code == "unhandled-event"]
    assert f"{code}.actions[0].children[0].children[1].fail()" in finding.test
    run_pasted(build, finding)


def test_paths_lead_only_where_the_machine_goes_by_itself() -> None:
    assert paths(robot).missing == ["Grab --FAILED-->", "Help --HELPED-->"]


def test_the_command_line_says_failures(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robot.py"
    file.write_text(
        "from fsmkit import Fsm, FsmAction\n"
        "class PickUp(FsmAction):\n"
        "    def on_update(self):\n"
        "        if self.context: self.fail('slipped')\n"
        "def build():\n"
        "    fsm = Fsm('Robot')\n"
        "    fsm.add_state('Grab').add_action(PickUp())\n"
        "    return fsm\n"
    )
    ignored = ["--ignore", "unheard-failure"]
    assert main(["check", str(file), "--explore", "--strict", *ignored]) == 0
    assert main(["check", str(file), "--explore", "--strict", *ignored, "--failures"]) == 1
    assert "unhandled-event" in capsys.readouterr().out


def test_failures_must_be_a_flag() -> None:
    with pytest.raises(TypeError, match="failures must be True or False, got 'yes'"):
        explore(robot, failures="yes")  # type: ignore[arg-type]
