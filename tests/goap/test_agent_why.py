"""`agent.why()`: how each goal stands, what the agent does, and what it leaves out."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, SendEvent, TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import snapshot


def wait(seconds: float) -> Callable[[], list[Any]]:
    return lambda: [TimedWait(seconds)]


def fails(seconds: float) -> Callable[[], list[Any]]:
    return lambda: [SendEvent("FAILED", delay=seconds), TimedWait(9.0)]


def agent(*actions: GoapAction, goals: list[Goal], **options: Any) -> GoapAgent[Any]:
    return GoapAgent("W", actions=actions, goals=goals, **options)


def run(somebody: GoapAgent[Any], seconds: float) -> None:
    if not somebody.is_running:
        somebody.start()
    for _ in range(round(10 * seconds)):
        somebody.update(0.1)


def goals_of(somebody: GoapAgent[Any]) -> list[str]:
    return [str(each) for each in somebody.why().goals]


DIG = GoapAction("dig", 1, {}, {"hole": True}, run=wait(3.0))
HOLE = Goal("Dig", {"hole": True}, 1)
SKY = Goal("Fly", {"flying": True}, 3)


def test_the_whole_text() -> None:
    thief = agent(
        GoapAction("walk", 1, {}, {"there": True}, run=wait(1.0)),
        GoapAction("pick", 1, {"there": True}, {"open": True}, run=fails(0.5)),
        GoapAction("wait", 1, {"there": True}, {"calm": True}, run=wait(9.0)),
        GoapAction("sing", 1, {"calm": True}, {"happy": True}, run=wait(9.0)),
        goals=[
            Goal("Sing", {"happy": True}),
            Goal("Open", {"open": True}, 5, fallbacks=[Goal("Climb", {"in": True})]),
            Goal("Eat", {"fed": True}, 7.5, wanted=lambda: False),
            Goal("BeThere", {"there": True}, 9),
        ],
    )
    run(thief, 3.5)
    assert (
        str(thief.why())
        == """\
'W' at 3.5 s: does 'wait', step 1 of 2
goals:
  BeThere (priority 9): reached
  Eat (priority 7.5): not wanted
  Open (priority 5): no plan: no action can bring about 'open' while 'pick' is left \
out; put off until 3.7 s
  Climb (priority 5, as a fallback of 'Open'): no plan: no action can bring about 'in'; put off \
until 3.8 s
  Sing (priority 1): chosen
plan for 'Sing': wait (now), sing
left out of planning:
  pick: failed; left out until 3.7 s
