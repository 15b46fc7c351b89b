"""An agent that copes: what failed is left out for a while, and the planner finds another way."""

import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from every import every

from actions import DelegateAction, SendEvent, TimedWait
from fsmkit import ERROR, FsmAction
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import restore, snapshot

OPEN = Goal("Open", {"open": True}, 5)
SING = Goal("Sing", {"happy": True}, 1)


class World:
    """Ways to act that work or fail, with a journal of what is started, and when."""

    def __init__(self) -> None:
        self.journal: list[str] = []
        self.agent: GoapAgent[Any] = GoapAgent("Nobody", actions=[], goals=[])

    def note(self, line: str) -> None:
        self.journal.append(f"{self.agent.time:.1f} {line}")

    def noting(self, name: str) -> DelegateAction[Any]:
        return DelegateAction(on_enter=lambda state: self.note(name))

    def works(self, name: str, seconds: float = 1.0) -> Callable[[], list[Any]]:
        return lambda: [self.noting(name), TimedWait(seconds)]

    def fails(self, name: str, seconds: float = 0.5) -> Callable[[], list[Any]]:
        return lambda: [self.noting(name), SendEvent("FAILED", delay=seconds), TimedWait(9.0)]

    def start(self, *actions: GoapAction, **options: Any) -> GoapAgent[Any]:
        self.agent = GoapAgent("W", actions=actions, **{"goals": [OPEN], **options})
        self.agent.start()
        return self.agent

    def run(self, seconds: float, step: float = 0.1) -> list[str]:
        """Run for some time, and return what was started meanwhile."""
        self.journal.clear()
        for _ in range(round(seconds / step)):
            self.agent.update(step)
        return list(self.journal)


def way(name: str, cost: float, run: Callable[[], Any] | None, **options: Any) -> GoapAction:
    return GoapAction(name, cost, {}, {"open": True}, run=run, **options)


# The alternative is found


@pytest.mark.parametrize("strategy", ["optimal", "greedy"])
def test_after_the_cheap_way_has_failed_the_dear_one_is_taken(strategy: Any) -> None:
    world = World()
    pick, kick = way("pick", 1, world.fails("pick")), way("kick", 5, world.works("kick"))
    agent = world.start(pick, kick, strategy=strategy)
    assert world.run(60.0) == ["0.1 pick", "1.7 kick"]
    assert agent.facts == {"open": True}


def test_what_cannot_be_reserved_is_done_without() -> None:
    world = World()
    given_back: list[str] = []
    agent = world.start(
        GoapAction("get_axe", 1, {}, {"axe": True}, run=world.works("get axe"),
                   reserve=lambda: lambda: given_back.append("axe")),
        GoapAction("chop", 1, {"axe": True}, {"wood": True}, run=world.works("chop"),
                   reserve=lambda: None),
        GoapAction("collect", 9, {}, {"wood": True}, run=world.works("collect")),
        goals=[Goal("GetWood", {"wood": True})],
    )  # fmt: skip
    assert world.run(60.0) == ["1.2 collect"]
    assert (agent.facts, given_back) == ({"wood": True}, ["axe"])


def test_a_goal_whose_only_way_fails_leaves_room_for_lesser_ones() -> None:
    world = World()
    agent = world.start(
        way("pick", 1, world.fails("pick")),
        GoapAction("sing", 1, {}, {"happy": True}, run=world.works("sing", 0.5)),
        goals=[OPEN, SING],
    )
    assert world.run(4.0) == ["0.1 pick", "1.7 sing", "3.4 pick"]
    assert agent.facts == {"happy": True}


def test_alternatives_that_fail_in_turn_are_all_tried() -> None:
    world = World()
    ways = [way(f"way {i}", i, world.fails(f"way {i}")) for i in (1, 2, 3)]
    agent = world.start(*ways, way("way 4", 4, world.works("way 4")))
    assert world.run(60.0) == [
        "0.1 way 1", "1.7 way 2", "3.3 way 1", "4.9 way 2", "6.5 way 3",
        "8.1 way 1", "9.7 way 2", "11.3 way 3", "12.9 way 4",
    ]  # fmt: skip
    assert agent.facts == {"open": True}


