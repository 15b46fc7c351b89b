"""Agents that count: what they believe and see of counts, and how they cope if one stays away."""

import json
from typing import Any

import pytest

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent, add, at_least, plan
from fsmkit.recording import restore, snapshot

World = dict[str, Any]

SMITHY = [
    GoapAction("dig", 1, {}, {"ore": add(1)}),
    GoapAction("smelt", 2, {"hot": True}, {"ore": add(-2), "bar": add(1)}),
    GoapAction("heat", 1, {}, {"hot": True, "ore": add(-1)}),
    GoapAction("sell", 1, {}, {"bar": add(-1), "gold": add(3)}),
]


def smith(**options: Any) -> GoapAgent[Any]:
    def timed(action: GoapAction) -> GoapAction:
        return GoapAction(
            action.name, action.cost, action.preconditions, action.effects,
            run=lambda: [TimedWait(0.5)],
        )  # fmt: skip

    agent: GoapAgent[Any] = GoapAgent(
        "Smith", actions=[timed(each) for each in SMITHY],
        goals=[Goal("Rich", {"gold": at_least(3)})], **options,
    )  # fmt: skip
    agent.start()
    return agent


def test_an_agent_believes_what_it_has_got_and_used_up() -> None:
    agent = smith(facts={"ore": 1})
    believed: list[World] = []
    for _ in range(14):
        agent.update(0.25)
        if not believed or believed[-1] != agent.facts:
            believed.append(dict(agent.facts))
    assert str(plan(SMITHY, {"ore": 1}, {"gold": at_least(3)})) == (
        "dig, heat, dig, smelt, sell (cost 6)"
    )
    assert believed == [
        {"ore": 1}, {"ore": 2}, {"ore": 1, "hot": True}, {"ore": 2, "hot": True},
        {"ore": 0, "hot": True, "bar": 1}, {"ore": 0, "hot": True, "bar": 0, "gold": 3},
    ]  # fmt: skip
    assert agent.current_state.name == "NoGoal"


def test_an_agent_plans_again_when_some_are_stolen() -> None:
    agent = smith(look_every=0.25)
    for _ in range(5):
        agent.update(0.25)
    assert agent.facts == {"ore": 2}
    agent.facts["ore"] = 0
    for _ in range(2):
        agent.update(0.25)
    assert str(agent.plan) == "dig, dig, heat, dig, smelt, sell (cost 7)"


def test_an_agent_counts_with_a_sensor() -> None:
    shelf = [0]
    dig = GoapAction("dig", 1, {}, {"ore": add(1)}, done=lambda: shelf.append(0))
    agent: GoapAgent[Any] = GoapAgent(
        "W", actions=[dig], goals=[Goal("Stock", {"ore": at_least(3)})],
        sensors={"ore": lambda: len(shelf)},
    )  # fmt: skip
    agent.start()
    agent.update(0.1)
    assert (len(shelf), agent.sense()["ore"], agent.current_state.name) == (3, 3, "NoGoal")


def test_a_belief_never_falls_below_zero() -> None:
    pay = GoapAction("pay", 1, {}, {"gold": add(-2), "paid": True}, run=lambda: [TimedWait(1.0)])
    agent: GoapAgent[Any] = GoapAgent(
        "W", actions=[pay], goals=[Goal("Pay", {"paid": True})], facts={"gold": 2}
    )
    agent.start()
    agent.update(0.5)
    agent.facts["gold"] = 1
    agent.update(0.5)
    agent.update(0.5)
    assert agent.facts == {"gold": 0, "paid": True}


@pytest.mark.parametrize("moment", range(0, 14, 2))
def test_counts_are_saved(moment: int) -> None:
    agent, another = smith(), smith()
    for _ in range(moment):
        agent.update(0.25)
    restore(another, json.loads(json.dumps(snapshot(agent))))
    for _ in range(18 - moment):
        agent.update(0.25)
        another.update(0.25)
    assert (another.facts, another.current_state.name) == (agent.facts, "NoGoal")
    assert agent.facts == {"ore": 0, "hot": True, "bar": 0, "gold": 3}


# What was done in vain


