"""Facts that are counts: conditions, effects, optimal plans, and the reasons for none."""

import pickle
import random
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import pytest

from fsmkit.goap import (
    DataSet,
    DataSetError,
    Extension,
    Goal,
    GoapAction,
    GoapAgent,
    Plan,
    Planning,
    Sensed,
    actions_of,
    add,
    at_least,
    load_datasets,
    plan,
)
from fsmkit.goap.problem import Problem
from fsmkit.goap.strategies import Estimate

World = dict[str, Any]

DIG = GoapAction("dig", 1, {}, {"ore": add(1)})
SMELT = GoapAction("smelt", 2, {"hot": True}, {"ore": add(-2), "bar": add(1)})
HEAT = GoapAction("heat", 1, {}, {"hot": True, "ore": add(-1)})
SELL = GoapAction("sell", 1, {}, {"bar": add(-1), "gold": add(3)})
SMITHY = [DIG, SMELT, HEAT, SELL]


def names(found: Plan) -> list[str]:
    return [action.name for action in found.actions]


# A model of my own, in which a world is a dict


def holds(conditions: Mapping[str, Any], world: World) -> bool:
    """Tell at_least(n) by its repr, so that nothing of the planner is asked."""
    for fact, asked in conditions.items():
        now = world.get(fact, 0)
        least = repr(asked).removeprefix("at_least(").removesuffix(")")
        if (now < int(least)) if "at_least" in repr(asked) else now != asked:
            return False
    return True


def after(action: GoapAction, world: World) -> World | None:
    """Return the world after an action; None if it cannot be done."""
    if not holds(action.preconditions, world):
        return None
    following = dict(world)
    for fact, effect in action.effects.items():
        if "add" in repr(effect):
            following[fact] = following.get(fact, 0) + int(repr(effect)[4:-1])
            if following[fact] < 0:
                return None
        else:
            following[fact] = effect
    return following


def is_valid(found: Plan, initial: World, goal: World) -> bool:
    world: World | None = dict(initial)
    for action in found.actions:
        world = after(action, world)
        if world is None:
            return False
    return holds(goal, world)


def cheapest(
    actions: list[GoapAction], initial: World, goal: World, most: int
) -> tuple[Fraction, int] | bool | None:
    """Return the cost and length of the best plan by uniform-cost search; False if there is none.

    None if more than `most` world states were looked at.
    """
    opened = [(Fraction(0), 0, 0, dict(initial))]
    closed: set[Any] = set()
    tie = 0
    while opened and len(closed) < most:
        cost, steps, _, world = heappop(opened)
        key = frozenset(item for item in world.items() if item[1])
        if key in closed:
            continue
        if holds(goal, world):
            return cost, steps
        closed.add(key)
        for action in actions:
            following = after(action, world)
            if following is not None:
                tie += 1
                heappush(opened, (cost + Fraction(action.cost), steps + 1, tie, following))
    return None if opened else False


def cost_of(found: Plan) -> Fraction:
    return sum((Fraction(action.cost) for action in found.actions), Fraction(0))


# Random problems


