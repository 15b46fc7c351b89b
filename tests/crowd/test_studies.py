"""Studies: sweeps of parameters and seeds."""

import math
import os
import random as random_module
import signal
import subprocess
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any
from xml.etree import ElementTree
from zlib import crc32

import numpy as np
import pytest
from attrs import define, field

from fsmkit import FINISHED, UnknownStateError
from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdError, CrowdFsm, Table, random, spawn
from fsmkit.crowd.library import TimedWait
from fsmkit.crowd.studies.workers import TrialProcess
from fsmkit.crowd.study import Study, StudyError

SVG = "{http://www.w3.org/2000/svg}"


@define
class Person:
    risk: float = 0.5
    visits: int = 0
    place: int = 0


@define
class Town:
    infection: float = 0.1
    limit: int = 1_000
    danger: Table[float] = field(factory=Table)


def catch(person: Any, town: Any) -> str | None:
    if random(person) < town.infection * person.risk * town.dt:
        return "CAUGHT"
    return None


def visit(person: Any, town: Any, own: Any) -> None:
    person.visits += own.times
    person.risk = own.then / (town.limit - person.visits)


def rest(person: Any, _town: Any, own: Any) -> None:
    person.place = (person.visits + own.times) % 2


def look(person: Any, town: Any) -> None:
    person.risk += town.danger[0, person.place]


def machine(seconds: float = 0.5, then: float = 0.5) -> CrowdFsm:
    crowd = CrowdFsm("Person", Person, Town)
    well, ill, healed = (crowd.add_state(name) for name in ("Well", "Ill", "Healed"))
    well.add_action(CrowdAction(on_update=catch))
    well.add_transition("CAUGHT", ill)
    ill.add_action(CrowdAction(visit, parameters={"times": 2, "then": then}))
    ill.add_action(TimedWait(seconds))
    ill.add_action(TimedWait("world.infection"))
    ill.add_transition(FINISHED, healed)
    ill.add_action(CrowdAction(on_exit=rest, parameters={"times": 1}))
    healed.add_action(CrowdAction(look))
    healed.add_transition("CAUGHT", ill)
    return crowd


def town(seed: int = 3, size: int = 200, **parameters: float) -> Crowd:
    """Return a crowd that has been running for a while, and has lost some agents."""
    crowd = Crowd(machine(**parameters), size, seed=seed)
    crowd.world.danger = np.array([[0.25, 0.5]])
    crowd["place"] = np.arange(size) % 2
    crowd.start("Well")
    crowd.update(0.1, steps=5)
    crowd.remove(range(10, 20))
    return crowd


def lists(study: Study) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in study.columns.items()}


def bits(crowd: Crowd) -> dict[str, float]:
    """Return numbers in which every bit of every agent counts."""
    columns = crowd["risk"], crowd["visits"], crowd.states, crowd.time_in_state, crowd.ids
    cells = b"".join(column.tobytes() for column in columns)
    return {"bits": crc32(cells), "now": crowd.time, **crowd.count()}


# What is run


@pytest.mark.slow
def test_every_combination_is_run_with_every_seed_in_order() -> None:
    study = town(size=30).sweep(
        {"world.infection": [0.1, 0.9], "risk": np.array([0.5, 1.0])}, seeds=range(3, 5),
        dt=0.1, steps=2, processes=1,
    )  # fmt: skip
    rows = list(product([0.1, 0.9], [0.5, 1.0], [3, 4]))
    assert lists(study)["world.infection"] == [row[0] for row in rows]
    assert lists(study)["risk"] == [row[1] for row in rows]
    assert lists(study)["seed"] == [row[2] for row in rows]
    assert study.parameters == ("world.infection", "risk")
    assert study.measures == ("count(Well)", "count(Ill)", "count(Healed)")
    assert [sum(row) for row in zip(*(study[name] for name in study.measures), strict=True)] == (
        [20] * 8
    )


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_each_run_is_the_one_done_by_hand(processes: int, tmp_path: Path) -> None:
    """Begin from a file, since a seed belongs to a crowd from its beginning."""
    crowd = town()
    study = crowd.sweep(
        {"world.infection": [0.5, 5.0], "Ill[1].duration": [0.2, 0.7], "Ill.then": [0.5]},
        seeds=[3], dt=0.1, steps=20, measure=bits, processes=processes,
    )  # fmt: skip
    crowd.save(tmp_path / "crowd.npz")
    expected = []
    for infection, seconds in product([0.5, 5.0], [0.2, 0.7]):
        own = Crowd.load(machine(seconds, then=0.5), tmp_path / "crowd.npz")
        own.world.danger = crowd.world.danger
        own.world.infection = infection
        own.update(0.1, steps=20)
        expected.append(bits(own))
    assert [
        {name: study[name][row] for name in study.measures} for row in range(len(study))
    ] == expected
    assert len({row["bits"] for row in expected}) == 4


