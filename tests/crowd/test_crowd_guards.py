"""Guards of a crowd: asked in order when an event is offered, by every engine alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from fsmkit import FINISHED, TransitionOnExitError
from fsmkit.crowd import (
    Crowd,
    CrowdAction,
    CrowdError,
    CrowdFsm,
    CrowdGuard,
    CrowdMismatchError,
    SubsetError,
)
from fsmkit.diagram import to_text

ENGINES = ("python", "compiled")


@define
class Npc:
    x: float = 0.0
    health: int = 3


@define
class World:
    limit: float = 2.0


def is_far(npc: Any, world: Any) -> bool:
    return npc.x > world.limit


def is_weak(npc: Any, _world: Any) -> bool:
    return npc.health < 2


def has_root(npc: Any, _world: Any) -> bool:
    return math.sqrt(npc.x) > 0.0


def fall(npc: Any, _world: Any) -> str:
    npc.health = 0
    return "HIT"


def machine(*ways: tuple[Callable[[Any, Any], Any] | None, str]) -> CrowdFsm:
    """A machine in which HIT leads from Walk along these ways, globally to Gone if is_weak."""
    fsm = CrowdFsm("Npc", Npc, World)
    for name in ("Walk", "Flee", "Fall", "Gone"):
        fsm.add_state(name)
    for guard, target in ways:
        when = None if guard is None else CrowdGuard(guard)
        fsm.states["Walk"].add_transition("HIT", target, when=when)
    fsm.add_global_transition("HIT", "Gone", when=CrowdGuard(is_weak))
    return fsm


def states(crowd: Crowd) -> list[str]:
    names = list(crowd.machine.states)
    return [names[number] for number in crowd.states]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_guard_that_agrees_is_followed_then_the_global_ones_are_asked(
    engine: Any,
) -> None:
    crowd = Crowd(machine((is_far, "Flee"), (is_weak, "Fall")), 4, start="Walk", engine=engine)
    crowd["x"] = [3.0, 3.0, 0.0, 0.0]
    crowd["health"] = [0, 3, 0, 3]
    assert crowd.send_event("HIT") == 3
    assert states(crowd) == ["Flee", "Flee", "Fall", "Walk"]
    assert crowd.send_event("HIT") == 2
    assert states(crowd) == ["Gone", "Flee", "Gone", "Walk"]
    assert crowd.send_event("HIT") == 0


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_guard_is_asked_after_what_the_sender_has_written(engine: Any) -> None:
    fsm = machine((is_weak, "Fall"))
    fsm.states["Walk"].add_action(CrowdAction(on_update=fall))
    crowd = Crowd(fsm, 2, start="Walk", engine=engine)
    crowd.update(0.1)
    assert states(crowd) == ["Fall", "Fall"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_an_agent_whose_guard_fails_stays_and_the_others_continue(engine: Any) -> None:
    crowd = Crowd(machine((has_root, "Flee")), 3, start="Walk", engine=engine)
    crowd["x"] = [1.0, -1.0, 2.0]
    with pytest.raises(ValueError, match="math domain error") as caught:
        crowd.send_event("HIT")
    line = has_root.__code__.co_firstlineno + 1
    assert caught.value.__notes__ == [
        f"Crowd of 'Npc', agent 1, state 'Walk', has_root(), {__file__}:{line}"
    ]
    assert states(crowd) == ["Flee", "Walk", "Flee"]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_finished_may_be_guarded(engine: Any) -> None:
    fsm = machine()
    fsm.states["Walk"].add_transition(
        FINISHED, "Flee", when=CrowdGuard(lambda npc, world: npc.x > world.limit)
    )
    crowd = Crowd(fsm, 2, engine=engine)
    crowd["x"] = [3.0, 1.0]
    crowd.start("Walk")
    assert states(crowd) == ["Flee", "Walk"]


def test_one_agent_is_asked_as_a_machine_of_its_own() -> None:
    crowd = Crowd(machine((is_far, "Flee")), 1, start="Walk", engine="python")
    fsm = crowd.fsm(0)
    assert not fsm.send_event("HIT")
    fsm.context.agent.x = 3.0
    assert fsm.send_event("HIT")


def answers_nothing(npc: Any, world: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        (lambda npc, world: print(npc.x), "prints nothing"),
        (lambda npc, world: npc.x**2, "powers are rounded differently"),
        (answers_nothing, "is not a number"),
    ],
)
def test_a_guard_that_cannot_be_compiled_is_refused_with_its_transition(
    guard: Any, message: str
) -> None:
    with pytest.raises(SubsetError, match=message) as caught:
        Crowd(machine((guard, "Flee")), 1)
    assert str(caught.value).startswith("Fsm 'Npc', state 'Walk', transition 'HIT': ")


def write(npc: Any, _world: Any) -> bool:
    npc.x = 1.0
    return True


def test_a_guard_only_answers() -> None:
    with pytest.raises(SubsetError, match="write.*writes to a field"):
        Crowd(machine((write, "Flee")), 1)


def test_an_event_on_exit_is_refused_even_if_a_guard_might_refuse_it() -> None:
    fsm = machine((is_far, "Flee"))
    fsm.states["Walk"].add_action(CrowdAction(on_exit=fall))
    with pytest.raises(TransitionOnExitError, match="may send 'HIT'"):
        Crowd(fsm, 1)


def test_pictures_name_it_as_its_function() -> None:
    assert "HIT [is_far]" in to_text(machine((is_far, "Flee")))
    short = to_text(machine((lambda npc, world: npc.x > 1.0, "Flee")))
    assert "HIT [npc.x > 1.0]" in short


def test_a_file_is_refused_by_a_machine_with_other_guards(tmp_path: Any) -> None:
    path = tmp_path / "crowd.npz"
    Crowd(machine((is_far, "Flee")), 2, start="Walk", engine="python").save(path)
    assert len(Crowd.load(machine((is_far, "Flee")), path, engine="python")) == 2
    with pytest.raises(CrowdMismatchError, match="states with other transitions: Walk"):
        Crowd.load(machine((is_weak, "Flee")), path, engine="python")


def test_an_agent_with_a_suspended_state_cannot_be_put_back() -> None:
    crowd = Crowd(machine(), 1, start="Walk", engine="python")
    fsm = crowd.fsm(0)
    fsm.states["Walk"].add_transition("PAUSE", "Flee", suspend=True)
    fsm.send_event("PAUSE")
    with pytest.raises(CrowdError, match="must have no suspended state"):
        crowd.put(0, fsm)


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_groups_are_asked_after_the_state_and_before_the_machine(engine: Any) -> None:
    fsm = machine((is_far, "Flee"))
    walking = fsm.add_group("Walking", "Walk", "Flee")
    walking.add_transition("HIT", "Fall", when=CrowdGuard(is_weak))
    fsm.add_group("Fleeing", "Flee").add_transition("CALM", "Walk")
    fsm.add_group("Calm", "Walk").add_transition("CALM", "Walk")
    fsm.add_global_transition("CALM", "Gone")
    crowd = Crowd(fsm, 4, start="Walk", engine=engine)
    crowd["x"] = [3.0, 0.0, 0.0, 3.0]
    crowd["health"] = [3, 0, 3, 0]
    assert crowd.send_event("HIT") == 3
    assert states(crowd) == ["Flee", "Fall", "Walk", "Flee"]
    assert crowd.send_event("HIT") == 2
    assert states(crowd) == ["Flee", "Gone", "Walk", "Fall"]
    assert crowd.send_event("CALM") == 2  # not in Walk, where its group leads to the state itself
    assert states(crowd) == ["Walk", "Gone", "Walk", "Gone"]


def test_a_group_of_a_crowd_has_the_transitions_that_a_crowd_can_have() -> None:
    fsm = machine()
    fsm.add_group("Walking", "Walk").add_transition("HIT", "Fall", do=lambda: None)
    with pytest.raises(CrowdError, match="group 'Walking', transition 'HIT' to 'Fall': do must be"):
        Crowd(fsm, 1)


def test_a_saved_crowd_knows_the_transitions_of_groups(tmp_path: Any) -> None:
    fsm = machine()
    fsm.add_group("Walking", "Walk").add_transition("CALM", "Gone")
    Crowd(fsm, 1).save(tmp_path / "crowd.npz")
    fsm.groups["Walking"].remove_transition("CALM")
    with pytest.raises(CrowdMismatchError, match="state 'Walk'|states"):
        Crowd.load(fsm, tmp_path / "crowd.npz")
    fsm.groups["Walking"].add_transition("CALM", "Gone")
    assert len(Crowd.load(fsm, tmp_path / "crowd.npz")) == 1
