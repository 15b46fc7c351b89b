"""Machines that have left a group are let go by everything that watches it."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from weakref import WeakSet, ref

import pytest

from actions import RunFsm, SendEvent, WaitFrames
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.introspection.definition_sites import noting_places
from fsmkit.recording import History, Recording, replay, timeline_text


class Sprite:
    """What an enemy drags along."""


def orc(number: int) -> Fsm[Sprite]:
    """Wakes, sends an event and runs a machine inside; it has a sprite as its context."""
    fsm = Fsm(f"Orc {number}", Sprite(), on_unhandled="ignore")
    sleep, wake = fsm.add_state("Sleep"), fsm.add_state("Wake")
    sleep.add_action(WaitFrames(1))
    sleep.add_transition(FINISHED, wake)
    wake.add_action(RunFsm(legs()))
    wake.add_action(SendEvent("GROWL", number))
    return fsm


def legs() -> Fsm[Any]:
    fsm = Fsm("Legs", on_unhandled="ignore")
    fsm.add_state("Walk").add_action(WaitFrames(1))
    fsm.states["Walk"].add_transition(FINISHED, fsm.add_state("Stand"))
    return fsm


def live_and_die(group: FsmGroup, number: int, *, stopped: bool) -> Fsm[Sprite]:
    fsm = orc(number)
    group.add(fsm)
    fsm.start()
    for _ in range(3):
        group.update(0.1)
    group.remove(fsm)
    if stopped:
        fsm.stop()
    return fsm


def king() -> FsmGroup:
    """A group of one machine that stays."""
    fsm = Fsm("King", on_unhandled="ignore")
    fsm.add_state("Throne")
    fsm.start()
    return FsmGroup([fsm])


Tool = Callable[[FsmGroup, ExitStack, Path], Callable[[], object]]


def history(group: FsmGroup, stack: ExitStack, _: Path) -> Callable[[], object]:
    return stack.enter_context(History(group, limit=2000)).watch_all


def into_a_file(group: FsmGroup, stack: ExitStack, folder: Path) -> Callable[[], object]:
    stack.enter_context(Recording(group, folder / "all.jsonl", keep=False, encode=repr))
    return lambda: None


def flight_recorder(group: FsmGroup, stack: ExitStack, folder: Path) -> Callable[[], object]:
    stack.enter_context(Recording(group, folder / "end.jsonl", limit=2.0, encode=repr))
    return lambda: None


def definition_sites(_: FsmGroup, stack: ExitStack, __: Path) -> Callable[[], object]:
    stack.enter_context(noting_places())
    return lambda: None


def inspector(group: FsmGroup, stack: ExitStack, _: Path) -> Callable[[], object]:
    inspect = pytest.importorskip("fsmkit.inspector").inspect
    stack.callback(inspect(group, port=0).close)
    return lambda: None


def all_nested(group: FsmGroup, stack: ExitStack, _: Path) -> Callable[[], object]:
    class Log:
        def state_entered(self, fsm: Fsm[Any], state: object, event: str | None) -> None: ...

    (fsm,) = group
    stack.callback(fsm.observe(Log(), nested=True))
    return lambda: None


TOOLS = [history, into_a_file, flight_recorder, definition_sites, inspector, all_nested]


def spawned(count: int, group: FsmGroup, tell: Callable[[], object]) -> Iterator[int]:
    """Let enemies come and go; yield how many are alive, and their sprites, now and then."""
    alive: WeakSet[object] = WeakSet()
    for number in range(count):
        fsm = orc(number)
        group.add(fsm)
        tell()
        fsm.start()
        for _ in range(3):
            group.update(0.1)
        group.remove(fsm)
        alive.update((fsm, fsm.context, *fsm.states.values()))
        if number % 2:
            fsm.stop()
        del fsm
        if number % (count // 5) == count // 5 - 1:
            gc.collect()
            yield len(alive)


@pytest.mark.parametrize("tool", [t for t in TOOLS if t is not inspector], ids=lambda t: t.__name__)
def test_enemies_that_have_died_are_let_go(tool: Tool, tmp_path: Path) -> None:
    with ExitStack() as stack:
        group = king()
        counts = [*spawned(50, group, tool(group, stack, tmp_path))]
    assert max(counts) <= 4 * 10 * 4  # of the last two seconds, in the flight recorder
    if tool is not flight_recorder:
        assert max(counts) <= 8


@pytest.mark.parametrize(
    "enemies",
    [pytest.param(1000, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.long)],
)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.__name__)
def test_memory_stays_flat_while_thousands_of_enemies_come_and_go(
    tool: Tool, enemies: int, tmp_path: Path
) -> None:
    """The inspector keeps those of the last few seconds."""
    with ExitStack() as stack:
        group = king()
        counts = [*spawned(enemies, group, tool(group, stack, tmp_path))]
    assert len(counts) == 5
    assert max(counts) <= (2500 if tool is inspector else 200)


def test_a_history_keeps_what_they_have_done() -> None:
    group = king()
    history = History(group)
    fsm = group.add(orc(1))
    history.watch_all()
    fsm.start()
    for _ in range(3):
        group.update(0.5)
    group.remove(fsm)
    fsm.stop()
    gone = ref(fsm)
    del fsm
    gc.collect()
    assert gone() is None
    assert [(v.machine, v.state, v.start, v.end, v.sender) for v in history.visits[1:]] == [
        ("Orc 1", "Sleep", 0.0, 0.5, ""),
        ("Orc 1", "Wake", 0.5, 1.5, "Sleep.actions[0] (WaitFrames)"),
        ("Orc 1/Legs", "Walk", 0.5, 1.0, ""),
        ("Orc 1/Legs", "Stand", 1.0, 1.5, "Walk.actions[0] (WaitFrames)"),
    ]
    assert [(e.event, e.outcome, e.sender) for e in history.events if e.event == "GROWL"] == [
        ("GROWL", "ignored", "Wake.actions[1] (SendEvent)")
    ]
    assert history.now == 1.5
    assert "Orc 1" in timeline_text(history.chronicle())


def test_a_machine_that_has_left_and_is_held_elsewhere_is_recorded_on() -> None:
    def build() -> FsmGroup:
        return FsmGroup([orc(1), orc(2)])

    group = build()
    with Recording(group) as recording:
        first, second = group
        first.start()
        second.start()
        group.remove(first)
        group.update(0.1)
        first.update(0.1)
        group.add(first)
        group.update(0.1)
    assert [str(step) for step in recording.steps] == [
        "0.00 s  Orc 1.start()",
        "0.00 s  Orc 2.start()",
        "0.10 s  Orc 2.update(0.1)",
        "0.10 s  Orc 1.update(0.1)",
        "0.20 s  Orc 2.update(0.1)",
        "0.20 s  Orc 1.update(0.1)",
    ]
    assert replay(build, recording)
