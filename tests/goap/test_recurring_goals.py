"""Goals that come again: reached once their plan was carried out, and wanted again later."""

import json
import math
from typing import Any

import pytest
from every import every

from actions import TimedWait
from fsmkit.goap import Goal, GoapAction, GoapAgent, add, at_least
from fsmkit.recording import restore, snapshot

SELL = GoapAction("sell", 1, {"ore": True}, {"sold": True, "ore": False},
                  run=lambda: [TimedWait(0.5)])  # fmt: skip
DIG = GoapAction("dig", 1, {}, {"ore": True}, run=lambda: [TimedWait(0.5)])


def trader(journal: list[str] | None = None, *goals: Goal, **options: Any) -> GoapAgent[Any]:
    """Return a started agent that digs and sells; what it has done is journalled with the time."""
    told = [] if journal is None else journal

    def telling(action: GoapAction) -> GoapAction:
        def done() -> None:
            told.append(f"{agent.time:.1f} {action.name}")

        return GoapAction(
            action.name, action.cost, action.preconditions, action.effects, run=action.run,
            done=done,
        )  # fmt: skip

    actions = options.pop("actions", [DIG, SELL])
    agent: GoapAgent[Any] = GoapAgent(
        "T", actions=[telling(each) for each in actions], goals=goals, **options
    )
    agent.start()
    return agent


def play(agent: GoapAgent[Any], seconds: float) -> None:
    for _ in range(round(10 * seconds)):
        agent.update(0.1)


def test_it_is_wanted_again_after_so_many_seconds() -> None:
    journal: list[str] = []
    agent = trader(journal, Goal("Sell", {"sold": True}, again_after=2.0))
    play(agent, 7.0)
    assert journal == ["0.6 dig", "1.1 sell", "3.6 dig", "4.1 sell", "6.6 dig"]


def test_in_between_it_is_not_wanted_and_its_facts_hold() -> None:
    agent = trader(None, Goal("Sell", {"sold": True}, again_after=2.0))
    play(agent, 3.0)
    assert (agent.current_state.name, agent.goal) == ("NoGoal", None)
    assert agent.facts == {"ore": False, "sold": True}
    play(agent, 0.1)
    assert (agent.current_state.name, agent.facts["sold"]) == ("Executing", False)


def test_with_no_time_in_between_it_never_ends_and_does_not_spin() -> None:
    journal: list[str] = []
    agent = trader(
        journal, Goal("Sell", {"sold": True}, again_after=0.0),
        actions=[GoapAction("sell", 1, {}, {"sold": True})],
    )  # fmt: skip
    play(agent, 0.5)
    assert journal == ["0.1 sell", "0.2 sell", "0.3 sell", "0.4 sell", "0.5 sell"]


def test_without_it_a_goal_that_is_reached_stays_so() -> None:
    journal: list[str] = []
    agent = trader(journal, Goal("Sell", {"sold": True}))
    play(agent, 9.0)
    assert journal == ["0.6 dig", "1.1 sell"]


@pytest.mark.parametrize("says", [True, False])
def test_it_counts_as_reached_whatever_a_sensor_says(says: bool) -> None:
    journal: list[str] = []
    sold = [False]
    agent = trader(
        journal, Goal("Sell", {"sold": True}, again_after=1.0), sensors={"sold": lambda: sold[0]}
    )
    play(agent, 1.1)
    assert (journal, agent.current_state.name) == (["0.6 dig", "1.1 sell"], "NoGoal")
    sold[0] = says
    play(agent, 3.0)
    again = [] if says else ["2.6 dig", "3.1 sell"]
    assert journal[2:] == again


def test_several_facts_are_taken_back_but_none_that_has_a_sensor() -> None:
    work = GoapAction("work", 1, {}, {"done": True, "tired": False, "seen": True})
    agent = trader(
        None, Goal("Work", {"done": True, "tired": False, "seen": True}, again_after=1.0),
        actions=[work], facts={"tired": True}, sensors={"seen": lambda: False},
    )  # fmt: skip
    play(agent, 0.1)
    assert agent.facts == {"done": True, "tired": False, "seen": True}
    taken: list[Any] = []
    agent.observe(_Watcher(lambda: taken.append(dict(agent.facts))))
    play(agent, 1.0)
    assert taken[0] == {"done": False, "tired": True, "seen": True}


class _Watcher:
    """Calls a function whenever a state is entered."""

    def __init__(self, call: Any) -> None:
        self.call = call

    def state_entered(self, *_: object) -> None:
        self.call()


def test_of_a_count_the_number_asked_for_is_taken_away() -> None:
    journal: list[str] = []
    agent = trader(
        journal, Goal("Stock", {"ore": at_least(3)}, again_after=1.0),
        actions=[GoapAction("dig", 1, {}, {"ore": add(2)})], facts={"ore": 1},
    )  # fmt: skip
    play(agent, 0.1)
    assert (journal, agent.facts) == (["0.1 dig"], {"ore": 3})
    play(agent, 1.0)
    assert (journal[1:], agent.facts) == (["1.1 dig", "1.1 dig"], {"ore": 4})
    play(agent, 1.0)
    assert (journal[3:], agent.facts) == (["2.1 dig"], {"ore": 3})


