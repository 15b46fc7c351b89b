"""Goals and actions that are set while the agent runs."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import FsmError
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.goap.agent.body import Perform
from fsmkit.recording import restore, snapshot


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
def test_wrong_goals_change_nothing(goals: Any, error: Any, message: str) -> None:
    digger = agent(DIG, goals=[HOLE])
    with pytest.raises(error, match=message):
        digger.goals = goals
    assert (digger.goals, digger.goals_by_name) == ((HOLE,), {"Dig": HOLE})


# Actions


def steps_of(somebody: GoapAgent[Any]) -> list[str]:
    """Return what the body performs, in which state."""
    return [
        f"{state.name} {action.name}"
        for state in somebody.body.states.values()
        for action in state.actions
        if isinstance(action, Perform)
    ]


def test_an_action_that_is_added_is_planned_with() -> None:
    digger = agent(goals=[HOLE], patience=0.5)
    assert run(digger, 0.2) == "waits until 0.6 s before it plans again"
    digger.actions = [DIG]
    assert run(digger, 0.6) == "does 'dig', step 1 of 1"
    assert (digger.actions, list(digger.actions_by_name)) == ((DIG,), ["dig"])
    assert run(digger, 3.0) == "looks for a goal"
    assert digger.facts == {"hole": True}


def test_a_plan_whose_actions_stay_is_continued() -> None:
    digger = agent(SING, DIG, goals=[HOLE])
    run(digger, 2.0)
    digger.actions = [DIG, GoapAction("jump", 1, {}, {"high": True}, run=wait(1.0))]
    assert steps_of(digger) == ["Animate dig", "Animate jump"]
    assert run(digger, 1.1) == "looks for a goal"
    assert digger.facts == {"hole": True}


@pytest.mark.parametrize("others", [[], [GoapAction("dig", 1, {}, {"hole": True}, run=wait(1.0))]])
def test_a_plan_whose_action_is_gone_is_broken_off_and_what_it_has_is_given_back(
    others: list[GoapAction],
) -> None:
    journal: list[str] = []
    spade = GoapAction(
        "dig", 1, {}, {"hole": True}, reserve=lambda: lambda: journal.append("free spade"),
        run=lambda: [DelegateAction(on_exit=lambda state: journal.append("left")), *wait(3.0)()],
    )  # fmt: skip
    digger = agent(spade, goals=[HOLE])
    run(digger, 1.0)
    digger.actions = others
    assert (journal, digger.reservations) == (["left", "free spade"], [])
    assert digger.why().doing == (
        "does 'dig', step 1 of 1" if others else "waits until 2.0 s before it plans again"
    )
    assert digger.why().last_failure is None


@pytest.mark.slow
def test_with_other_actions_it_is_as_if_built_with_them() -> None:
    def built() -> list[GoapAction]:
        return [
            GoapAction("dig", 1, {}, {"hole": True}, target=(1.0, 0.0), run=wait(0.5)),
            GoapAction("sing", 1, {"hole": True}, {"happy": True}, run=wait(0.5)),
        ]

    options: Any = {"goals": [HAPPY], "travel": lambda target: TimedWait(0.5)}
    changed, new = agent(SING, **options), agent(*built(), **options)
    changed.actions = built()
    assert steps_of(changed) == steps_of(new) == ["UseObject dig", "Animate sing"]
    for _ in range(30):
        changed.update(0.1)
        new.update(0.1)
        restore(new, snapshot(changed))
        assert (changed.why(), changed.facts) == (new.why(), new.facts)
    assert changed.facts == {"hole": True, "happy": True}


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([DIG, DIG], ValueError, "two actions called 'dig'. Rename one"),
        (["dig"], TypeError, "must be made of GoapActions"),
        ([GoapAction("go", 1, target=(1.0, 0.0))], ValueError, "'go' has a target, but there is"),
        ([GoapAction("go", 1, run=lambda: [5])], TypeError, "run must return FsmActions, got 5"),
    ],
)
def test_wrong_actions_change_nothing(actions: Any, error: Any, message: str) -> None:
    digger = agent(DIG, goals=[HOLE])
    run(digger, 1.0)
    with pytest.raises(error, match=message):
        digger.actions = actions
    assert (digger.actions, digger.actions_by_name) == ((DIG,), {"dig": DIG})
    assert steps_of(digger) == ["Animate dig"]
    assert run(digger, 2.1) == "looks for a goal"


def test_actions_are_not_set_from_inside_a_callback() -> None:
    def change() -> None:
        digger.actions = [SING]

    dig = GoapAction("dig", 1, {}, {"hole": True}, run=lambda: [DelegateAction(change)])
    digger = agent(dig, goals=[HOLE])
    with pytest.raises(FsmError, match="cannot be set from inside its own callbacks"):
        run(digger, 0.1)
    assert digger.actions == (dig,)


def test_an_error_of_breaking_off_is_raised_and_the_agent_has_the_new_actions() -> None:
    def stumble() -> None:
        raise LookupError("stumbled")

    dig = GoapAction("dig", 1, {}, {"hole": True},
                     run=lambda: [DelegateAction(on_exit=stumble), TimedWait(3.0)])  # fmt: skip
    digger = agent(dig, goals=[HOLE, HAPPY])
    run(digger, 1.0)
    with pytest.raises(LookupError):
        digger.actions = [SING]
    assert digger.why().doing == "does 'sing', step 1 of 1"
    run(digger, 3.0)
    assert digger.facts == {"happy": True}
