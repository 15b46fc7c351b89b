"""The commands `fsmkit record`, `fsmkit replay` and `fsmkit timeline`."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.terminal.console import width

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))

Command = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture(autouse=True)
def guard(folder: Path) -> None:
    """The guard, in the folder to work in."""
    shutil.copy(Path(__file__).parents[1] / "examples/guard.py", folder)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_replay_of_every_example_is_equal(example: Path, command: Command) -> None:
    assert command("record", str(example), "-o", "run.jsonl", "--seconds", "20")[0] == 0
    exit_code, printed, errors = command("replay", str(example), "run.jsonl")
    assert (exit_code, errors) == (0, [])
    assert printed[-1].endswith(" steps, all equal")


@pytest.mark.slow
def test_a_changed_machine_is_reported_with_exit_code_1(folder: Path, command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "10")
    source = (folder / "guard.py").read_text("utf-8")
    (folder / "fast_guard.py").write_text(source.replace("SIGHT = 15.0", "SIGHT = 20.0"), "utf-8")
    exit_code, printed, errors = command("replay", "fast_guard.py", "run.jsonl")
    assert (exit_code, errors) == (1, [])
    assert printed == [
        "Step 283 differs.",
        "  same      4.65 s  Guard.update(0.016666666666666666)",
        "  same      4.67 s  Guard.update(0.016666666666666666)",
        "  same      4.68 s  Guard.update(0.016666666666666666)",
        "  recorded  4.70 s  Guard.update(0.016666666666666666)",
        "  replayed  4.70 s  Guard.update(0.016666666666666666)",
        "                event SAW_PLAYER: changed",
        "                leave Patrol",
        "                enter Chase",
        "  then      4.72 s  Guard.update(0.016666666666666666)",
        "  then      4.73 s  Guard.update(0.016666666666666666)",
    ]


@pytest.mark.slow
def test_a_replay_up_to_a_time_shows_where_the_machine_is(command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl")
    assert command("replay", "guard.py", "run.jsonl", "--until", "6.5") == (
        0,
        ["391 steps, all equal", "at 6.50 s:", "  Guard: in Chase for 0.90 s, by SAW_PLAYER"],
        [],
    )


def test_a_whole_second_is_reached_by_steps_that_sum_up_to_a_little_more(command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "2")
    assert command("replay", "guard.py", "run.jsonl", "--until", "1")[1] == [
        "61 steps, all equal", "at 1.00 s:", "  Guard: in Patrol for 1.00 s",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_run_that_fails_is_in_the_file_up_to_there(folder: Path, command: Command) -> None:
    source = (folder / "guard.py").read_text("utf-8")
    broken = source.replace(
        "    return state.context.distance_to_player >= OUT_OF_SIGHT", "    1 / 0"
    )
    (folder / "broken.py").write_text(broken, "utf-8")
    exit_code, printed, errors = command("record", "broken.py", "-o", "run.jsonl")
    assert (exit_code, printed) == (1, [])
    assert errors[0] == "fsmkit: The run failed at 5.60 s; run.jsonl holds it up to there."
    assert errors[1].startswith("  ZeroDivisionError: ")
    assert command("replay", "broken.py", "run.jsonl")[0] == 0


@pytest.mark.slow
def test_why_can_be_asked_about_any_moment(folder: Path, command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "8")
    exit_code, printed, _ = command(
        "replay", "guard.py", "run.jsonl", "--at", "6.5", "--why", "LOST_PLAYER"
    )
    assert (exit_code, printed[1:]) == (
        0,
        [
            "at 6.50 s:",
            "  Guard: in Chase for 0.90 s, by SAW_PLAYER",
            "LOST_PLAYER at 6.50 s:",
            (
                "  Guard: 'LOST_PLAYER' leads from 'Chase' to 'Patrol'. Chase.actions[0] "
                "(SendEventWhen) sends it; its last answer: no, has_lost_player."
            ),
        ],
    )
    printed = command("replay", "guard.py", "run.jsonl", "--why", "SAW_PLAYER")[1]
    assert printed[1] == "SAW_PLAYER at 8.00 s:"


def test_what_actions_remember_is_compared_unless_only_the_journal_counts(
    folder: Path, command: Command
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")
    other = (folder / "guard.py").read_text("utf-8").replace("speed=5.0", "speed=5.1")
    assert "speed=5.1" in other
    (folder / "other.py").write_text(other, "utf-8")
    exit_code, printed, _ = command("replay", "other.py", "run.jsonl")
    assert (exit_code, printed[0]) == (1, "Step 1 differs.")
    assert "            its actions have, or remember, other values." in printed
    assert command("replay", "other.py", "run.jsonl", "--journal-only")[:2] == (
        0, ["61 steps, all equal"],
    )  # fmt: skip


def test_the_data_of_events_is_recorded(folder: Path, command: Command) -> None:
    event = 'NOISE@0.5={"at": [3, 3]}'
    assert command("record", "guard.py", "-o", "run.jsonl", "--seconds=1", "--event", event)[0] == 0
    lines = Path("run.jsonl").read_text("utf-8").splitlines()
    calls = [json.loads(line).get("arguments") for line in lines]
    assert {"event": "NOISE", "data": {"at": [3, 3]}} in calls


def test_a_damaged_recording_is_used_up_to_the_damage(folder: Path, command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")
    path = folder / "run.jsonl"
    *lines, last, _closing = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines, last[:50], b""]))
    fault = "line 62 is damaged: Expecting ',' delimiter: line 1 column 51 (char 50)"
    assert command("replay", "guard.py", "run.jsonl") == (
        1, [f"60 steps, all equal; but then {fault}"], [],
    )  # fmt: skip
    assert command("replay", "guard.py", "run.jsonl", "--until", "0.5")[0] == 0
    exit_code, printed, errors = command("timeline", "run.jsonl")
    assert (exit_code, errors) == (
        0,
        [f"fsmkit: run.jsonl: {fault}. The part before it is used."],
    )
    assert any("Patrol" in line for line in printed)


def test_a_recording_that_is_cut_off_at_the_end_of_a_line_is_noticed(
    folder: Path, command: Command
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")
    path = folder / "run.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:20]))
    fault = (
        "the file ends before its recording did: it was cut off, or the program ended without "
        "detach()"
    )
    assert command("replay", "guard.py", "run.jsonl") == (
        1, [f"19 steps, all equal; but then {fault}"], [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["record", "guard.py"], "fsmkit record: error: the following arguments are required: -o"),
        (["record", "guard.py", "-o", "no/where.jsonl"],
         "fsmkit: 'no/where.jsonl' cannot be written: No such file or directory."),
        (["replay", "guard.py", "none.jsonl"],
         "fsmkit: 'none.jsonl' cannot be read: No such file or directory."),
        (["replay", "guard.py", "guard.py"],
         "fsmkit: 'guard.py' is not a recording: its first line is not the header of one."),
        (["replay", "guard.py", "run.jsonl", "--until", "soon"],
         ("fsmkit replay: error: argument --until/--at: must be a finite number of seconds >= 0, "
         "got 'soon'")),
        (["timeline", "none.jsonl"],
         "fsmkit: 'none.jsonl' cannot be read: No such file or directory."),
        (["timeline", "run.jsonl", "-o", "run.gif"],
         "fsmkit: -o 'run.gif': the extension must be one of .svg, .json, .txt, got .gif."),
        (["timeline", "run.jsonl", "-o", "no/where.svg"],
         "fsmkit: 'no/where.svg' cannot be written: No such file or directory."),
    ],
)  # fmt: skip
def test_wrong_input_ends_with_one_clear_line(
    arguments: list[str], error: str, command: Command
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")
    exit_code, printed, errors = command(*arguments)
    assert (exit_code, printed, errors[-1]) == (2, [], error)


def test_a_recording_of_another_machine_is_refused(folder: Path, command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "1")
    source = (folder / "guard.py").read_text("utf-8")
    (folder / "dog.py").write_text(source.replace('Fsm("Guard"', 'Fsm("Dog"'), "utf-8")
    assert command("replay", "dog.py", "run.jsonl") == (
        2,
        [],
        [("fsmkit: The recording is of the machines Guard, but these are Dog. "
         "Replay it on machines that are built in the same way.")],
    )  # fmt: skip


@pytest.mark.slow
def test_a_timeline_is_printed_or_written_in_the_format_of_the_ending(
    folder: Path, command: Command
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "10")
    exit_code, printed, _ = command("timeline", "run.jsonl")
    assert exit_code == 0
    assert any("Chase" in line for line in printed)
    for ending in ("svg", "json", "txt"):
        file = f"run.{ending}"
        assert command("timeline", "run.jsonl", "-o", file) == (0, [f"Written to {file}."], [])
    assert (folder / "run.svg").read_text("utf-8").startswith("<svg")
    assert json.loads((folder / "run.json").read_text("utf-8"))["traceEvents"]


def trace_in(path: Path) -> list[tuple[str, str]]:
    """The kinds and names of what is in a trace."""
    events = json.loads(path.read_text("utf-8"))["traceEvents"]
    return [(each.get("cat", each["ph"]), each["name"]) for each in events if each["ph"] != "M"]


def test_a_trace_has_the_actions_too_where_the_machine_is_given(
    folder: Path, command: Command
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "6")
    command("timeline", "run.jsonl", "-o", "alone.perfetto.json")
    states = [("state", "Patrol"), ("state", "Chase"), ("event", "SAW_PLAYER")]
    assert trace_in(folder / "alone.perfetto.json") == states
    assert command("timeline", "run.jsonl", "guard.py", "-o", "run.perfetto.json") == (
        0, ["Written to run.perfetto.json."], [],
    )  # fmt: skip
    found = trace_in(folder / "run.perfetto.json")
    assert sorted(set(found)) == [
        ("action", "FollowWaypoints"), ("action", "MoveTowards"), ("action", "RotateTowards"),
        ("action", "SendEventWhen"), *sorted([states[2], *states[:2]]),
    ]  # fmt: skip


def test_a_trace_ends_where_the_replay_differs(folder: Path, command: Command) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "10")
    slower = (folder / "guard.py").read_text("utf-8").replace("SAW_PLAYER", "SEEN")
    (folder / "other.py").write_text(slower, "utf-8")
    exit_code, _, errors = command("timeline", "run.jsonl", "other.py", "-o", "run.json")
    assert (exit_code, errors) == (
        0,
        [("fsmkit: run.jsonl: other.py does something else at 5.60 s. The part before it is used; "
          "`fsmkit replay` shows the difference.")],
    )  # fmt: skip
    assert command("timeline", "run.jsonl", "guard.py:nothing")[0] == 2


def test_a_terminal_gets_a_timeline_cut_and_a_pipe_gets_it_whole(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("record", "guard.py", "-o", "run.jsonl", "--seconds", "20")
    whole = command("timeline", "run.jsonl")[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    cut = command("timeline", "run.jsonl")[1]
    assert max(map(width, cut)) == 40
    assert max(map(width, whole)) > 40
    assert not any("…" in line for line in whole)
    assert whole[-1].startswith(cut[-1].removesuffix("…"))