def test_an_action_that_fails_in_the_middle_is_left_out_and_not_its_neighbours() -> None:
    world = World()
    agent = world.start(
        GoapAction("walk", 1, {}, {"there": True}, run=world.works("walk")),
        GoapAction("knock", 1, {"there": True}, {"heard": True}, run=world.fails("knock")),
        GoapAction("shout", 3, {"there": True}, {"heard": True}, run=world.works("shout")),
        GoapAction("enter", 1, {"heard": True}, {"open": True}, run=world.works("enter")),
    )
    assert world.run(20.0) == ["0.1 walk", "1.1 knock", "2.7 shout", "3.7 enter"]
    assert agent.facts["open"]


def test_of_an_action_used_twice_the_second_use_may_fail() -> None:
    world = World()
    uses = [True, False]

    def stamp() -> list[Any]:
        def use(state: Any) -> None:
            world.note("stamp")
            if uses and not uses.pop(0):
                state.fsm.send_event("FAILED")

        return [DelegateAction(on_enter=use)]

    agent = world.start(
        GoapAction("stamp", 1, {}, {"stamped": True}, run=stamp),
        GoapAction("post", 1, {"stamped": True}, {"stamped": False, "sent": True},
                   run=world.works("post")),
        GoapAction("buy", 9, {}, {"stamped": True}, run=world.works("buy")),
        goals=[Goal("BeDone", {"stamped": True, "sent": True})],
    )  # fmt: skip
    assert world.run(20.0) == ["0.1 stamp", "0.1 post", "1.1 stamp", "2.2 buy"]
    assert agent.facts == {"stamped": True, "sent": True}


def test_a_fallback_is_carried_out_and_given_up_less_and_less_often_for_the_goal_that_fails() -> (
    None
):
    world = World()
    world.start(
        way("pick", 1, world.fails("pick")),
        GoapAction("wait", 1, {}, {"patient": True}, run=world.works("wait", 500.0)),
        goals=[Goal("Open", {"open": True}, 5, fallbacks=[Goal("Wait", {"patient": True})])],
    )
    tries = [float(line.split()[0]) for line in world.run(400.0) if line.endswith("pick")]
    pauses = [round(later - before) for before, later in pairwise(tries)]
    assert pauses[:6] == [3, 5, 9, 17, 33, 65]
    assert set(pauses[6:]) == {65}


def test_a_better_goal_that_keeps_failing_steps_aside_for_longer_and_longer() -> None:
    world = World()
    world.start(
        way("pick", 1, world.fails("pick")),
        GoapAction("sing", 1, {}, {"happy": True}, run=world.works("sing", 5.0)),
        goals=[OPEN, SING],
    )
    journal = world.run(60.0)
    assert [line.split()[1] for line in journal] == [
        "pick", "sing", "pick", "sing", "pick", "sing", "pick", "pick",
    ]  # fmt: skip
    assert world.agent.facts == {"happy": True}


# How long


def left_out(agent: GoapAgent[Any]) -> list[tuple[str, int, float]]:
    return [(each.action, each.failures, round(each.until, 1)) for each in agent.why().left_out]


@pytest.mark.parametrize(
    ("patience", "seconds"),
    [(1.0, [2, 4, 8, 16, 32, 64, 64, 64]), (0.5, [1, 2, 4, 8, 16, 32, 32]), (3.0, [6, 12, 24])],
)
def test_the_time_doubles_with_each_failure_in_a_row_up_to_64_times_patience(
    patience: float, seconds: list[float]
) -> None:
    world = World()
    agent = world.start(way("pick", 1, world.fails("pick", 0.0)), patience=patience)
    found: dict[int, float] = {}
    while len(found) < len(seconds):
        agent.update(0.25)
        for each in agent.why().left_out:
            found.setdefault(each.failures, each.until - agent.time)
    assert list(found.values()) == seconds


