"""Planning: the cheapest plans, the reasons for none, and how often the world is asked."""

import json
import os
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.goap import GoapAction, Plan, Planning, Sensed, plan

ORACLES = Path(os.environ.get("FSMKIT_ORACLES", Path(__file__).parents[3] / "shared" / "oracles"))
SCENARIOS = ORACLES / "goap" / "planning.json"
PDDL = ORACLES / "pddl"
World = Mapping[str, bool]


def is_valid(found: Plan, initial: World, goal: World) -> bool:
    """Return True if each action can be run in turn, and the goal holds at the end."""
    world = dict(initial)
    for action in found.actions:
        if not holds(action.preconditions, world):
            return False
        world.update(action.effects)
    return holds(goal, world)


def holds(conditions: World, world: World) -> bool:
    return all(world.get(fact, False) is value for fact, value in conditions.items())


def names(found: Plan) -> list[str]:
    return [action.name for action in found.actions]


# Published scenarios


def scenarios() -> list[Any]:
    if not SCENARIOS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{SCENARIOS} is not there"))]
    found = json.loads(SCENARIOS.read_text("utf-8"))
    return [pytest.param(scenario, id=scenario["name"]) for scenario in found]


def actions_in(scenario: dict[str, Any]) -> list[GoapAction]:
    return [
        GoapAction(row["name"], row["cost"], row["preconditions"], row["effects"])
        for row in scenario["actions"]
    ]


@pytest.mark.parametrize("scenario", scenarios())
def test_the_optimal_plan_of_every_scenario(scenario: dict[str, Any]) -> None:
    expected = scenario["expected"]
    found = plan(actions_in(scenario), scenario["initial"], scenario["goal"])
    assert found.found is expected["solvable"]
    if found:
        assert found.cost == pytest.approx(expected["optimal_cost"])
        assert is_valid(found, scenario["initial"], scenario["goal"])
    if expected["optimal_plan"] is not None:
        assert names(found) == expected["optimal_plan"]


@pytest.mark.parametrize("scenario", scenarios())
def test_the_greedy_strategy_finds_a_valid_plan_or_says_it_has_none(
    scenario: dict[str, Any],
) -> None:
    found = plan(
        actions_in(scenario), scenario["initial"], scenario["goal"],
        strategy="greedy", max_nodes=5000,
    )  # fmt: skip
    assert not found or is_valid(found, scenario["initial"], scenario["goal"])
    if scenario["expected"]["greedy_plan"] is not None:
        assert names(found) == scenario["expected"]["greedy_plan"]


def pddl_problems() -> list[Any]:
    if not PDDL.is_dir():
        return [pytest.param("", "", 0, marks=pytest.mark.skip(reason=f"{PDDL} is not there"))]
    rows = (PDDL / "expected.tsv").read_text("utf-8").split("\n")[1:]
    return [pytest.param(*row.split("\t"), id=row.split("\t")[1]) for row in rows if row]


@pytest.mark.parametrize(("domain", "problem", "length"), pddl_problems())
@pytest.mark.filterwarnings("ignore")  # of the other package
def test_longer_problems_are_solved_with_the_least_number_of_steps(
    domain: str, problem: str, length: str
) -> None:
    parsing = pytest.importorskip("pyperplan.pddl.parser", reason="pyperplan is not installed")
    from pyperplan.grounding import ground

    parser = parsing.Parser(str(PDDL / domain), str(PDDL / problem))
    task = ground(parser.parse_problem(parser.parse_domain()))
    actions = [
        GoapAction(
            operator.name, 1, dict.fromkeys(operator.preconditions, True),
            {**dict.fromkeys(operator.del_effects, False),
             **dict.fromkeys(operator.add_effects, True)},
        )
        for operator in task.operators
    ]  # fmt: skip
    initial, goal = dict.fromkeys(task.initial_state, True), dict.fromkeys(task.goals, True)
    found = plan(actions, initial, goal)
    assert (len(found.actions), is_valid(found, initial, goal)) == (int(length), True)


# Against uniform-cost search

facts = st.sampled_from("abcde")
worlds = st.dictionaries(facts, st.booleans(), max_size=3)
planning_problems = st.tuples(
    st.lists(st.tuples(st.integers(0, 5), worlds, worlds), max_size=8), worlds, worlds
)


def least_cost(actions: list[GoapAction], initial: World, goal: World) -> float | None:
    """Return the cost of the cheapest plan by uniform-cost search over whole world states."""
    start = frozenset(fact for fact, value in initial.items() if value)
    opened: list[tuple[float, int, frozenset[str]]] = [(0, 0, start)]
    closed: set[frozenset[str]] = set()
    tie = 0
    while opened:
        cost, _, state = heappop(opened)
        if holds(goal, dict.fromkeys(state, True)):
            return cost
        if state in closed:
            continue
        closed.add(state)
        for action in actions:
            if holds(action.preconditions, dict.fromkeys(state, True)):
                world = {**dict.fromkeys(state, True), **action.effects}
                tie += 1
                following = frozenset(fact for fact, value in world.items() if value)
                heappush(opened, (cost + action.current_cost(), tie, following))
    return None


