"""The plan of a crowd: what does not change it, so that nothing is compiled again, and its data."""

import pickle
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from attrs import define

from fsmkit import FINISHED
from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.library import (
    FollowWaypoints,
    Move,
    MoveConstantly,
    MoveTowards,
    SendRandomEvent,
    TimedWait,
)


@define
class Npc:
    x: float = 0.0
    y: float = 0.0
    n: int = 0


def step(npc, _world, own):
    npc.x += own.speed
    npc.n += own.count
    if own.is_eager:
        npc.y = npc.x / own.speed


def one_state(*actions: Behaviour) -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc)
    first, second = machine.add_state("First"), machine.add_state("Second")
    for action in actions:
        first.add_action(action)
    for event in (FINISHED, "LEFT", "RIGHT"):
        first.add_transition(event, second)
        machine.add_global_transition(event, second)
    return machine


def stepping(speed: float, count: int, is_eager: bool) -> CrowdAction:
    return CrowdAction(
        on_update=step, parameters={"speed": speed, "count": count, "is_eager": is_eager}
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TimedWait(1.0), TimedWait(2.5)),
        (TimedWait(1.0), TimedWait(2)),
        (Move("x", 0.0, 10.0, 2.0), Move("x", 5, 7, 1)),
        (MoveConstantly("x", 1.0), MoveConstantly("x", -3)),
        (MoveTowards(("x", "y"), (1.0, 2.0), 3.0), MoveTowards(("x", "y"), (3, 4), 5)),
        (
            FollowWaypoints(("x", "y"), [(0, 0), (1, 2)], 1.0),
            FollowWaypoints(("x", "y"), [(5.0, 5.0), (7.0, 7.5)], 3),
        ),
        (SendRandomEvent({"LEFT": 1, "RIGHT": 3}), SendRandomEvent({"LEFT": 0.5, "RIGHT": 0.1})),
        (stepping(1.0, 2, is_eager=True), stepping(0.1, -5, is_eager=False)),
    ],
    ids=lambda action: type(action).__name__,
)
def test_the_numbers_given_to_an_action_are_no_part_of_the_text(
    one: Behaviour, other: Behaviour
) -> None:
    assert Crowd(one_state(one), 1).source == Crowd(one_state(other), 1).source


@pytest.mark.slow
def test_crowds_of_one_text_keep_numbers_of_their_own() -> None:
    crowds = [
        Crowd(one_state(stepping(*numbers)), 2, start="First")
        for numbers in ((1.5, 2, True), (-0.25, 7, False), (4.0, 0, True))
    ]
    for _ in range(3):
        for crowd in crowds:
            crowd.update(0.1)
    assert [[crowd[name][1].item() for name in "xyn"] for crowd in crowds] == [
        [4.5, 3.0, 6],
        [-0.75, 0.0, 21],
        [12.0, 3.0, 0],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_division_by_a_number_that_is_0_is_an_error_of_the_agent(engine) -> None:
    crowd = Crowd(one_state(stepping(0.0, 1, is_eager=True)), 1, start="First", engine=engine)
    with pytest.raises(ZeroDivisionError):
        crowd.update(0.1)
    assert crowd["n"].tolist() == [1]


@pytest.mark.slow
def test_lines_above_a_function_are_no_part_of_the_text(tmp_path: Path) -> None:
    body = "def walk(npc, world):\n    npc.x = 1.0 / (npc.x - 1.0)\n"
    early = module_of(tmp_path / "early.py", body)
    late = module_of(tmp_path / "late.py", f"# a comment\n\n\n{body}")
    crowds = [Crowd(one_state(CrowdAction(on_update=each.walk)), 1) for each in (early, late)]
    assert crowds[0].source == crowds[1].source
    places = []
    for crowd in crowds:
        crowd.start()
        crowd["x"] = 1.0
        with pytest.raises(ZeroDivisionError) as raised:
            crowd.update(0.1)
        places.append(raised.value.__notes__[0].rpartition("/")[2])
    assert places == ["early.py:2", "late.py:5"]


@pytest.mark.slow
def test_a_plan_runs_after_pickling_without_the_functions() -> None:
    crowd = Crowd(one_state(stepping(1.5, 2, is_eager=True)), 3, start="First")
    plan = Emitter(Layout(crowd.machine)).plan()
    sent = pickle.dumps(plan)
    assert __name__.encode() not in sent
    again = pickle.loads(sent)
    store = Store(again, 3, 0)
    engine = Compiled(again, store, 1)
    store.state[:] = 0
    store.step, store.time = 2, 0.5
    engine.update({"dt": 0.5}).raise_errors(again)
    crowd.update(0.5)
    assert store.field("x").tolist() == crowd["x"].tolist() == [1.5, 1.5, 1.5]
    assert store.field("n").tolist() == crowd["n"].tolist()


def module_of(path: Path, text: str) -> ModuleType:
    path.write_text(text, "utf-8")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