def smithy(rng: random.Random) -> tuple[list[GoapAction], World, World]:
    """Return a task of earning and spending: ore, bars and gold, tools and fires."""

    def some(most: int) -> int:
        return rng.randint(1, most)

    def action(name: str, needs: World, effects: World) -> None:
        cost = rng.choice([0, 1, 1, 2, 3, 5, 0.1, 0.7])
        actions.append(GoapAction(f"{name} {len(actions)}", cost, needs, effects))

    def maybe(chance: float, facts: World) -> World:
        return facts if rng.random() < chance else {}

    actions: list[GoapAction] = []
    for _ in range(some(2)):
        action("dig", maybe(0.4, {"pick": True}), {"ore": add(some(3))})
    for _ in range(rng.randint(0, 2)):
        needs = {**maybe(0.4, {"hot": True}), **maybe(0.2, {"ore": at_least(some(4))})}
        action("smelt", needs, {"ore": add(-some(3)), "bar": add(some(2))})
    for _ in range(rng.randint(0, 2)):
        ware = rng.choice(["ore", "bar"])
        action("sell", {}, {ware: add(-some(2)), "gold": add(some(4))})
    action("buy", {}, {"gold": add(-some(4)), "pick": True})
    action("heat", maybe(0.2, {"bar": some(2)}), {"hot": True, **maybe(0.5, {"ore": add(-1)})})
    if rng.random() < 0.3:
        action("cool", {"hot": True}, {"hot": False, "bar": add(1)})
    if rng.random() < 0.3:
        action("pay", {"gold": at_least(some(5))}, {"gold": rng.randint(0, 2), "pick": True})
    if rng.random() < 0.3:
        action("rob", {"pick": False}, {"gold": some(6)})
    counts = {count: rng.randint(0, 4) for count in ("ore", "bar", "gold") if rng.random() < 0.7}
    initial = {**counts, **maybe(0.5, {"pick": True})}
    goal = {
        count: at_least(some(6)) if rng.random() < 0.75 else rng.randint(0, 5)
        for count in rng.sample(["ore", "bar", "gold"], some(3))
    }
    return actions, initial, {**goal, **maybe(0.3, {"hot": rng.random() < 0.7})}


def anything(rng: random.Random) -> tuple[list[GoapAction], World, World]:
    """Return a task in which anything may be asked for and done."""

    def conditions(number: int) -> World:
        return {
            fact: rng.random() < 0.6
            if fact in "pqr"
            else at_least(rng.randint(0, 5)) if rng.random() < 0.7 else rng.randint(0, 4)
            for fact in rng.sample("pqrabc", number)
        }  # fmt: skip

    def effects(number: int) -> World:
        return {
            fact: rng.random() < 0.6
            if fact in "pqr"
            else rng.randint(0, 4) if rng.random() < 0.2
            else add(rng.choice([-2, -1, 1, 1, 2, 3]))
            for fact in rng.sample("pqrabc", number)
        }  # fmt: skip

    actions = [
        GoapAction(f"A{i}", rng.choice([0, 1, 2, 3, 0.3]), conditions(rng.choice([0, 0, 1, 2])),
                   effects(rng.choice([1, 1, 2, 3])))
        for i in range(rng.randint(2, 7))
    ]  # fmt: skip
    initial = {
        fact: rng.random() < 0.3 if fact in "pqr" else rng.randint(0, 3)
        for fact in rng.sample("pqrabc", rng.randint(0, 5))
    }
    return actions, initial, conditions(rng.choice([1, 1, 2, 3]))


def problems(number: int, most: int) -> list[Any]:
    """Return random problems, each with the best there is, as far as the model can tell."""
    found: list[Any] = []
    for seed in range(number):
        rng = random.Random(seed)
        problem = (smithy if seed % 3 else anything)(rng)
        found.append((*problem, cheapest(*problem, most)))
    return found


@pytest.mark.parametrize(
    ("number", "most"),
    [
        pytest.param(120, 300, marks=pytest.mark.slow),
        pytest.param(400, 1500, marks=pytest.mark.long),
    ],
)
def test_plans_cost_and_take_as_many_steps_as_uniform_cost_search_finds(
    number: int, most: int
) -> None:
    known = 0
    for actions, initial, goal, best in problems(number, most):
        found = plan(actions, initial, goal, max_nodes=most)
        assert not found or is_valid(found, initial, goal)
        if best is False:
            assert (found.found, found.gave_up) == (False, False)
        elif best is not None:
            known += 1
            assert (cost_of(found), len(found.actions)) == best
    assert known > number / 4


@pytest.mark.slow
def test_greedy_plans_are_valid() -> None:
    missed = 0
    for actions, initial, goal, best in problems(120, 150):
        found = plan(actions, initial, goal, strategy="greedy", max_nodes=300)
        assert not found or is_valid(found, initial, goal)
        missed += bool(best) and not found
    assert missed < 20


@pytest.mark.slow
def test_planning_in_slices_finds_the_same() -> None:
    for seed in range(40):
        actions, initial, goal = smithy(random.Random(seed))
        planning = Planning(actions, initial, goal, max_nodes=200)
        while not planning.step(3):
            pass
        assert planning.plan == plan(actions, initial, goal, max_nodes=200)


