"""What a frame costs, as pages are told it: measured while one of them asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector.live.cost_meter import EVERY
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.requests.page_request import PageRequest
from fsmkit.inspector.live.session import Session

DT = 1 / 4


@define
class Walker:
    steps: int = 0


def agrees() -> bool:
    return True


def guard(name: str = "Guard") -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm(name)
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1.0))
    rest.add_action(TimedWait(1.0))
    patrol.add_transition(FINISHED, rest, when=agrees)
    rest.add_transition(FINISHED, patrol)
    fsm.start()
    return fsm


class Game:
    """Machines, inspected without a server."""

    def __init__(self, machines: Any) -> None:
        self.machines = machines
        self.session = Session(machines, rate=60.0, record=False, while_held=None)

    def page(self, *, measures: bool = True) -> PageMailbox:
        page = PageMailbox(lambda: None)
        self.session.join(page)
        if measures:
            self.measure(page)
        return page

    def measure(self, page: PageMailbox, on: bool = True) -> None:
        self.session.ask(PageRequest("measure", {"on": on, "page": page}))
        self.machines.update(DT)

    def costs(self) -> dict[str, Any] | None:
        answers: list[dict[str, Any]] = []
        self.session.ask(PageRequest("costs", reply=answers.append))
        self.machines.update(DT)
        [answer] = answers
        assert answer["ok"]
        costs: dict[str, Any] | None = answer["costs"]
        return costs

    @property
    def is_measuring(self) -> bool:
        assert self.session.meter is not None
        return self.session.meter.costs is not None


def titles(costs: dict[str, Any] | None) -> list[tuple[str, str, str]]:
    assert costs is not None
    return sorted((each["machine"], each["state"], each["title"]) for each in costs["parts"])


@pytest.mark.slow
@pytest.mark.parametrize("machines", [guard, lambda: FsmGroup([guard()])], ids=["one", "group"])
def test_it_is_off_until_a_page_asks_for_it(machines: Callable[[], Any]) -> None:
    game = Game(machines())
    page = game.page(measures=False)
    assert game.session.greeting()["measures"]
    assert game.costs() is None
    game.measure(page)
    for _ in range(EVERY * 8):
        game.machines.update(DT)
    assert titles(game.costs()) == [
        ("Guard", "Patrol", "[agrees]"),
        ("Guard", "Patrol", "actions[0] (TimedWait)"),
        ("Guard", "Patrol", "the machine itself"),
        ("Guard", "Rest", "actions[0] (TimedWait)"),
        ("Guard", "Rest", "the machine itself"),
    ]
    game.measure(page, on=False)
    assert game.costs() is None


def test_every_frame_is_counted_and_some_are_measured_in_detail() -> None:
    game = Game(guard())
    game.page()
    for _ in range(EVERY * 3):
        game.machines.update(DT)
    costs = game.costs()
    assert costs is not None
    assert (costs["frames"], costs["measured"]) == (EVERY * 3, 3)
    assert costs["mean"] <= costs["worst"]


def test_it_goes_on_while_any_page_wants_it_and_ends_with_the_last_one() -> None:
    game = Game(guard())
    one, other = game.page(), game.page()
    game.measure(one, on=False)
    assert game.is_measuring
    game.session.leave(other)
    game.machines.update(DT)
    assert not game.is_measuring
    assert game.costs() is None


@pytest.mark.slow
def test_machines_that_join_while_it_measures_are_there() -> None:
    game = Game(FsmGroup([guard("Ann")]))
    game.page()
    game.machines.add(guard("Bob"))
    for _ in range(EVERY * 4):
        game.machines.update(DT)
    assert {machine for machine, *_ in titles(game.costs())} == {"Ann", "Bob"}


def test_closing_the_inspector_ends_it() -> None:
    fsm = guard()
    game = Game(fsm)
    game.page()
    game.session.close()
    assert not game.is_measuring
    fsm.update(DT)


def test_a_page_that_may_only_look_may_measure(inspected: Callable[..., Any]) -> None:
    page = inspected(guard(), read_only=True)
    assert page.ask("measure", on=True)["ok"]
    page.frame()
    costs = page.ask("costs")["costs"]
    assert set(costs) == {
        "frames", "measured", "mean", "worst", "outside", "machines", "states", "parts",
    }  # fmt: skip
    assert "must be" in page.ask("measure", on="yes")["error"]


def test_a_crowd_is_not_measured(inspected: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    from fsmkit.crowd import Crowd, CrowdFsm

    machine = CrowdFsm("Walkers", Walker, Walker)
    machine.add_state("Walk")
    page = inspected(Crowd(machine, 3, start="Walk", engine="python"))
    assert not page.hello["measures"]
    assert page.ask("measure", on=True)["error"] == "'measure' is not possible here."