last failure: pick: failed, at 1.7 s"""
    )


def test_the_fields_are_for_tools() -> None:
    digger = agent(DIG, goals=[HOLE, SKY])
    run(digger, 1.0)
    why = digger.why()
    assert (why.agent, why.time, why.state, why.doing) == (
        "W", pytest.approx(1.0), "Executing", "does 'dig', step 1 of 1",
    )  # fmt: skip
    assert (why.goal, why.plan, why.step) == ("Dig", ("dig",), 0)
    assert (why.left_out, why.last_failure) == ((), None)
    sky, hole = why.goals
    assert (sky.goal, sky.priority, sky.standing, sky.fallback_of) == ("Fly", 3, "no plan", None)
    assert (sky.reason, sky.until) == ("no action can bring about 'flying'", pytest.approx(1.1))
    assert (hole.goal, hole.standing, hole.reason, hole.until) == ("Dig", "chosen", "", None)


# What it does


def test_before_it_runs_and_after_it_has_stopped() -> None:
    digger = agent(DIG, goals=[HOLE])
    before = digger.why()
    assert (before.state, before.doing) == (None, "not running")
    assert goals_of(digger) == ["Dig (priority 1): waiting: the agent does not run"]
    run(digger, 1.0)
    digger.stop()
    after = digger.why()
    assert (after.doing, after.goal, after.plan, after.step) == ("not running", None, (), -1)
    assert str(after) == (
        "'W' at 1.0 s: not running\ngoals:\n  Dig (priority 1): waiting: the agent does not run"
    )


def test_what_it_does_in_each_state() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True}, run=wait(0.3))
        for i in range(6)
    ]
    climber = agent(*chain, goals=[Goal("End", {"f6": True})], nodes_per_update=2, patience=0.5)
    seen: list[str] = []
    climber.start()
    for _ in range(24):
        climber.update(0.1)
        if (doing := climber.why().doing) not in seen:
            seen.append(doing)
    assert seen == [
        "plans for 'End'",
        *(f"does 'Step{i}', step {i + 1} of 6" for i in range(6)),
        "looks for a goal",
    ]


def test_on_the_way_and_while_it_waits() -> None:
    walker = agent(
        GoapAction("chop", 1, {}, {"hole": True}, target=(1.0, 0.0), run=fails(0.5)),
        goals=[HOLE], travel=lambda target: TimedWait(1.0), patience=2.0,
    )  # fmt: skip
    run(walker, 1.0)
    assert walker.why().doing == "goes to the target of 'chop', step 1 of 1"
    run(walker, 0.5)
    assert walker.why().doing == "does 'chop', step 1 of 1"
    run(walker, 0.5)
    assert walker.why().doing == "waits until 3.6 s before it plans again"


def test_a_target_that_cannot_be_reached_is_named() -> None:
    walker = agent(
        GoapAction("chop", 1, {}, {"hole": True}, target=(1.0, 0.0)),
        goals=[HOLE], travel=lambda target: SendEvent("FAILED"),
    )  # fmt: skip
    run(walker, 0.1)
    assert [each.reason for each in walker.why().left_out] == ["could not get to its target"]


# How goals stand


def test_a_goal_that_is_less_important_or_no_more_important_waits() -> None:
    digger = agent(DIG, goals=[HOLE, Goal("Swim", {"wet": True}), Goal("Sit", {"down": True}, 0)])
    run(digger, 0.5)
    assert goals_of(digger) == [
        "Dig (priority 1): chosen",
        "Swim (priority 1): waiting: no more important than 'Dig'",
        "Sit (priority 0): waiting: less important than 'Dig'",
    ]


def test_a_better_goal_that_has_just_appeared_waits_for_the_next_look() -> None:
    danger: list[bool] = []
    digger = agent(DIG, goals=[HOLE, Goal("Fly", {"flying": True}, 3, wanted=lambda: danger)])
    run(digger, 0.2)
    danger.append(True)
    assert goals_of(digger)[0] == (
        "Fly (priority 3): waiting: planned for at the next look, at 0.6 s"
    )
    run(digger, 0.4)
    assert goals_of(digger)[0] == (
        "Fly (priority 3): no plan: no action can bring about 'flying'; put off until 1.6 s"
    )


def test_a_better_goal_that_is_planned_for_meanwhile() -> None:
    danger: list[bool] = []
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]
    digger = agent(
        DIG, *chain, goals=[HOLE, Goal("End", {"f6": True}, 3, wanted=lambda: danger)],
        nodes_per_update=1,
    )  # fmt: skip
    run(digger, 0.2)
    danger.append(True)
    run(digger, 0.5)
    assert goals_of(digger)[0] == "End (priority 3): planning: while the present plan goes on"


def test_a_goal_whose_turn_it_is_after_an_error_in_planning_has_no_plan_beside_it() -> None:
    def broken() -> bool:
        raise KeyError("lost")

    look = Goal("Look", {"looked": True}, 2)
    digger = agent(
        DIG, GoapAction("look", broken, {}, {"looked": True}), goals=[look, HOLE],
    )  # fmt: skip
    digger.start()
    with pytest.raises(KeyError, match="lost"):
        digger.update(0.1)
    assert (digger.why().doing, goals_of(digger)[1]) == ("plans", "Dig (priority 1): planning")


def test_a_lesser_goal_that_had_no_plan_once_waits_for_the_present_one_by_now() -> None:
    is_dry: list[bool] = []
    hole = Goal("Dig", {"hole": True}, 5, wanted=lambda: is_dry)
    digger = agent(DIG, goals=[hole, SKY])
    run(digger, 0.5)
    assert goals_of(digger)[1] == (
        "Fly (priority 3): no plan: no action can bring about 'flying'; put off until 1.1 s"
    )
    is_dry.append(True)
    run(digger, 1.0)
    assert goals_of(digger) == [
        "Dig (priority 5): chosen",
        "Fly (priority 3): waiting: less important than 'Dig'",
    ]


def test_a_goal_whose_plan_has_failed_waits_for_the_agent_to_plan() -> None:
    thief = agent(GoapAction("pick", 1, {}, {"hole": True}, run=fails(0.2)), goals=[HOLE])
    run(thief, 0.5)
    assert thief.why().doing == "waits until 1.3 s before it plans again"
    assert goals_of(thief) == ["Dig (priority 1): waiting: for the agent to plan"]


def test_a_fallback_is_chosen_for_the_goal_that_has_no_plan() -> None:
    sky = Goal("Fly", {"flying": True}, 3, fallbacks=[HOLE, Goal("Sit", {"down": True})])
    digger = agent(DIG, goals=[sky])
    run(digger, 0.5)
    assert goals_of(digger) == [
        "Fly (priority 3): no plan: no action can bring about 'flying'; put off until 1.1 s",
        "Dig (priority 3, as a fallback of 'Fly'): chosen",
        "Sit (priority 3, as a fallback of 'Fly'): waiting: 'Dig' comes first",
    ]


def test_a_fallback_of_a_goal_that_holds_is_not_wanted() -> None:
    sky = Goal("Fly", {"flying": True}, 3, fallbacks=[HOLE])
    assert goals_of(agent(DIG, goals=[sky], facts={"flying": True})) == [
        "Fly (priority 3): reached",
        "Dig (priority 3, as a fallback of 'Fly'): not wanted: 'Fly' is reached",
    ]


def test_a_search_that_gave_up_is_named() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]
    climber = agent(*chain, goals=[Goal("End", {"f6": True})], max_nodes=3)
    run(climber, 0.1)
    assert goals_of(climber) == [
        "End (priority 1): no plan: none found within 3 nodes: raise max_nodes; put off until 1.1 s"
    ]


# It asks little, and changes nothing


def test_each_function_is_asked_once_at_most() -> None:
    asked: list[str] = []

    def asking(name: str, answer: object) -> Callable[[], Any]:
        return lambda: asked.append(name) or answer

    digger = agent(
        DIG,
        goals=[
            Goal("A", {"x": True, "y": True}, asking("priority A", 1), wanted=asking("wanted A", 1),
                 fallbacks=[Goal("B", {"x": True, "z": True}, wanted=asking("wanted B", 0))]),
            Goal("C", {"y": True}, asking("priority C", 1), wanted=asking("wanted C", 0)),
        ],
        sensors={name: asking(name, name == "x") for name in ("x", "y", "z", "unused")},
    )  # fmt: skip
    digger.why()
    assert sorted(asked) == [
        "priority A", "priority C", "wanted A", "wanted B", "wanted C", "x", "y", "z",
    ]  # fmt: skip


def test_a_look_at_the_world_can_be_handed_in_and_read_on() -> None:
    asked: list[str] = []
    digger = agent(DIG, goals=[HOLE], sensors={"hole": lambda: asked.append("hole") is None})
    world = digger.sense()
    (line,) = digger.why(world).goals
    assert (line.standing, world["hole"], asked) == ("reached", True, ["hole"])
    assert digger.why({"hole": False}).goals[0].standing != "reached"


def test_what_is_not_a_world_is_refused() -> None:
    with pytest.raises(TypeError) as raised:
        agent(goals=[HOLE]).why("night")  # type: ignore[arg-type]
    assert str(raised.value) == (
        "GoapAgent 'W': world must map facts to their values, got 'night'. Use world=agent.sense()."
    )


def test_errors_are_reported_and_not_raised() -> None:
    def broken() -> Any:
        asked.append("asked")
        raise KeyError("lost")

    asked: list[str] = []
    digger = agent(
        DIG,
        goals=[
            Goal("A", {"seen": True}, fallbacks=[Goal("B", {"seen": True, "hole": True})]),
            Goal("C", {"hole": True}, broken, fallbacks=[Goal("D", {"wet": True}, 1)]),
            Goal("E", {"hole": True}, 3, wanted=broken),
        ],
        sensors={"seen": broken},
    )
    assert goals_of(digger) == [
        "E (priority 3): unknown: wanted raised KeyError: 'lost'",
        "A (priority 1): unknown: a sensor raised KeyError: 'lost'",
        "B (priority 1, as a fallback of 'A'): unknown: a sensor raised KeyError: 'lost'",
        "C (priority ?): unknown: its priority raised KeyError: 'lost'",
        "D (priority ?, as a fallback of 'C'): unknown: 'C' is unknown",
    ]
    assert len(asked) == 3


def test_a_priority_that_is_not_a_number_is_reported() -> None:
    digger = agent(DIG, goals=[Goal("Dig", {"hole": True}, lambda: "high")])  # type: ignore[arg-type, return-value]
    (line,) = goals_of(digger)
    assert line == (
        "Dig (priority ?): unknown: its priority raised TypeError: The priority of 'Dig' must be a "
        "number, got 'high'."
    )


def test_an_error_of_any_length_takes_one_line() -> None:
    def broken() -> bool:
        raise ValueError("no\n" * 1000)

    (line,) = goals_of(agent(DIG, goals=[HOLE], sensors={"hole": broken}))
    assert (len(line) < 300, "\n" in line) == (True, False)


@pytest.mark.slow
def test_nothing_changes_by_asking() -> None:
    def thief() -> GoapAgent[Any]:
        return agent(
            DIG, GoapAction("fly", 1, {}, {"flying": True}, run=fails(0.3)), goals=[HOLE, SKY],
            nodes_per_update=1,
        )  # fmt: skip

    asked, silent = thief(), thief()
    asked.start()
    silent.start()
    for _ in range(100):
        asked.why()
        asked.update(0.1)
        silent.update(0.1)
        assert snapshot(asked) == snapshot(silent)


def test_it_may_be_asked_while_the_agent_plans_and_acts() -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append(digger.why().doing)

    digger = agent(
        GoapAction("dig", 1, {}, {"hole": True}, checks=[lambda: look() is None],
                   run=lambda: [DelegateAction(lambda state: look())]),
        goals=[HOLE],
    )  # fmt: skip
    run(digger, 1.0)
    assert seen == ["plans", "does 'dig', step 1 of 1"]


# Plans that nobody has made


def test_an_agent_without_a_goal_has_no_plan_and_says_so() -> None:
    digger = agent(DIG, goals=[])
    run(digger, 1.0)
    assert (digger.plan.found, str(digger.plan)) == (False, "no plan: there is no goal")


def test_an_agent_that_is_planning_says_so() -> None:
    chain = [
        GoapAction(f"Step{i}", 1, {f"f{i}": True} if i else {}, {f"f{i + 1}": True})
        for i in range(6)
    ]
    climber = agent(*chain, goals=[Goal("End", {"f6": True})], nodes_per_update=1)
    run(climber, 0.2)
    assert str(climber.plan) == "no plan: it is still being made"
