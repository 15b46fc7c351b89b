"""The agent on its way: what it has not reached it does not use, and what moves it follows."""

import copy
import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from every import every

from actions import (
    DelegateAction,
    FollowField,
    FollowPath,
    Move,
    MoveTowards,
    Parallel,
    RunFsm,
    Sequence,
    TimedWait,
)
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.checking import check
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.pathfinding import Grid, smooth
from fsmkit.recording import History, restore, snapshot
from fsmkit.space import Position, Transform

WALLED = Grid("...#.\n...#.\n...#.")
TREE = (4, 1)
"""Behind the wall."""


class World:
    """A body, a tree that may move or be gone, and what was done."""

    def __init__(self, tree: Any = (4.0, 0.0), speed: float = 1.0) -> None:
        self.body = Transform((0.0, 0.0))
        self.tree = tree
        self.speed = speed
        self.journal: list[str] = []
        self.searches = 0

    def find_tree(self) -> Any:
        if isinstance(self.tree, Exception):
            raise self.tree
        return self.tree

    def straight(self, target: Callable[[], Any]) -> FsmAction[Any]:
        def way() -> list[Any]:
            self.searches += 1
            return [target()]

        return FollowPath(self.body, way, self.speed)

    def chop(self) -> list[FsmAction[Any]]:
        def note(word: str) -> Callable[[], None]:
            return lambda: self.journal.append(f"{word} at {rounded(self.body.position)}")

        return [TimedWait(1.0), DelegateAction(on_enter=note("chop"), on_exit=note("stop"))]

    def agent(self, *actions: GoapAction, **options: Any) -> GoapAgent[Any]:
        chop = GoapAction("Chop", 1, {}, {"wood": True}, target=self.find_tree, run=self.chop)
        given = {"goals": [Goal("GetWood", {"wood": True})], "travel": self.straight, **options}
        return GoapAgent("Ann", self.body, actions=actions or [chop], **given)


def rounded(position: Position) -> tuple[float, ...]:
    return tuple(round(float(each), 3) for each in position)


def updated(agent: GoapAgent[Any], times: int, dt: float = 0.5) -> GoapAgent[Any]:
    if not agent.is_running:
        agent.start()
    for _ in range(times):
        agent.update(dt)
    return agent


def states(agent: GoapAgent[Any], history: History) -> list[str]:
    """Return the states of the body, in order."""
    return [visit.state for visit in history.visits if visit.machine.endswith("body")]


def reasons(history: History) -> list[Any]:
    """Return why the agent's plans have failed."""
    sent = [each for each in history.events if each.machine == "Ann" and each.event == "FAILED"]
    return [each.data for each in sent]


# Ways that are blocked


def tiles_to(world: World, grid: Grid) -> Callable[[Callable[[], Any]], FsmAction[Any]]:
    def way(goal: tuple[int, int]) -> Any:
        x, y = world.body.position
        return grid.find_path((round(x), round(y)), goal)

    return lambda target: FollowPath(world.body, lambda: way(target()), 2.0)


def test_an_agent_does_not_use_what_is_behind_a_wall() -> None:
    world = World(TREE)
    agent = world.agent(travel=tiles_to(world, WALLED), patience=9.0)
    history = History(agent)
    updated(agent, 6)
    assert (agent.facts, world.journal, world.body.position) == ({}, [], (2.0, 1.0))
    assert states(agent, history) == ["Choose", "GoTo", "Failed"]
    assert reasons(history) == ["the way to (4, 1) is blocked"]


def test_where_it_stands_at_the_wall_already_it_does_not_believe_it_either() -> None:
    world = World(TREE)
    world.body.position = (2.0, 1.0)
    agent = updated(world.agent(travel=tiles_to(world, WALLED)), 20)
    assert (agent.facts, world.journal) == ({}, [])


@pytest.mark.parametrize("path", [None, [], np.empty((0, 2))])
def test_without_any_way_it_does_not_chop_from_afar(path: Any) -> None:
    world = World((5, 5))
    agent = world.agent(travel=lambda target: FollowPath(world.body, lambda: path, 1.0))
    history = History(agent)
    updated(agent, 1)
    assert (agent.facts, world.journal, agent.current_state.name) == ({}, [], "WaitingToPlan")
    assert reasons(history) == ["the way to (5, 5) is blocked"]


