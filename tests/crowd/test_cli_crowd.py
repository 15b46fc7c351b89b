"""The command `fsmkit crowd`: its output, its pictures, and its messages about mistakes."""

import signal
import subprocess
import sys
from collections.abc import Callable
from ctypes import CFUNCTYPE
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("folder")

Command = Callable[..., tuple[int, list[str], list[str]]]

QUEUE = (Path(__file__).parent / "queue_of_guests.py").read_text("utf-8")


@pytest.fixture(autouse=True)
def _queue(folder: Path) -> None:
    (folder / "queue_of_guests.py").write_text(QUEUE, "utf-8")


@pytest.fixture
def crowd(command: Command) -> Command:
    """Run guests, without compiling anything."""

    def run(*arguments: str) -> tuple[int, list[str], list[str]]:
        return command(
            "crowd", "queue_of_guests.py", "--engine=python", "--agents=200", "--fps=10", *arguments
        )

    return run


# What it prints


def test_prints_how_many_agents_are_in_each_state(crowd: Command) -> None:
    assert crowd("--seconds=2") == (
        0,
        [
            "Guest",
            "  state   agents    share",
            "  Waits      104   52.0 %  ████████████████████▊",
            "  Leaves      96   48.0 %  ███████████████████▎",
        ],
        [],
    )


@pytest.mark.slow
def test_both_engines_and_many_threads_print_the_same(command: Command) -> None:
    course = ("crowd", "queue_of_guests.py", "--seconds=0.1", "--fps=20")
    few, many = (command(*course, f"--agents={agents}") for agents in (2_000, 200_000))
    assert (few[0], many[0]) == (0, 0)
    assert command(*course, "--agents=2000", "--engine=python") == few
    assert command(*course, "--agents=200000", "--parallel") == many


@pytest.mark.slow
def test_a_column_is_as_wide_as_its_largest_number(command: Command) -> None:
    _, lines, _ = command("crowd", "queue_of_guests.py", "--agents=1200000", "--seconds=0.01")
    assert lines[1:3] == [
        "  state      agents    share",
        "  Waits   1,195,141   99.6 %  ███████████████████████████████████████▉",
    ]


