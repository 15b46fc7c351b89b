"""Invalid arguments of an action, a goal or an agent are refused at once, with advice."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from every import every

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent, add, at_least

EAT, FAST = Goal("Eat", {"fed": True}), Goal("Eat", {"fed": False})


def said(make: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return the type and the message of the error."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make(*arguments, **options)
    return f"{type(raised.value).__name__}: {raised.value}"


@every(
    ("options", "error"),
    [
        ({"nodes_per_update": 0}, "ValueError: nodes_per_update must be an integer >= 1, got"),
        ({"nodes_per_update": 1.5}, "TypeError: nodes_per_update must be an integer >= 1, got"),
        ({"strategy": "best"}, "ValueError: strategy must be 'optimal' or 'greedy', got "),
        ({"max_nodes": 0}, "ValueError: max_nodes must be an integer >= 1 or None, got 0."),
        ({"max_nodes": "9"}, "TypeError: max_nodes must be an integer >= 1 or None, got "),
        ({"patience": -1}, "ValueError: patience must be a finite number of seconds >= 0, got -1."),
        ({"patience": math.nan}, "ValueError: patience must be a finite number of seconds >= 0, "),
        ({"look_every": -0.5}, "ValueError: look_every must be a number of seconds >= 0, got "),
        ({"look_every": math.nan}, "ValueError: look_every must be a number of seconds >= 0, "),
        ({"look_every": "often"}, "TypeError: look_every must be a number of seconds >= 0, got '"),
        ({"sensors": {"a": True}}, "TypeError: the sensor of 'a' must be a function, got"),
        ({"sensors": [len]}, "TypeError: sensors must map facts to functions, got "),
        ({"facts": {"a": 1.5}}, "TypeError: its facts must map facts to True or False, or counts "),
        ({"travel": 5}, "TypeError: travel must be a function, got 5. Write lambda targe"),
        ({"goals": EAT}, "TypeError: goals must be Goal(...) objects, got Goal("),
        ({"goals": [5]}, "TypeError: goals must be Goal(...) objects, got 5. Give a li"),
        ({"goals": [EAT, FAST]}, "has two goals called 'Eat'. Rename one."),
        ({"goals": [Goal("Dine", {"happy": True}, fallbacks=[EAT]), FAST]},
         "ValueError: GoapAgent 'W' has two goals called 'Eat'. Rename one."),
    ],
)  # fmt: skip
def test_invalid_arguments_of_an_agent(options: dict[str, Any], error: str) -> None:
    message = said(GoapAgent, "W", **{"actions": [], "goals": [], **options})
    assert error in message.replace("GoapAgent 'W': ", "")


async def later() -> bool:
    return False


def steps() -> Iterator[bool]:
    yield False


@pytest.mark.parametrize(
    ("function", "wrong"),
    [(later, "must not be async"), (steps, "must not be a generator function")],
)
def test_a_function_that_could_only_count_as_true_is_refused(function: Any, wrong: str) -> None:
    for made, what in (
        (
            lambda: GoapAgent("W", actions=[], goals=[], sensors={"a": function}),
            "the sensor of 'a'",
        ),
        (lambda: Goal("Eat", {"fed": True}, wanted=function), "wanted"),
        (lambda: Goal("Eat", {"fed": True}, function), "priority"),
        (lambda: GoapAction("Dig", function), "cost"),
        (lambda: GoapAction("Dig", checks=[function]), "each check"),
        (lambda: GoapAction("Dig", reserve=function), "reserve"),
        (lambda: GoapAction("Dig", target=function), "target"),
    ):
        assert f"{what} {wrong}" in said(made)


@pytest.mark.parametrize("function", [lambda state: True, lambda *, state: True, ord])
def test_a_function_that_wants_arguments_is_refused(function: Any) -> None:
    wrong = f"must be a function of no arguments, got {function!r}. Write lambda: "
    for made, what in (
        (
            lambda: GoapAgent("W", actions=[], goals=[], sensors={"a": function}),
            "GoapAgent 'W': the sensor of 'a'",
        ),
        (
            lambda: GoapAgent("W", actions=[], goals=[], reach=1.0, position=function),
            "GoapAgent 'W': position",
        ),
        (lambda: Goal("Eat", {"fed": True}, wanted=function), "Goal 'Eat': wanted"),
        (lambda: Goal("Eat", {"fed": True}, function), "Goal 'Eat': priority"),
        (lambda: GoapAction("Dig", function), "GoapAction 'Dig': cost"),
        (lambda: GoapAction("Dig", checks=[function]), "GoapAction 'Dig': each check"),
        (lambda: GoapAction("Dig", run=function), "GoapAction 'Dig': run"),
        (lambda: GoapAction("Dig", done=function), "GoapAction 'Dig': done"),
        (lambda: GoapAction("Dig", reserve=function), "GoapAction 'Dig': reserve"),
        (lambda: GoapAction("Dig", target=function), "GoapAction 'Dig': target"),
    ):
        assert f"TypeError: {what} {wrong}" in said(made)


@pytest.mark.parametrize(
    "function",
    [lambda: 1, lambda i=2: i, lambda *args: 1, partial(max, 1, 2), [1].copy, dict, iter],
)
def test_a_function_that_wants_none_or_does_not_say_is_taken(function: Any) -> None:
    assert GoapAction("Dig", done=function).done is function


@pytest.mark.parametrize(
    ("travel", "error"),
    [
        (lambda: TimedWait(1.0), "GoapAgent 'W': travel must be a function of one argument, got "),
        (lambda a, b: TimedWait(1.0), "GoapAgent 'W': travel must be a function of one argument"),
        (lambda target: None, "GoapAgent: travel must return an FsmAction, got None. Write "),
        (lambda target: TimedWait, "GoapAgent: travel must return an FsmAction, got <class "),
    ],
)
def test_travel_makes_an_action_from_a_function(travel: Any, error: str) -> None:
    assert f"TypeError: {error}" in said(GoapAgent, "W", actions=[], goals=[], travel=travel)


def test_run_may_be_a_generator_function_that_makes_the_actions() -> None:
    assert GoapAction("Dig", run=steps).run is steps
    assert "run must not be async" in said(GoapAction, "Dig", run=later)


def test_one_goal_may_be_the_fallback_of_several() -> None:
    goals = [Goal(name, {"happy": True}, fallbacks=[EAT]) for name in ("Dine", "Rest")]
    assert GoapAgent("W", actions=[], goals=goals).goals == tuple(goals)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"priority": "high"}, "TypeError: The priority of 'Eat' must be a number, got 'high'."),
        ({"priority": math.nan}, "ValueError: The priority of 'Eat' must be a number, got nan."),
        (
            {"wanted": True},
            "TypeError: Goal 'Eat': wanted must be a function, got True. Write lambda: ",
        ),
        (
            {"fallbacks": [5]},
            "TypeError: Goal 'Eat': fallbacks must be Goal(...) objects, got 5. Give ",
        ),
        (
            {"fallbacks": EAT},
            "TypeError: Goal 'Eat': fallbacks must be Goal(...) objects, got Goal(",
        ),
    ],
)
def test_invalid_arguments_of_a_goal(options: dict[str, Any], error: str) -> None:
    assert error in said(Goal, "Eat", {"fed": True}, **options)


def test_a_priority_function_that_returns_no_number_is_reported() -> None:
    goal = Goal("Eat", {"fed": True}, lambda: None)
    assert said(goal.current_priority) == (
        "TypeError: The priority of 'Eat' must be a number, got None."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            {"run": []},
            "TypeError: GoapAction 'Dig': run must be a function, got []. Write lambda: [...]",
        ),
        (
            {"reserve": "pit"},
            "TypeError: GoapAction 'Dig': reserve must be a function, got 'pit'. Write",
        ),
        (
            {"checks": [True]},
            "TypeError: GoapAction 'Dig': checks must be functions, got True. Give a ",
        ),
        (
            {"checks": len},
            "TypeError: GoapAction 'Dig': checks must be functions, got <built-in funct",
        ),
    ],
)
def test_invalid_arguments_of_an_action(options: dict[str, Any], error: str) -> None:
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
def test_run_must_return_a_list_of_actions(made: Any, wrong: str) -> None:
    dig = GoapAction("Dig", run=lambda: made)
    assert said(GoapAgent, "W", actions=[dig], goals=[]) == (
        f"TypeError: GoapAction 'Dig': run must return FsmActions, got {wrong}. Give a list: "
        "run=lambda: [TimedWait(1.0)]"
    )


def test_an_action_is_replaced_by_one_that_differs_and_is_checked() -> None:
    dig = GoapAction("Dig", 1, {"pick": True}, {"hole": True})
    deep = dig.replace(cost=3, target=(4.0, 2.0))
    assert (deep.name, deep.cost, deep.target, deep.preconditions) == (
        "Dig", 3, (4.0, 2.0), {"pick": True},
    )  # fmt: skip
    assert (dig.cost, dig.target) == (1, None)
    assert dig.replace() == dig
    with pytest.raises(ValueError, match="The cost of 'Dig' must be"):
        dig.replace(cost=-1)
    with pytest.raises(TypeError, match="'runs'"):
        dig.replace(runs=list)


def test_what_a_replaced_action_spends_is_worked_out_again() -> None:
    sell = GoapAction("Sell", 1, {}, {"ore": add(-1), "gold": add(1)})
    bulk = sell.replace(effects={"ore": add(-5), "gold": add(4)})
    assert (sell.spends, bulk.spends) == ({"ore": at_least(1)}, {"ore": at_least(5)})