def test_a_blocked_event_that_makes_the_plan_fail_is_distinguished_as_well() -> None:
    world = World(TREE)
    blocked = WALLED.find_path((0, 1), TREE)
    agent = world.agent(
        travel=lambda target: FollowPath(world.body, blocked, 2.0, blocked_event="FAILED")
    )
    history = History(agent)
    updated(agent, 4)
    assert (agent.facts, reasons(history)) == ({}, ["the way to (4, 1) is blocked"])


def journey(*ways: FsmAction[Any]) -> Fsm[Any]:
    """Return a machine that goes one way after another."""
    fsm = Fsm[Any]("Journey")
    states = [fsm.add_state(f"Way {number}") for number in range(len(ways))]
    states.append(fsm.add_state("There", final=True))
    for (state, following), way in zip(pairwise(states), ways, strict=True):
        state.add_action(way)
        state.add_transition(FINISHED, following)
        state.add_transition(FAILED, following)
    return fsm


def test_a_machine_that_has_found_another_way_was_not_blocked() -> None:
    world = World(TREE)
    travel = tiles_to(world, WALLED)
    agent = world.agent(
        travel=lambda target: RunFsm(journey(travel(target), MoveTowards(world.body, TREE, 2.0)))
    )
    assert updated(agent, 20).facts == {"wood": True}


@pytest.mark.parametrize("around", [
    lambda way: Parallel(way, TimedWait(0.1)),
    lambda way: Sequence(TimedWait(0.1), Parallel(way), TimedWait(0.1)),
    lambda way: RunFsm(journey(way)),
])  # fmt: skip
def test_a_way_inside_another_action_may_be_blocked(around: Callable[..., FsmAction[Any]]) -> None:
    world = World(TREE)
    travel = tiles_to(world, WALLED)
    agent = updated(world.agent(travel=lambda target: around(travel(target))), 8)
    assert (agent.facts, world.journal) == ({}, [])


@pytest.mark.parametrize(("rows", "facts"), [("...#.", {}), (".....", {"wood": True})])
def test_a_field_may_be_blocked_as_well(rows: str, facts: dict[str, bool]) -> None:
    world = World((4, 0))
    field = Grid([rows]).field([(4, 0)])
    agent = world.agent(travel=lambda target: FollowField(world.body, field, 2.0))
    assert updated(agent, 8).facts == facts


def test_an_action_of_ones_own_may_say_that_it_is_blocked() -> None:
    class Swim(FsmAction[Any]):
        def __init__(self, blocked: object) -> None:
            self.blocked = blocked

        def on_update(self) -> None:
            self.finish()

    for blocked, facts in ((True, {}), (False, {"wood": True}), (lambda: True, {"wood": True})):
        agent = updated(World().agent(travel=lambda target, b=blocked: Swim(b)), 6)
        assert agent.facts == facts


def test_an_action_that_knows_of_no_obstacle_has_arrived_when_it_has_finished() -> None:
    world = World("the wood")
    agent = updated(world.agent(travel=lambda target: TimedWait(1.0)), 5)
    assert (agent.facts, world.journal) == (
        {"wood": True},
        ["chop at (0.0, 0.0)", "stop at (0.0, 0.0)"],
    )


def test_a_way_that_is_opened_while_it_waits_is_taken_at_last() -> None:
    world = World(TREE)
    grid = Grid("...#.\n...#.\n...#.")
    agent = updated(world.agent(travel=tiles_to(world, grid), patience=0.5), 6)
    grid.set_cost((3, 1), 1.0)
    updated(agent, 100)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (4.0, 1.0)")


# Targets that move


def test_the_way_is_planned_again_when_a_look_shows_that_the_target_has_moved() -> None:
    world = World()
    agent = world.agent()
    history = History(agent)
    updated(agent, 3)
    world.tree = (1.0, 3.0)
    updated(agent, 1)
    assert (world.searches, world.body.position) == (2, (1.5, 0.0))
    updated(agent, 10)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (1.0, 3.0)")
    assert states(agent, history) == ["Choose", "GoTo", "UseObject", "Choose", "Done"]


def test_a_target_that_stays_is_not_searched_for_again() -> None:
    world = World()
    updated(world.agent(look_every=0.0), 20, 0.25)
    assert world.searches == 1


def test_a_target_that_is_recomputed_but_stays_has_not_moved() -> None:
    values = iter([0.3, 0.1 + 0.2] * 50)
    world = World()
    world.find_tree = lambda: (4.0, next(values))  # type: ignore[method-assign]
    updated(world.agent(), 20)
    assert (world.searches, world.journal[:1]) == (1, ["chop at (4.0, 0.3)"])