def test_a_success_ends_the_row() -> None:
    world = World()
    outcomes = [False, False, True, False]

    def pick() -> list[Any]:
        def use(state: Any) -> None:
            if not outcomes.pop(0):
                state.fsm.send_event("FAILED")

        return [DelegateAction(on_enter=use), TimedWait(0.5)]

    agent = world.start(way("pick", 1, pick))
    seen = []
    while outcomes:
        agent.update(0.5)
        if outcomes and agent.facts.pop("open", None):
            seen.append("opened")
        seen += [f"{n} times" for _, n, _ in left_out(agent) if f"{n} times" != (seen or [""])[-1]]
    assert seen == ["1 times", "2 times", "opened", "1 times"]


@every("patience", [0.0, 1e-9, 0.01, 0.1, 5.0])
@every("step", [1 / 60, 0.1, 0.5])
def test_the_alternative_is_found_with_any_patience_and_frame_rate(
    patience: float, step: float
) -> None:
    world = World()
    pick, kick = way("pick", 1, world.fails("pick", 0.0)), way("kick", 5, world.works("kick"))
    agent = world.start(pick, kick, patience=patience)
    journal = world.run(30.0, step)
    assert journal[0].endswith("pick")
    assert journal[-1].endswith("kick")
    assert len(journal) < 8
    assert agent.facts == {"open": True}


@pytest.mark.parametrize("patience", [1e9, 1e300, 1.7e308])
def test_endless_patience_is_no_error(patience: float) -> None:
    world = World()
    agent = world.start(way("pick", 1, world.fails("pick")), patience=patience)
    assert world.run(20.0) == ["0.1 pick"]
    restore(agent, json.loads(json.dumps(snapshot(agent))))
    (pick,) = agent.why().left_out
    assert (pick.failures, pick.until > 1e9) == (1, True)


# Which action is to blame


def blamed(world: World, seconds: float = 1.0) -> list[tuple[str, str]]:
    """Run for some time, whatever is raised; return which actions are left out, and why."""
    for _ in range(round(10 * seconds)):
        try:
            world.agent.update(0.1)
        except (LookupError, ExceptionGroup) as error:
            world.journal.append(type(error).__name__)
    return [(each.action, each.reason) for each in world.agent.why().left_out]


class Raises(FsmAction[Any]):
    """Raises in one of its callbacks."""

    def __init__(self, callback: str) -> None:
        self.callback = callback

    def _raise(self, callback: str) -> None:
        if callback == self.callback:
            raise LookupError("no key")

    def on_enter(self) -> None:
        self._raise("on_enter")

    def on_update(self) -> None:
        self._raise("on_update")
        self.finish()

    def on_exit(self) -> None:
        self._raise("on_exit")


@pytest.mark.parametrize("callback", ["on_enter", "on_update", "on_exit"])
@pytest.mark.parametrize("target", [None, (1.0, 0.0)])
def test_an_action_that_raises_is_left_out_and_not_the_one_after_it(
    callback: str, target: Any
) -> None:
    world = World()
    world.start(
        GoapAction("walk", 1, {}, {"there": True}, run=world.works("walk", 0.1)),
        GoapAction("knock", 1, {"there": True}, {"heard": True}, target=target,
                   run=lambda: [Raises(callback)]),
        GoapAction("enter", 1, {"heard": True}, {"open": True}, run=world.works("enter")),
        travel=lambda target: TimedWait(0.1),
    )  # fmt: skip
    assert blamed(world) == [("knock", "raised LookupError: no key")]
    assert "LookupError" in world.journal


def test_an_action_that_raises_is_left_out_too_if_the_error_leads_to_failed() -> None:
    world = World()
    agent = world.start(way("pick", 1, lambda: [Raises("on_update")]), way("kick", 5, None))
    agent.add_global_transition(ERROR, "Failed")
    assert blamed(world, 0.2) == [("pick", "raised LookupError: no key")]
    world.run(2.0)
    assert agent.facts == {"open": True}


