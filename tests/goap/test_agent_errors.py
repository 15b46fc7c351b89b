"""Errors in an agent: they reach the caller, the plan has failed, and the agent continues."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import ERROR, FsmAction
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.testing import Recorder

DUG = Goal("Dig", {"hole": True})


def once(error: Exception) -> Callable[..., None]:
    """Return a function that fails the first time."""
    errors = [error]

    def fail(*_: object) -> None:
        if errors:
            raise errors.pop()

    return fail


def digger(journal: list[str], **options: Any) -> GoapAgent[Any]:
    """Return an agent that walks there first, and journals what happens to its two reservations."""

    def reserving(name: str) -> Callable[[], Any]:
        return lambda: journal.append(f"take {name}") or (lambda: journal.append(f"free {name}"))

    walk = GoapAction("walk", 1, {}, {"there": True}, reserve=reserving("road"),
                      run=lambda: [TimedWait(0.5)])  # fmt: skip
    dig = GoapAction("dig", 1, {"there": True}, {"hole": True}, **options)
    agent: GoapAgent[Any] = GoapAgent(
        "W", actions=[walk, dig, GoapAction("shout", 1)], goals=[DUG], patience=1.0
    )
    agent.start()
    return agent


def course(agent: GoapAgent[Any], updates: int) -> list[str]:
    """Return the states entered and the errors that reach the caller, half a second per step."""
    recorder, course = Recorder(agent), []
    for _ in range(updates):
        try:
            agent.update(0.5)
        except Exception as error:
            course += [*recorder.path, f"{type(error).__name__} in {agent.current_state.name}"]
        else:
            course += recorder.path
        recorder.path = []
    return course


EN_ROUTE = ["HasGoal", "Planning", "Executing"]
WAITING = ["Failed", "WaitingToPlan"]
NOTHING_ELSE = ["NoGoal", "HasGoal", "Planning", "WaitingToPlan"]
"""What follows while the action is left out and there is no other way."""


def test_reserving_that_raises_gives_back_the_rest_and_the_plan_has_failed() -> None:
    journal: list[str] = []
    fail = once(LookupError("no spade"))
    agent = digger(journal, reserve=lambda: fail() or (lambda: journal.append("free spade")))
    assert course(agent, 9) == [
        *EN_ROUTE, "LookupError in Executing", *WAITING, *NOTHING_ELSE, "NoGoal", *EN_ROUTE,
        "NoGoal",
    ]  # fmt: skip
    assert journal == ["take road", "free road", "take road", "free spade", "free road"]


def test_reserve_must_return_a_function_or_none() -> None:
    journal: list[str] = []
    agent = digger(journal, reserve=lambda: 5)
    with pytest.raises(
        TypeError, match="GoapAction 'dig': what reserve returns, unless it is None"
    ):
        agent.update(0.1)
    assert (journal, agent.reservations) == (["take road", "free road"], [])


class Once(FsmAction[Any]):
    """Fails in one of its callbacks, the first time."""

    def __init__(self, callback: str) -> None:
        self.failing = {callback: once(LookupError("broken"))}

    def on_enter(self) -> None:
        self.failing.get("on_enter", bool)()

    def on_update(self) -> None:
        self.failing.get("on_update", bool)()
        self.finish()

    def on_exit(self) -> None:
        self.failing.get("on_exit", bool)()


@pytest.mark.parametrize(("callback", "updates"), [("on_enter", 2), ("on_update", 3)])
def test_a_plan_with_an_action_that_raises_has_failed(callback: str, updates: int) -> None:
    journal: list[str] = []
    agent = digger(journal, run=lambda: [TimedWait(0.0), Once(callback)])
    assert course(agent, updates) == [*EN_ROUTE, "LookupError in Executing"]
    assert course(agent, 6) == [*WAITING, *NOTHING_ELSE, "NoGoal"]
    assert (journal, agent.facts) == (["take road", "free road"], {"there": True})
    assert course(agent, 2) == [*EN_ROUTE, "NoGoal"]


def test_an_action_that_raises_when_it_is_exited_has_been_done_and_yet_the_plan_has_failed() -> (
    None
):
    journal: list[str] = []
    agent = digger(journal, run=lambda: [TimedWait(0.0), Once("on_exit")])
    assert course(agent, 6) == [*EN_ROUTE, "LookupError in Executing", *WAITING, "NoGoal"]
    assert (journal, agent.facts) == (["take road", "free road"], {"there": True, "hole": True})


def test_the_first_action_of_a_plan_may_raise_as_well() -> None:
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG],
        actions=[GoapAction("dig", 1, {}, {"hole": True}, run=lambda: [Once("on_enter")])],
    )  # fmt: skip
    agent.start()
    assert course(agent, 9) == [
        *EN_ROUTE, "LookupError in Executing", *WAITING, *NOTHING_ELSE, "NoGoal", *EN_ROUTE,
        "NoGoal",
    ]  # fmt: skip


def test_a_sensor_that_raises_when_the_plan_is_done_makes_it_fail() -> None:
    looking: list[str] = []
    fail = once(LookupError("blind"))
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG], sensors={"hole": lambda: bool(looking) and fail() is None},
        actions=[GoapAction("dig", 1, {}, {"hole": True},
                            run=lambda: [DelegateAction(lambda state: looking.append("now"))])],
    )  # fmt: skip
    agent.start()
    assert course(agent, 5) == [*EN_ROUTE, "LookupError in Executing", *WAITING, "NoGoal"]


def test_an_error_that_leads_somewhere_does_not_make_the_plan_fail() -> None:
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG],
        actions=[
            GoapAction("dig", 1, {}, {"hole": True},
                       run=lambda: [DelegateAction(once(LookupError("broken"))), TimedWait(2.0)])
        ],
    )  # fmt: skip
    agent.states["Executing"].add_transition(ERROR, "HasGoal")
    agent.start()
    assert course(agent, 6) == [*EN_ROUTE, *EN_ROUTE, "NoGoal"]


def test_errors_of_beginning_a_plan_and_of_giving_back_are_raised_together() -> None:
    lost = once(KeyError("spade is lost"))
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG],
        actions=[GoapAction("dig", 1, {}, {"hole": True}, reserve=lambda: lost,
                            run=lambda: [Once("on_enter")])],
    )  # fmt: skip
    agent.start()
    assert course(agent, 2) == [*EN_ROUTE, "ExceptionGroup in Executing", *WAITING]


@pytest.mark.parametrize(
    ("callbacks", "updates"),
    [(("on_exit", "on_enter"), 2), (("on_exit", "on_exit"), 3)],
    ids=["an enter and an exit", "two exits"],
)
def test_errors_of_several_actions_of_a_plan_are_raised_together(
    callbacks: tuple[str, str], updates: int
) -> None:
    agent = digger([], run=lambda: [Once(callback) for callback in callbacks])
    errors: list[BaseException] = []
    for _ in range(updates):
        try:
            agent.update(0.5)
        except ExceptionGroup as error:
            errors.append(error)
    (group,) = errors
    assert isinstance(group, ExceptionGroup)
    assert str(group) == "Perform: several children failed (2 sub-exceptions)"
    places = [error.__notes__[0] for error in group.exceptions]
    order = [1, 0] if "on_enter" in callbacks else [0, 1]
    assert places == [f"Perform.children[{at}] (Once), {callbacks[at]}" for at in order]


@pytest.mark.parametrize("where", ["checks", "cost", "sensor"])
def test_an_error_while_it_plans_makes_it_wait_and_plan_again(where: str) -> None:
    fail = once(LookupError("blind"))
    asking: Any = {
        "checks": {"checks": [lambda: fail() is None]},
        "cost": {"cost": lambda: fail() or 1},
        "sensor": {"preconditions": {"soft": True}},
    }
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG], sensors={"soft": lambda: fail() is None},
        actions=[GoapAction("dig", effects={"hole": True}, **asking[where])],
    )  # fmt: skip
    agent.start()
    assert course(agent, 6) == [
        "HasGoal", "Planning", "LookupError in Planning", "WaitingToPlan", "NoGoal", *EN_ROUTE,
        "NoGoal",
    ]  # fmt: skip


def test_an_error_in_planning_for_a_better_goal_does_not_stop_the_present_plan() -> None:
    fail = once(LookupError("blind"))
    agent: GoapAgent[Any] = GoapAgent(
        "W",
        actions=[
            GoapAction("dig", 1, {}, {"hole": True}, run=lambda: [TimedWait(2.0)]),
            GoapAction("fly", 1, {"wings": True}, {"flying": True}, checks=[fail]),
        ],
        goals=[DUG, Goal("Fly", {"flying": True}, 2, wanted=lambda: agent.time > 0.5)],
        sensors={"wings": lambda: True},
    )
    agent.start()
    assert course(agent, 6) == [*EN_ROUTE, "LookupError in Executing", "NoGoal"]