@pytest.mark.slow
def test_with_a_start_the_seed_counts_from_the_beginning() -> None:
    danger = np.array([[0.25, 0.5]])
    crowd = Crowd(machine(), 100)
    crowd.world.danger = danger
    study = crowd.sweep({}, [1, 2], start="Well", dt=0.1, steps=20, measure=bits, processes=1)
    for row, seed in enumerate([1, 2]):
        own = Crowd(machine(), 100, start="Well", seed=seed)
        own.world.danger = danger
        own.update(0.1, steps=20)
        assert {name: study[name][row] for name in study.measures} == bits(own)
    assert study["bits"][0] != study["bits"][1]


@pytest.mark.slow
def test_the_result_is_the_same_in_any_number_of_processes() -> None:
    crowd = town()
    studies = [
        crowd.sweep(
            {"Ill[1].duration": [0.2, 0.7]}, range(3), dt=0.1, steps=9, every=4,
            measure=["count(Ill)", "quantile(risk, 0.9)", "mean(visits, Ill)"],
            processes=processes,
        )
        for processes in (1, 2, 3)
    ]  # fmt: skip
    assert repr(lists(studies[0])) == repr(lists(studies[1])) == repr(lists(studies[2]))
    assert lists(studies[0])["time"][:4] == pytest.approx([0.5, 0.9, 1.3, 1.4])


@pytest.mark.slow
def test_the_crowd_itself_does_not_change() -> None:
    crowd, other = town(), town()
    crowd.sweep({"risk": [1.0], "world.infection": [9.0]}, dt=0.1, steps=5, processes=1)
    assert crowd.world.infection == 0.1
    for each in (crowd, other):
        each.update(0.1, steps=5)
    assert bits(crowd) == bits(other)