class Shelf:
    """A shelf that a sensor counts; digging may put nothing on it."""

    def __init__(self) -> None:
        self.ore = 0
        self.journal: list[str] = []
        self.agent: GoapAgent[Any] = GoapAgent("Nobody", actions=[], goals=[])

    def way(self, name: str, cost: float, effects: World, brings: int) -> GoapAction:
        def done() -> None:
            self.journal.append(f"{self.agent.time:.1f} {name}")
            self.ore = max(0, self.ore + brings)

        return GoapAction(name, cost, {}, effects, run=lambda: [TimedWait(1.0)], done=done)

    def run(self, seconds: float, *actions: GoapAction, goal: World, **options: Any) -> list[str]:
        self.agent = GoapAgent(
            "W", actions=actions, goals=[Goal("Stock", goal)], sensors={"ore": lambda: self.ore},
            **options,
        )  # fmt: skip
        self.agent.start()
        for _ in range(round(10 * seconds)):
            self.agent.update(0.1)
        return self.journal


@pytest.mark.parametrize("strategy", ["optimal", "greedy"])
def test_an_action_that_brings_nothing_twice_in_a_row_is_left_out(strategy: Any) -> None:
    shelf = Shelf()
    assert shelf.run(
        6.0, shelf.way("dig", 1, {"ore": add(1)}, 0), shelf.way("buy", 5, {"ore": add(1)}, 1),
        goal={"ore": at_least(2)}, strategy=strategy,
    ) == ["1.1 dig", "2.6 dig", "4.1 buy", "5.1 buy"]  # fmt: skip
    assert shelf.agent.current_state.name == "NoGoal"
    assert str(shelf.agent.why().last_failure) == "dig: was done, but 'ore' is 0, at 3.1 s"


def test_of_an_action_that_brings_less_than_it_says_the_rest_is_fetched_by_another() -> None:
    shelf = Shelf()
    shelf.ore = 1
    journal = shelf.run(
        20.0, shelf.way("dig", 1, {"ore": add(2)}, 0), shelf.way("buy", 5, {"ore": add(1)}, 1),
        goal={"ore": at_least(4)},
    )  # fmt: skip
    assert journal[:5] == ["1.1 dig", "2.6 dig", "4.1 buy", "5.1 buy", "6.1 buy"]
    assert shelf.ore == 4


def test_an_action_that_sets_a_count_in_vain_is_left_out_too() -> None:
    shelf = Shelf()
    tidy = GoapAction("tidy", 1, {"ore": at_least(3)}, {"tidy": True}, target=(9.0, 0.0))
    journal = shelf.run(
        9.0, shelf.way("fill", 1, {"ore": 5}, 0), shelf.way("buy", 5, {"ore": 3}, 3), tidy,
        goal={"tidy": True}, travel=lambda target: TimedWait(1.0),
    )  # fmt: skip
    assert journal == ["1.1 fill", "2.6 fill", "4.1 buy"]
    assert shelf.agent.facts["tidy"]


def test_an_action_that_takes_nothing_away_is_left_out() -> None:
    shelf = Shelf()
    shelf.ore = 5
    journal = shelf.run(
        9.0, shelf.way("drop", 1, {"ore": add(-1)}, 0), shelf.way("sell", 5, {"ore": add(-2)}, -2),
        goal={"ore": 1},
    )  # fmt: skip
    assert journal == ["1.1 drop", "2.6 drop", "4.1 sell", "5.1 sell"]


def test_what_was_used_up_was_not_in_vain() -> None:
    shelf = Shelf()
    wait = GoapAction("wait", 1, {}, {"calm": True}, run=lambda: [TimedWait(1.0)])
    shelf.ore = 2
    journal = shelf.run(
        9.0, shelf.way("dig", 1, {"ore": add(1)}, 1),
        shelf.way("smelt", 1, {"ore": add(-3), "bar": True}, -3), wait,
        goal={"bar": True, "calm": True},
    )  # fmt: skip
    assert [line.split()[1] for line in journal] == ["dig", "smelt"]
    assert shelf.agent.why().last_failure is None


def test_what_was_stolen_once_is_simply_fetched_again() -> None:
    shelf = Shelf()
    dig = shelf.way("dig", 1, {"ore": add(1)}, 1)
    shelf.run(1.5, dig, goal={"ore": at_least(2)})
    shelf.ore = 0
    for _ in range(30):
        shelf.agent.update(0.1)
    assert (shelf.journal, shelf.agent.why().last_failure) == (
        ["1.1 dig", "2.6 dig", "3.6 dig"], None,
    )  # fmt: skip