def test_no_step_shortens_the_estimate_by_more_than_it_weighs() -> None:
    """The estimate is consistent; with it A* expands no state twice, and finds the best plan."""
    for seed in range(60):
        rng = random.Random(seed)
        problem = Problem(*(smithy if seed % 2 else anything)(rng))
        estimate = Estimate(problem)
        state = problem.start
        for _ in range(15):
            runnable = [s for s in problem.operators if s.needs & state == s.needs]
            if not runnable:
                break
            rest = estimate(state)
            for step in runnable:
                following = estimate(step.after(state))
                assert following is None or (rest is not None and rest <= step.weight + following)
            state = rng.choice(runnable).after(state)


# What is asked for and done


def test_dig_three_times() -> None:
    for strategy in ("optimal", "greedy"):
        found = plan([DIG], {}, {"ore": at_least(3)}, strategy=strategy)
        assert str(found) == "dig, dig, dig (cost 3)"


def test_what_is_there_already_need_not_be_got() -> None:
    assert str(plan([DIG], {"ore": 2}, {"ore": at_least(3)})) == "dig (cost 1)"
    assert str(plan([DIG], {"ore": 7}, {"ore": at_least(3)})) == "nothing to do (cost 0)"


@pytest.mark.parametrize("strategy", ["optimal", "greedy"])
def test_what_is_used_up_is_got_first(strategy: Any) -> None:
    found = plan(SMITHY, {}, {"gold": at_least(5)}, strategy=strategy)
    assert is_valid(found, {}, {"gold": at_least(5)})
    assert sorted(names(found)) == [*["dig"] * 5, "heat", *["sell"] * 2, *["smelt"] * 2]
    assert found.cost == 12


def test_exactly_as_many_are_neither_more_nor_less() -> None:
    pack = GoapAction("pack", 1, {}, {"ore": add(2)})
    drop = GoapAction("drop", 1, {}, {"ore": add(-1)})
    assert sorted(names(plan([pack, drop], {}, {"ore": 3}))) == ["drop", "pack", "pack"]
    assert names(plan([pack, drop], {"ore": 3}, {"ore": 0})) == ["drop"] * 3
    assert names(plan([pack, drop], {"ore": 1}, {"ore": 1})) == []
    assert names(plan([pack], {"ore": 1}, {"ore": 5})) == ["pack", "pack"]


def test_a_number_sets_a_count() -> None:
    empty = GoapAction("empty", 1, {}, {"ore": 0})
    fill = GoapAction("fill", 4, {"ore": 0}, {"ore": 9})
    assert names(plan([DIG, empty], {"ore": 5}, {"ore": 1})) == ["empty", "dig"]
    assert names(plan([DIG, empty, fill], {"ore": 3}, {"ore": at_least(10)})) == [
        "empty", "fill", "dig",
    ]  # fmt: skip


def test_the_larger_of_two_loads_pays_only_where_it_is_cheaper() -> None:
    cart = GoapAction("cart", 5, {}, {"ore": add(4)})
    assert names(plan([DIG, cart], {}, {"ore": at_least(4)})) == ["dig"] * 4
    cheap = GoapAction("cart", 3, {}, {"ore": add(4)})
    assert sorted(names(plan([DIG, cheap], {}, {"ore": at_least(5)}))) == ["cart", "dig"]
    assert names(plan([DIG, cheap], {}, {"ore": at_least(7)})) == ["cart", "cart"]


def test_of_equally_cheap_plans_one_with_the_fewest_actions_is_best() -> None:
    free = [GoapAction(f"dig {n}", 0, {}, {"ore": add(n)}) for n in (1, 2, 5)]
    assert len(plan(free, {}, {"ore": at_least(9)}).actions) == 2
    assert len(plan(free, {}, {"ore": 9}).actions) == 3


def test_an_action_that_takes_away_needs_as_many_also_beside_another_condition() -> None:
    eat = GoapAction("eat", 1, {"ore": at_least(1)}, {"ore": add(-3), "fed": True})
    assert names(plan([DIG, eat], {"ore": 1}, {"fed": True})) == ["dig", "dig", "eat"]
    odd = GoapAction("eat", 1, {"ore": 2}, {"ore": add(-3), "fed": True})
    assert not plan([DIG, odd], {"ore": 2}, {"fed": True}, max_nodes=50)