@pytest.mark.slow
def test_no_global_random_numbers_are_used() -> None:
    before = random_module.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    town(size=30).sweep({}, range(2), dt=0.1, steps=2, processes=1)
    assert (random_module.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[index]


@pytest.mark.slow
def test_nothing_is_compiled_again() -> None:
    crowd = town(size=30)
    loaded = {name for name in sys.modules if name.startswith("fsmkit_crowd_")}
    crowd.sweep({"Ill[1].duration": [0.1, 0.2, 0.3]}, dt=0.1, steps=2, processes=1)
    assert {name for name in sys.modules if name.startswith("fsmkit_crowd_")} == loaded


# What is measured


@pytest.mark.slow
def test_measures_have_the_names_that_were_given() -> None:
    study = town().sweep(
        {}, dt=0.1, steps=3, measure=["count()", "sum(visits)", "quantile(risk,1)"], processes=1
    )
    assert study.measures == ("count()", "sum(visits)", "quantile(risk,1)")
    assert [study.columns[name].dtype.kind for name in study.measures] == ["i", "f", "f"]


@pytest.mark.slow
def test_a_function_gets_a_crowd_of_its_own_with_the_values_of_the_run() -> None:
    seen: list[tuple[float, int, float]] = []

    def measure(own: Crowd) -> Mapping[str, Any]:
        seen.append((own.world.infection, own.seed, float(own["risk"][0])))
        own["risk"] = 0.0
        own.world.infection = 100.0
        own.update(1.0)
        return {"agents": len(own), "share": np.float32(0.5)}

    study = town().sweep(
        {"world.infection": [0.0], "risk": [1.0]}, [8], dt=0.1, steps=2, every=1,
        measure=measure, processes=1,
    )  # fmt: skip
    assert seen == [(0.0, 8, 1.0)] * 3
    assert lists(study)["agents"] == [190] * 3
    assert lists(study)["share"] == [0.5] * 3


def test_without_steps_the_beginning_is_measured() -> None:
    study = town().sweep({"risk": [0.25]}, dt=0.1, steps=0, measure=["mean(risk)"], processes=1)
    assert lists(study)["mean(risk)"] == [0.25]


# Mistakes

KNOWN = (
    "Known: Ill.then, Ill.duration, Ill[0].times, Ill[3].times, risk, visits, place, "
    "world.infection, world.limit."
)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"world.infektion": [1.0]}, f"'world.infektion'. Did you mean 'world.infection'? {KNOWN}"),
        ({"Ill.seconds": [1.0]}, f"There is no parameter 'Ill.seconds'. {KNOWN}"),
        ({"Sad.then": [1.0]}, "There is no parameter 'Sad.then'. "),
        ({"world.danger": [1.0]}, "'world.danger' is a table, but only numbers can be varied."),
        ({"Ill.times": [1]}, "is a parameter of several actions. Write 'Ill[0].times' or 'Ill[3]."),
        ({"world.dt": [1.0]}, "There is no parameter 'world.dt'."),
        ({"Ill[2].duration": [1.0]}, "is not a number but the field 'world.infection'."),
        ({3: [1.0]}, "There is no parameter 3."),
        ({"risk": []}, "The values of 'risk' must not be empty."),
        (
            {"risk": 0.5},
            "The values of 'risk' must be a sequence of numbers, got 0.5. Write [0.5].",
        ),
        ({"risk": "0.5"}, "The values of 'risk' must be a sequence of numbers, got '0.5'."),
        ({"risk": ["high"]}, "The values of 'risk' must be float, got 'high'."),
        ({"visits": [1, 2.5]}, "The values of 'visits' must be int, got 2.5."),
        ({"Ill[0].times": [0.5]}, "The machine has an integer there: write it as 1.0."),
        ({"world.limit": [2**63]}, "The values of 'world.limit' must be a 64-bit integer"),
        (["risk"], "parameters must be a dict of names with their values"),
    ],
)
def test_parameters_that_cannot_be_varied_are_named(parameters: Any, message: str) -> None:
    with pytest.raises(CrowdError) as caught:
        town(size=20).sweep(parameters, dt=0.1, steps=1)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": 10}, "seeds must be a sequence of integers, got 10. Write range(10)."),
        ({"seeds": [0.5]}, "A seed must be an integer >= 0, got 0.5."),
        ({"seeds": []}, "seeds must not be empty."),
        ({"steps": -1}, "steps must be an integer >= 0, got -1."),
        ({"every": 0}, "every must be an integer >= 1, got 0."),
        ({"processes": 0}, "processes must be an integer >= 1, got 0."),
        ({"processes": True}, "processes must be an integer >= 1, got True."),
        ({"start": "Sad"}, "has no state 'Sad'"),
        ({"measure": "mean(risk)"}, "measure must be a list such as"),
        ({"measure": ["risk"]}, "A measure must be written like"),
        ({"measure": ["median(risk)"]}, "Known: count, sum, mean, std, min, max, quantile."),
        ({"measure": ["mean(age)"]}, "'mean(age)': there is no field 'age'. Fields: risk, visits"),
        ({"measure": ["mean(risk, Sad)"]}, "there is no state 'Sad'. States: 'Well', 'Ill'"),
        ({"measure": ["quantile(risk, 2)"]}, "must be a number from 0 to 1, got '2'."),
    ],
)
def test_what_is_asked_for_is_checked_before_anything_is_run(arguments: Any, message: str) -> None:
    with pytest.raises((CrowdError, UnknownStateError)) as caught:
        town(size=20).sweep({}, **{"dt": 0.1, "steps": 1, **arguments})
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_field_cannot_have_the_name_of_another_column() -> None:
    @define
    class Plant:
        seed: float = 0.0

    plants = CrowdFsm("Plant", Plant)
    plants.add_state("Grows")
    with pytest.raises(CrowdError, match="has a column 'seed' already"):
        Crowd(plants, 1, start="Grows").sweep({"seed": [1.0]}, dt=0.1, steps=1)


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(ValueError, match="Sweep of 'Person': dt must be"):
        town(size=20).sweep({}, dt=-0.1, steps=1)


def test_a_crowd_that_is_not_compiled_cannot_be_swept() -> None:
    crowd = Crowd(machine(), 5, engine="python")
    with pytest.raises(CrowdError, match="must be compiled for processors for a sweep"):
        crowd.sweep({}, dt=0.1, steps=1)


