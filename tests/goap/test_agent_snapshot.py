"""An agent in a save game: it continues where it was, even in the middle of an action."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, FollowPath, TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import restore, snapshot
from fsmkit.space import Transform


class World:
    """The parts that no snapshot holds."""

    def __init__(self, at: tuple[float, float] = (0.0, 0.0)) -> None:
        self.journal: list[str] = []
        self.body = Transform(at)
        self.reserved: list[str] = []
        self.danger = False

    def says(self, line: str, seconds: float) -> Callable[[], list[Any]]:
        tell = DelegateAction(on_exit=lambda state: self.journal.append(line))
        return lambda: [TimedWait(seconds), tell]

    def reserving(self, name: str) -> Callable[[], Any]:
        def reserve() -> Callable[[], object] | None:
            if name in self.reserved:
                return None
            self.reserved.append(name)
            return lambda: self.reserved.remove(name)

        return reserve


def woodcutter(world: World, **options: Any) -> GoapAgent[Any]:
    return GoapAgent(
        "W",
        actions=[
            GoapAction("Chop", 4, {}, {"wood": True}, target=(2.0, 0.0),
                       run=world.says("chop", 1.0), reserve=world.reserving("tree")),
            GoapAction("Light", 1, {"wood": True}, {"fire": True, "wood": False},
                       run=world.says("light", 1.5), reserve=world.reserving("pit")),
            GoapAction("Hide", 1, {}, {"safe": True}, run=world.says("hide", 1.0)),
        ],
        goals=[
            Goal("Fly", {"flying": True}, 5),
            Goal("BeSafe", {"safe": True}, 9, wanted=lambda: world.danger),
            Goal("BeWarm", {"fire": True}, 2, fallbacks=[Goal("Sing", {"happy": True})]),
        ],
        travel=lambda target: FollowPath(world.body, lambda: [target()], speed=1.0),
        **options,
    )  # fmt: skip


def seen(agent: GoapAgent[Any], world: World) -> dict[str, Any]:
    """Return the agent's state as seen from outside."""
    state, inner = agent.current_state, agent.body.current_state
    return {
        "states": (state and state.name, inner and inner.name),
        "goal": agent.goal and agent.goal.name,
        "plan": (str(agent.plan), agent.plan.nodes),
        "step": agent.step,
        "facts": agent.facts,
        "reserved": (len(agent.reservations), world.reserved),
        "position": world.body.position,
        "time": agent.time,
    }


def played(agent: GoapAgent[Any], world: World, updates: range) -> list[dict[str, Any]]:
    views = []
    for update in updates:
        world.danger = update in range(14, 18)
        agent.update(0.25)
        views.append(seen(agent, world))
    return views


def loaded(agent: GoapAgent[Any], world: World) -> tuple[GoapAgent[Any], World]:
    """Return the agent after the game was saved as JSON, ended, and begun again."""
    another_world = World(world.body.position)
    another = woodcutter(another_world)
    restore(another, json.loads(json.dumps(snapshot(agent))))
    return another, another_world


@pytest.mark.parametrize("moment", range(41))
def test_an_agent_continues_exactly_where_it_was_saved(moment: int) -> None:
    world = World()
    agent = woodcutter(world)
    agent.start()
    played(agent, world, range(moment))
    another, another_world = loaded(agent, world)
    world.journal.clear()
    assert played(another, another_world, range(moment, 41)) == played(
        agent, world, range(moment, 41)
    )
    assert another_world.journal == world.journal


def test_the_state_seen_from_outside_is_there_as_soon_as_it_is_restored() -> None:
    world = World()
    agent = woodcutter(world, facts={"cold": True})
    agent.start()
    played(agent, world, range(14))
    another, another_world = loaded(agent, world)
    expected = {**seen(agent, world), "reserved": (0, [])}
    assert seen(another, another_world) == expected
    assert expected == {
        "states": ("Executing", "Animate"), "goal": "BeWarm", "step": 1, "time": 3.5,
        "plan": ("Chop, Light (cost 5)", 2), "facts": {"cold": True, "wood": True},
        "reserved": (0, []), "position": (2.0, 0.0),
    }  # fmt: skip


def test_what_a_plan_uses_is_reserved_again_in_the_first_update() -> None:
    world = World()
    agent = woodcutter(world)
    agent.start()
    played(agent, world, range(6))
    another, another_world = loaded(agent, world)
    played(another, another_world, range(6, 7))
    assert another_world.reserved == ["tree", "pit"]
    another.stop()
    assert another_world.reserved == []


def test_if_something_cannot_be_reserved_again_the_plan_has_failed() -> None:
    world = World()
    agent = woodcutter(world)
    agent.start()
    played(agent, world, range(6))
    another, another_world = loaded(agent, world)
    another_world.reserved.append("pit")
    played(another, another_world, range(6, 7))
    assert (another.current_state.name, another_world.reserved) == ("WaitingToPlan", ["pit"])


def test_a_running_agent_may_be_put_back_to_where_it_was() -> None:
    world = World()
    agent = woodcutter(world)
    agent.start()
    played(agent, world, range(6))
    saved, place = snapshot(agent), world.body.position
    first = played(agent, world, range(6, 30))
    for moment in (8, 40):
        played(agent, world, range(moment))
        world.body.position, world.reserved = place, []
        restore(agent, saved)
        assert played(agent, world, range(6, 30)) == first


def test_a_long_search_begins_again() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]

    def thinker() -> GoapAgent[Any]:
        return GoapAgent("T", actions=chain, goals=[Goal("End", {"f6": True})], nodes_per_update=3)

    agent, another = thinker(), thinker()
    agent.start()
    agent.update(0.1)
    agent.update(0.1)
    assert (agent.current_state.name, agent.goal) == ("Planning", agent.goals[0])
    restore(another, snapshot(agent))
    for _ in range(3):
        assert another.current_state.name == "Planning"
        another.update(0.1)
    assert (another.current_state.name, len(another.facts)) == ("NoGoal", 6)


def test_a_plan_that_the_next_version_of_the_game_does_not_know_is_replaced() -> None:
    def version(name: str) -> GoapAgent[Any]:
        action = GoapAction(name, 1, {}, {"hole": True}, run=lambda: [TimedWait(1.0)])
        return GoapAgent("W", actions=[action], goals=[Goal("Dig", {"hole": True})])

    agent, another = version("dig"), version("shovel")
    agent.start()
    agent.update(0.5)
    restore(another, snapshot(agent))
    assert (another.current_state.name, another.plan.found) == ("Executing", False)
    another.update(0.5)
    assert (another.current_state.name, str(another.plan)) == ("Executing", "shovel (cost 1)")