def test_a_large_number_is_reached_at_once_if_a_step_is_large() -> None:
    truck = GoapAction("truck", 1, {}, {"ore": add(10**6)})
    found = plan([DIG, truck], {}, {"ore": at_least(3 * 10**6)})
    assert (names(found), found.nodes < 10) == (["truck"] * 3, True)


def test_counts_far_from_each_other_share_a_state() -> None:
    most = 2**63 - 1
    actions = [
        GoapAction("a", 1, {}, {"x": add(1), "y": add(-1)}),
        GoapAction("b", 1, {}, {"y": most, "z": add(most)}),
        GoapAction("c", 1, {}, {"z": add(-most), "x": add(most)}),
    ]
    goal = {"x": at_least(most), "y": most, "z": 0}
    assert is_valid(plan(actions, {"y": 1}, goal), {"y": 1}, goal)


# The reasons for none


@pytest.mark.parametrize(
    ("actions", "initial", "goal", "message", "out_of_reach"),
    [
        ([], {}, {"wood": at_least(3)}, "bring about 3 'wood'", {"wood": at_least(3)}),
        ([], {"wood": 2}, {"wood": 0}, "bring about exactly 0 'wood'", {"wood": 0}),
        ([SELL], {"bar": 0}, {"gold": 3}, "bring about 1 'bar'", {"bar": at_least(1)}),
        (
            [SELL], {}, {"gold": 3, "axe": True, "noise": True, "iron": at_least(2)},
            "bring about 'axe', 'noise', 2 'iron', 1 'bar'",
            {"axe": True, "noise": True, "iron": at_least(2), "bar": at_least(1)},
        ),
        (
            [GoapAction("pack", 1, {}, {"ore": add(2)})], {"ore": 1}, {"ore": 4},
            "bring about exactly 4 'ore'", {"ore": 4},
        ),
        ([DIG], {"ore": 5}, {"ore": 4}, "bring about exactly 4 'ore'", {"ore": 4}),
        (
            [GoapAction("swap", 1, {}, {"a": add(6), "b": add(1)}),
             GoapAction("back", 1, {}, {"a": add(-4)})], {}, {"a": 5},
            "bring about exactly 5 'a'", {"a": 5},
        ),
        (
            [GoapAction("set", 1, {}, {"ore": 2})], {}, {"ore": at_least(3)},
            "bring about 3 'ore'", {"ore": at_least(3)},
        ),
    ],
)  # fmt: skip
def test_an_impossible_count_is_seen_at_once(
    actions: list[GoapAction], initial: World, goal: World, message: str, out_of_reach: World
) -> None:
    found = plan(actions, initial, goal)
    assert str(found) == f"no plan: no action can {message}"
    assert (found.nodes, dict(found.out_of_reach)) == (0, out_of_reach)
    assert found.missing == tuple(out_of_reach)
    greedy = plan(actions, initial, goal, strategy="greedy")
    assert str(greedy) == str(found)


def test_a_count_that_is_never_spent_is_not_counted_beyond_what_is_asked_for() -> None:
    either = [DIG, GoapAction("a", 1, {}, {"a": True, "b": False}),
              GoapAction("b", 1, {}, {"a": False, "b": True})]  # fmt: skip
    found = plan(either, {}, {"ore": at_least(3), "a": True, "b": True})
    assert (found.found, found.gave_up, found.nodes) == (False, False, 12)


@pytest.mark.slow
def test_endless_growth_ends_at_a_limit() -> None:
    lose = GoapAction("lose", 1, {"ore": at_least(2)}, {"ore": add(-2), "a": True, "b": False})
    other = GoapAction("other", 1, {}, {"a": False, "b": True})
    goal = {"a": True, "b": True}
    found = plan([DIG, lose, other], {}, goal)
    assert (found.found, found.gave_up, found.nodes) == (False, True, 50_000)
    assert str(found) == "no plan found within 50000 nodes: raise max_nodes"
    assert plan([DIG, lose, other], {}, goal, max_nodes=50).nodes == 50


