"""The town of examples/town.py, played for ten minutes, and its picture in the documentation.

To draw the picture again: python tests/goap/test_town.py
"""

import json
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.goap import GoapAgent
from fsmkit.pathfinding import Tile
from fsmkit.recording import restore, snapshot

ROOT = Path(__file__).parents[2]
MAPS = ROOT / "docs" / "_static" / "maps"
MODULE = run_path(str(ROOT / "examples" / "town.py"))
GATE, FORD = MODULE["GATE"], MODULE["FORD"]
MINUTES = 10
FRAMES_PER_SECOND = 10


def body_of(machine: Fsm[Any]) -> Any:
    body = getattr(machine.context, "body", machine.context)
    return body if hasattr(body, "position") else None


class Game:
    """A town that is played, and what has been seen in it."""

    def __init__(self, seconds: float) -> None:
        self.machines: FsmGroup = MODULE["build"]()
        self.planners = [each for each in self.machines if isinstance(each, GoapAgent)]
        self.town = self.planners[0].context.town
        self.story: list[str] = []
        self.meals: dict[str, list[float]] = {each.name: [0.0] for each in self.planners}
        self.changes: dict[str, list[float]] = {each.name: [] for each in self.machines}
        self.deeds: set[str] = set()
        self.failures: set[str] = set()
        self.faults: list[tuple[float, str]] = []
        self.crossings: set[tuple[Tile, bool]] = set()
        """Where somebody has crossed the river, and whether the gate was open."""
        for machine in self.machines:
            machine.start()
        self.play(seconds)

    def play(self, seconds: float) -> None:
        for _ in range(round(seconds * FRAMES_PER_SECOND)):
            self.machines.update(1 / FRAMES_PER_SECOND)
            self.watch()

    def watch(self) -> None:
        for machine in self.machines:
            if machine.time_in_state == 0.0:
                self.changes[machine.name].append(machine.time)
                self.tell(machine)
            self.watch_step(machine)
        for agent in self.planners:
            self.deeds |= {action.name for action in agent.plan.actions[: agent.step + 1]}
            if agent.context.meals == len(self.meals[agent.name]):
                self.meals[agent.name].append(agent.time)
            if agent.time_in_state == 0.0 and (failure := agent.why().last_failure):
                self.failures.add(f"{failure.action}: {failure.reason}")
        self.faults += [(self.planners[0].time, fault) for fault in self.imbalances()]

    def tell(self, machine: Fsm[Any]) -> None:
        if news := MODULE["news"](machine):
            self.story.append(f"{machine.time:.1f} {machine.name} {news}")

    def watch_step(self, machine: Fsm[Any]) -> None:
        body = body_of(machine)
        if body is None:
            return
        tile = self.town.grid.tile_at(body.position)
        if tile in (GATE, FORD):
            self.crossings.add((tile, self.town.grid.is_free(GATE)))
        elif not self.town.grid.is_free(tile):
            self.faults.append((machine.time, f"{machine.name} stands in a wall, at {tile}"))

    def imbalances(self) -> list[str]:
        """Return what has come from nothing or was lost: ore, tools, the use of the anvil."""
        town = self.town
        ore, tools = (
            [int(agent.facts.get(what, 0)) for agent in self.planners] for what in ("ore", "tools")
        )
        held = sum(len(agent.reservations) for agent in self.planners)
        rules = {
            "ore": sum(ore) + town.store.amount + 3 * town.made.amount == town.dug.amount,
            "tools": sum(tools) + town.shelf.amount + town.sold.amount == town.made.amount,
            "debts": min(*ore, *tools, town.store.amount, town.shelf.amount) >= 0,
            "anvil": held == town.anvil.is_taken,
        }
        return [rule for rule, holds in rules.items() if not holds]


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(MINUTES * 60.0)


@pytest.mark.slow
def test_nothing_comes_from_nothing_and_nobody_stands_in_a_wall(game: Game) -> None:
    assert game.faults == []
    amounts = [stock.amount for stock in (game.town.dug, game.town.made, game.town.sold)]
    assert [amount > least for amount, least in zip(amounts, (100, 30, 25), strict=True)] == (
        [True] * 3
    ), amounts


@pytest.mark.slow
def test_everybody_eats_in_time(game: Game) -> None:
    waits = {
        name: max(later - earlier for earlier, later in pairwise([*meals, MINUTES * 60.0]))
        for name, meals in game.meals.items()
    }
    assert {name: round(wait) for name, wait in waits.items() if wait > 90.0} == {}


@pytest.mark.slow
def test_nobody_ever_stops(game: Game) -> None:
    for name, times in game.changes.items():
        idle = max(later - earlier for earlier, later in pairwise([*times, MINUTES * 60.0]))
        assert idle < 90.0, name


@pytest.mark.slow
def test_every_action_of_the_data_sets_is_used(game: Game) -> None:
    assert game.deeds == {
        action.name for dataset in MODULE["DATASETS"] for action in dataset.actions
    }


@pytest.mark.slow
def test_what_fails_is_what_the_story_is_about(game: Game) -> None:
    story = {
        "Forge: could not be reserved",
        "BuyBread: failed: the target of 'BuyBread' is gone",
    }
    assert story <= game.failures <= {*story, "TakeOre: failed: no ore left"}


@pytest.mark.slow
def test_the_way_is_over_the_bridge_while_it_is_open_and_else_through_the_ford(game: Game) -> None:
    assert game.crossings >= {(GATE, True), (FORD, False)}


@pytest.mark.slow
def test_the_story_is_the_same_each_time(game: Game) -> None:
    story = Game(60.0).story
    assert story == game.story[: len(story)]
    assert len(story) > 20


@pytest.mark.slow
def test_whoever_stops_gives_the_anvil_back() -> None:
    game = Game(28.0)
    assert game.town.anvil.is_taken
    for machine in game.machines:
        machine.stop()
    assert not game.town.anvil.is_taken


@pytest.mark.slow
def test_a_town_that_was_saved_continues_as_the_original_would() -> None:
    one, other = Game(40.0), Game(0.0)
    for machine, same in zip(one.machines, other.machines, strict=True):
        restore(same, json.loads(json.dumps(snapshot(machine))))
        if (body := body_of(machine)) is not None:
            body_of(same).position = body.position
    for name in ("dug", "store", "made", "shelf", "sold"):
        getattr(other.town, name).amount = getattr(one.town, name).amount
    other.town.cart.position, other.town.cart_is_out = one.town.cart.position, one.town.cart_is_out
    for game in (one, other):
        game.story.clear()
        game.play(60.0)
    assert one.story == other.story
    assert len(one.story) > 10


def drawn() -> dict[str, str]:
    """File name -> SVG."""
    return {f"town{'_dark' * dark}.svg": MODULE["picture"](dark=dark) for dark in (False, True)}


@pytest.mark.parametrize("name", ["town.svg", "town_dark.svg"])
def test_the_picture_is_up_to_date(name: str) -> None:
    assert (MAPS / name).read_text("utf-8") == drawn()[name]


if __name__ == "__main__":
    for file_name, picture in drawn().items():
        (MAPS / file_name).write_text(picture, "utf-8", newline="\n")