def test_an_error_that_leads_elsewhere_is_not_a_failure() -> None:
    world = World()
    agent = world.start(way("pick", 1, lambda: [Raises("on_update")]))
    agent.states["Executing"].add_transition(ERROR, "HasGoal")
    assert blamed(world) == []


def test_a_way_that_raises_or_a_target_that_cannot_be_told_fails_the_action_it_is_for() -> None:
    def nowhere() -> Any:
        raise LookupError("no tree")

    world = World()
    world.start(
        way("pick", 1, None, target=nowhere),
        travel=lambda target: DelegateAction(on_enter=lambda state: target()),
    )
    assert blamed(world) == [
        ("pick", "failed: the target of 'pick' is gone (LookupError: no tree)")
    ]


@pytest.mark.parametrize("strategy", ["optimal", "greedy"])
@pytest.mark.parametrize("asked", ["checks", "cost"])
def test_an_action_whose_check_or_cost_raises_is_left_out(asked: str, strategy: Any) -> None:
    def broken() -> float:
        raise LookupError("no price")

    options: Any = {"checks": {"checks": [broken]}, "cost": {"cost": broken}}[asked]
    world = World()
    agent = world.start(
        GoapAction("pick", effects={"open": True}, **options), way("kick", 5, None),
        strategy=strategy,
    )  # fmt: skip
    assert blamed(world) == [("pick", "raised LookupError: no price")]
    world.run(60.0)
    assert agent.facts == {"open": True}


def test_a_goal_whose_sensor_raises_leaves_room_for_lesser_ones() -> None:
    broken = [True]

    def see() -> bool:
        if broken[0]:
            raise LookupError("blind")
        return True

    world = World()
    agent = world.start(
        GoapAction("pick", 1, {"light": True}, {"open": True}, run=world.works("pick")),
        GoapAction("sing", 1, {}, {"happy": True}, run=world.works("sing", 90.0)),
        goals=[OPEN, SING], sensors={"light": see},
    )  # fmt: skip
    assert blamed(world, 2.0) == []
    assert world.journal == ["LookupError", "1.3 sing"]
    blamed(world, 15.0)
    assert world.journal == ["LookupError", "1.3 sing", *["LookupError"] * 3]
    broken[0] = False
    assert [line.split()[1] for line in world.run(20.0)] == ["pick", "sing"]
    assert agent.facts["open"]


@pytest.mark.parametrize("returned", ["error", 5])
def test_an_action_whose_reserve_raises_or_returns_nonsense_is_left_out(returned: Any) -> None:
    def reserve() -> Any:
        if returned == "error":
            raise TypeError("broken")
        return returned

    world = World()
    agent = world.start(way("pick", 1, None, reserve=reserve), way("kick", 5, None))
    with pytest.raises(TypeError):
        agent.update(0.1)
    world.run(3.0)
    assert agent.facts == {"open": True}


def test_the_last_action_that_claims_a_fact_that_does_not_hold_is_left_out() -> None:
    world = World()
    agent = world.start(
        GoapAction("light", 1, {}, {"lit": True}, run=world.works("light", 0.2)),
        GoapAction("push", 1, {"lit": True}, {"open": True}, run=world.works("push", 0.2)),
        GoapAction("tidy", 1, {"open": True}, {"tidy": True}, run=world.works("tidy", 0.2)),
        GoapAction("pull", 5, {"lit": True}, {"open": True}, run=world.works("pull", 0.2)),
        goals=[Goal("Open", {"tidy": True, "open": True})],
        sensors={"open": lambda: any("pull" in line for line in world.journal)},
    )
    assert blamed(world) == [("push", "was done, but 'open' is False")]
    assert [line.split()[1] for line in world.run(20.0)] == ["pull"]
    assert agent.current_state is agent.states["NoGoal"]


