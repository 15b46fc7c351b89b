"""`assert_replays` and `--fsm-update`, and the fixture `recorder`."""

import pytest

LAMP = """\
from actions import TimedWait
from fsmkit import FINISHED, Fsm

def build():
    lamp = Fsm("Lamp", on_unhandled="ignore")
    off, on = lamp.add_state("Off"), lamp.add_state("On")
    on.add_action(TimedWait(1.0))
    off.add_transition("PRESSED", on)
    on.add_transition(FINISHED, off)
    return lamp
"""

TEST = """\
from fsmkit.testing import assert_replays
from desk_lamp import build

def test_lamp():
    assert_replays("lamp.jsonl", build)
"""

SCRIPTED = TEST.replace("build)", 'build, script=["PRESSED", 0.5, 0.5])')


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a machine and a test of it, without a recording."""
    pytester.syspathinsert()
    pytester.makepyfile(desk_lamp=LAMP, test_lamp=SCRIPTED)
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> list[str]:
    """The lines of the errors; none if all tests pass."""
    result = project.runpytest_inprocess(*arguments)
    return [line.removeprefix("E").strip() for line in result.outlines if line.startswith("E ")]


@pytest.mark.slow
def test_a_recording_is_made_when_asked_and_holds_from_then_on(project: pytest.Pytester) -> None:
    (missing,) = run(project)
    assert "There is no recording" in missing
    assert "run `pytest --fsm-update`" in missing
    assert run(project, "--fsm-update") == []
    assert run(project) == []


@pytest.mark.slow
def test_a_changed_machine_differs_until_the_recording_is_updated(project: pytest.Pytester) -> None:
    run(project, "--fsm-update")
    project.makepyfile(test_lamp=TEST, desk_lamp=LAMP.replace('"Off"', '"Dark"', 1))
    told = run(project)
    assert told[0] == "AssertionError: lamp.jsonl: Step 1 differs."
    assert told[-1] == "If that is what you want, run `pytest --fsm-update`."
    assert run(project, "--fsm-update") == []
    assert run(project) == []


@pytest.mark.slow
def test_the_calls_stay_when_a_recording_is_updated_without_a_script(
    project: pytest.Pytester,
) -> None:
    run(project, "--fsm-update")
    before = (project.path / "lamp.jsonl").read_text()
    project.makepyfile(test_lamp=TEST, desk_lamp=LAMP.replace('"Off"', '"Dark"'))
    run(project, "--fsm-update")
    assert (project.path / "lamp.jsonl").read_text() == before.replace("Off", "Dark")


@pytest.mark.slow
def test_a_recording_that_holds_is_not_written_again(project: pytest.Pytester) -> None:
    run(project, "--fsm-update")
    project.makepyfile(test_lamp=TEST)
    file = project.path / "lamp.jsonl"
    before = file.stat().st_mtime_ns
    assert run(project, "--fsm-update") == []
    assert file.stat().st_mtime_ns == before


def test_without_a_script_there_must_be_a_recording_to_update(project: pytest.Pytester) -> None:
    project.makepyfile(test_lamp=TEST)
    (missing,) = run(project, "--fsm-update")
    assert "There is no recording" in missing


@pytest.mark.slow
def test_a_group_follows_a_script_into_a_folder_that_is_made(project: pytest.Pytester) -> None:
    scripted = SCRIPTED.replace("lamp.jsonl", "golden/lamps.jsonl")
    grouped = LAMP.replace("def build", "def lamp")
    grouped += "\ndef build():\n    return FsmGroup([lamp(), lamp()])\n"
    project.makepyfile(test_lamp=scripted, desk_lamp=grouped.replace("Fsm\n", "Fsm, FsmGroup\n", 1))
    assert run(project, "--fsm-update") == []
    assert run(project) == []
    text = (project.path / "golden/lamps.jsonl").read_text()
    assert text.count('"Off", "FINISHED"') == 2


@pytest.mark.slow
def test_data_that_is_encoded_survives_an_update(project: pytest.Pytester) -> None:
    coded = """
        from fsmkit.testing import assert_replays
        from desk_lamp import build

        def test_lamp():
            assert_replays("lamp.jsonl", build, encode=lambda c: [c.real, c.imag],
                decode=lambda pair: complex(*pair){})
    """
    project.makepyfile(test_lamp=coded.format(', script=[("PRESSED", 1j), 0.5]'))
    assert run(project, "--fsm-update") == []
    before = (project.path / "lamp.jsonl").read_text()
    project.makepyfile(test_lamp=coded.format(""), desk_lamp=LAMP.replace('"Off"', '"Dark"'))
    assert run(project, "--fsm-update") == []
    assert (project.path / "lamp.jsonl").read_text() == before.replace("Off", "Dark")


@pytest.mark.slow
def test_what_differs_as_soon_as_it_is_recorded_is_put_down_to_chance(
    project: pytest.Pytester,
) -> None:
    chance = LAMP.replace("TimedWait(1.0)", "TimedWait(next(waits))")
    project.makepyfile(desk_lamp=chance + "\nfrom itertools import count\nwaits = count(0.2)\n")
    assert run(project, "--fsm-update")[-1].startswith("It has just been recorded, so the machines")


@pytest.mark.slow
def test_the_fixture_keeps_a_journal_for_one_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_lamp="""
        from desk_lamp import build

        lamp = build()

        def test_first(recorder):
            recorded = recorder(lamp)
            lamp.start()
            assert recorded.journal == ["enter Off"]

        def test_second(recorder):
            first, second = recorder(lamp), recorder(lamp)
            lamp.send_event("PRESSED")
            assert first.path == second.path == ["On"]
        """
    )
    assert run(project) == []