@pytest.mark.slow
@given(planning_problems)
def test_plans_are_valid_and_cost_what_uniform_cost_search_finds(problem: Any) -> None:
    rows, initial, goal = problem
    actions = [GoapAction(f"A{i}", *row) for i, row in enumerate(rows)]
    best = least_cost(actions, initial, goal)
    found = plan(actions, initial, goal)
    assert (found.cost if found else None) == best
    assert not found or is_valid(found, initial, goal)


@pytest.mark.slow
@given(planning_problems)
def test_of_equally_cheap_plans_no_step_can_be_left_out(problem: Any) -> None:
    rows, initial, goal = problem
    found = plan([GoapAction(f"A{i}", *row) for i, row in enumerate(rows)], initial, goal)
    for index in range(len(found.actions)):
        shorter = Plan(True, found.actions[:index] + found.actions[index + 1 :])
        assert not is_valid(shorter, initial, goal)


@pytest.mark.slow
@given(planning_problems)
def test_greedy_plans_are_valid(problem: Any) -> None:
    rows, initial, goal = problem
    actions = [GoapAction(f"A{i}", *row) for i, row in enumerate(rows)]
    found = plan(actions, initial, goal, strategy="greedy", max_nodes=1000)
    assert not found or is_valid(found, initial, goal)


@pytest.mark.slow
@given(planning_problems, st.integers(1, 3))
def test_planning_in_slices_finds_the_same(problem: Any, nodes: int) -> None:
    rows, initial, goal = problem
    actions = [GoapAction(f"A{i}", *row) for i, row in enumerate(rows)]
    planning = Planning(actions, initial, goal)
    while not planning.step(nodes):
        pass
    assert planning.plan == plan(actions, initial, goal)


@pytest.mark.slow
@given(planning_problems)
def test_a_fact_that_is_missing_would_help(problem: Any) -> None:
    rows, initial, goal = problem
    actions = [GoapAction(f"A{i}", *row) for i, row in enumerate(rows)]
    found = plan(actions, initial, goal)
    for fact in found.missing:
        providers = [action for action in actions if fact in action.effects]
        assert not found
        assert fact in {*goal, *(f for action in actions for f in action.preconditions)}
        assert fact in goal or not any(
            action.effects[fact] and holds(action.preconditions, initial) for action in providers
        )


# What a plan says


def woodcutter(**options: Any) -> list[GoapAction]:
    return [
        GoapAction("GetAxe", 2, {"axe_at_hand": True}, {"axe": True}, **options),
        GoapAction("ChopLog", 4, {"axe": True}, {"wood": True}),
        GoapAction("CollectBranches", 8, {"branches": True}, {"wood": True}),
        GoapAction("Sing", 1, {}, {"happy": True}),
    ]


def test_a_plan_has_its_actions_and_its_cost() -> None:
    found = plan(woodcutter(), {"axe_at_hand": True}, {"wood": True})
    assert (found.found, names(found), found.cost, found.missing) == (
        True, ["GetAxe", "ChopLog"], 6, (),
    )  # fmt: skip
    assert str(found) == "GetAxe, ChopLog (cost 6)"


def test_a_goal_that_holds_needs_nothing() -> None:
    found = plan(woodcutter(), {"wood": True}, {"wood": True, "axe": False})
    assert (found.found, names(found), str(found)) == (True, [], "nothing to do (cost 0)")


def test_without_a_plan_the_facts_that_no_action_can_bring_about_are_named() -> None:
    found = plan(woodcutter(), {}, {"wood": True})
    assert (found.found, found.missing) == (False, ("axe_at_hand", "branches"))
    assert str(found) == "no plan: no action can bring about 'axe_at_hand', 'branches'"


def test_missing_facts_are_reported_with_the_value_that_is_needed() -> None:
    sleep = GoapAction("Sleep", 1, {"bed": True, "noise": False}, {"tired": False})
    found = plan([sleep], {"tired": True, "noise": True}, {"tired": False, "awake": False})
    assert (found.missing, found.out_of_reach) == (("bed", "noise"), {"bed": True, "noise": False})
    assert str(found) == "no plan: no action can bring about 'bed' or make 'noise' false"
    found = plan([], {"tired": True}, {"tired": False})
    assert (found.missing, str(found)) == (
        ("tired",), "no plan: no action can make 'tired' false",
    )  # fmt: skip


