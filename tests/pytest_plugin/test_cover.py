"""`pytest --fsm-cover`: which states and transitions of which machines the tests took."""

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsmkit import BACK, Fsm
from fsmkit.goap import Goal, GoapAgent
from fsmkit.polled import PolledFsm, State
from fsmkit.pytest_plugin.cover import Cover, summary
from fsmkit.pytest_plugin.session import watch_all

DOOR = """\
from fsmkit import BACK, FINISHED, Fsm

def build(name="Door", with_cellar=False):
    door = Fsm(name, on_unhandled="ignore")
    closed, opened = door.add_state("Closed"), door.add_state("Open")
    jammed = door.add_state("Jammed")
    closed.add_transition("OPEN", opened, when=lambda state: True)
    closed.add_transition("OPEN", jammed)
    opened.add_transition("CLOSE", closed)
    door.add_global_transition("KICK", jammed, suspend=True)
    jammed.add_transition("FREE", BACK)
    if with_cellar:
        door.add_global_transition("FALL", door.add_state("Cellar"))
    return door
"""

OPENED = """\
from front_door import build

def test_opens():
    door = build()
    door.start()
    assert door.send_event("OPEN")
"""

KICKED = """\
from front_door import build

def test_is_kicked():
    door = build()
    door.start()
    assert door.send_event("KICK")
    assert door.send_event("FREE")
"""

TOY = """\
from fsmkit import Fsm

def test_toy():
    toy = Fsm("Toy")
    toy.add_state("On").add_transition("OFF", "On")
    toy.start()
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a machine and two tests of it."""
    pytester.syspathinsert()
    pytester.makepyfile(front_door=DOOR, test_opened=OPENED, test_kicked=KICKED)
    return pytester


def report(result: pytest.RunResult) -> list[str]:
    """The lines of the summary, without the last one, which tells the time."""
    lines = result.outlines
    (title,) = [n for n, line in enumerate(lines) if "coverage of machines" in line]
    return [line for line in lines[title + 1 : -1] if line]


BOTH = [
    "Door  3 of 3 states  3 of 5 transitions  front_door.py:4",
    "    never taken: Closed --OPEN--> Jammed",
    "    never taken: Open --CLOSE--> Closed",
    "3 of 5 transitions taken (60 %)",
]


