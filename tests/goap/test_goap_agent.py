"""The agent: goals, plans, and changes of the world."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, FollowPath, SendEvent, TimedWait
from fsmkit import ERROR
from fsmkit.checking import check
from fsmkit.diagram import to_text
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import History
from fsmkit.space import Transform
from fsmkit.testing import Recorder, drive

WARM = Goal("BeWarm", {"fire": True})


def says(journal: list[str], line: str) -> Callable[[], list[Any]]:
    return lambda: [DelegateAction(on_enter=lambda state: journal.append(line))]


def path(agent: GoapAgent[Any]) -> list[str]:
    """Return the states entered since the last call."""
    names, recorder = recorders[agent].path, recorders[agent]
    recorder.path = []
    return names


recorders: dict[GoapAgent[Any], Recorder] = {}


def agent(*actions: GoapAction, **options: Any) -> GoapAgent[Any]:
    made: GoapAgent[Any] = GoapAgent("Agent", actions=actions, **{"goals": [WARM], **options})
    recorders[made] = Recorder(made)
    made.start()
    return made


def test_it_plans_and_carries_the_plan_out_action_by_action() -> None:
    journal: list[str] = []
    somebody = agent(
        GoapAction("Light", 1, {"wood": True}, {"fire": True}, run=says(journal, "light")),
        GoapAction("Collect", 1, {}, {"wood": True}, run=lambda: [TimedWait(1.0)]),
    )
    assert path(somebody) == ["NoGoal"]
    somebody.update(0.25)
    assert path(somebody) == ["HasGoal", "Planning", "Executing"]
    assert str(somebody.plan) == "Collect, Light (cost 2)"
    assert (somebody.step, somebody.facts, journal) == (0, {}, [])
    for _ in range(4):
        somebody.update(0.25)
    assert (path(somebody), journal) == (["NoGoal"], ["light"])
    assert somebody.facts == {"wood": True, "fire": True}
    somebody.update(0.25)
    assert path(somebody) == []


def test_it_goes_to_the_target_of_an_action_and_uses_what_is_there() -> None:
    journal: list[str] = []
    body = Transform((0.0, 0.0))
    somebody = agent(
        GoapAction("Chop", 1, {}, {"wood": True}, target=(4.0, 0.0), run=says(journal, "chop")),
        GoapAction("Light", 1, {"wood": True}, {"fire": True}, target=lambda: (4.0, 3.0),
                   run=says(journal, "light")),
        GoapAction("Warm", 1, {"fire": True}, {"warm": True}, run=says(journal, "warm")),
        goals=[Goal("BeWarm", {"warm": True})],
        travel=lambda target: FollowPath(body, lambda: [target()], speed=1.0),
    )  # fmt: skip
    inner = Recorder(somebody.body)
    somebody.update(1.0)
    for _ in range(7):
        somebody.update(1.0)
    assert (body.position, journal) == ((4.0, 3.0), ["chop", "light", "warm"])
    assert inner.path == [
        "Choose", "GoTo", "UseObject", "Choose", "GoTo", "UseObject", "Choose", "Animate",
        "Choose", "Done",
    ]  # fmt: skip


def test_the_goal_with_the_highest_priority_is_taken_and_a_fallback_if_it_has_no_plan() -> None:
    sing = Goal("Sing", {"happy": True})
    feast = Goal("Feast", {"fed": True}, priority=lambda: 5, fallbacks=[sing])
    somebody = agent(GoapAction("Sing", 1, {}, {"happy": True}), goals=[WARM, feast])
    somebody.update(0.1)
    assert (somebody.facts, path(somebody)) == (
        {"happy": True}, ["NoGoal", "HasGoal", "Planning", "Executing", "NoGoal"],
    )  # fmt: skip


def test_goals_that_are_not_wanted_or_hold_already_are_left_alone() -> None:
    cold = [False]
    somebody = agent(
        GoapAction("Light", 1, {}, {"fire": True}),
        goals=[Goal("BeWarm", {"fire": True}, wanted=lambda: cold[0])],
    )
    somebody.update(1.0)
    assert path(somebody) == ["NoGoal"]
    cold[0] = True
    somebody.update(1.0)
    assert path(somebody) == ["HasGoal", "Planning", "Executing", "NoGoal"]


def test_without_a_plan_it_waits_before_it_tries_again() -> None:
    somebody = agent(patience=2.0)
    for _ in range(9):
        somebody.update(0.5)
    assert path(somebody) == [
        "NoGoal", "HasGoal", "Planning", "WaitingToPlan",
        "NoGoal", "HasGoal", "Planning", "WaitingToPlan",
    ]  # fmt: skip


def test_sensors_override_the_effects_of_actions() -> None:
    lit = [False]
    somebody = agent(
        GoapAction("Light", 1, {}, {"fire": True}, run=lambda: [TimedWait(1.0)]),
        sensors={"fire": lambda: lit[0]},
    )
    for _ in range(9):  # the wood is wet: it waits until it may light it again
        somebody.update(0.5)
    assert path(somebody)[3:] == [
        "Executing", "Failed", "WaitingToPlan", "NoGoal", "HasGoal", "Planning", "WaitingToPlan",
        "NoGoal", "HasGoal", "Planning", "Executing",
    ]  # fmt: skip
    lit[0] = True
    somebody.update(1.0)
    somebody.update(0.5)
    assert path(somebody) == ["NoGoal"]


def test_it_replans_when_the_world_has_made_the_plan_invalid() -> None:
    axe = [True]
    somebody = agent(
        GoapAction("Chop", 1, {"axe": True}, {"fire": True}, target=(9.0, 0.0)),
        GoapAction("Buy", 5, {}, {"fire": True}, run=lambda: [TimedWait(9.0)]),
        sensors={"axe": lambda: axe[0]},
        travel=lambda target: TimedWait(9.0),
        look_every=0.5,
    )
    somebody.update(0.5)
    somebody.update(0.5)
    assert str(somebody.plan) == "Chop (cost 1)"
    axe[0] = False
    path(somebody)
    somebody.update(0.5)
    assert path(somebody) == ["HasGoal", "Planning", "Executing"]
    assert str(somebody.plan) == "Buy (cost 5)"


def test_what_an_action_uses_up_while_it_runs_does_not_make_the_plan_invalid() -> None:
    money = [True]

    def pay() -> None:
        money[0] = False

    somebody = agent(
        GoapAction("Buy", 1, {"money": True}, {"fire": True},
                   run=lambda: [DelegateAction(lambda state: pay()), TimedWait(2.0)]),
        sensors={"money": lambda: money[0]},
    )  # fmt: skip
    for _ in range(5):
        somebody.update(0.5)
    assert path(somebody) == ["NoGoal", "HasGoal", "Planning", "Executing", "NoGoal"]


def test_it_drops_its_plan_when_a_better_goal_appears() -> None:
    danger = [False]
    somebody = agent(
        GoapAction("Light", 1, {}, {"fire": True}, run=lambda: [TimedWait(9.0)]),
        GoapAction("Flee", 1, {}, {"safe": True}, run=lambda: [TimedWait(9.0)]),
        goals=[WARM, Goal("BeSafe", {"safe": True}, 10, wanted=lambda: danger[0])],
    )
    somebody.update(0.5)
    danger[0] = True
    path(somebody)
    somebody.update(0.5)
    assert path(somebody) == ["HasGoal", "Planning", "Executing"]
    assert str(somebody.plan) == "Flee (cost 1)"


def test_a_better_goal_without_a_plan_does_not_disturb_it_again_and_again() -> None:
    somebody = agent(
        GoapAction("Light", 1, {}, {"fire": True}, run=lambda: [TimedWait(9.0)]),
        goals=[WARM, Goal("BeRich", {"gold": True}, 10)],
        patience=2.0,
    )
    for _ in range(4):
        somebody.update(0.5)
    assert path(somebody) == ["NoGoal", "HasGoal", "Planning", "Executing"]


def test_a_long_search_takes_several_updates() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]
    somebody = agent(*chain, goals=[Goal("End", {"f6": True})], nodes_per_update=2)
    for _ in range(4):
        somebody.update(0.1)
    assert path(somebody) == ["NoGoal", "HasGoal", "Planning", "Executing", "NoGoal"]
    assert len(somebody.facts) == 6


# Reservations and failures


def reserving(journal: list[str], name: str, free: bool = True) -> Callable[[], Any]:
    def reserve() -> Callable[[], object] | None:
        journal.append(f"reserve {name}" if free else f"{name} is taken")
        return (lambda: journal.append(f"give back {name}")) if free else None

    return reserve


def three_steps(journal: list[str], last: Callable[[], list[Any]], free: bool) -> list[GoapAction]:
    return [
        GoapAction("A", 1, {}, {"a": True}, reserve=reserving(journal, "axe")),
        GoapAction("B", 1, {"a": True}, {"b": True}, reserve=reserving(journal, "tree")),
        GoapAction("C", 1, {"b": True}, {"fire": True}, run=last,
                   reserve=reserving(journal, "pit", free)),
    ]  # fmt: skip


def test_what_was_reserved_is_given_back_in_reverse_order_when_the_plan_is_done() -> None:
    journal: list[str] = []
    somebody = agent(*three_steps(journal, says(journal, "light"), free=True))
    somebody.update(0.1)
    assert journal == [
        "reserve axe", "reserve tree", "reserve pit", "light",
        "give back pit", "give back tree", "give back axe",
    ]  # fmt: skip


def test_a_failure_gives_back_what_was_reserved_and_it_waits_before_it_plans_again() -> None:
    journal: list[str] = []
    somebody = agent(
        *three_steps(journal, lambda: [SendEvent("FAILED", delay=0.5)], free=True), patience=1.0
    )
    somebody.update(0.1)
    somebody.update(0.5)
    assert journal[-3:] == ["give back pit", "give back tree", "give back axe"]
    assert path(somebody)[-3:] == ["Executing", "Failed", "WaitingToPlan"]
    somebody.update(1.0)
    assert path(somebody) == ["NoGoal"]


def test_if_something_is_taken_the_plan_fails_before_it_begins() -> None:
    journal: list[str] = []
    somebody = agent(*three_steps(journal, says(journal, "light"), free=False))
    somebody.update(0.1)
    assert journal == [
        "reserve axe", "reserve tree", "pit is taken", "give back tree", "give back axe",
    ]  # fmt: skip
    assert path(somebody)[-3:] == ["Executing", "Failed", "WaitingToPlan"]


def test_stopping_it_gives_everything_back() -> None:
    journal: list[str] = []
    somebody = agent(*three_steps(journal, lambda: [TimedWait(9.0)], free=True))
    somebody.update(0.1)
    somebody.stop()
    assert journal[3:] == ["give back pit", "give back tree", "give back axe"]
    assert not somebody.body.is_running


def test_an_exception_of_an_action_reaches_the_caller_unless_there_is_a_transition_for_it() -> None:
    def stumble(state: object) -> None:
        raise RuntimeError("stumbled")

    somebody = agent(
        GoapAction("Light", 1, {}, {"fire": True}, run=lambda: [DelegateAction(stumble)])
    )
    with pytest.raises(RuntimeError, match="stumbled"):
        somebody.update(0.1)
    somebody.stop()
    somebody.add_global_transition(ERROR, "Failed")
    somebody.start()
    somebody.update(0.1)
    assert somebody.current_state.name == "WaitingToPlan"


# As a machine


def test_it_is_a_machine_like_any_other_to_the_tools() -> None:
    somebody = agent(
        GoapAction("Chop", 1, {}, {"fire": True}, target=(1.0, 0.0), run=says([], "chop")),
        travel=lambda target: TimedWait(1.0),
    )
    assert check(somebody) == []
    history = History(somebody)
    somebody.update(0.5)
    assert [visit.machine for visit in history.visits][-1] == "Agent/Agent's body"


def test_pictures_and_the_repr_say_what_belongs_to_which_action() -> None:
    light = GoapAction("Light", 1, {}, {"fire": True}, run=lambda: [TimedWait(1.0)])
    chop = GoapAction("Chop", 1, {}, {"wood": True}, target=(1.0, 0.0), run=lambda: [TimedWait(2)])
    somebody = agent(light, chop, travel=lambda target: TimedWait(1.0))
    picture = to_text(somebody.body, actions=True).splitlines()
    assert [line.strip("│ ") for line in picture if "Perform" in line or "TimedWait" in line] == [
        "TimedWait  duration=1.0",
        "Perform  name='Chop'", "TimedWait  duration=2",
        "Perform  name='Light'", "TimedWait  duration=1.0",
    ]  # fmt: skip
    (perform,) = somebody.body.states["Animate"].actions
    assert repr(perform) == "Perform(name='Light', actions=(TimedWait(duration=1.0),))"


def test_an_action_takes_part_only_when_it_is_its_turn() -> None:
    journal: list[str] = []
    somebody = agent(
        GoapAction("Light", 1, {"wood": True}, {"fire": True}, run=says(journal, "light")),
        GoapAction("Collect", 1, {"axe": True}, {"wood": True}),
        GoapAction("GetAxe", 1, {}, {"axe": True}, run=lambda: [TimedWait(1.0)]),
        GoapAction("Sing", 1, {}, {"happy": True}, run=says(journal, "sing")),
    )
    steps = [lambda: somebody.update(0.5)] * 3
    assert [line for line in drive(somebody.body, steps) if "Perform" in line] == [
        "Perform entered", "Perform finished", "Perform left",
        "Perform finished", "Perform entered", "Perform left",
    ]  # fmt: skip
    assert journal == ["light"]


def test_started_where_it_has_no_plan_it_makes_one() -> None:
    somebody = agent(GoapAction("Light", 1, {}, {"fire": True}))
    path(somebody)
    somebody.start("Executing")
    assert path(somebody) == ["Executing", "HasGoal", "Planning", "Executing", "NoGoal"]


# What is refused


def test_two_actions_of_one_name_and_a_target_that_cannot_be_gone_to_are_refused() -> None:
    chop = GoapAction("Chop", 1, {}, {"fire": True}, target=(1.0, 0.0))
    with pytest.raises(ValueError, match="'Agent' has two actions called 'Chop'. Rename one"):
        GoapAgent("Agent", actions=[chop, chop], goals=[], travel=lambda target: TimedWait(1.0))
    with pytest.raises(
        ValueError, match="'Chop' has a target, but there is no travel= to get there"
    ):
        GoapAgent("Agent", actions=[chop], goals=[])
    with pytest.raises(TypeError, match="'Agent': goals must be Goal"):
        GoapAgent("Agent", actions=[], goals=["fire"])