def test_an_action_done_in_vain_twice_in_a_row_is_left_out() -> None:
    world = World()
    agent = world.start(
        GoapAction("search", 1, {}, {"key": True}, run=world.works("search")),
        GoapAction("buy", 9, {}, {"key": True}, run=world.works("buy")),
        GoapAction("enter", 1, {"key": True}, {"open": True}, target=(9.0, 0.0),
                   run=world.works("enter")),
        sensors={"key": lambda: any("buy" in line for line in world.journal)},
        travel=lambda target: TimedWait(2.0),
    )  # fmt: skip
    assert world.run(20.0) == ["0.1 search", "1.6 search", "3.1 buy", "6.1 enter"]
    assert agent.facts["open"]


def test_an_action_whose_effect_the_world_undoes_once_is_simply_done_again() -> None:
    world = World()
    closed_again = [False]

    def is_ajar() -> bool:
        return any("push" in line for line in world.journal) and not closed_again[0]

    agent = world.start(
        GoapAction("push", 1, {}, {"ajar": True}, run=world.works("push")),
        GoapAction("enter", 1, {"ajar": True}, {"open": True}, target=(9.0, 0.0)),
        sensors={"ajar": is_ajar}, travel=lambda target: TimedWait(2.0),
    )  # fmt: skip
    for _ in range(80):
        agent.update(0.1)
        closed_again[0] = 1.2 < agent.time < 2.0
    assert world.journal == ["0.1 push", "1.6 push"]
    assert (agent.facts, agent.why().last_failure) == ({"open": True, "ajar": True}, None)


def test_no_action_is_blamed_for_a_fact_that_none_claimed() -> None:
    world = World()
    dry = [True]

    def rain(state: object) -> None:
        dry[0] = False

    world.start(
        way("pick", 1, lambda: [DelegateAction(rain)]),
        goals=[Goal("Open", {"open": True, "dry": True})], sensors={"dry": lambda: dry[0]},
    )  # fmt: skip
    assert blamed(world) == []
    assert str(world.agent.why().last_failure) == (
        "all was done, but 'dry' did not come about, at 0.1 s"
    )


def test_failed_from_outside_is_a_failure_of_the_action_under_way() -> None:
    world = World()
    agent = world.start(way("pick", 1, world.works("pick", 9.0)), way("kick", 5, None))
    world.run(0.5)
    agent.send_event("FAILED", "the guard is coming")
    assert blamed(world) == [("pick", "failed: the guard is coming")]
    world.run(1.0)
    assert agent.facts == {"open": True}


@pytest.mark.parametrize("order", ["finish first", "event first"])
def test_failed_at_the_very_moment_of_finishing_is_a_failure(order: str) -> None:
    class Hesitant(FsmAction[Any]):
        def on_update(self) -> None:
            if order == "finish first":
                self.finish()
            self.fsm.send_event("FAILED")
            if order == "event first":
                self.finish()

    world = World()
    agent = world.start(
        way("pick", 1, lambda: [Hesitant()]),
        GoapAction("enter", 1, {"open": True}, {"in": True}, run=world.works("enter")),
        goals=[Goal("Enter", {"in": True})],
    )
    assert blamed(world) == [("pick", "failed")]
    assert (agent.facts, world.journal) == ({}, [])


def test_an_error_and_failed_count_as_one_failure() -> None:
    world = World()
    agent = world.start(way("pick", 1, lambda: [Raises("on_update")]))
    agent.update(0.1)
    with pytest.raises(LookupError):
        agent.update(0.1)
    agent.send_event("FAILED")
    assert left_out(agent) == [("pick", 1, 2.2)]
    assert str(agent.why().last_failure) == "pick: raised LookupError: no key, at 0.2 s"


# Reservations


