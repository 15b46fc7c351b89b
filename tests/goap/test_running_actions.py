"""What an action runs: side by side or in sequence, and what follows on success."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from actions import DelegateAction, OnEvent, SendEventWhen, TimedWait
from fsmkit import FINISHED, FsmAction
from fsmkit.checking import check
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import restore, snapshot
from fsmkit.testing import Recorder

DUG = Goal("Dig", {"hole": True})


class Wait(FsmAction[Any]):
    """Waits, and journals when it is entered and exited."""

    def __init__(self, journal: list[str], name: str, seconds: float) -> None:
        self.journal = journal
        self.name = name
        self.seconds = seconds
        self.left = seconds

    def on_enter(self) -> None:
        self.journal.append(f"{self.fsm.time:.2f} enter {self.name}")
        self.left = self.seconds
        if not self.seconds:
            self.finish()

    def on_update(self) -> None:
        self.left -= self.delta_time
        if self.left <= 0.0:
            self.finish(-self.left)

    def on_event(self, event: str, data: object) -> bool:
        if event != FINISHED:
            self.journal.append(f"{self.name} hears {event}")
        if event == "HURRY":
            self.finish()
        return event == "HURRY"

    def on_exit(self) -> None:
        self.journal.append(f"{self.fsm.time:.2f} exit {self.name}")


def digger(journal: list[str], run: Callable[[], Iterable[Any]] | None, **more: Any) -> Any:
    """Return a started agent that digs, and journals that it is done."""
    options = {"in_sequence": True, "done": lambda: journal.append("done"), **more}
    dig = GoapAction("dig", 1, {}, {"hole": True}, run=run, **options)
    agent: GoapAgent[Any] = GoapAgent("W", actions=[dig], goals=[DUG])
    agent.start()
    return agent


def play(agent: GoapAgent[Any], updates: int, seconds: float) -> None:
    for _ in range(updates):
        agent.update(seconds)


def waits(journal: list[str], *seconds: float) -> Callable[[], list[Any]]:
    return lambda: [Wait(journal, name, each) for name, each in zip("abc", seconds, strict=False)]


# In sequence


def test_in_sequence_each_begins_when_the_one_before_has_finished() -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 0.5, 0.0, 0.25))
    for _ in range(4):
        agent.update(0.25)
    assert journal == [
        "0.00 enter a", "0.50 exit a", "0.50 enter b", "0.50 exit b", "0.50 enter c",
        "0.75 exit c", "done",
    ]  # fmt: skip
    assert (agent.facts, agent.current_state.name) == ({"hole": True}, "NoGoal")


def test_without_it_they_run_side_by_side() -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 0.5, 0.0, 0.25), in_sequence=False)
    for _ in range(4):
        agent.update(0.25)
    assert journal == [
        "0.00 enter a", "0.00 enter b", "0.00 enter c",
        "0.50 exit a", "0.50 exit b", "0.50 exit c", "done",
    ]  # fmt: skip


def test_nothing_waits_for_what_runs_in_the_background() -> None:
    def run() -> list[FsmAction[Any]]:
        watch = SendEventWhen(lambda: collapsed, "FAILED", background=True)
        return [watch, Wait(journal, "a", 0.5)]

    journal: list[str] = []
    collapsed: list[bool] = []
    agent = digger(journal, run, in_sequence=False)
    play(agent, 4, 0.25)
    assert (journal, agent.facts) == (["0.00 enter a", "0.50 exit a", "done"], {"hole": True})
    journal.clear()
    agent = digger(journal, run, in_sequence=False)
    agent.update(0.25)
    collapsed.append(True)
    agent.update(0.25)
    assert journal == ["0.00 enter a", "a hears FAILED", "0.25 exit a"]
    assert agent.facts == {}


def test_where_time_is_carried_over_the_next_gets_what_is_left_of_the_update() -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 0.5, 0.0, 0.25))
    agent.body.carry_time = True
    agent.update(1.0)
    agent.update(1.0)
    assert journal == [
        "0.00 enter a", "0.50 exit a", "0.50 enter b", "0.50 exit b", "0.50 enter c",
        "0.75 exit c", "done",
    ]  # fmt: skip


def test_without_actions_or_with_disabled_ones_only_it_is_done_at_once() -> None:
    def disabled() -> list[Any]:
        action = TimedWait(9.0)
        action.enabled = False
        return [action, action.__class__(0.0)]

    for run in (None, list, disabled):
        journal: list[str] = []
        agent = digger(journal, run)
        agent.update(0.1)
        assert (journal, agent.facts) == (["done"], {"hole": True})


def test_a_disabled_action_is_passed_over() -> None:
    journal: list[str] = []

    def run() -> list[Any]:
        actions = waits(journal, 0.0, 1.0, 0.0)()
        actions[1].enabled = False
        return actions

    digger(journal, run).update(0.1)
    assert journal == [
        "0.00 enter a", "0.00 exit a", "0.00 enter c", "0.00 exit c", "done",
    ]  # fmt: skip


def test_events_are_offered_only_to_the_one_that_was_entered() -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 9.0, 9.0))
    agent.update(0.1)
    assert agent.send_event("LOOK") is False
    assert agent.send_event("HURRY") is True
    assert agent.send_event("LOOK") is False
    assert journal == [
        "0.00 enter a", "a hears LOOK", "a hears HURRY", "0.00 exit a", "0.00 enter b",
        "b hears LOOK",
    ]  # fmt: skip
    assert agent.send_event("HURRY") is True
    assert journal[-2:] == ["0.00 exit b", "done"]


def test_an_event_that_an_action_sends_to_itself_is_acted_on_when_its_callback_has_returned() -> (
    None
):
    journal: list[str] = []

    class Impatient(Wait):
        def on_update(self) -> None:
            self.fsm.send_event("HURRY")
            journal.append("still here")

    agent = digger(journal, lambda: [Impatient(journal, "a", 9.0), Wait(journal, "b", 0.0)])
    agent.update(0.1)
    agent.update(0.1)
    agent.update(0.1)
    assert [line for line in journal if "hears" not in line] == [
        "0.00 enter a", "still here", "0.10 exit a", "0.10 enter b", "0.10 exit b", "done",
    ]  # fmt: skip


def test_one_that_never_finishes_holds_up_the_rest_and_is_exited_once() -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 0.0, 1e9, 0.0))
    for _ in range(5):
        agent.update(1.0)
    agent.stop()
    assert journal == ["0.00 enter a", "0.00 exit a", "0.00 enter b", "4.00 exit b"]


@pytest.mark.parametrize("in_sequence", [True, False])
def test_an_action_that_fails_makes_the_plan_fail_with_its_reason(*, in_sequence: bool) -> None:
    class Slip(Wait):
        def finish(self, unused: float = 0.0, data: object = None) -> None:
            self.fail("slipped", unused)

    journal: list[str] = []
    agent = digger(
        journal,
        lambda: [Wait(journal, "a", 0.25), Slip(journal, "b", 0.25), Wait(journal, "c", 9.0)],
        in_sequence=in_sequence,
    )
    with Recorder(agent) as recorder:
        play(agent, 3, 0.25)
    assert "event FAILED: changed" in recorder.journal
    assert [each.reason for each in agent.why().left_out] == ["failed: slipped"]
    assert ("done" in journal, "0.25 exit a" in journal) == (False, True)
    assert {line[5:] for line in journal} >= {"enter b", "exit b"}
    assert in_sequence is not any("enter c" in line for line in journal)


def test_a_sequence_can_be_used_twice() -> None:
    journal: list[str] = []
    run = waits(journal, 0.0, 0.5)
    dig = GoapAction("dig", 1, {}, {"hole": True}, run=run, in_sequence=True)
    agent: GoapAgent[Any] = GoapAgent("W", actions=[dig], goals=[DUG])
    agent.start()
    for _ in range(2):
        agent.facts.clear()
        for _ in range(4):
            agent.update(0.25)
    assert [line[5:] for line in journal] == [
        "enter a", "exit a", "enter b", "exit b",
    ] * 2  # fmt: skip


class Broken(FsmAction[Any]):
    """Raises in one of its callbacks."""

    def __init__(self, callback: str) -> None:
        self.callback = callback

    def on_enter(self) -> None:
        self._stumble("on_enter")

    def on_update(self) -> None:
        self._stumble("on_update")
        self.finish()

    def on_exit(self) -> None:
        self._stumble("on_exit")

    def _stumble(self, callback: str) -> None:
        if callback == self.callback:
            raise LookupError(f"{callback} is broken")


@pytest.mark.parametrize("callback", ["on_enter", "on_update", "on_exit"])
@pytest.mark.parametrize("first", [0.0, 0.25])
def test_after_an_error_in_one_the_plan_fails_and_those_after_it_never_begin(
    callback: str, first: float
) -> None:
    journal: list[str] = []
    agent = digger(
        journal,
        lambda: [Wait(journal, "a", first), Broken(callback), Wait(journal, "c", 0.0)],
    )
    recorder = Recorder(agent)
    with pytest.raises(LookupError, match=f"{callback} is broken"):
        play(agent, 4, 0.25)
    agent.update(0.25)
    assert recorder.path[-2:] == ["Failed", "WaitingToPlan"]
    assert [line[5:] for line in journal] == ["enter a", "exit a"]
    assert agent.facts == {}


@pytest.mark.parametrize("moment", range(7))
def test_a_sequence_continues_exactly_where_it_was_saved(moment: int) -> None:
    journal: list[str] = []
    agent = digger(journal, waits(journal, 0.5, 0.75, 0.25))
    for _ in range(moment):
        agent.update(0.25)
    told: list[str] = []
    another = digger(told, waits(told, 0.5, 0.75, 0.25))
    told.clear()
    restore(another, json.loads(json.dumps(snapshot(agent))))
    journal.clear()
    for _ in range(8 - moment):
        agent.update(0.25)
        another.update(0.25)
    assert (told, another.facts) == (journal, agent.facts)
    assert agent.facts == {"hole": True}


def test_tools_see_the_actions_of_a_sequence() -> None:
    agent = digger([], lambda: [TimedWait(1.0), OnEvent("HURRY", lambda: None)])
    assert check(agent) == []
    (perform,) = agent.body.states["Animate"].actions
    assert repr(perform).startswith("PerformInSequence(name='dig', actions=(TimedWait(")


# Done


def test_done_is_called_before_the_effects_are_believed() -> None:
    seen: list[Any] = []
    agent = digger([], lambda: [TimedWait(1.0)], done=lambda: seen.append(dict(agent.facts)))
    for _ in range(5):
        agent.update(0.5)
    assert (seen, agent.facts) == ([{}], {"hole": True})


def test_done_is_called_after_the_actions_were_exited() -> None:
    journal: list[str] = []
    digger(
        journal, lambda: [DelegateAction(on_exit=lambda state: journal.append("exited"))]
    ).update(0.1)
    assert journal == ["exited", "done"]


def test_done_is_called_once_for_each_action_of_a_plan() -> None:
    journal: list[str] = []

    def telling(name: str) -> Callable[[], None]:
        return lambda: journal.append(name)

    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[DUG], travel=lambda target: TimedWait(0.5),
        actions=[
            GoapAction("walk", 1, {}, {"there": True}, target=(1, 0), done=telling("walked")),
            GoapAction("dig", 1, {"there": True}, {"hole": True}, done=telling("dug"),
                       run=lambda: [TimedWait(0.5)]),
        ],
    )  # fmt: skip
    agent.start()
    for _ in range(9):
        agent.update(0.5)
    assert journal == ["walked", "dug"]


@pytest.mark.parametrize("ending", ["FAILED", "NO_GOAL", "stop", "goal is not wanted"])
def test_done_is_not_called_for_what_was_broken_off(ending: str) -> None:
    journal: list[str] = []
    wants = [True]
    agent: GoapAgent[Any] = GoapAgent(
        "W", goals=[Goal("Dig", {"hole": True}, wanted=lambda: wants[0])],
        actions=[GoapAction("dig", 1, {}, {"hole": True}, run=lambda: [TimedWait(5.0)],
                            done=lambda: journal.append("done"))],
    )  # fmt: skip
    agent.start()
    agent.update(0.5)
    if ending == "stop":
        agent.stop()
    elif ending == "goal is not wanted":
        wants[0] = False
        agent.update(0.5)
        agent.update(0.5)
    else:
        agent.send_event(ending)
    assert (journal, agent.facts) == ([], {})


@pytest.mark.parametrize("in_sequence", [False, True])
@pytest.mark.parametrize("run", [None, lambda: [TimedWait(0.0)], lambda: [TimedWait(0.5)]])
def test_after_an_error_in_done_the_plan_fails_and_the_effects_are_not_believed(
    run: Any, in_sequence: bool
) -> None:
    calls: list[str] = []

    def fail() -> None:
        calls.append("done")
        raise LookupError("the hole fell in")

    agent = digger([], run, done=fail, in_sequence=in_sequence)
    recorder = Recorder(agent)
    with pytest.raises(LookupError, match="the hole fell in"):
        play(agent, 3, 0.5)
    agent.update(0.5)
    assert (calls, agent.facts) == (["done"], {})
    assert recorder.path[-2:] == ["Failed", "WaitingToPlan"]


def test_a_done_that_sends_failed_makes_the_plan_fail_and_nothing_is_believed() -> None:
    agent = digger([], lambda: [TimedWait(0.5)], done=lambda: agent.send_event("FAILED"))
    recorder = Recorder(agent)
    play(agent, 3, 0.5)
    assert (recorder.path[-2:], agent.facts) == (["Failed", "WaitingToPlan"], {})
    assert "dig: failed" in str(agent.why())


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"done": 5}, "GoapAction 'dig': done must be a function, got 5"),
        ({"in_sequence": 1}, "GoapAction 'dig': in_sequence must be True or False, got 1"),
    ],
)
def test_what_is_refused(options: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        GoapAction("dig", **options)


def test_a_done_that_nobody_would_run_to_its_end_is_refused() -> None:
    async def later() -> None:
        pass

    with pytest.raises(TypeError, match="GoapAction 'dig': done must not be async"):
        GoapAction("dig", done=later)


def test_the_actions_of_run_know_the_context_of_the_agent() -> None:
    seen: list[object] = []
    greet = GoapAction(
        "Greet",
        effects={"greeted": True},
        run=lambda: [DelegateAction(lambda state: seen.append(state.context))],
    )
    goals = [Goal("Greet", {"greeted": True}, again_after=1.0)]
    agent: GoapAgent[str] = GoapAgent("Host", "Harriet", actions=[greet], goals=goals)
    agent.start()
    agent.update(0.5)
    agent.context = "Henry"
    agent.update(1.0)
    agent.update(0.5)
    assert seen == ["Harriet", "Henry"]