def test_of_an_exact_count_all_are_taken_away() -> None:
    agent = trader(
        None, Goal("Stock", {"ore": 2}, again_after=1.0),
        actions=[GoapAction("dig", 1, {}, {"ore": add(1)}, run=lambda: [TimedWait(0.1)])],
    )  # fmt: skip
    play(agent, 1.0)
    assert agent.facts == {"ore": 2}
    play(agent, 0.3)
    assert agent.facts == {"ore": 0}


def test_another_goal_is_served_while_it_rests() -> None:
    journal: list[str] = []
    agent = trader(
        journal,
        Goal("Sell", {"sold": True}, 5, again_after=2.0),
        Goal("Sing", {"sung": True}, 1, again_after=0.5),
        actions=[DIG, SELL, GoapAction("sing", 1, {}, {"sung": True})],
        look_every=0.1,
    )
    play(agent, 4.1)
    assert journal == [
        "0.6 dig", "1.1 sell", "1.2 sing", "1.7 sing", "2.2 sing", "2.7 sing", "3.6 dig",
        "4.1 sell",
    ]  # fmt: skip


def test_it_breaks_off_a_lesser_plan_when_its_time_has_come() -> None:
    nap = GoapAction("nap", 1, {}, {"rested": True}, run=lambda: [TimedWait(9.0)])
    agent = trader(
        None, Goal("Sell", {"sold": True}, 5, again_after=2.0), Goal("Nap", {"rested": True}),
        actions=[DIG, SELL, nap], look_every=0.1,
    )  # fmt: skip
    play(agent, 3.0)
    assert str(agent.plan) == "nap (cost 1)"
    play(agent, 0.3)
    assert str(agent.plan) == "dig, sell (cost 2)"


def test_a_plan_that_fails_or_is_broken_off_does_not_let_it_rest() -> None:
    agent = trader(None, Goal("Sell", {"sold": True}, again_after=5.0), patience=0.2)
    play(agent, 0.3)
    agent.send_event("FAILED")
    play(agent, 0.3)
    assert agent.why().goals[0].standing != "reached"
    play(agent, 3.0)
    assert agent.facts["sold"]


def test_a_fallback_rests_without_the_goal_that_it_stands_for() -> None:
    journal: list[str] = []
    sing = Goal("Sing", {"sung": True}, again_after=1.0)
    agent = trader(
        journal, Goal("Fly", {"flying": True}, fallbacks=[sing]), patience=0.2,
        actions=[GoapAction("sing", 1, {}, {"sung": True})],
    )  # fmt: skip
    play(agent, 3.0)
    assert len(journal) == 3


def test_the_fallbacks_of_one_that_rests_are_not_wanted_either() -> None:
    journal: list[str] = []
    sing = Goal("Sing", {"sung": True})
    agent = trader(
        journal, Goal("Sell", {"sold": True}, again_after=9.0, fallbacks=[sing]),
        actions=[DIG, SELL, GoapAction("sing", 1, {}, {"sung": True})],
        sensors={"sold": lambda: False},
    )  # fmt: skip
    play(agent, 5.0)
    assert journal == ["0.6 dig", "1.1 sell"]


@every("moment", range(0, 45, 3))
def test_its_rest_is_saved(moment: int) -> None:
    def made(journal: list[str]) -> GoapAgent[Any]:
        return trader(journal, Goal("Sell", {"sold": True}, again_after=2.0))

    journal: list[str] = []
    told: list[str] = []
    agent, another = made(journal), made(told)
    play(agent, moment / 10)
    restore(another, json.loads(json.dumps(snapshot(agent))))
    journal.clear()
    play(agent, 5.0)
    play(another, 5.0)
    assert (told, another.facts) == (journal, agent.facts)
    assert len(journal) >= 2


def test_why_says_when_it_is_wanted_again() -> None:
    agent = trader(None, Goal("Sell", {"sold": True}, again_after=2.0))
    play(agent, 2.0)
    assert "Sell (priority 1): reached: wanted again at 3.1 s" in str(agent.why()).splitlines()[2]


def test_why_says_so_too_while_nobody_looks_although_its_time_has_come() -> None:
    agent = trader(
        None, Goal("Sell", {"sold": True}, 5, again_after=1.0), Goal("Fly", {"flying": True}),
        patience=3.0,
    )  # fmt: skip
    play(agent, 2.0)
    assert str(agent.why().goals[0]) == "Sell (priority 5): reached: wanted again at 2.1 s"
    play(agent, 1.0)
    assert agent.current_state.name == "WaitingToPlan"
    assert str(agent.why().goals[0]) == (
        "Sell (priority 5): reached: wanted again at the next look"
    )


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (-1, ValueError),
        (math.nan, ValueError),
        (math.inf, ValueError),
        ("1", TypeError),
        (True, TypeError),
    ],
)
def test_an_invalid_time_is_refused(seconds: Any, error: type[Exception]) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        Goal("Sell", {"sold": True}, again_after=seconds)
    wanted = "a finite number of seconds >= 0"
    assert type(raised.value) is error
    assert str(raised.value) == f"Goal 'Sell': again_after must be {wanted}, got {seconds!r}."
