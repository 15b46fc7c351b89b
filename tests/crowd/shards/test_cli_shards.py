"""`fsmkit crowd --shards`: the same output as without, mistakes, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.crowd.argument_checks import processors

psutil = pytest.importorskip("psutil", reason="psutil is not installed (the group clusters)")

Command = Callable[..., tuple[int, list[str], list[str]]]

pytestmark = pytest.mark.usefixtures("machine")

two_processors = pytest.mark.skipif(processors() < 2, reason="there is only one processor")

COURSE = ("crowd", "queue_of_guests.py", "--agents=300", "--seconds=1", "--fps=10", "--seed=4")

QUEUE = (Path(__file__).parents[1] / "queue_of_guests.py").read_text("utf-8")

FAILING = """
def failing():
    machine = CrowdFsm("Guest", Guest)
    machine.add_state("Waits").add_action(CrowdAction(on_update=divide))
    return machine

def divide(guest, world):
    guest.patience = 1.0 / guest.patience
"""


@pytest.fixture
def machine(folder: Path) -> None:
    (folder / "queue_of_guests.py").write_text(QUEUE + FAILING, "utf-8")


@two_processors
@pytest.mark.parametrize(
    "where",
    [
        [],
        pytest.param(["--on=processes"], marks=pytest.mark.slow),
        pytest.param(["--on=ray"], marks=pytest.mark.long),
        pytest.param(["--on=dask"], marks=pytest.mark.slow),
    ],
)
def test_shards_print_and_draw_the_same(where: list[str], command: Command, folder: Path) -> None:
    if "--on=ray" in where:
        pytest.importorskip("ray", reason="Ray is not installed (the extra ray)")
    if "--on=dask" in where:
        pytest.importorskip("distributed", reason="Dask is not installed (the extra dask)")
    files = ("counts.svg", "shares.svg")
    pictures = [
        f"--{kind}={file}" for kind, file in zip(("picture", "diagram"), files, strict=True)
    ]
    alone = command(*COURSE, "--event=CLOSED@0.7", *pictures, "--engine=python")
    drawn = [(folder / file).read_bytes() for file in files]
    assert command(*COURSE, "--event=CLOSED@0.7", *pictures, "--shards=2", *where) == alone
    assert [(folder / file).read_bytes() for file in files] == drawn


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--on=dask"],
            "fsmkit: --on dask is for shards. Add --shards 4, for example.",
        ),
        (
            ["--shards=2", "--engine=python"],
            "fsmkit: --shards is for the compiled engine. Leave out --engine python.",
        ),
        (
            ["--shards=2", "--parallel"],
            (
                "fsmkit: --parallel uses threads of one process, --shards several processes. "
                "Leave out one."
            ),
        ),
        (
            ["--shards=0"],
            "fsmkit crowd: error: argument --shards: must be an integer >= 1, got '0'",
        ),
        (
            ["--shards=2", "--on=spark"],
            (
                "fsmkit crowd: error: argument --on: invalid choice: 'spark' "
                "(choose from 'processes', 'ray', 'dask')"
            ),
        ),
        (
            ["--shards=2", "--event=CLOSE@3"],
            "fsmkit: --event CLOSE@3: no state knows 'CLOSE'. Known events: 'FINISHED', 'CLOSED'.",
        ),
    ],
)
def test_wrong_usage_is_reported(arguments: list[str], message: str, command: Command) -> None:
    exit_code, lines, errors = command("crowd", "queue_of_guests.py", *arguments)
    assert (exit_code, lines) == (2, [])
    assert errors[-1].replace("processes, ray, dask", "'processes', 'ray', 'dask'") == message


@pytest.mark.slow
@pytest.mark.parametrize("where", ["processes", "ray", "dask"])
def test_more_shards_than_processors_are_reported_at_once(where: str, command: Command) -> None:
    many = processors() + 1
    exit_code, lines, errors = command(*COURSE, f"--shards={many}", f"--on={where}")
    assert (exit_code, lines, len(errors)) == (1, [], 1)
    assert errors[0].startswith(f"fsmkit: {many} shards, {processors()} free CPUs")


def test_more_shards_than_agents_are_reported(command: Command) -> None:
    assert command("crowd", "queue_of_guests.py", "--agents=2", "--shards=3") == (
        1,
        [],
        [
            (
                "fsmkit: A crowd must have an agent for each shard, got 3 shards and 2 agents. "
                "Take fewer shards."
            )
        ],
    )


@pytest.mark.slow
def test_an_agent_that_fails_is_reported_as_without_shards(command: Command) -> None:
    course = ("crowd", "queue_of_guests.py:failing", "--agents=30", "--seconds=1", "--fps=10")
    alone = command(*course)
    assert alone[0] == 1
    assert command(*course, "--shards=1") == alone


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a terminal that a program can play")
@pytest.mark.parametrize(
    "where", ["processes", pytest.param("ray", marks=pytest.mark.long), "dask"]
)
def test_ctrl_c_leaves_no_process_behind(where: str, folder: Path) -> None:
    terminal, other_end = os.openpty()
    run = subprocess.Popen(
        [
            sys.executable, "-m", "fsmkit", "crowd", "queue_of_guests.py", "--shards=1",
            f"--on={where}", "--seconds=100000", "--picture=counts.svg",
        ],
        stdout=subprocess.PIPE, stderr=other_end, text=True, start_new_session=True,
    )  # fmt: skip
    os.close(other_end)
    shown = b""
    while b"running" not in shown:
        shown += os.read(terminal, 1000)
    started = psutil.Process(run.pid).children(recursive=True)
    os.killpg(run.pid, signal.SIGINT)
    output, _ = run.communicate(timeout=120)
    os.close(terminal)
    assert run.returncode == 130, shown
    assert re.match(r"Guest\n +state +agents +share\n +Waits ", output)
    assert (folder / "counts.svg").exists()
    assert started
    _, alive = psutil.wait_procs(started, timeout=60.0)
    assert alive == []