def test_a_target_that_moves_between_looks_is_noticed_at_the_end_of_the_way() -> None:
    world = World()
    agent = world.agent(look_every=math.inf)
    history = History(agent)
    updated(agent, 3)
    world.tree = (4.0, 2.0)
    updated(agent, 6)
    assert (world.searches, world.body.position, world.journal) == (2, (4.0, 0.0), [])
    updated(agent, 8)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (4.0, 2.0)")
    assert states(agent, history) == ["Choose", "GoTo", "GoTo", "UseObject", "Choose", "Done"]


def test_an_action_without_replan_is_entered_again_from_where_it_is() -> None:
    world = World()
    agent = world.agent(travel=lambda target: Move(world.body, None, target, 2.0))
    history = History(agent)
    updated(agent, 3)
    world.tree = (0.0, 4.0)
    updated(agent, 10)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (0.0, 4.0)")
    assert states(agent, history)[:4] == ["Choose", "GoTo", "GoTo", "UseObject"]


def test_an_action_that_looks_at_the_target_itself_is_left_alone() -> None:
    world = World((4.0, 0.0))
    agent = world.agent(travel=lambda target: MoveTowards(world.body, target, 1.0), look_every=0.0)
    history = History(agent)
    agent.start()
    for step in range(30):
        world.tree = (4.0 + 0.01 * step, 0.0)
        agent.update(0.25)
    assert (agent.facts, states(agent, history)[:3]) == (
        {"wood": True}, ["Choose", "GoTo", "UseObject"],
    )  # fmt: skip


def test_one_that_never_stops_running_away_is_looked_for_once_in_an_update() -> None:
    world = World((4.0, 0.0), speed=1000.0)
    agent = world.agent(look_every=0.0)
    agent.start()
    for step in range(20):
        world.tree = (4.0 + step, 0.0)
        agent.update(0.5)
    assert (world.journal, agent.facts) == ([], {})
    assert world.searches <= 20


def test_a_target_that_is_elsewhere_at_every_look_does_not_hang_the_game() -> None:
    rng = Random(1)
    world = World(speed=1e9)
    world.find_tree = lambda: (rng.random(), rng.random())  # type: ignore[method-assign]
    agent = updated(world.agent(), 20)
    assert (agent.facts, world.journal) == ({}, [])


@pytest.mark.parametrize("kind", [
    lambda x, y: (x, y), lambda x, y: [x, y], lambda x, y: np.array([x, y]),
    lambda x, y: Transform((x, y)), lambda x, y: SimpleNamespace(position=(x, y)),
    lambda x, y: SimpleNamespace(position=np.array([x, y], "float32")),
])  # fmt: skip
def test_a_target_of_any_kind_is_followed(kind: Callable[[float, float], Any]) -> None:
    world = World(kind(4.0, 0.0))
    agent = updated(world.agent(reach=0.5), 3)
    world.tree = kind(0.0, 2.0)
    updated(agent, 12)
    assert agent.facts == {"wood": True}
    assert math.dist(world.body.position, (0.0, 2.0)) <= 0.5


def test_one_thing_that_moves_is_followed_without_a_function() -> None:
    world = World()
    cart = Transform((4.0, 0.0))
    agent = world.agent(GoapAction("Load", 1, {}, {"wood": True}, target=cart, run=world.chop))
    updated(agent, 3)
    cart.position = (0.0, 2.0)
    updated(agent, 12)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (0.0, 2.0)")


@pytest.mark.parametrize("target", ["kitchen", object(), SimpleNamespace(door=1)])
def test_what_is_not_a_position_is_left_to_the_action_that_travels(target: object) -> None:
    seen: list[object] = []

    def travel(where: Callable[[], Any]) -> FsmAction[Any]:
        return Sequence(DelegateAction(lambda state: seen.append(where())), TimedWait(1.0))

    world = World(target)
    agent = updated(world.agent(travel=travel), 8)
    assert (agent.facts, seen) == ({"wood": True}, [target])
    json.dumps(snapshot(agent))


def test_a_name_may_change() -> None:
    world = World("kitchen")
    agent = world.agent(travel=lambda target: TimedWait(1.0))
    history = History(agent)
    updated(agent, 2)
    world.tree = "cellar"
    updated(agent, 8)
    assert states(agent, history)[:4] == ["Choose", "GoTo", "GoTo", "UseObject"]


