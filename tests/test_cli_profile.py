"""`fsmkit run --profile`: the table of what a frame costs. Only the figures are never the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, list[str], list[str]]]

pytestmark = pytest.mark.usefixtures("folder")

GUARD = """
from actions import Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup

def build(name="Guard"):
    fsm = Fsm(name)
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(Sequence(TimedWait(0.5), TimedWait(0.5)))
    rest.add_action(TimedWait(9.0))
    patrol.add_transition(FINISHED, rest, when=lambda: True)
    return fsm

def pack():
    return FsmGroup([build(f"Wolf with quite a long name, number {n}") for n in range(20)])

def failing():
    fsm = build()
    fsm.states["Rest"].add_action(TimedWait(lambda: 1 / 0))
    return fsm
"""


@pytest.fixture
def guard(folder: Path) -> str:
    (folder / "guard.py").write_text(GUARD, "utf-8")
    return "guard.py"


def test_the_table_follows_the_bars(guard: str, command: Command) -> None:
    exit_code, lines, errors = command("run", guard, "--seconds=2", "--fps=10", "--profile")
    assert (exit_code, errors) == (0, [])
    assert lines[5:8] == [
        "  Patrol  1.00 s   50%  ████████████████████",
        "  Rest    1.00 s   50%  ████████████████████",
        "",
    ]
    begin = lines.index("What a frame costs, in microseconds")
    assert lines[begin + 1].startswith("  20 frames: ")
    names = [line[36:].strip() for line in lines[begin + 3 : -3]]
    assert [*names[:2], *sorted(names[2:4]), *names[4:6], *sorted(names[6:])] == [
        "machine", "Guard", "Patrol", "Rest", "", "the worst",
        "[lambda: True]  Patrol",
        "actions[0] (Sequence)  Patrol",
        "actions[0] (TimedWait)  Rest",
        "actions[0].children[0] (TimedWait)  Patrol",
        "actions[0].children[1] (TimedWait)  Patrol",
        "the machine itself  Patrol",
        "the machine itself  Rest",
    ]  # fmt: skip


def test_calls_are_counted(guard: str, command: Command) -> None:
    _, lines, _ = command("run", guard, "--seconds=2", "--fps=10", "--profile")
    begin = next(number for number, line in enumerate(lines) if line.endswith("the worst"))
    calls = {line[38:]: int(line[27:36]) for line in lines[begin + 1 : -3]}
    assert calls == {
        "[lambda: True]  Patrol": 1,
        "actions[0] (Sequence)  Patrol": 12,
        "actions[0] (TimedWait)  Rest": 11,
        "actions[0].children[0] (TimedWait)  Patrol": 6,
        "actions[0].children[1] (TimedWait)  Patrol": 6,
        "the machine itself  Patrol": 10,
        "the machine itself  Rest": 10,
    }


def test_many_alike_are_added_up_and_no_line_is_longer_than_a_terminal(
    guard: str, command: Command
) -> None:
    _, lines, _ = command("run", f"{guard}:pack", "--seconds=2", "--fps=10", "--profile")
    begin = lines.index("What a frame costs, in microseconds")
    assert max(map(len, lines[begin:])) <= 80
    assert lines[begin + 4].endswith("400  Wolf with quite a long name, number 0 and…")


def test_it_goes_with_the_other_options(guard: str, command: Command) -> None:
    options = ("--seconds=0.2", "--fps=10", "--event=GO@0.1", "--start=Rest", "--realtime")
    _, lines, _ = command("run", guard, *options, "--profile")
    begin = lines.index("What a frame costs, in microseconds")
    assert lines[begin + 1].startswith("  2 frames: ")
    reloading = command("run", guard, *options[:2], "--reload", "--profile")
    assert "What a frame costs, in microseconds" in reloading[1]


def test_a_run_that_fails_is_reported_as_ever(guard: str, command: Command) -> None:
    exit_code, _, errors = command("run", f"{guard}:failing", "--seconds=2", "--profile")
    assert exit_code == 1
    assert "fsmkit: The run failed at 1.00 s." in errors
