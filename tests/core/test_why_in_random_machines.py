"""What why() says and what then happens are the same, wherever it is asked: also in callbacks."""

from collections import Counter
from typing import Any

import pytest
from random_machines import OPERATIONS, Warnings, make_action, tell
from random_world import World

from fsmkit import Fsm
from fsmkit.recording import why


class Outcomes:
    """Notes the first outcome of an event, told by its data."""

    def __init__(self) -> None:
        self.watched: set[Fsm[Any]] = set()
        self.outcomes: dict[int, str] = {}
        self.answers: Counter[str] = Counter()

    def event_sent(self, _fsm: Fsm[Any], _event: str, data: object, outcome: str) -> None:
        self.outcomes.setdefault(id(data), outcome)

    def send(self, world: World, fsm: Fsm[Any], event: Any, style: str) -> Any:
        """Ask why before an event is sent, unless an observer of the world may keep it back."""
        if not isinstance(event, str) or not event or world.detachers:
            return OPERATIONS["send"](world, fsm, event, style)
        if fsm not in self.watched:
            self.watched.add(fsm)
            fsm.observe(self)
        data = [event]
        prospect = why(fsm, event, data)
        try:
            return fsm.send_event(event, data)
        finally:
            outcome = self.outcomes.pop(id(data), "raised")
            self.answers[prospect.outcome if prospect.certain else "open"] += 1
            # an error that a callback raises meanwhile is its own
            if prospect.certain and outcome != "raised":
                assert outcome == prospect.outcome, (fsm.phase, str(prospect))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 600, 200))
def test_why_says_what_then_happens(first: int) -> None:
    outcomes = Outcomes()
    for number in range(first, first + 200):
        world = World(number, {**OPERATIONS, "send": outcomes.send}, make_action)
        with Warnings(world.journal):
            tell(world)
    assert outcomes.answers.keys() >= {
        "changed", "queued", "consumed", "ignored", "unhandled", "raised",
    }  # fmt: skip