def test_travel_that_fails_makes_the_plan_fail_with_its_reason() -> None:
    class Limp(FsmAction[Any]):
        def on_update(self) -> None:
            self.fail("a lame leg")

    world = World()
    agent = world.agent(travel=lambda target: Sequence(TimedWait(0.5), Limp()), patience=9.0)
    history = History(agent)
    updated(agent, 3)
    assert states(agent, history) == ["Choose", "GoTo", "Failed"]
    assert reasons(history) == ["a lame leg"]


# Within reach


def test_within_reach_the_journey_ends_and_the_use_begins() -> None:
    world = World((4.0, 0.0))
    agent = updated(world.agent(reach=1.5), 9)
    assert (agent.facts, world.journal) == (
        {"wood": True}, ["chop at (2.5, 0.0)", "stop at (2.5, 0.0)"],
    )  # fmt: skip


def test_what_is_within_reach_from_the_beginning_needs_no_way() -> None:
    world = World((1.0, 0.0))
    agent = world.agent(reach=1.0)
    history = History(agent)
    updated(agent, 3)
    assert (world.searches, agent.facts) == (0, {"wood": True})
    assert states(agent, history) == ["Choose", "UseObject", "Choose", "Done"]


def test_a_rounding_error_is_within_reach() -> None:
    world = World((1.0 + 1e-12, 0.0))
    updated(world.agent(reach=1.0), 1)
    assert world.searches == 0


def test_what_is_within_reach_may_be_behind_a_wall() -> None:
    world = World(TREE)
    agent = updated(world.agent(travel=tiles_to(world, WALLED), reach=2.0), 8)
    assert (agent.facts, world.journal[0]) == ({"wood": True}, "chop at (2.0, 1.0)")


def test_travel_that_fails_within_reach_has_arrived_all_the_same() -> None:
    world = World(TREE)
    agent = world.agent(
        travel=lambda target: Sequence(tiles_to(world, WALLED)(target), TimedWait(9.0)), reach=2.0
    )
    assert updated(agent, 8).facts == {"wood": True}


def test_a_way_that_is_blocked_out_of_reach_has_failed() -> None:
    world = World(TREE)
    agent = world.agent(travel=tiles_to(world, WALLED), reach=1.5, patience=9.0)
    history = History(agent)
    updated(agent, 6)
    assert (agent.facts, reasons(history)) == ({}, ["the way to (4, 1) is blocked"])


def test_a_way_that_ends_out_of_reach_has_failed() -> None:
    world = World((4.0, 0.0))
    agent = world.agent(
        travel=lambda target: FollowPath(world.body, [(1.0, 0.0)], 1.0), reach=1.5, patience=9.0
    )
    history = History(agent)
    updated(agent, 6)
    assert (agent.facts, reasons(history)) == (
        {}, ["the way to (4, 0) ends 3 units from it, out of reach (1.5)"],
    )  # fmt: skip


def test_out_of_reach_it_goes_there_again_and_the_use_starts_over() -> None:
    world = World((2.0, 0.0))
    agent = world.agent(reach=1.0)
    history = History(agent)
    updated(agent, 4)
    assert agent.body.current_state is agent.body.states["UseObject"]
    world.tree = (4.0, 0.0)
    updated(agent, 8)
    assert world.journal == [
        "chop at (1.0, 0.0)", "stop at (1.0, 0.0)", "chop at (3.0, 0.0)", "stop at (3.0, 0.0)",
    ]  # fmt: skip
    assert states(agent, history) == [
        "Choose", "GoTo", "UseObject", "GoTo", "UseObject", "Choose", "Done",
    ]  # fmt: skip
    assert agent.facts == {"wood": True}


def test_without_a_reach_what_is_in_use_may_go_away() -> None:
    world = World((1.0, 0.0))
    agent = updated(world.agent(), 3)
    world.tree = (9.0, 9.0)
    updated(agent, 4)
    assert (agent.facts, len(world.journal)) == ({"wood": True}, 2)


def test_somebody_slower_is_caught() -> None:
    world = World((6.0, 0.0))
    agent = world.agent(reach=0.5)
    agent.start()
    for step in range(150):
        world.tree = (6.0 + 0.05 * step, 0.0)
        agent.update(0.1)
        if world.journal:
            break
    assert math.dist(world.body.position, world.tree) == pytest.approx(0.5)


def test_the_agent_may_be_elsewhere_than_its_context() -> None:
    world = World((4.0, 0.0))
    agent = world.agent(reach=1.5, position=lambda: world.body)
    agent.context = None
    updated(agent, 9)
    assert world.journal[0] == "chop at (2.5, 0.0)"