@pytest.mark.slow
def test_another_seed_is_another_course(crowd: Command) -> None:
    one, same, other = (crowd("--seconds=2", f"--seed={seed}") for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_start_chooses_the_first_state(crowd: Command) -> None:
    _, lines, _ = crowd("--seconds=1", "--start=Leaves")
    assert lines[3].split() == ["Leaves", "200", "100.0", "%", "█" * 40]


@pytest.mark.slow
def test_an_event_goes_to_every_agent_at_its_time(crowd: Command) -> None:
    left = [
        int(crowd("--seconds=1.5", *event)[1][3].split()[1])
        for event in ([], ["--event=CLOSED@1.5"])
    ]
    assert left[0] < 100
    assert left[1] == 200


def test_at_a_terminal_there_is_a_bar_and_in_the_end_the_speed(
    crowd: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    every_second = map(float, range(10_000))
    monkeypatch.setattr("fsmkit.terminal.progress.monotonic", lambda: next(every_second))
    exit_code, lines, errors = crowd("--seconds=1")
    assert (exit_code, len(lines)) == (0, 4)
    assert "running  [###############               ]  50%" in "".join(errors)
    assert errors[-1].endswith(" million agents updated per second of computing")


def test_ctrl_c_ends_the_run_and_its_result_is_printed(
    crowd: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsmkit.crowd import Crowd

    def press(_crowd: Crowd, _dt: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Crowd, "update", press)
    exit_code, lines, errors = crowd("--picture=counts.svg")
    assert (exit_code, lines[0], len(lines), errors) == (130, "Guest", 5, [])
    assert lines[-1] == "Written to counts.svg."
    assert (folder / "counts.svg").exists()


def test_a_ctrl_c_that_a_callback_drops_ends_the_run_at_the_next_step(
    crowd: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsmkit.crowd import Crowd

    updates: list[float] = []

    @CFUNCTYPE(None)
    def callback() -> None:  # one as numba compiles in
        signal.raise_signal(signal.SIGINT)

    def update(_crowd: Crowd, dt: float) -> None:
        updates.append(dt)
        callback()

    monkeypatch.setattr(Crowd, "update", update)
    monkeypatch.setattr(sys, "unraisablehook", lambda _dropped: None)
    exit_code, lines, _ = crowd("--seconds=2")
    assert (exit_code, lines[0], updates) == (130, "Guest", [0.1])


# What it draws


@pytest.mark.slow
def test_draws_the_counts_and_the_shares(crowd: Command, folder: Path) -> None:
    _, lines, _ = crowd("--seconds=2", "--picture=counts.svg", "--diagram=shares.svg")
    assert lines[-2:] == ["Written to counts.svg.", "Written to shares.svg."]
    counts, shares = ((folder / f"{name}.svg").read_text("utf-8") for name in ("counts", "shares"))
    assert "Leaves: 96 in the end" in counts
    assert "fsmkit-timeline light" in counts
    assert ">48.0 %<" in shares
    assert "fsmkit-diagram light" in shares


def test_draws_in_dark_colours(crowd: Command, folder: Path) -> None:
    crowd("--seconds=1", "--picture=counts.svg", "--diagram=shares.svg", "--dark")
    assert "fsmkit-timeline dark" in (folder / "counts.svg").read_text("utf-8")
    assert "fsmkit-diagram dark" in (folder / "shares.svg").read_text("utf-8")


@pytest.mark.parametrize("option", ["--picture", "--diagram"])
@pytest.mark.parametrize(
    ("path", "reason"),
    [("nowhere/counts.svg", "No such file or directory"), ("folder.svg", "Is a directory")],
)
def test_a_picture_that_cannot_be_written_is_reported_before_the_run(
    option: str, path: str, reason: str, crowd: Command, folder: Path
) -> None:
    (folder / "folder.svg").mkdir()
    assert crowd(f"{option}={path}") == (2, [], [f"fsmkit: '{path}' cannot be written: {reason}."])


def test_checking_whether_a_picture_can_be_written_leaves_the_old_one(
    crowd: Command, folder: Path
) -> None:
    (folder / "counts.svg").write_text("old", "utf-8")
    before = sorted(folder.iterdir())
    crowd("--picture=counts.svg", "--event=CLOSED@99")
    assert (folder / "counts.svg").read_text("utf-8") == "old"
    crowd("--picture=counts.svg", "--diagram=nowhere/shares.svg")
    assert (folder / "counts.svg").read_text("utf-8") == "old"
    assert sorted(folder.iterdir()) == before


def test_a_missing_graphviz_is_reported(crowd: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise ImportError("Pictures need Graphviz.")

    monkeypatch.setattr("fsmkit.diagram.layout.program", missing)
    assert crowd("--diagram=shares.svg") == (2, [], ["fsmkit: Pictures need Graphviz."])


# When something is wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--start=Wait"],
            "fsmkit: --start 'Wait': there is no such state. The states are: 'Waits', 'Leaves'.",
        ),
        (
            ["--event=CLOSE@3"],
            (
                "fsmkit: --event CLOSE@3: no state knows 'CLOSE'. Known events: "
                "'FINISHED', 'CLOSED'."
            ),
        ),
        (
            ["--event=CLOSED@11"],
            (
                "fsmkit: --event CLOSED@11 is after the end of the run at 10 s. "
                "Send it earlier, or increase --seconds."
            ),
        ),
        (
            ["--event=CLOSED@1=2.5"],
            (
                "fsmkit: --event CLOSED@1=2.5: events of a crowd have no data. Leave out "
                "everything after the time, or use `fsmkit run`."
            ),
        ),
        (
            ["--parallel"],
            "fsmkit: --parallel is for the compiled engine. Leave out --engine python.",
        ),
        (
            ["--agents=0"],
            "fsmkit crowd: error: argument --agents: must be an integer >= 1, got '0'",
        ),
        (
            ["--agents=1e6"],
            "fsmkit crowd: error: argument --agents: must be an integer >= 1, got '1e6'",
        ),
        (
            ["--seed=-1"],
            "fsmkit crowd: error: argument --seed: must be an integer >= 0, got '-1'",
        ),
        (
            ["--picture=counts.png"],
            "fsmkit crowd: error: argument --picture: must end with .svg, got 'counts.png'",
        ),
        (
            ["--engine=gpu"],
            (
                "fsmkit crowd: error: argument --engine: invalid choice: 'gpu' "
                "(choose from 'compiled', 'python')"
            ),
        ),
    ],
)
def test_wrong_usage_is_reported(arguments: list[str], message: str, crowd: Command) -> None:
    exit_code, lines, errors = crowd(*arguments)
    assert (exit_code, lines) == (2, [])
    assert errors[-1].replace("compiled, python", "'compiled', 'python'") == message


MORE = """
def lamp():
    fsm = Fsm("Lamp")
    fsm.add_state("Off")
    return fsm

def count(guest, world):
    while guest.patience < 3.0:
        guest.patience += 1.0

def looping():
    machine = CrowdFsm("Guest", Guest)
    machine.add_state("Waits").add_action(CrowdAction(on_update=count))
    return machine

def divide(guest, world):
    guest.patience = 1.0 / guest.patience

def dividing():
    machine = CrowdFsm("Guest", Guest)
    machine.add_state("Waits").add_action(CrowdAction(on_update=divide))
    return machine

def empty():
    return CrowdFsm("Guest", Guest)
"""


@pytest.fixture
def more(folder: Path) -> str:
    (folder / "more.py").write_text(QUEUE + MORE, "utf-8")
    return "more.py"


def test_a_machine_that_is_for_one_alone_is_refused(command: Command, more: str) -> None:
    assert command("crowd", f"{more}:lamp") == (
        2,
        [],
        [
            (
                "fsmkit: 'more.py:lamp' must return a CrowdFsm, got <Fsm 'Lamp': not "
                "running>. Give the function that returns one, or use `fsmkit run`."
            )
        ],
    )


def test_a_function_that_cannot_be_compiled_is_reported(command: Command, more: str) -> None:
    exit_code, lines, errors = command("crowd", f"{more}:looping")
    line = (QUEUE + MORE).splitlines().index("    while guest.patience < 3.0:") + 1
    assert (exit_code, lines, len(errors)) == (1, [], 1)
    assert f"more.py:{line}, count(): a loop cannot be compiled." in errors[0]


def test_a_machine_without_states_is_reported(command: Command, more: str) -> None:
    exit_code, lines, errors = command("crowd", f"{more}:empty")
    assert (exit_code, lines) == (1, [])
    assert errors[0].endswith("has no states. Add one with add_state().")


def test_an_agent_that_fails_ends_the_run(command: Command, more: str) -> None:
    exit_code, lines, errors = command(
        "crowd", f"{more}:dividing", "--agents=1", "--engine=python", "--fps=10"
    )
    assert (exit_code, lines) == (1, [])
    assert errors[:2] == [
        "fsmkit: The run failed at 0.10 s.",
        "  ZeroDivisionError: division by zero",
    ]
    assert errors[2].startswith("  Crowd of 'Guest', agent 0, state 'Waits'")


def test_of_many_agents_that_fail_a_few_are_reported(command: Command, more: str) -> None:
    exit_code, lines, errors = command(
        "crowd", f"{more}:dividing", "--agents=20", "--engine=python", "--fps=10"
    )
    assert (exit_code, lines) == (1, [])
    assert errors[1] == (
        "  ExceptionGroup: 20 agents failed; of these, 5 are shown (5 sub-exceptions)"
    )
    assert [line.split(", ")[1] for line in errors if "Crowd of 'Guest'" in line] == [
        "agent 0", "agent 1", "agent 2", "agent 3", "agent 4",
    ]  # fmt: skip
    assert not any(line.endswith(" more") for line in errors)


def test_more_agents_than_there_is_memory_for_are_reported(command: Command) -> None:
    assert command("crowd", "queue_of_guests.py", "--agents=99999999999999") == (
        1,
        [],
        [("fsmkit: Crowd of 'Guest': not enough memory for 99,999,999,999,999 agents. Use fewer.")],
    )


def test_missing_packages_are_reported(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fsmkit.crowd.packages")
    for name in [name for name in sys.modules if name.startswith("fsmkit.crowd")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert command("crowd", "queue_of_guests.py") == (
        2,
        [],
        ["fsmkit: A crowd needs numpy and numba: pip install 'fsmkit[crowd]'."],
    )


@pytest.mark.slow
def test_other_commands_do_without_the_packages() -> None:
    code = "import sys, fsmkit.cli; print('numpy' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


# Preparing the agents

PREPARED = """

def prepare(crowd):
    crowd.start("Leaves", where=[0, 1, 2])
    print("prepared", len(crowd), crowd.count())
"""


def test_a_function_of_the_file_prepares_the_agents(crowd: Command, folder: Path) -> None:
    (folder / "queue_of_guests.py").write_text(QUEUE + PREPARED, "utf-8")
    code, output, errors = crowd("--seconds=0.1", "--agents=5", "--start=Waits")
    assert (code, errors) == (0, [])
    assert output[0] == "prepared 5 {'Waits': 0, 'Leaves': 3}"
    assert [line.split()[:2] for line in output[3:5]] == [["Waits", "2"], ["Leaves", "3"]]


NEAR = """

def prepare(crowd):
    from fsmkit.crowd import Places
    crowd.start()
    Places(crowd, "table").count(into="others")

def build():
    @define
    class Guest:
        table: int = 0
        others: int = 0
    machine = CrowdFsm("Guest", Guest, on_unhandled="ignore")
    waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    waits.add_action(CrowdAction(on_update=look))
    waits.add_transition("FULL", leaves)
    return machine

def look(guest, world):
    return "FULL" if guest.others == 4 else None
"""


@pytest.mark.parametrize(
    "options",
    [["--engine=python"], pytest.param(["--shards=2"], marks=pytest.mark.slow)],
)
def test_prepared_agents_know_their_neighbours(
    command: Command, folder: Path, options: list[str]
) -> None:
    (folder / "queue_of_guests.py").write_text(QUEUE + NEAR, "utf-8")
    code, output, errors = command(
        "crowd", "queue_of_guests.py", "--agents=5", "--seconds=0.1", "--fps=10", *options
    )
    assert (code, errors) == (0, [])
    assert [line.split()[:2] for line in output[2:4]] == [["Waits", "0"], ["Leaves", "5"]]


def test_an_action_called_prepare_is_left_alone(crowd: Command, folder: Path) -> None:
    action = "\n\ndef prepare(guest, world):\n    raise SystemExit\n"
    (folder / "queue_of_guests.py").write_text(QUEUE + action, "utf-8")
    assert crowd("--seconds=0.1")[0] == 0


@pytest.mark.parametrize(
    ("function", "code", "message"),
    [
        (
            "def prepare(): ...",
            2,
            "'queue_of_guests.py:prepare' must take one argument, the crowd, got prepare().",
        ),
        ("def prepare(crowd): crowd.x", 1, "'queue_of_guests.py:prepare' failed."),
        ("def prepare(crowd): exit(3)", 1, "'queue_of_guests.py:prepare' failed."),
    ],
)
def test_mistakes_of_preparing_are_named(
    crowd: Command, folder: Path, function: str, code: int, message: str
) -> None:
    (folder / "queue_of_guests.py").write_text(f"{QUEUE}\n\n{function}\n", "utf-8")
    found, output, errors = crowd("--seconds=0.1")
    assert (found, output) == (code, [])
    assert message in errors[0]