class Forest:
    """Trees that only one agent can have at a time. It counts what is given back."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.journal: list[str] = []

    def reserving(self, tree: str) -> Callable[[], Any]:
        def reserve() -> Callable[[], object] | None:
            if tree in self.taken:
                return None
            self.taken.add(tree)
            self.journal.append(f"take {tree}")
            return give_back

        def give_back() -> None:
            self.taken.remove(tree)  # a KeyError if it is given back twice
            self.journal.append(f"free {tree}")

        return reserve


def test_two_agents_that_want_one_tree_both_get_wood() -> None:
    forest, worlds = Forest(), [World(), World()]
    for world in worlds:
        world.start(
            GoapAction("chop", 1, {}, {"wood": True}, run=world.works("chop", 5.0),
                       reserve=forest.reserving("oak")),
            GoapAction("collect", 9, {}, {"wood": True}, run=world.works("collect")),
            goals=[Goal("GetWood", {"wood": True})],
        )  # fmt: skip
    first, second = ([line for _ in range(60) for line in world.run(0.1)] for world in worlds)
    both = [world.agent.facts for world in worlds]
    assert (first, both) == (["0.1 chop"], [{"wood": True}] * 2)
    assert second == ["0.1 chop"]
    assert forest.journal == ["take oak", "free oak"] * 2


def test_an_agent_that_came_too_late_takes_another_way() -> None:
    forest, worlds = Forest(), [World(), World()]
    for world in worlds:
        world.start(
            GoapAction("chop", 1, {}, {"wood": True}, run=world.works("chop", 5.0),
                       reserve=forest.reserving("oak")),
            GoapAction("collect", 9, {}, {"wood": True}, run=world.works("collect")),
            goals=[Goal("GetWood", {"wood": True})],
        )  # fmt: skip
    journals: list[list[str]] = [[], []]
    for _ in range(100):
        for world, journal in zip(worlds, journals, strict=True):
            journal.extend(world.run(0.1))
    assert journals == [["0.1 chop"], ["1.2 collect"]]
    assert forest.journal == ["take oak", "free oak"]


def test_what_one_action_uses_twice_need_not_be_there_twice() -> None:
    world, forest = World(), Forest()
    agent = world.start(
        GoapAction("stamp", 1, {}, {"stamped": True}, reserve=forest.reserving("stamp")),
        GoapAction("post", 1, {"stamped": True}, {"stamped": False, "sent": True}),
        goals=[Goal("BeDone", {"stamped": True, "sent": True})],
    )
    world.run(0.1)
    assert agent.facts == {"stamped": True, "sent": True}
    assert forest.journal == ["take stamp", "free stamp"]


def nested(journal: list[str]) -> bool:
    """Return True if everything was given back once, the last first."""
    held: list[str] = []
    for line in journal:
        what, thing = line.split()
        if what == "take":
            held.append(thing)
        elif not held or held.pop() != thing:
            return False
    return not held


@pytest.mark.parametrize("seed", range(30))
def test_whatever_fails_everything_is_given_back_once_in_reverse_order(seed: int) -> None:
    rng, world, forest = Random(seed), World(), Forest()

    def outcome(state: Any) -> None:
        match rng.randrange(5):
            case 0:
                state.fsm.send_event("FAILED")
            case 1:
                raise LookupError("stumbled")

    def action(step: int, cost: int) -> GoapAction:
        name, reserve = f"{step}.{cost}", forest.reserving(f"{step}.{cost}")
        return GoapAction(
            name, cost, {f"f{step}": True} if step else {}, {f"f{step + 1}": True},
            run=lambda: [TimedWait(rng.random()), DelegateAction(on_exit=lambda s: None),
                         DelegateAction(on_enter=outcome)],
            reserve=lambda: reserve() if rng.random() < 0.8 else None,
        )  # fmt: skip

    agent = world.start(
        *(action(step, cost) for step in range(3) for cost in (1, 2, 3)),
        goals=[Goal("End", {"f3": True}), Goal("Better", {"f2": True}, lambda: rng.choice([0, 2]))],
        look_every=0.3,
    )
    for _ in range(600):
        if agent.facts.get("f3"):
            agent.facts.clear()
        if rng.random() < 0.01:
            agent.send_event("FAILED")
        with suppress(LookupError):
            agent.update(0.1)
        held = [line.split()[1] for line in forest.journal if line.startswith("take")]
        assert len(agent.reservations) <= len(held)
    agent.stop()
    assert (nested(forest.journal), forest.taken) == (True, set())
    assert len(forest.journal) > 50


# Copies and save games


def thief(world: World) -> GoapAgent[Any]:
    return world.start(
        way("pick", 1, lambda: [SendEvent("FAILED", delay=0.5), TimedWait(9.0)]),
        GoapAction("sing", 1, {}, {"happy": True}, run=lambda: [TimedWait(20.0)]),
        goals=[OPEN, SING],
    )


@pytest.mark.parametrize("moment", [5, 6, 10, 18, 27, 33, 60])
def test_a_restored_agent_keeps_leaving_out_what_has_failed(moment: int) -> None:
    world, another = World(), thief(World())
    agent = thief(world)
    world.run(0.1 * moment)
    restore(another, json.loads(json.dumps(snapshot(agent))))
    copies = [another, deepcopy(agent)]
    for _ in range(150):
        for each in (agent, *copies):
            each.update(0.1)
        assert [each.why() for each in copies] == [agent.why()] * 2


def pick_fails() -> list[Any]:
    return [SendEvent("FAILED", delay=0.5), TimedWait(9.0)]


def test_a_pickled_agent_keeps_leaving_out_what_has_failed() -> None:
    agent: GoapAgent[Any] = GoapAgent(
        "W", actions=[GoapAction("pick", 1, {}, {"open": True}, run=pick_fails)], goals=[OPEN]
    )
    agent.start()
    for _ in range(8):
        agent.update(0.1)
    copy = pickle.loads(pickle.dumps(agent))
    assert (left_out(copy), copy.why()) == ([("pick", 1, 2.6)], agent.why())


def fail_at_once() -> list[Any]:
    return [SendEvent("FAILED")]


def wait_long() -> list[Any]:
    return [TimedWait(3.0)]


@pytest.mark.slow
@pytest.mark.parametrize("duplicate", [deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_may_be_taken_at_any_time_also_while_it_plans(duplicate: Any) -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(4)
    ]
    last = [
        GoapAction("Trip", 1, {"f4": True}, {"open": True}, run=fail_at_once),
        GoapAction("Leap", 5, {"f4": True}, {"open": True}, run=wait_long),
        GoapAction("Sing", 1, {}, {"happy": True}, run=wait_long),
    ]
    agent: GoapAgent[Any] = GoapAgent(
        "W", actions=[*chain, *last], goals=[OPEN, SING], nodes_per_update=2
    )
    agent.start()
    for _ in range(60):
        agent.update(0.1)
        copy = duplicate(agent)
        for _ in range(100):
            copy.update(0.1)
        assert copy.facts["open"]
    assert agent.facts["open"]


def without_failures(data: Any) -> Any:
    """Return a snapshot as a version wrote it that did not remember failures."""
    (machine, *_) = data["machines"]
    remembers = machine["actions"]["Executing"]["0"]["remembers"]
    for name in ("setbacks", "no_plan", "planning_errors", "fault", "last_failure", "doubted"):
        del remembers[name]
    del data["checksum"]
    return data


def test_a_save_game_of_an_older_version_has_no_failures() -> None:
    world = World()
    agent = thief(world)
    saved = without_failures(snapshot(agent))
    world.run(2.0)
    assert left_out(agent) == [("pick", 1, 2.6)]
    restore(agent, saved)
    assert (left_out(agent), agent.why().last_failure, agent.time) == ([], None, 0.0)
    world.run(2.0)
    assert left_out(agent) == [("pick", 1, 2.6)]


def test_the_memory_shows_the_names_of_what_is_left_out() -> None:
    world = World()
    agent = thief(world)
    world.run(1.0)
    (memory,) = agent.states["Executing"].actions
    assert repr(memory) == "ExecutePlan(left_out=['pick'])"