# Sensors, facts and goals


def test_a_sensor_of_a_count_returns_a_whole_number() -> None:
    read: list[str] = []
    world = Sensed({"ore": lambda: read.append("ore") or 2, "hot": lambda: 5}, {})
    assert names(plan(SMITHY, world, {"bar": at_least(1)})) == ["smelt"]
    assert read == ["ore"]


class Number:
    """A number of another library, as NumPy's are."""

    def __index__(self) -> int:
        return 2


def test_a_number_of_another_library_will_do() -> None:
    assert names(plan([DIG], Sensed({"ore": Number}, {}), {"ore": at_least(3)})) == ["dig"]
    assert (at_least(Number()), add(Number())) == (at_least(2), add(2))


class Pile:
    """Something that looks like another library's number but is not one, such as an array."""

    def __index__(self) -> int:
        raise TypeError("only arrays of one number can be converted")


@pytest.mark.parametrize(
    ("value", "error"),
    [(True, TypeError), (2.0, TypeError), (None, TypeError), ("3", TypeError), (-1, ValueError),
     (2**63, ValueError), (Pile(), TypeError)],
)  # fmt: skip
def test_a_sensor_that_returns_none_is_reported(value: Any, error: type[Exception]) -> None:
    wanted = "from 0 to 9223372036854775807" if value == 2**63 else ">= 0"
    rule = f"The reading of the sensor 'ore' must be an integer {wanted}, got "
    with pytest.raises(error, match=f"{rule}{value!r}"):
        plan([DIG], Sensed({"ore": lambda: value}, {}), {"ore": at_least(3)})


def test_a_sensor_of_a_fact_that_is_not_a_count_may_return_a_number_as_before() -> None:
    seen = Sensed({"trees": lambda: 3, "stones": lambda: 0}, {})
    assert (seen["trees"], seen["stones"]) == (True, False)
    chop = GoapAction("chop", 1, {"trees": True}, {"wood": add(1)})
    assert names(plan([chop], seen, {"wood": 2})) == ["chop", "chop"]


def test_a_goal_holds_as_soon_as_there_are_enough() -> None:
    goal = Goal("Stock", {"ore": at_least(2), "bar": 1, "hot": False})
    assert goal.holds({"ore": 3, "bar": 1})
    assert not goal.holds({"ore": 1, "bar": 1})
    assert not goal.holds({"ore": 2, "bar": 2})
    assert not goal.holds({"ore": 2, "bar": 1, "hot": True})


def test_a_plan_still_reaches_its_goal_or_does_not() -> None:
    found = plan(SMITHY, {"hot": True}, {"bar": at_least(1)})
    assert names(found) == ["dig", "dig", "smelt"]
    goal = {"bar": at_least(1)}
    assert found.reaches(goal, {"hot": True})
    assert found.reaches(goal, {"hot": True, "ore": 1}, 1)
    assert not found.reaches(goal, {"hot": True}, 1)
    assert not found.reaches(goal, {"hot": True}, 2)
    assert found.reaches(goal, {}, 2, is_under_way=True)
    assert not found.reaches({"bar": at_least(2)}, {"hot": True})
    read: list[str] = []
    world = Sensed({"ore": lambda: read.append("ore") or 0}, {"hot": True}, {"ore"})
    assert found.reaches(goal, world)
    assert read == ["ore"]


# Either a count, or true or false


@pytest.mark.parametrize(
    ("actions", "initial", "goal", "one", "other"),
    [
        ([DIG], {}, {"ore": True}, "True in the goal", "add(1) in the effects of 'dig'"),
        ([DIG], {"ore": False}, {"ore": 1}, "1 in the goal", "False in the initial facts"),
        ([], {"ore": 3}, {"ore": True}, "True in the goal", "3 in the initial facts"),
        ([], {"ore": True}, {"ore": at_least(1)}, "at_least(1) in the goal", "True in the initial"),
        (
            [DIG, GoapAction("use", 1, {"ore": True}, {"fed": True})], {}, {"fed": True},
            "add(1) in the effects of 'dig'", "True in the preconditions of 'use'",
        ),
        (
            [GoapAction("sing", 1, {"ore": 1}, {"ore": True})], {}, {"fed": True},
            "1 in the preconditions of 'sing'", "True in the effects of 'sing'",
        ),
    ],
)  # fmt: skip
def test_a_fact_of_two_kinds_is_an_error_that_names_both_places(
    actions: list[GoapAction], initial: World, goal: World, one: str, other: str
) -> None:
    with pytest.raises(ValueError, match="must be either a count or true or false") as raised:
        plan(actions, initial, goal)
    assert "'ore'" in str(raised.value)
    assert one in str(raised.value)
    assert other in str(raised.value)


