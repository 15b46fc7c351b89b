"""Plans while goals come and go, hold already, or cannot be reached."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.testing import Recorder


def wait(seconds: float) -> Callable[[], list[TimedWait]]:
    return lambda: [TimedWait(seconds)]


DIG = GoapAction("dig", 1, {}, {"hole": True}, run=wait(3.0))
FLY = GoapAction("fly", 1, {"wings": True}, {"flying": True}, run=wait(1.0))
HOLE = Goal("Dig", {"hole": True}, 1)
SKY = Goal("Fly", {"flying": True}, 3)


def started(*actions: GoapAction, goals: list[Goal], **options: Any) -> GoapAgent[Any]:
    agent: GoapAgent[Any] = GoapAgent("W", actions=actions, goals=goals, **options)
    agent.start()
    return agent


def run(agent: GoapAgent[Any], seconds: float) -> list[str]:
    """Run for some time in steps of 0.1 s; return the states entered, and when."""
    recorder = Recorder(agent)
    journal: list[str] = []
    for _ in range(round(10 * seconds)):
        agent.update(0.1)
        journal += [f"{agent.time:.1f} {name}" for name in recorder.path]
        recorder.path = []
    return journal


# Better goals


@pytest.mark.parametrize(
    "goals",
    [
        [SKY, HOLE],
        [Goal("Fly", {"flying": True}, 2, fallbacks=[HOLE])],
        [Goal("Fly", {"flying": True}, 2, fallbacks=[Goal("Dig", {"hole": True}, 9)])],
        [Goal("Fly", {"flying": True}, 3, fallbacks=[HOLE]), Goal("Swim", {"wet": True}, 2)],
    ],
)
@pytest.mark.parametrize("strategy", ["optimal", "greedy"])
def test_a_better_goal_without_a_plan_never_stops_what_is_being_done(
    goals: list[Goal], strategy: Any
) -> None:
    agent = started(DIG, goals=goals, strategy=strategy, patience=0.5)
    assert run(agent, 3.1) == ["0.1 HasGoal", "0.1 Planning", "0.1 Executing", "3.1 NoGoal"]
    assert agent.facts == {"hole": True}


def test_a_better_goal_is_turned_to_once_it_has_a_plan() -> None:
    wings = [False]
    agent = started(DIG, FLY, goals=[SKY, HOLE], sensors={"wings": lambda: wings[0]})
    assert run(agent, 1.0) == ["0.1 HasGoal", "0.1 Planning", "0.1 Executing"]
    wings[0] = True
    assert run(agent, 1.0) == ["1.1 HasGoal", "1.1 Planning", "1.1 Executing"]
    assert (agent.goal, str(agent.plan)) == (SKY, "fly (cost 1)")


def test_a_fallback_gives_way_to_the_goal_that_it_stands_for_and_not_to_lesser_ones() -> None:
    wings = [False]
    swim = GoapAction("swim", 1, {}, {"wet": True})
    sky = Goal("Fly", {"flying": True}, 3, fallbacks=[HOLE])
    agent = started(
        DIG, FLY, swim, goals=[Goal("Swim", {"wet": True}, 2), sky],
        sensors={"wings": lambda: wings[0]},
    )  # fmt: skip
    assert run(agent, 1.0) == ["0.1 HasGoal", "0.1 Planning", "0.1 Executing"]
    assert agent.goal is HOLE
    wings[0] = True
    assert run(agent, 0.5) == ["1.1 HasGoal", "1.1 Planning", "1.1 Executing"]
    assert agent.goal is sky


def test_goals_that_are_as_important_as_the_present_one_do_not_stop_it() -> None:
    thirsty = [False]
    drink = Goal("Drink", {"thirsty": False}, 1, wanted=lambda: thirsty[0])
    agent = started(
        DIG, GoapAction("drink", 1, {}, {"thirsty": False}), goals=[drink, HOLE],
        sensors={"thirsty": lambda: thirsty[0]},
    )  # fmt: skip
    run(agent, 1.0)
    thirsty[0] = True
    assert run(agent, 1.0) == []


def climbing(asked: list[str]) -> list[GoapAction]:
    """Return six steps that lead to the top; each journals when its cost is asked for."""
    return [
        GoapAction(f"Climb{i}", lambda i=i: asked.append(f"{i}") or 1,
                   {f"at {i}": True} if i else {"rope": True}, {f"at {i + 1}": True})
        for i in range(6)
    ]  # fmt: skip


@pytest.mark.parametrize(("nodes", "turned"), [(200, "0.6"), (6, "0.7"), (3, "0.8"), (1, "1.3")])
def test_planning_during_a_plan_takes_no_more_nodes_per_update_and_is_done_once(
    nodes: int, turned: str
) -> None:
    asked: list[str] = []
    rope = [False]
    agent = started(
        DIG, *climbing(asked), goals=[HOLE, Goal("Climb", {"at 6": True}, 2)],
        sensors={"rope": lambda: rope[0]}, nodes_per_update=nodes, patience=0.1,
    )  # fmt: skip
    run(agent, 0.1)
    rope[0] = True
    assert f"{turned} Planning" in run(agent, 1.4)
    assert asked == ["0", "1", "2", "3", "4", "5"]


def test_a_better_goal_that_is_gone_before_it_has_a_plan_is_not_turned_to() -> None:
    danger = [False]
    agent = started(
        DIG, *climbing([]), sensors={"rope": lambda: True}, nodes_per_update=1,
        goals=[HOLE, Goal("Climb", {"at 6": True}, 2, wanted=lambda: danger[0])], look_every=0.2,
    )  # fmt: skip
    run(agent, 0.2)
    danger[0] = True
    run(agent, 0.2)
    danger[0] = False
    assert run(agent, 1.0) == []


# Goals that no longer apply


def reserving(journal: list[str], name: str) -> Callable[[], Any]:
    return lambda: journal.append(f"take {name}") or (lambda: journal.append(f"free {name}"))


def test_a_plan_ends_when_its_goal_holds_by_itself_and_gives_back_what_it_has_reserved() -> None:
    journal: list[str] = []
    opened = [False]
    agent = started(
        GoapAction("fetch", 1, {}, {"key": True}, run=wait(3.0), reserve=reserving(journal, "key")),
        GoapAction("open", 1, {"key": True}, {"open": True}, reserve=reserving(journal, "door")),
        goals=[Goal("Open", {"open": True})],
        sensors={"open": lambda: opened[0]},
    )
    run(agent, 1.0)
    opened[0] = True
    assert run(agent, 2.0) == ["1.1 NoGoal"]
    assert journal == ["take key", "take door", "free door", "free key"]


def test_a_plan_ends_when_its_goal_is_not_wanted_any_more_and_another_one_is_chosen() -> None:
    wants = [True]
    rest = GoapAction("rest", 1, {}, {"tired": False}, run=wait(9.0))
    agent = started(
        DIG, rest, facts={"tired": True},
        goals=[Goal("Dig", {"hole": True}, 2, wanted=lambda: wants[0]),
               Goal("Rest", {"tired": False})],
    )  # fmt: skip
    run(agent, 1.0)
    wants[0] = False
    assert run(agent, 1.0) == [
        "1.1 NoGoal", "1.2 HasGoal", "1.2 Planning", "1.2 Executing",
    ]  # fmt: skip
    assert str(agent.plan) == "rest (cost 1)"


def test_a_fallback_ends_with_the_goal_that_it_stands_for() -> None:
    flying = [False]
    sky = Goal("Fly", {"flying": True}, fallbacks=[HOLE])
    agent = started(DIG, goals=[sky], sensors={"flying": lambda: flying[0]})
    run(agent, 1.0)
    flying[0] = True
    assert run(agent, 1.0) == ["1.1 NoGoal"]


def test_a_plan_that_is_done_and_has_not_reached_its_goal_has_failed() -> None:
    agent = started(DIG, goals=[HOLE], sensors={"hole": lambda: False}, patience=0.5)
    assert run(agent, 5.0) == [
        "0.1 HasGoal", "0.1 Planning", "0.1 Executing", "3.1 Failed", "3.1 WaitingToPlan",
        "3.6 NoGoal", "3.7 HasGoal", "3.7 Planning", "3.7 WaitingToPlan",
        "4.2 NoGoal", "4.3 HasGoal", "4.3 Planning", "4.3 Executing",
    ]  # fmt: skip


def test_a_plan_that_takes_no_time_and_does_nothing_for_its_goal_does_not_spin() -> None:
    agent = started(
        GoapAction("dig", 1, {}, {"hole": True}), goals=[HOLE], sensors={"hole": lambda: False}
    )
    assert run(agent, 1.0) == [
        "0.1 HasGoal", "0.1 Planning", "0.1 Executing", "0.1 Failed", "0.1 WaitingToPlan",
    ]  # fmt: skip


def test_an_event_from_outside_can_make_it_look_for_a_better_goal() -> None:
    agent = started(DIG, goals=[HOLE])
    run(agent, 1.0)
    agent.send_event("BETTER_GOAL")
    assert agent.current_state.name == "Executing"
    assert run(agent, 3.0) == ["4.0 NoGoal"]