def test_the_summary_names_what_was_never_taken(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fsm-cover")
    assert report(result) == BOTH
    assert result.ret == 0


def test_a_part_of_the_tests_takes_less(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fsm-cover", "test_opened.py")
    assert report(result) == [
        "Door  2 of 3 states  1 of 5 transitions  front_door.py:4",
        "    never entered: Jammed",
        "    never taken: Closed --OPEN--> Jammed",
        "    never taken: Open --CLOSE--> Closed",
        "    never taken: Jammed --FREE--> back",
        "    never taken: any state --KICK--> Jammed",
        "1 of 5 transitions taken (20 %)",
    ]


@pytest.mark.slow
def test_processes_of_xdist_are_summed_up(project: pytest.Pytester) -> None:
    result = project.runpytest_subprocess("--fsm-cover", "-n2", "--dist=loadfile")
    assert report(result) == BOTH


def test_without_the_option_machines_are_left_alone(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess()
    result.stdout.no_fnmatch_line("*coverage of machines*")
    assert not hasattr(Fsm.__init__, "__wrapped__")


def test_after_the_session_new_machines_are_not_watched(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--fsm-cover")
    assert not hasattr(Fsm.__init__, "__wrapped__")


@pytest.mark.parametrize(("percent", "code"), [("60", 0), ("60.1", 1), ("100", 1)])
def test_too_little_cover_fails(project: pytest.Pytester, percent: str, code: int) -> None:
    result = project.runpytest_inprocess("--fsm-cover", "--fsm-cover-fail-under", percent)
    assert result.ret == code
    told = [line for line in result.outlines if line.startswith("FAILED")]
    shown = percent
    wanted = [f"FAILED: 60.0 % of the transitions were taken, fewer than {shown} %."]
    assert told == (wanted if code else [])


def test_a_failed_test_still_fails_and_counts(project: pytest.Pytester) -> None:
    project.makepyfile(test_wrong=OPENED + "    assert False\n")
    result = project.runpytest_inprocess("--fsm-cover", "test_wrong.py")
    assert result.ret == 1
    assert report(result)[0] == "Door  2 of 3 states  1 of 5 transitions  front_door.py:4"


@pytest.mark.slow
def test_machines_can_be_selected_by_name_or_place(project: pytest.Pytester) -> None:
    project.makepyfile(test_more=TOY)
    every = report(project.runpytest_inprocess("--fsm-cover"))
    assert every[-1] == "3 of 6 transitions taken (50 %)"
    assert report(project.runpytest_inprocess("--fsm-cover", "--fsm-cover-of=front_door")) == BOTH
    toys = report(project.runpytest_inprocess("--fsm-cover", "--fsm-cover-of=Toy"))
    assert toys == [
        "Toy  1 of 1 states  0 of 1 transitions  test_more.py:4",
        "    never taken: On --OFF--> On",
        "0 of 1 transitions taken (0 %)",
    ]


def test_without_machines_the_summary_says_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess("--fsm-cover")
    assert report(result) == ["No machine was started."]
    assert result.ret == 0


@pytest.mark.slow
def test_a_threshold_that_measures_nothing_fails(project: pytest.Pytester) -> None:
    arguments = ("--fsm-cover", "--fsm-cover-of=Dor", "--fsm-cover-of=window")
    result = project.runpytest_inprocess(*arguments, "--fsm-cover-fail-under=90")
    assert report(result) == [
        "No machine with 'Dor' or 'window' in its name or its place was started.",
        "FAILED: there were no transitions to take 90 % of.",
    ]
    assert result.ret == 1
    assert project.runpytest_inprocess(*arguments).ret == 0


def test_tests_that_are_only_listed_take_nothing(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--co", "--fsm-cover", "--fsm-cover-fail-under=90")
    result.stdout.no_fnmatch_line("*coverage of machines*")
    assert result.ret == 0


@pytest.mark.slow
def test_machines_of_a_conftest_count(project: pytest.Pytester) -> None:
    project.makeconftest("from front_door import build\nDOOR = build()\n")
    project.makepyfile(
        test_conftest="""
        from conftest import DOOR

        def test_it():
            DOOR.start()
        """
    )
    result = project.runpytest_subprocess("--fsm-cover", "test_conftest.py")
    assert report(result)[0] == "Door  1 of 3 states  0 of 5 transitions  front_door.py:4"


@pytest.mark.slow
def test_a_run_that_ends_early_is_reported_like_any_other(project: pytest.Pytester) -> None:
    project.makepyfile(test_a_wrong=OPENED + "    assert False\n", test_b_toy=TOY)
    arguments = ("--fsm-cover", "--fsm-cover-of=Door", "--fsm-cover-html=cover.html")
    result = project.runpytest_inprocess("-x", *arguments)
    first, *_, last = [line for line in report(result) if not line.startswith(("FAILED", "!", "="))]
    assert first == "Door  2 of 3 states  1 of 5 transitions  front_door.py:4"
    assert last == "The pictures are in cover.html."
    assert "1 of 5 transitions taken" in (project.path / "cover.html").read_text("utf-8")


def test_a_process_that_crashes_is_reported(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("--fsm-cover")
    covering: Any = config.pluginmanager.get_plugin("fsmkit-cover")
    covering.pytest_testnodedown(SimpleNamespace())  # one that crashed has no output
    lines: list[str] = []
    covering.pytest_terminal_summary(SimpleNamespace(section=lines.append, line=lines.append))
    assert lines[1:] == [
        "No machine was started.",
        "Counts from a crashed process are missing here.",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fsm-cover-fail-under=9"], "--fsm-cover-fail-under needs --fsm-cover."),
        (["--fsm-cover-html=x.html"], "--fsm-cover-html needs --fsm-cover."),
        (["--fsm-cover-of=Guard"], "--fsm-cover-of needs --fsm-cover."),
        (
            ["--fsm-cover", "--fsm-cover-fail-under=101"],
            "PERCENT must be a number from 0 to 100, got '101'.",
        ),
    ],
    ids=str,
)
def test_wrong_options_are_refused(
    pytester: pytest.Pytester, arguments: list[str], message: str
) -> None:
    result = pytester.runpytest_inprocess(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])


# What counts


@pytest.fixture
def cover() -> "object":
    """What is taken of machines that are made during the test."""
    counted = Cover()
    stop = watch_all(counted, Path(__file__).parent)
    yield counted
    stop()


def build(name: str = "Door") -> Fsm:
    door = Fsm(name, on_unhandled="ignore")
    closed, opened = door.add_state("Closed"), door.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition("PAUSE", closed, suspend=True)
    closed.add_transition("BACK", BACK)
    return door


def taken(cover: Cover) -> list[str]:
    """The summary without the places."""
    return [line.partition("  test_")[0] for line in summary(cover)]


def test_machines_made_by_one_line_count_as_one(cover: Cover) -> None:
    for number in range(5):
        door = build(f"Door {number}")
        door.start("Open" if number else None)
    assert taken(cover) == [
        "Door 0, Door 1, Door 2 and 2 more  2 of 2 states  0 of 3 transitions",
        "    never taken: Closed --OPEN--> Open",
        "    never taken: Closed --BACK--> back",
        "    never taken: Open --PAUSE--> Closed",
        "0 of 3 transitions taken (0 %)",
    ]


def test_interruptions_and_their_ends_count(cover: Cover) -> None:
    door = build()
    door.start()
    for event in ("OPEN", "PAUSE", "BACK"):
        assert door.send_event(event)
    assert taken(cover)[-1] == "3 of 3 transitions taken (100 %)"


def test_what_is_added_while_the_machine_runs_counts(cover: Cover) -> None:
    door = build()
    door.start()
    door.states["Closed"].add_transition("SMASH", door.add_state("Smashed"))
    door.send_event("SMASH")
    (machine,) = cover
    assert (machine.states["Smashed"], machine.arrows["Closed", "SMASH", "Smashed"]) == (1, 1)


def test_machines_that_the_library_makes_do_not_count(cover: Cover) -> None:
    GoapAgent("Ann", actions=[], goals=[Goal("Rest", {"rested": True})]).start()
    assert taken(cover) == ["No machine was started."]


def test_machines_in_other_styles_count(cover: Cover) -> None:
    class Lamp(PolledFsm):
        def setup_states(self) -> None:
            self.setup_first_state(State())

    Lamp("Lamp").update(0.1)
    assert taken(cover)[0].startswith("Lamp  1 of 1 states")


def test_a_machine_that_never_started_is_not_listed(cover: Cover) -> None:
    build()
    assert taken(cover) == ["No machine was started."]


def test_a_machine_of_another_shape_adds_to_the_same_place(cover: Cover) -> None:
    build().start()
    door = build()
    door.states["Open"].add_transition("SMASH", door.add_state("Smashed"))
    door.start()
    assert taken(cover)[0] == "Door  1 of 3 states  0 of 4 transitions"


def test_cover_survives_the_way_to_another_process(cover: Cover) -> None:
    door = build()
    door.start()
    door.send_event("OPEN")
    twice = Cover()
    for _ in range(2):
        twice.add(pickle.loads(pickle.dumps(cover)))
    (machine,) = twice
    assert machine.arrows["Closed", "OPEN", "Open"] == 2
    assert taken(twice) == taken(cover)


# The page


def test_the_page_shows_what_was_taken_of_each_machine(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fsm-cover", "--fsm-cover-html", "cover.html")
    assert report(result) == [*BOTH, "The pictures are in cover.html."]
    page = (project.path / "cover.html").read_text("utf-8")
    assert "<h1>3 of 5 transitions taken (60 %)</h1>" in page
    assert '<h2 id="front_door.py:4">Door <small>front_door.py:4</small></h2>' in page
    missed = "<ul><li>never taken: Closed --OPEN--&gt; Jammed</li>"
    assert f"{missed}<li>never taken: Open --CLOSE--&gt; Closed</li></ul>" in page
    assert page.count("×1") == 3  # OPEN, KICK from any state, FREE


def test_a_page_that_cannot_be_written_is_a_failure(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fsm-cover", "--fsm-cover-html=front_door.py/x.html")
    assert result.ret == 1
    assert report(result)[-1].startswith("No pictures in front_door.py/x.html: ")


def test_the_folder_of_the_page_is_made(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fsm-cover", "--fsm-cover-html=made/here/cover.html")
    assert result.ret == 0
    assert (project.path / "made/here/cover.html").exists()


CROWD = """\
from attrs import define
from fsmkit.crowd import Crowd, CrowdFsm

@define
class Npc:
    x: float = 0.0

def build():
    npc = CrowdFsm("Npc", Npc)
    patrol, chase = npc.add_state("Patrol"), npc.add_state("Chase")
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", patrol)
    return npc

def test_chases():
    npc = build()
    npc.start()
    assert npc.send_event("SEEN")

def test_one_of_a_crowd():
    crowd = Crowd(build(), 2, start="Patrol", engine="python")
    assert crowd.fsm(1).send_event("SEEN")
"""


@pytest.mark.slow
def test_the_machine_of_a_crowd_counts_when_it_runs_by_itself(pytester: pytest.Pytester) -> None:
    pytest.importorskip("numba")
    pytester.makepyfile(test_npc=CROWD)
    lines = pytester.runpytest_subprocess("--fsm-cover").outlines
    assert [line for line in lines if "Npc" in line or "taken" in line] == [
        "Npc  2 of 2 states  1 of 2 transitions  test_npc.py:9",
        "    never taken: Chase --LOST--> Patrol",
        "1 of 2 transitions taken (50 %)",
    ]


def test_the_transitions_of_groups_count_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from fsmkit import Fsm

        def test_it():
            fsm = Fsm("Guard", on_unhandled="ignore")
            patrol, chase, dead = map(fsm.add_state, ("Patrol", "Chase", "Dead"))
            alive = fsm.add_group("Alive", patrol, chase)
            alive.add_transition("SHOT", dead)
            alive.add_transition("FALL", dead)
            for state in alive:
                fsm.start(state)
                fsm.send_event("SHOT")
        """
    )
    assert report(pytester.runpytest("--fsm-cover"))[1:] == [
        "    never taken: Alive --FALL--> Dead",
        "1 of 2 transitions taken (50 %)",
    ]