def test_reach_needs_to_know_where_the_agent_is() -> None:
    with pytest.raises(ValueError, match=r"'Ann': reach= requires the position of the agent.*"
                                         r"Give position=, a function"):  # fmt: skip
        GoapAgent("Ann", actions=[], goals=[], reach=1.0)
    GoapAgent("Ann", actions=[], goals=[], reach=1.0, position=lambda: (0.0, 0.0))


@pytest.mark.parametrize("reach", [-1.0, math.inf, math.nan, "near", True])
def test_an_invalid_reach_is_refused(reach: object) -> None:
    with pytest.raises((ValueError, TypeError), match="GoapAgent 'Ann': reach must be"):
        World().agent(reach=reach)


@pytest.mark.parametrize("position", [(0.0, 0.0), 5])
def test_an_invalid_position_is_refused(position: object) -> None:
    with pytest.raises(TypeError, match="GoapAgent 'Ann': position must be a function"):
        World().agent(reach=1.0, position=position)


def test_with_a_reach_a_target_must_have_a_position() -> None:
    agent = World("kitchen").agent(reach=1.0)
    agent.start()
    wrong = "GoapAction 'Chop': with reach= its target must be a position, or have one, got 'kitch"
    with pytest.raises(TypeError, match=wrong):
        agent.update(0.5)


def test_an_error_of_the_position_reaches_the_caller_and_the_plan_fails() -> None:
    places: Iterator[Any] = iter([(0.0, 0.0), LookupError("lost")])

    def position() -> Any:
        place = next(places)
        if isinstance(place, Exception):
            raise place
        return place

    agent = World().agent(reach=1.0, position=position)
    agent.start()
    with pytest.raises(LookupError, match="lost"):
        agent.update(0.5)
    agent.update(0.5)
    assert agent.current_state.name == "WaitingToPlan"


# Targets that are gone

GONE: dict[str, tuple[Any, str]] = {
    "None": (None, "the target of 'Chop' is gone"),
    "an error": (KeyError("tree"), "the target of 'Chop' is gone (KeyError: 'tree')"),
    "no place": (SimpleNamespace(position=None), "the target of 'Chop' is gone"),
    "nan": ((math.nan, 0.0), "the target of 'Chop' is nowhere, at (nan, 0)"),
}


@every("reach", [None, 0.5])
@every("case", GONE)
@every("updates", [0, 2, 6])
def test_a_target_that_is_gone_makes_the_plan_fail(
    updates: int, case: str, reach: float | None
) -> None:
    world = World((4.0, 0.0))
    agent = world.agent(reach=reach, patience=99.0)
    history = History(agent)
    updated(agent, updates)
    world.tree, reason = GONE[case]
    updated(agent, 4)
    assert (agent.facts, reasons(history), world.journal) == ({}, [reason], [])
    assert agent.current_state.name == "WaitingToPlan"


def test_a_target_that_is_gone_by_the_end_of_the_way_is_not_used() -> None:
    world = World((4.0, 0.0))
    agent = updated(world.agent(look_every=math.inf), 3)
    world.tree = None
    updated(agent, 12)
    assert (agent.facts, world.journal, world.body.position) == ({}, [], (4.0, 0.0))


def test_one_that_follows_its_target_itself_does_not_see_that_it_is_gone() -> None:
    world = World((4.0, 0.0))
    agent = world.agent(
        travel=lambda target: MoveTowards(world.body, target, 1.0), look_every=1.0, patience=9.0
    )
    history = History(agent)
    updated(agent, 3, 0.4)
    world.tree = KeyError("tree")
    updated(agent, 4, 0.4)
    assert (agent.facts, reasons(history)) == (
        {}, ["the target of 'Chop' is gone (KeyError: 'tree')"],
    )  # fmt: skip


def test_what_is_gone_while_it_is_used_within_reach_has_failed() -> None:
    world = World((1.0, 0.0))
    agent = world.agent(reach=1.0, patience=9.0)
    history = History(agent)
    updated(agent, 1)
    world.tree = None
    updated(agent, 2)
    assert (agent.facts, reasons(history)) == ({}, ["the target of 'Chop' is gone"])
    assert world.journal == ["chop at (0.0, 0.0)", "stop at (0.0, 0.0)"]


def test_it_is_stopped_by_ctrl_c_in_a_target() -> None:
    world = World()

    def interrupted() -> Any:
        raise KeyboardInterrupt

    world.find_tree = interrupted  # type: ignore[method-assign]
    agent = world.agent()
    agent.start()
    with pytest.raises(KeyboardInterrupt):
        agent.update(0.5)