# Errors


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_runs_that_fail_are_named_at_the_end_and_the_others_are_kept(processes: int) -> None:
    with pytest.raises(StudyError) as caught:
        town(seed=0).sweep(
            {"world.limit": [1000, 2], "world.infection": [0.0, 50.0]}, [1],
            dt=0.1, steps=30, measure=["count(Healed)"], processes=processes,
        )  # fmt: skip
    lines = str(caught.value).splitlines()
    assert lines[0] == "1 of 4 runs failed; the others are in the study of this error:"
    assert lines[1].startswith(
        "  world.limit = 2, world.infection = 50.0, seed 1: ZeroDivisionError: "
    )
    assert "state 'Ill', visit(), " in lines[1]
    assert f"{Path(__file__).name}:" in lines[1]
    study = caught.value.study
    assert repr(lists(study)["count(Healed)"]) == repr([6.0, 190.0, 6.0, math.nan])
    assert [bool(text) for text in study["error"]] == [False, False, False, True]
    assert list(caught.value.errors) == [3]


def test_only_the_first_failing_runs_are_shown() -> None:
    def measure(_own: Crowd) -> Mapping[str, Any]:
        raise ZeroDivisionError("no agents")

    with pytest.raises(StudyError) as caught:
        town(size=20).sweep({}, range(8), dt=0.1, steps=1, measure=measure, processes=1)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("8 of 8 runs failed")
    assert lines[1:3] == [
        "  seed 0: ZeroDivisionError: no agents",
        "  seed 1: ZeroDivisionError: no agents",
    ]
    assert lines[-1] == "  and 3 more"


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (0.5, "measure must return a dict of numbers by name, got 0.5."),
        ({"x": "high"}, "measure: 'x' must be a number, got 'high'."),
        ({"x": [1.0]}, "measure: 'x' must be a number, got [1.0]."),
        ({"seed": 1}, "The table of a study has a column 'seed' already."),
        ({"risk": 1}, "The table of a study has a column 'risk' already."),
    ],
)
def test_what_a_function_returns_is_checked_at_once(returned: Any, message: str) -> None:
    with pytest.raises(CrowdError) as caught:
        town(size=20).sweep(
            {"risk": [0.5]}, dt=0.1, steps=1, measure=lambda _: returned, processes=1
        )
    assert str(caught.value).startswith(message)


def test_a_function_returns_the_same_names_every_time() -> None:
    with pytest.raises(StudyError) as caught:
        town(size=20).sweep(
            {}, range(3), dt=0.1, steps=1, processes=1,
            measure=lambda own: {"x" if own.seed != 1 else "y": 1},
        )  # fmt: skip
    assert "seed 1: CrowdError: measure must always return the same names" in str(caught.value)
    assert repr(lists(caught.value.study)["x"]) == "[1.0, nan, 1.0]"


# Processes


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[TrialProcess]:
    """The processes of a study, as they are started."""
    every: list[TrialProcess] = []
    start = TrialProcess.start

    def record(process: TrialProcess) -> None:
        start(process)
        every.append(process)

    monkeypatch.setattr(TrialProcess, "start", record)
    return every


@pytest.mark.slow
def test_a_killed_process_costs_one_run_and_none_remains(
    started: list[TrialProcess],
) -> None:
    killed: list[int] = []

    def measure(own: Crowd) -> Mapping[str, Any]:
        if not killed:
            killed.append(own.seed)
            started[own.seed % 2].terminate()
        return {"agents": len(own)}

    with pytest.raises(StudyError) as caught:
        town().sweep({}, range(6), dt=1e-6, steps=20_000, measure=measure, processes=2)
    assert "1 of 6 runs failed" in str(caught.value)
    assert "Its process was ended by signal 15." in str(caught.value)
    assert [process.exitcode is not None for process in started] == [True] * 3


