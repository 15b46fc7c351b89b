"""Goals and actions that are set while the agent runs."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent


def wait(seconds: float) -> Callable[[], list[Any]]:
    return lambda: [TimedWait(seconds)]


DIG = GoapAction("dig", 1, {}, {"hole": True}, run=wait(3.0))
SING = GoapAction("sing", 1, {}, {"happy": True}, run=wait(3.0))
HOLE = Goal("Dig", {"hole": True})
HAPPY = Goal("Sing", {"happy": True})


def agent(*actions: GoapAction, goals: list[Goal], **options: Any) -> GoapAgent[Any]:
    made: GoapAgent[Any] = GoapAgent("W", actions=actions, goals=goals, **options)
    made.start()
    return made


def run(somebody: GoapAgent[Any], seconds: float) -> str:
    """Run for some time; return what it does then."""
    for _ in range(round(10 * seconds)):
        somebody.update(0.1)
    return somebody.why().doing


# Goals


def test_a_goal_that_is_added_is_served() -> None:
    digger = agent(DIG, SING, goals=[])
    assert run(digger, 1.0) == "looks for a goal"
    digger.goals = [HOLE]
    assert run(digger, 0.1) == "does 'dig', step 1 of 1"
    assert (digger.goals, list(digger.goals_by_name)) == ((HOLE,), ["Dig"])


def test_a_better_goal_that_is_added_is_turned_to_at_the_next_look() -> None:
    digger = agent(DIG, SING, goals=[HOLE], look_every=0.5)
    run(digger, 0.2)
    digger.goals = [*digger.goals, Goal("Sing", {"happy": True}, 5)]
    assert run(digger, 0.3) == "does 'dig', step 1 of 1"
    assert run(digger, 0.1) == "does 'sing', step 1 of 1"


def test_a_goal_that_is_taken_away_is_given_up_at_the_next_look() -> None:
    digger = agent(DIG, SING, goals=[HOLE], look_every=0.5)
    run(digger, 0.2)
    digger.goals = [HAPPY]
    assert run(digger, 0.3) == "does 'dig', step 1 of 1"
    assert run(digger, 0.2) == "does 'sing', step 1 of 1"
    assert digger.why().last_failure is None


def test_a_plan_that_ends_for_a_goal_that_is_gone_is_no_failure() -> None:
    digger = agent(DIG, SING, goals=[HOLE], look_every=60.0)
    run(digger, 0.2)
    digger.goals = [HAPPY]
    assert run(digger, 3.1) == "does 'sing', step 1 of 1"
    assert (digger.facts, digger.why().last_failure) == ({"hole": True}, None)


def test_a_goal_of_the_same_name_takes_the_place_of_the_old_one() -> None:
    digger = agent(DIG, SING, goals=[HOLE], look_every=0.5)
    run(digger, 0.2)
    digger.goals = [Goal("Dig", {"happy": True})]
    assert run(digger, 0.4) == "does 'sing', step 1 of 1"


def test_a_search_for_a_goal_that_is_gone_is_ended() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]
    climber = agent(SING, *chain, goals=[Goal("End", {"f6": True})], nodes_per_update=1)
    assert run(climber, 0.3) == "plans for 'End'"
    climber.goals = [HAPPY]
    assert run(climber, 0.2) == "does 'sing', step 1 of 1"


@pytest.mark.parametrize(
    ("goals", "error", "message"),
    [
        ([HOLE, HOLE, Goal("Dig", {"x": True})], ValueError, "two goals called 'Dig'. Rename one"),
        (["Dig"], TypeError, "goals must be Goal"),
        (5, TypeError, "goals must be Goal"),
    ],
)
def test_goals_that_are_no_goals_change_nothing(goals: Any, error: Any, message: str) -> None:
    digger = agent(DIG, goals=[HOLE])
    with pytest.raises(error, match=message):
        digger.goals = goals
    assert (digger.goals, digger.goals_by_name) == ((HOLE,), {"Dig": HOLE})
