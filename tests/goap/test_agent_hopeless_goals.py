"""A better goal that is not to be had costs one search, until something that matters changes."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent, Planning
from fsmkit.goap.agent import planner


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The goals that are searched for, in order."""
    made: list[Any] = []

    def counted(actions: Any, world: Any, goal: Any, **options: Any) -> Planning:
        made.append(dict(goal))
        return Planning(actions, world, goal, **options)

    monkeypatch.setattr(planner, "Planning", counted)
    return made


def wait(seconds: float) -> Callable[[], list[Any]]:
    return lambda: [TimedWait(seconds)]


DIG = GoapAction("dig", 1, {}, {"hole": True}, run=wait(1000.0))
FLY = GoapAction("fly", 1, {"wings": True, "wind": True}, {"flying": True}, run=wait(1000.0))


class World:
    def __init__(self, *actions: GoapAction, **options: Any) -> None:
        self.seen = {"wings": False, "wind": True, "rain": False}
        self.agent: GoapAgent[Any] = GoapAgent(
            "W", actions=[DIG, *actions],
            goals=[Goal("Dig", {"hole": True}), Goal("Fly", {"flying": True}, 5)],
            sensors={fact: lambda fact=fact: self.seen[fact] for fact in self.seen}, **options,
        )  # fmt: skip
        self.agent.start()

    def run(self, seconds: float) -> str:
        for _ in range(round(10 * seconds)):
            self.agent.update(0.1)
        return str(self.agent.plan)


def test_nothing_is_searched_for_again_while_nothing_that_matters_changes(
    searches: list[Any],
) -> None:
    world = World(FLY)
    world.run(30.0)
    world.seen["rain"] = True
    world.run(30.0)
    assert searches == [{"flying": True}, {"hole": True}]
    world.seen["wind"] = False
    assert world.run(30.0) == "dig (cost 1)"
    assert len(searches) == 3
    world.seen.update(wings=True, wind=True)
    assert world.run(2.0) == "fly (cost 1)"
    assert len(searches) == 4


def test_an_action_that_comes_back_is_planned_with_at_once(searches: list[Any]) -> None:
    world = World(FLY)
    world.seen["wings"] = True
    assert world.run(0.2) == "fly (cost 1)"
    world.agent.send_event("FAILED")
    assert world.run(1.9) == "dig (cost 1)"
    assert world.run(0.6) == "fly (cost 1)"
    assert searches == [{"flying": True}, {"flying": True}, {"hole": True}, {"flying": True}]


def test_other_actions_and_other_goals_are_searched_for_again(searches: list[Any]) -> None:
    world = World(FLY)
    world.run(5.0)
    dig, _ = world.agent.goals
    world.agent.goals = [dig, Goal("Fly", {"flying": True, "wind": True}, 5)]
    world.run(5.0)
    assert len(searches) == 3


def test_with_checks_every_search_asks_them(searches: list[Any]) -> None:
    ready: list[bool] = []
    glide = GoapAction("glide", 1, {}, {"flying": True}, checks=[lambda: ready], run=wait(1000.0))
    world = World(glide)
    world.run(5.0)
    assert len(searches) > 4
    ready.append(True)
    assert world.run(2.0) == "glide (cost 1)"


def test_a_copy_knows_it_too(searches: list[Any]) -> None:
    world = World(FLY)
    world.run(5.0)
    copy = deepcopy(world.agent)
    for _ in range(100):
        copy.update(0.1)
    assert len(searches) == 2