# As a machine


@pytest.mark.parametrize("reach", [None, 1.0])
def test_the_checks_have_nothing_to_say_and_the_picture_tells_the_guard(
    reach: float | None,
) -> None:
    agent = World().agent(reach=reach)
    assert check(agent) == check(agent.body) == []
    ways = agent.body.states["GoTo"].transitions
    assert [str(each) for each in ways["FINISHED"]] == [
        "Transition('FINISHED' -> 'UseObject', when=has_arrived)"
    ]


@every("reach", [None, 0.5])
@every("moment", range(0, 30, 3))
def test_an_agent_restored_on_its_way_follows_its_target_as_the_other_does(
    moment: int, reach: float | None
) -> None:
    def play(world: World, agent: GoapAgent[Any], steps: range) -> list[object]:
        seen: list[object] = []
        for step in steps:
            world.tree = (4.0, 0.0) if step < 7 else (1.0, 2.0) if step < 20 else (2.0, 2.0)
            agent.update(0.25)
            inside = agent.body.current_state
            seen.append((rounded(world.body.position), inside and inside.name, world.searches))
        return seen

    world, other = World(), World()
    agent, another = world.agent(reach=reach), other.agent(reach=reach)
    agent.start()
    play(world, agent, range(moment))
    restore(another, json.loads(json.dumps(snapshot(agent))))
    other.body.position, other.searches = world.body.position, world.searches
    assert play(other, another, range(moment, 60)) == play(world, agent, range(moment, 60))
    assert another.facts == agent.facts == {"wood": True}


def test_a_copy_goes_its_own_way() -> None:
    agent = updated(World().agent(reach=1.0), 3)
    twin = copy.deepcopy(agent)
    updated(twin, 12)
    assert (twin.facts, agent.facts) == ({"wood": True}, {})


# Any way, any target


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_it_uses_only_what_it_has_come_to(seed: int) -> None:
    rng = Random(seed)
    rows = ["".join(rng.choice("...#") for _ in range(8)) for _ in range(8)]
    world, grid = World(), Grid("\n".join(["." + rows[0][1:], *rows[1:]]))
    reach = rng.choice([None, 0.0, 1.0, 1.5])
    uses: list[float] = []

    def use() -> list[FsmAction[Any]]:
        note = DelegateAction(lambda state: uses.append(math.dist(world.body.position, world.tree)))
        return [note, TimedWait(rng.choice([0.0, 1.0]))]

    def roam() -> None:
        if rng.random() < 0.1:
            world.tree = (rng.randrange(8), rng.randrange(8))
        if rng.random() < 0.1:
            grid.set_cost((rng.randrange(8), rng.randrange(8)), rng.choice([0.0, 1.0]))

    world.tree = (7, 7)
    agent = world.agent(
        GoapAction("Use", 1, {}, {"wood": True}, target=lambda: world.tree, run=use),
        travel=tiles_to(world, grid), reach=reach, patience=0.5,
        look_every=rng.choice([0.0, 0.5, math.inf]),
    )  # fmt: skip
    agent.start()
    for _ in range(200):
        roam()
        if agent.facts.get("wood"):
            agent.facts["wood"] = False
        agent.update(rng.choice([0.05, 0.3, 1.0]))
    assert all(away <= (reach or 0.0) + 1e-9 for away in uses)


@every("pulls", [False, True])
@every("speed", [0.6, 0.8, 0.9, 1.5, 2.0, 3.1])
def test_one_who_is_faster_catches_what_moves_at_every_look(speed: float, pulls: bool) -> None:
    meadow = Grid(["." * 60] * 12)
    body, cart = Transform((5.0, 5.0)), Transform((15.0, 5.0))

    def way(target: Transform) -> Any:
        path = meadow.find_path(meadow.tile_at(body.position), meadow.tile_at(target.position))
        return smooth(meadow, path) if pulls else path

    agent = GoapAgent(
        "Chaser",
        context=body,
        actions=[GoapAction("Catch", 1, {}, {"caught": True}, target=lambda: cart)],
        goals=[Goal("Catch", {"caught": True})],
        travel=lambda target: FollowPath(body, lambda: way(target()), speed),
        reach=0.8,
    )
    agent.start()
    while agent.time < 100.0 and not agent.facts.get("caught"):
        cart.position = (min(55.0, 15.0 + 0.3 * agent.time), 5.0 + math.sin(agent.time))
        agent.update(0.1)
    assert agent.facts == {"caught": True}
