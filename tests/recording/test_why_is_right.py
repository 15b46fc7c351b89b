"""What why() says and what then happens are the same, in random games of all actions.

It may leave open only what code outside the library decides: see `is_open`.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from random_games import EVENTS, Game, Last, crowded

from actions import Composite, Defer
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.recording import why
from fsmkit.recording.why import NOT_GIVEN

QUESTIONS = (*EVENTS, *EVENTS, *EVENTS, FINISHED, ERROR, "NOBODY")
"""Events to ask about, the usual ones more often."""


class Outcomes:
    """Notes the outcome of one event, told by its data, and the state that comes next."""

    def __init__(self, fsm: Fsm[Any], data: object) -> None:
        self.data = data
        self.outcome = "raised"
        self.target = ""
        self.undo = fsm.observe(self)

    def event_sent(self, _fsm: Fsm[Any], _event: str, data: object, outcome: str) -> None:
        if data is self.data and self.outcome == "raised":
            self.outcome = outcome

    def state_entered(self, _fsm: Fsm[Any], state: FsmState[Any], _event: str | None) -> None:
        if self.outcome == "changed":
            self.target = self.target or state.name

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.state_entered(fsm, state, None)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 100))
def test_why_says_what_then_happens(first: int) -> None:
    answers: Counter[str] = Counter()
    for seed in range(first, first + 100):
        play(seed, answers)
    check(answers)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100_000, 104_000, 1_000))
def test_why_says_what_then_happens_in_many_games(first: int) -> None:
    answers: Counter[str] = Counter()
    for seed in range(first, first + 1_000):
        play(seed, answers)
    check(answers)


def check(answers: Counter[str]) -> None:
    assert {"changed", "consumed", "ignored", "refused"} <= answers.keys()
    assert answers["open"] < answers.total() / 20


def play(seed: int, answers: Counter[str]) -> None:
    """Play a game, and before each step ask why about an event, and send it."""
    rng, machine, before, after = crowded(seed)
    game = Game(machine)
    game.take(("start", "A"))
    for step in (*before, *after):
        game.take(step)
        ask_and_send(game, rng, answers)


def ask_and_send(game: Game, rng: Random, answers: Counter[str]) -> None:
    fsm, event, data = game.fsm, rng.choice(QUESTIONS), object()
    is_asked_with_data = rng.random() < 0.8
    prospect = why(fsm, event, data if is_asked_with_data else NOT_GIVEN)
    may_be_open = not is_asked_with_data or is_open(fsm)
    outcomes = Outcomes(fsm, data)
    try:
        fsm.send_event(event, data)
    except Exception as error:
        answers[type(error).__name__] += 1  # of a callback: the outcome was reported before
    outcomes.undo()
    if not prospect.certain:
        assert may_be_open, prospect
        answers["open"] += is_asked_with_data
        return
    answers[prospect.outcome] += 1
    if (prospect.outcome, outcomes.outcome) == ("consumed", "raised"):
        return  # by who took it, as a round that it began has failed: the outcome was not reported
    assert (prospect.outcome, event) == (outcomes.outcome, event), prospect
    if prospect.outcome == "changed":
        assert prospect.target == outcomes.target, prospect


def is_open(fsm: Fsm[Any]) -> bool:
    """Whether something is in the current state of which only running it would tell.

    That is a `Defer` with a function, or with something to send; a composite of a game's own; one
    of whose children one was finished from outside, or within its `on_enter`; and events that an
    error has left.
    """
    return any(is_unsure(action) for action in actions_of(fsm)) or bool(fsm._queue_)


def is_unsure(action: FsmAction[Any]) -> bool:
    if isinstance(action, Defer):
        return action.until is not None or bool(action.kept)
    return isinstance(action, Last) or (isinstance(action, Composite) and action.is_due)


def actions_of(fsm: Fsm[Any]) -> Iterator[FsmAction[Any]]:
    waiting = [*fsm.current_state.actions] if fsm.current_state is not None else []
    while waiting:
        action = waiting.pop()
        yield action
        waiting += action.children