def test_facts_that_exclude_each_other_are_told_apart_from_missing_ones() -> None:
    spend = GoapAction("Buy", 1, {"money": True}, {"food": True, "money": False})
    found = plan([spend], {"money": True}, {"food": True, "money": True})
    assert (found.found, found.missing) == (False, ())
    assert str(found) == (
        "no plan: each fact can be brought about, but not all that are needed together"
    )


@pytest.mark.slow
def test_a_greedy_plan_may_be_longer_than_recursion_goes() -> None:
    chain = [
        GoapAction(f"A{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(2000)
    ]
    assert list(plan(chain, {}, {"f2000": True}, strategy="greedy").actions) == chain


def test_a_search_that_is_too_long_gives_up_and_says_so() -> None:
    found = plan(woodcutter(), {"axe_at_hand": True}, {"wood": True}, max_nodes=1)
    assert (found.found, found.gave_up, found.missing) == (False, True, ())
    assert str(found) == "no plan found within 1 nodes: raise max_nodes"


def test_costs_and_checks_are_asked_once_and_only_of_actions_that_matter() -> None:
    asked: list[str] = []

    def asking(name: str, answer: Any) -> Callable[[], Any]:
        return lambda: asked.append(name) or answer

    actions = [
        GoapAction("Near", asking("cost of Near", 7), {}, {"wood": True}),
        GoapAction("Far", asking("cost of Far", 3), {}, {"wood": True},
                   checks=[asking("Far", False)]),
        GoapAction("Blocked", asking("cost of Blocked", 1), {"key": True}, {"wood": True}),
        GoapAction("Sing", asking("cost of Sing", 1), {}, {"happy": True},
                   checks=[asking("Sing", True)]),
    ]  # fmt: skip
    assert names(plan(actions, {}, {"wood": True})) == ["Near"]
    assert asked == ["Far", "cost of Near"]


def test_sensors_are_read_once_and_only_for_facts_that_matter() -> None:
    read: list[str] = []
    sensors = {
        fact: lambda fact=fact: read.append(fact) or True
        for fact in ("axe_at_hand", "branches", "happy", "moonlight")
    }
    plan(woodcutter(), Sensed(sensors, {}), {"wood": True})
    assert sorted(read) == ["axe_at_hand", "branches"]


# What is refused


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("",), "The name of a GoapAction must not be empty, got ''"),
        ((3,), "The name of a GoapAction must be a str, got 3"),
        (("Chop", -1), "The cost of 'Chop' must be a finite number >= 0, got -1"),
        (("Chop", float("nan")), "The cost of 'Chop' must be a finite number >= 0, got nan"),
        (("Chop", "4"), "The cost of 'Chop' must be a finite number >= 0, got '4'"),
        (("Chop", True), "The cost of 'Chop' must be a finite number >= 0, got True"),
        (
            ("Chop", 4, ["axe"]),
            r"The preconditions of 'Chop' must map facts to True or False, got \['axe'\]",
        ),
        (
            ("Chop", 4, {}, {"wood": 1.0}),
            "The effects of 'Chop' must map facts .*, got 'wood': 1.0",
        ),
    ],
)
def test_an_invalid_action_is_refused(arguments: Any, error: str) -> None:
    with pytest.raises((ValueError, TypeError), match=error):
        GoapAction(*arguments)


def test_a_cost_function_that_returns_no_cost_is_reported() -> None:
    with pytest.raises(ValueError, match="The cost of 'Chop' must be a finite number >= 0, got -2"):
        plan([GoapAction("Chop", lambda: -2, {}, {"wood": True})], {}, {"wood": True})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"strategy": "best"}, "strategy must be 'optimal' or 'greedy', got 'best'"),
        ({"max_nodes": 0}, "max_nodes must be an integer >= 1 or None, got 0"),
    ],
)
def test_an_invalid_option_is_refused(options: Any, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        plan([], {}, {"wood": True}, **options)


def test_invalid_facts_and_actions_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Plans must be made of GoapActions, got \('Chop', 4\)"):
        plan([("Chop", 4)], {}, {"wood": True})
    with pytest.raises(TypeError, match=r"got 4. Give a list: \[GoapAction\(...\), ...\]"):
        plan(4, {}, {"wood": True})
    for initial in (None, [], "wood"):
        with pytest.raises(
            TypeError, match="The initial facts must map facts to True or False, got"
        ):
            plan([], initial, {"wood": True})
    with pytest.raises(TypeError, match="The facts of the goal must map facts to True or False"):
        plan([], {}, {"wood"})
    with pytest.raises(TypeError, match="The initial facts must map .*, got 'wood': None"):
        plan([], {"wood": None}, {"wood": True})