def test_an_agent_refuses_a_fact_of_two_kinds() -> None:
    rich = Goal("Rich", {"gold": True})
    stock = Goal("Stock", {"ore": at_least(2)}, fallbacks=[rich])
    for options, error in [
        (
            {"goals": [stock]},
            "True in the conditions of 'Rich' and add(3) in the effects of 'sell'",
        ),
        ({"goals": [], "facts": {"ore": True}}, "True in its facts and add(1) in the effects of"),
    ]:
        with pytest.raises(ValueError, match="GoapAgent 'W': '.*' must be either") as raised:
            GoapAgent("W", actions=SMITHY, **options)  # type: ignore[arg-type]
        assert error in str(raised.value)


def test_goals_of_another_kind_are_refused_also_while_it_runs() -> None:
    agent: GoapAgent[Any] = GoapAgent(
        "Smith", actions=SMITHY, goals=[Goal("Rich", {"gold": at_least(3)})], facts={"coal": True}
    )
    before = agent.goals
    for wrong in ({"ore": True}, {"coal": 3}):
        with pytest.raises(ValueError, match="'Smith': .* must be either a count or true or false"):
            agent.goals = [Goal("Other", wrong)]
    assert agent.goals is before


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (
            lambda: at_least(-1),
            "at_least: the count must be an integer >= 0, got -1.",
        ),
        (
            lambda: at_least(True),
            "at_least: the count must be an integer >= 0, got True.",
        ),
        (
            lambda: at_least(1.5),
            "at_least: the count must be an integer >= 0, got 1.5.",
        ),
        (lambda: at_least(2**63), "at_least: the count must be an integer from 0 to 922"),
        (lambda: at_least(10**5000), "got a value of type int that cannot be shown."),
        (
            lambda: add("1"),
            "add: the amount must be an integer, got '1'.",
        ),
        (
            lambda: add(False),
            "add: the amount must be an integer, got False.",
        ),
        (lambda: GoapAction("A", 1, {"ore": add(1)}), "The preconditions of 'A' must map facts to"),
        (lambda: GoapAction("A", 1, {}, {"ore": at_least(1)}), "The effects of 'A' must map facts"),
        (lambda: GoapAction("A", 1, {}, {"ore": -1}), "integers >= 0 and add(n), got 'ore'"),
        (lambda: Goal("G", {"ore": -1}), "integers >= 0 and at_least(n), got 'ore': -1."),
        (lambda: plan([DIG], {"ore": -1}, {"ore": 1}), "The initial facts must map facts to True"),
        (lambda: plan([DIG], {"ore": at_least(1)}, {"ore": 1}), "got 'ore': at_least(1)."),
        (lambda: plan([DIG], {}, {"ore": add(1)}), "The facts of the goal must map facts to True"),
    ],
)
def test_what_is_refused(make: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        make()
    assert error in str(raised.value)


def test_they_can_be_compared_copied_and_pickled() -> None:
    for each in (at_least(3), add(-2)):
        assert deepcopy(each) == pickle.loads(pickle.dumps(each)) == each
    assert (at_least(3), add(3)) != (at_least(2), add(2))
    assert repr([at_least(3), add(-2)]) == "[at_least(3), add(-2)]"
    assert f"{at_least(3)}, {add(-2)}, {add(2)}" == "at least 3, -2, +2"
    assert deepcopy(SELL) == SELL


# Data sets


@pytest.mark.parametrize(
    ("asked", "added", "result"),
    [
        (at_least(2), at_least(3), at_least(3)),
        (at_least(3), at_least(2), at_least(3)),
        (3, at_least(2), 3),
        (at_least(2), 3, 3),
        (3, 3, 3),
    ],
)
def test_an_extension_asks_for_more_of_a_count(asked: Any, added: Any, result: Any) -> None:
    use = GoapAction("use", 1, {"ore": asked}, {"fed": True})
    smiths = DataSet("Smith", [], [Extension("Needs", {"ore": added})])
    (action,) = actions_of("Smith", [DataSet("Needs", [use]), smiths])
    assert action.preconditions == {"ore": result}


@pytest.mark.parametrize(
    ("asked", "added", "error"),
    [
        (2, 3, "needs 'ore' to be 3, but the action 'use' needs it to be 2"),
        (2, at_least(3), "to be at least 3, but the action 'use' needs it to be 2"),
        (at_least(3), 2, "to be 2, but the action 'use' needs it to be at least 3"),
        (True, at_least(1), "to be at least 1, but the action 'use' needs it to be True"),
        (1, True, "to be True, but the action 'use' needs it to be 1"),
    ],
)
def test_an_extension_that_contradicts_a_count_is_an_error(
    asked: Any, added: Any, error: str
) -> None:
    use = GoapAction("use", 1, {"ore": asked}, {"fed": True})
    smiths = DataSet("Smith", [], [Extension("Needs", {"ore": added})])
    with pytest.raises(DataSetError) as raised:
        actions_of("Smith", [DataSet("Needs", [use]), smiths])
    assert error in str(raised.value)


def test_what_an_action_takes_away_may_contradict_an_extension() -> None:
    smiths = DataSet("Smith", [], [Extension("Needs", {"ore": 1})])
    with pytest.raises(DataSetError, match="to be 1, but .* needs it to be at least 2"):
        actions_of("Smith", [DataSet("Needs", [SMELT]), smiths])
    fine = DataSet("Smith", [], [Extension("Needs", {"ore": 2})])
    (action,) = actions_of("Smith", [DataSet("Needs", [SMELT]), fine])
    assert action.preconditions == {"hot": True, "ore": 2}


FILE = """
[[actions]]
name = "Smelt"
cost = 2
preconditions = { hot = true, coal = { at_least = 3 }, day = 1 }
effects = { ore = { add = -2 }, bar = { add = 1 }, coal = 0 }

[[extensions]]
dataset = "Needs"
preconditions = { food = { at_least = 1 } }
"""


def test_counts_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "Smith.toml").write_text(FILE, "utf-8")
    (dataset,) = load_datasets(tmp_path)
    (smelt,) = dataset.actions
    assert smelt.preconditions == {"hot": True, "coal": at_least(3), "day": 1}
    assert smelt.effects == {"ore": add(-2), "bar": add(1), "coal": 0}
    assert dataset.extensions[0].preconditions == {"food": at_least(1)}


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ("preconditions = { ore = { at_least = -1 } }",
         "(Eat): preconditions: ore: at_least: the count must be an integer >= 0, got -1."),
        ("preconditions = { ore = { at_least = true } }", "must be an integer >= 0, got True."),
        ("effects = { ore = { add = 1.5 } }", "effects: ore: add: the amount must be an integer"),
        ("effects = { ore = { at_least = 1 } }", "add(n), got 'ore': {'at_least': 1}."),
        ("preconditions = { ore = { add = 1 } }", "at_least(n), got 'ore': {'add': 1}."),
        ("preconditions = { ore = { at_least = 1, add = 1 } }", "got 'ore': {'at_least': 1, 'add'"),
        ("preconditions = { ore = {} }", "got 'ore': {}."),
        ("effects = { ore = -1 }", "got 'ore': -1."),
    ],
)  # fmt: skip
def test_mistakes_in_counts_are_reported_with_file_and_key(
    tmp_path: Path, written: str, error: str
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(f"[[actions]]\nname = 'Eat'\n{written}", "utf-8")
    with pytest.raises(DataSetError) as raised:
        load_datasets(path)
    assert str(raised.value).startswith(f"{path}: actions[0] (Eat): ")
    assert error in str(raised.value)