@pytest.mark.slow
def test_an_interruption_ends_all_processes(started: list[TrialProcess]) -> None:
    def measure(_own: Crowd) -> Mapping[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        town().sweep({}, range(6), dt=0.1, steps=1, measure=measure, processes=2)
    assert [process.exitcode is not None for process in started] == [True] * 2


@pytest.mark.slow
def test_a_process_that_cannot_be_started_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    start = TrialProcess.start

    def fail(process: TrialProcess) -> None:
        start(process)
        process.kill()

    monkeypatch.setattr(TrialProcess, "start", fail)
    told = "A process for the study could not be started: it was ended by signal 9."
    with pytest.raises(CrowdError, match=told):
        town(size=20).sweep({}, range(6), dt=0.1, steps=1, processes=2)


SCRIPT = """
import sys
from test_studies import town

print("begun", flush=True)

def measure(crowd):
    print("measured", flush=True)
    return {"agents": len(crowd)}

study = town().sweep(
    {"risk": [0.5, 1.0]}, range(4), dt=0.01, steps=int(sys.argv[1]), measure=measure, every=1,
    processes=2,
)
print(len(study))
"""


def script(folder: Path, steps: int) -> subprocess.Popen[str]:
    path = folder / "script.py"
    path.write_text(SCRIPT, "utf-8")
    folders = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.Popen(
        [sys.executable, path, str(steps)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": folders},
    )  # fmt: skip


@pytest.mark.slow
def test_a_script_is_run_once_whatever_it_does_when_it_is_imported(tmp_path: Path) -> None:
    output, errors = script(tmp_path, steps=1).communicate(timeout=120)
    assert (output.splitlines(), errors) == (["begun", *["measured"] * 16, "16"], "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_the_program_no_process_remains(
    tmp_path: Path, ended_by: signal.Signals
) -> None:
    with script(tmp_path, steps=1_000_000) as program:
        assert program.stdout is not None
        assert [program.stdout.readline() for _ in "ab"] == ["begun\n", "measured\n"]
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
        started = [Path("/proc") / child for child in children.read_text().split()]
        program.send_signal(ended_by)
        program.communicate(timeout=60)
        assert program.returncode == -ended_by
    assert len(started) == 3  # two workers, and the tracker of multiprocessing
    for _ in range(600):
        if not any(map(is_running, started)):
            return
        Event().wait(0.1)
    pytest.fail("a worker is still there")


def is_running(process: Path) -> bool:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_more_processes_are_started_than_there_are_runs(
    started: list[TrialProcess],
) -> None:
    town(size=20).sweep({}, dt=0.1, steps=1, processes=5)
    assert started == []


def study_of_eight() -> Study:
    return town(size=20).sweep({}, range(8), dt=0.1, steps=1, processes=2)


@pytest.mark.slow
def test_a_process_that_may_start_none_runs_a_study_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        """
from multiprocessing import get_context
from test_studies import study_of_eight

if __name__ == "__main__":
    with get_context("spawn").Pool(1) as pool:
        print(len(pool.apply(study_of_eight)))
""",
        "utf-8",
    )
    folders = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    run = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": folders},
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("8\n", "")


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_sends_or_is_sent_much_keeps_nobody_waiting(
    started: list[TrialProcess],
) -> None:
    """No pipe holds such a crowd, so messages are on their way when the study is interrupted."""

    def measure(_own: Crowd) -> Mapping[str, Any]:
        raise KeyboardInterrupt

    crowd = town(size=500_000)
    with pytest.raises(KeyboardInterrupt):
        crowd.sweep({}, range(6), dt=0.1, steps=9, every=1, measure=measure, processes=2)
    assert [process.exitcode for process in started] == [-signal.SIGKILL] * 2


# The table


def study_of(**columns: list[Any]) -> Study:
    """Return a study of `a` and `b` that has measured `m`."""
    arrays = {name: np.array(column) for name, column in columns.items()}
    return Study(arrays, tuple(name for name in "ab" if name in arrays), ("m",))


def test_seeds_are_summarised_group_by_group() -> None:
    study = study_of(a=[1, 1, 2, 2], seed=[0, 1, 0, 1], m=[1, 2, 5, 7])
    assert lists(study.over_seeds()) == {"a": [1, 2], "m": [1.5, 6.0]}
    assert lists(study.over_seeds("max")) == {"a": [1, 2], "m": [2.0, 7.0]}
    assert lists(study.over_seeds("std")) == {"a": [1, 2], "m": [0.5, 1.0]}
    times = study_of(seed=[0, 0, 1, 1], time=[0.0, 1.0, 0.0, 1.0], m=[1, 2, 3, math.nan])
    assert lists(times.over_seeds()) == {"time": [0.0, 1.0], "m": [2.0, 2.0]}
    with pytest.raises(CrowdError, match="statistic must be one of sum, mean, std, min, max, got"):
        study.over_seeds("middle")


def test_runs_that_failed_have_no_place_in_the_picture() -> None:
    study = study_of(a=[1, 1, 2], seed=[0] * 3, time=[0.0, 3.0, math.nan], m=[0, 20, math.nan])
    for over in ("time", "a"):
        svg = study.to_svg("m", over)
        assert "nan" not in svg
        assert "a = 2" not in svg


def test_a_measure_is_drawn_over_a_parameter_with_a_line_for_each_other_combination() -> None:
    study = study_of(a=[1, 1, 2, 2], b=[0.5, 1.5] * 2, seed=[0] * 4, m=[1, 2, 5, 7])
    svg = study.to_svg("m")
    texts = [part.text for part in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert texts[:4] == ["m: mean; band: min to max of the seeds", "b = 0.5", "b = 1.5", "a"]
    circles = list(ElementTree.fromstring(svg).iter(f"{SVG}circle"))
    assert len(circles) == 4
    with pytest.raises(CrowdError, match="over must be one of 'a', 'b', got 'time'"):
        study.to_svg("m", "time")
    with pytest.raises(CrowdError, match="There is no measure 'x'. Known: 'm'."):
        study.to_svg("x")


def test_with_times_a_measure_is_drawn_over_time_or_at_the_last_one() -> None:
    study = study_of(a=[1, 1, 2, 2], seed=[0] * 4, time=[0.0, 3.0] * 2, m=[0, 20, 0, 40])
    over_time, at_last = study.to_svg("m"), study.to_svg("m", "a", dark=True)
    assert "a = 1" in over_time
    assert ">3.0 s</text>" in over_time
    assert [
        float(circle.get("cy", 0))
        for circle in ElementTree.fromstring(at_last).iter(f"{SVG}circle")
    ] == [175.0, 42.0]


# Births, deaths and neighbours


@define
class Cell:
    x: float = 0.0
    age: int = 0
    near: int = 0


def grow_old(cell: Any, world: Any, own: Any) -> str | None:
    cell.age += 1
    if cell.age > own.life or cell.near > own.crowded:
        return "DIED"
    if random(cell) < own.fertility:
        spawn(cell, x=cell.x + random(cell))
    return None


def colony(life: int = 5, crowded: int = 20, fertility: float = 0.2, seed: int = 0) -> Crowd:
    cells = CrowdFsm("Cell", Cell)
    young, dead = cells.add_state("Young"), cells.add_state("Dead", retire=True)
    values = {"life": life, "crowded": crowded, "fertility": fertility}
    young.add_action(CrowdAction(on_update=grow_old, parameters=values))
    young.add_transition("DIED", dead)
    crowd = Crowd(cells, 40, start="Young", seed=seed)
    Cells(crowd, "x", size=0.5).count(into="near")
    return crowd


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_study_includes_births_deaths_and_neighbours(processes: int) -> None:
    study = colony().sweep(
        {"Young.fertility": [0.1, 0.4], "Young.crowded": [3, 60]}, [0, 1],
        dt=0.1, steps=12, processes=processes,
        measure=lambda own: {"cells": len(own), "bits": crc32(own["x"].tobytes())},
    )  # fmt: skip
    rows = []
    for fertility, crowded, seed in product([0.1, 0.4], [3, 60], [0, 1]):
        own = colony(crowded=crowded, fertility=fertility, seed=seed)
        own.update(0.1, steps=12)
        rows.append((len(own), crc32(own["x"].tobytes())))
    assert list(zip(study["cells"], study["bits"], strict=True)) == rows
    assert len(set(rows)) > 4


@pytest.mark.slow
def test_at_a_terminal_a_bar_shows_how_many_runs_are_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd = town(size=30)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    every_second = map(float, range(10_000))
    monkeypatch.setattr("fsmkit.terminal.progress.monotonic", lambda: next(every_second))
    crowd.sweep({}, seeds=range(4), dt=1.0, steps=1, processes=1)
    drawn = capsys.readouterr().err.split("\r")
    assert [line[-4:] for line in drawn if line.startswith("sweeping  [")][-1] == "100%"
    assert drawn[-1] == "\033[K"
