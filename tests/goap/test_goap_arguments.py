"""What cannot be given to an action, a goal or an agent is refused at once, with advice."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent

EAT, FAST = Goal("Eat", {"fed": True}), Goal("Eat", {"fed": False})


def said(make: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """What is said of the arguments."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make(*arguments, **options)
    return f"{type(raised.value).__name__}: {raised.value}"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"nodes_per_update": 0}, "ValueError: nodes_per_update is at least 1, "),
        ({"nodes_per_update": 1.5}, "TypeError: nodes_per_update is a whole number"),
        ({"strategy": "best"}, "ValueError: strategy is 'optimal' or 'greedy', not "),
        ({"max_nodes": 0}, "ValueError: max_nodes is at least 1, or None, not 0."),
        ({"max_nodes": "9"}, "TypeError: max_nodes is a whole number, or None, not "),
        ({"patience": -1}, "ValueError: patience is finite and >= 0, not -1."),
        ({"patience": math.nan}, "ValueError: patience is finite and >= 0, not nan."),
        ({"look_every": -0.5}, "ValueError: look_every is in seconds and >= 0, not "),
        ({"look_every": math.nan}, "ValueError: look_every is in seconds and >= 0"),
        ({"look_every": "often"}, "TypeError: look_every is a number, not 'often'."),
        ({"sensors": {"a": True}}, "TypeError: the sensor of 'a' is a function, not"),
        ({"sensors": [len]}, "TypeError: sensors map facts to functions; "),
        ({"facts": {"a": 1}}, "TypeError: its facts map facts to True or False, not"),
        ({"travel": 5}, "TypeError: travel is a function, not 5. Write lambda targe"),
        ({"goals": EAT}, "TypeError: goals are Goal(...) objects, not Goal("),
        ({"goals": [5]}, "TypeError: goals are Goal(...) objects, not 5. Give a li"),
        ({"goals": [EAT, FAST]}, "has two goals called 'Eat'. Rename one."),
        ({"goals": [Goal("Dine", {"happy": True}, fallbacks=[EAT]), FAST]},
         "ValueError: GoapAgent 'W' has two goals called 'Eat'. Rename one."),
    ],
)  # fmt: skip
def test_what_an_agent_cannot_be_given(options: dict[str, Any], error: str) -> None:
    message = said(GoapAgent, "W", **{"actions": [], "goals": [], **options})
    assert error in message.replace("GoapAgent 'W': ", "")


def test_one_goal_may_be_the_fallback_of_several() -> None:
    goals = [Goal(name, {"happy": True}, fallbacks=[EAT]) for name in ("Dine", "Rest")]
    assert GoapAgent("W", actions=[], goals=goals).goals == tuple(goals)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"priority": "high"}, "TypeError: The priority of 'Eat' is a number, not 'high'."),
        ({"priority": math.nan}, "ValueError: The priority of 'Eat' is a number, not nan."),
        ({"wanted": True}, "TypeError: Goal 'Eat': wanted is a function, not True. Write lambda: "),
        (
            {"fallbacks": [5]},
            "TypeError: Goal 'Eat': fallbacks are Goal(...) objects, not 5. Give ",
        ),
        ({"fallbacks": EAT}, "TypeError: Goal 'Eat': fallbacks are Goal(...) objects, not Goal("),
    ],
)
def test_what_a_goal_cannot_be_given(options: dict[str, Any], error: str) -> None:
    assert error in said(Goal, "Eat", {"fed": True}, **options)


def test_a_priority_function_that_gives_no_number_is_told_of() -> None:
    goal = Goal("Eat", {"fed": True}, lambda: None)
    assert said(goal.current_priority) == (
        "TypeError: The priority of 'Eat' is a number, not None."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            {"run": []},
            "TypeError: GoapAction 'Dig': run is a function, not []. Write lambda: [...]",
        ),
        (
            {"reserve": "pit"},
            "TypeError: GoapAction 'Dig': reserve is a function, not 'pit'. Write",
        ),
        (
            {"checks": [True]},
            "TypeError: GoapAction 'Dig': checks are functions, not True. Give a ",
        ),
        ({"checks": len}, "TypeError: GoapAction 'Dig': checks are functions, not <built-in funct"),
    ],
)
def test_what_an_action_cannot_be_given(options: dict[str, Any], error: str) -> None:
    assert error in said(GoapAction, "Dig", **options)


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (5, "5"),
        ([5], "5"),
        (TimedWait(1.0), "TimedWait(duration=1.0)"),
        ([TimedWait], "<class 'actions.timed_wait.TimedWait'>"),
    ],
)
def test_what_run_makes_is_a_list_of_actions(made: Any, wrong: str) -> None:
    dig = GoapAction("Dig", run=lambda: made)
    assert said(GoapAgent, "W", actions=[dig], goals=[]) == (
        f"TypeError: GoapAction 'Dig': run makes FsmActions, not {wrong}. Give a list: "
        "run=lambda: [TimedWait(1.0)]"
    )
