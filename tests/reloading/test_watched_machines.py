"""What watches a machine goes on with the one that a hot reload has put in its place."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.observer import Observer
from fsmkit.recording import History, Recording, replay

GROUP = """
    from actions import RunFsm, TimedWait
    from fsmkit import FINISHED, Fsm, FsmGroup

    def guard(name):
        fsm = Fsm(name)
        patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
        legs = Fsm("Legs")
        legs.add_state("Walk").add_action(TimedWait(0.5))
        patrol.add_action(RunFsm(legs))
        patrol.add_action(TimedWait(1.0, "TIRED"))
        patrol.add_transition("TIRED", rest)
        rest.add_action(TimedWait(1.0))
        rest.add_transition(FINISHED, patrol)
        return fsm

    def build():
        return FsmGroup([guard("Ann"), guard("Bob")])
"""
ONE = GROUP.replace("""FsmGroup([guard("Ann"), guard("Bob")])""", """guard("Ann")""")


def members(machines: Any) -> list[Fsm[Any]]:
    return [machines] if isinstance(machines, Fsm) else list(machines)


def play(game: Any, frames: int) -> None:
    for _ in range(frames):
        game.frame(0.25)


@pytest.mark.parametrize("source", [ONE, GROUP], ids=["one machine", "a group"])
@pytest.mark.parametrize("limit", [None, 30.0, 2.0])
def test_a_recording_goes_on_and_can_be_replayed(
    game: Any, source: str, limit: float | None, tmp_path: Path
) -> None:
    machines = game.build(source)
    path = tmp_path / "run.jsonl"
    with Recording(machines, path, limit=limit) as recording:
        for fsm in members(machines):
            fsm.start()
        play(game, 10)
        game.replace('1.0, "TIRED"', '1.25, "TIRED"')
        play(game, 11)
        machines = game.machines
        time = members(machines)[0].time
        assert recording.time == time
        assert recording.fault == ""
        steps = recording.steps
        assert {step.machine for step in steps} == {fsm.name for fsm in members(machines)}
    if limit == 2.0:  # that is after the reload
        assert replay(built_by(source.replace('1.0, "TIRED"', '1.25, "TIRED"')), recording)
        return
    (reload,) = (step for step in steps if step.call == "restore")
    assert str(reload) == "2.50 s  Ann.restore(reloaded=True)"
    assert reload.told()[:4] == [
        "restored", "in Patrol", "Ann/Legs: restored", "Ann/Legs: in Walk",
    ]  # fmt: skip
    comparison = replay(built_by(source), Recording.load(path) if limit is None else recording)
    assert comparison.difference is not None
    assert comparison.difference.alike_until == steps.index(reload) + 1
    assert str(comparison).splitlines()[-1] == (
        "A hot reload changed the code at 2.50 s: up to there a replay needs the code before, from "
        "there on the code after."
    )


def built_by(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(dedent(source), names)  # the code of that time
    return names["build"]


@pytest.mark.parametrize("source", [ONE, GROUP], ids=["one machine", "a group"])
def test_a_history_goes_on(game: Any, source: str) -> None:
    machines = game.build(source)
    history = History(machines)
    for fsm in members(machines):
        fsm.start()
    play(game, 3)
    game.replace("1.0)", "1.5)")
    play(game, 12)
    visits = [v for v in history.visits if v.machine == "Ann"]
    assert [(v.state, v.start, v.end) for v in visits] == [
        ("Patrol", 0.0, 0.75), ("Patrol", 0.0, 1.0), ("Rest", 1.0, 2.5), ("Patrol", 2.5, 3.5),
        ("Rest", 3.5, None),
    ]  # fmt: skip
    assert history.now == members(game.machines)[0].time == 3.75
    assert {v.machine for v in history.visits if v.machine.startswith("Ann")} == {
        "Ann", "Ann/Legs"
    }  # fmt: skip
    history.detach()
    play(game, 8)
    assert [v for v in history.visits if v.machine == "Ann"] == visits


def test_an_observer_is_notified_and_may_follow(game: Any) -> None:
    journal: list[str] = []

    class Log(Observer):
        def state_entered(self, fsm: Fsm[Any], state: Any, event: str | None) -> None:
            journal.append(f"{fsm.name}: {state.name}")

        def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
            journal.append(f"{fsm.name} is replaced in {successor.current_state}")
            successor.observe(self)

    fsm = game.build(ONE)
    fsm.observe(Log())
    fsm.start()
    game.replace("1.0)", "1.5)")
    play(game, 5)
    assert journal == ["Ann: Patrol", "Ann is replaced in Fsm 'Ann', state 'Patrol'", "Ann: Rest"]
