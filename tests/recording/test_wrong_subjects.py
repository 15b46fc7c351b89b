"""The tools say what they want when they are given something else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every

from fsmkit import Fsm
from fsmkit.checking import check
from fsmkit.diagram import to_dot, to_mermaid, to_text
from fsmkit.recording import (
    History,
    Recording,
    Replay,
    replay,
    restore,
    save_snapshot,
    snapshot,
    timeline_svg,
    timeline_text,
    trace_events,
    why,
)


def lamp() -> Fsm:
    fsm = Fsm("Lamp")
    fsm.add_state("On")
    return fsm


@every(
    "tool",
    [to_text, to_dot, to_mermaid, check, History, snapshot, Recording, lambda x: restore(x, {})],
)
@every("wrong", ["guard", 5, None, Fsm, [1]])
def test_tools_want_machines(tool: Callable[[Any], object], wrong: object) -> None:
    with pytest.raises(TypeError, match="must be an Fsm or an FsmGroup, got"):
        tool(wrong)


def test_for_an_object_with_a_machine_the_error_says_to_pass_that() -> None:
    class Guard:
        machine = lamp()

    with pytest.raises(TypeError, match=r"must be an Fsm .*Guard.*Pass its attribute machine\."):
        to_text(Guard())  # type: ignore[arg-type]


def test_why_wants_a_machine() -> None:
    with pytest.raises(TypeError, match="machine must be an Fsm, got 'guard'"):
        why("guard", "GO")  # type: ignore[arg-type]


@pytest.mark.parametrize("tool", [timeline_text, timeline_svg, trace_events])
def test_timelines_want_a_chronicle(tool: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"chronicle must be a Chronicle, got .*Attach a History"):
        tool(lamp())
    with pytest.raises(TypeError, match=r"must be a Chronicle.* Pass what its chronicle\(\) "):
        tool(History(lamp()))


def test_a_replay_wants_the_function_that_builds_the_machines() -> None:
    fsm = lamp()
    with Recording(fsm) as recording:
        fsm.start()
    with pytest.raises(TypeError, match="build must be the function that builds the machines, got"):
        replay(fsm, recording)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="recording must be a Recording, got <Fsm 'Lamp'"):
        replay(lamp, fsm)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="recording must be a Recording, got 5"):
        Replay(lamp, 5)  # type: ignore[arg-type]


def test_a_snapshot_is_not_saved_as_a_folder(tmp_path: Path) -> None:
    for folder in ("/", tmp_path):
        with pytest.raises(IsADirectoryError, match="The path of a file must not be a folder"):
            save_snapshot(lamp(), folder)


def test_the_limit_of_a_history_is_a_number() -> None:
    with pytest.raises(TypeError, match="History: limit must be an integer >= 1, got 'all'"):
        History(lamp(), "all")  # type: ignore[arg-type]
