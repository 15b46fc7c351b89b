"""A town at work: miners dig, smiths make tools of the ore, customers buy them.

    python examples/town.py
    python examples/town.py --svg map.svg
    fsmkit run examples/town.py --seconds 120

Miners and smiths plan what they do, from the data sets below. The way leads over the bridge, or
through the ford while its gate is shut; one smith works at the anvil, the other, meanwhile, at the
grindstone. All eat at the baker's cart, wherever it is, or berries while there is none. The
customers are many, and follow a field.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actions import (
    DelegateAction,
    FollowField,
    FollowPath,
    FollowWaypoints,
    PathMode,
    SetValue,
    TimedWait,
)
from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.goap import (
    DataSet,
    Extension,
    Goal,
    GoapAction,
    GoapAgent,
    actions_of,
    add,
    at_least,
)
from fsmkit.pathfinding import AStarPath, Grid, Tile, smooth
from fsmkit.space import Transform

MAP = """
^^^^^^^^^^..~~................
^^^M.^^^....~~..##...##...##..
^^...^^.....~~..#1...#2...#3..
^..,,,,,,,,,G=,,,,,,,,,,,,,,..
...,..^.....~~..,......,...,..
...,.^^^....~~..A#..##.,...,..
..P.^^^^....~~..,#..#K,,...,..
...^^^^^....~~..O#..##.,..##..
...........~~...,#.....,..#4..
..^^^......~~...W,,,,,,,......
.^^^^......::,,,,......,.##...
...........~~..........,.#5...
"""
"""Meadow, roads, hills; a river with a bridge and a ford; places have letters, homes numbers."""

PLACES = {
    letter: (x, y)
    for y, row in enumerate(MAP.split())
    for x, letter in enumerate(row)
    if letter.isalnum()
}
MINE, BERRIES, GATE, MARKET = (PLACES[letter] for letter in "MPGK")
ANVIL, STORE, GRINDSTONE = (PLACES[letter] for letter in "AOW")
FORD = (11, 10)
HOMES = [PLACES[number] for number in "12345"]
CUSTOMERS = ("Carl", "Cleo", "Cora", "Curt", "Cyd")
ROUND = [(14.0, 3.0), (27.0, 3.0), (23.0, 3.0), (23.0, 9.0), (17.0, 9.0)]
"""The way of the baker with his cart."""

SPEED = 2.5
DAY, NIGHT = 45.0, 25.0
"""Seconds."""


# What they can do

DATASETS = [
    DataSet(
        "Miner",
        [
            GoapAction("Dig", 2, {}, {"ore": add(1)}),
            GoapAction(
                "Deliver", 1, {"ore": at_least(3)}, {"ore": 0, "worked": True}
            ),
        ],
        [Extension("Needs")],
    ),
    DataSet(
        "Smith",
        [
            GoapAction("PutOnApron", 1, {"apron": False}, {"apron": True}),
            GoapAction("TakeOffApron", 1, {"apron": True}, {"apron": False}),
            GoapAction("TakeOre", 1, {}, {"store": add(-3), "ore": add(3)}),
            GoapAction(
                "Forge", 3, {"apron": True}, {"ore": add(-3), "tools": add(1)}
            ),
            GoapAction(
                "Grind", 8, {"apron": True}, {"ore": add(-3), "tools": add(1)}
            ),
            GoapAction("PutOnSale", 1, {}, {"tools": add(-1), "worked": True}),
        ],
        [Extension("Needs", {"apron": False})],
    ),
    DataSet(
        "Needs",
        [
            GoapAction("BuyBread", 2, {}, {"fed": True}),
            GoapAction("PickBerries", 6, {}, {"fed": True}),
            GoapAction("Sleep", 5, {}, {"rested": True}),
        ],
    ),
]
"""Nobody eats or sleeps in an apron."""

GOALS = [
    Goal("Eat", {"fed": True}, 3, again_after=50.0),
    Goal("Rest", {"rested": True}, 2, again_after=100.0),
    Goal("Work", {"worked": True}, 1, again_after=0.0),
]


# What there is


@dataclass
class Stock:
    """Goods of one kind, in one place."""

    amount: int = 0

    def put(self, amount: int) -> None:
        self.amount += amount

    def take(self, amount: int) -> bool:
        """Return False if there are not as many."""
        if self.amount < amount:
            return False
        self.amount -= amount
        return True


@dataclass
class Anvil:
    """Of use to one person at a time."""

    is_taken: bool = False

    def reserve(self) -> Callable[[], object] | None:
        if self.is_taken:
            return None
        self.is_taken = True
        return self.give_back

    def give_back(self) -> None:
        self.is_taken = False


class Town:
    """The map, and what there is on it."""

    def __init__(self) -> None:
        # On so few tiles the compiled code saves less time than it takes to load.
        self.grid = Grid(
            MAP, blocked="#^~", costs={",": 0.5, ":": 3.0}, compiled=False
        )
        self.to_market = self.grid.field([MARKET])
        self.to_homes = self.grid.field(HOMES)
        self.anvil = Anvil()
        self.dug, self.store = Stock(), Stock()  # ore
        self.made, self.shelf, self.sold = Stock(), Stock(), Stock()  # tools
        self.cart = Transform(ROUND[0])
        self.cart_is_out = False
        self.walks: list[FollowPath] = []

    def way(self, start: Tile, goal: Tile) -> AStarPath[Tile]:
        return smooth(self.grid, self.grid.find_path(start, goal))

    def open_gate(self) -> None:
        self._set_gate(1.0)

    def shut_gate(self) -> None:
        self._set_gate(0.0)

    def _set_gate(self, cost: float) -> None:
        """Whoever is on the way looks for another one."""
        self.grid.set_cost(GATE, cost)
        for walk in self.walks:
            walk.replan()

    def place_of_cart(self) -> tuple[float, ...] | None:
        return self.cart.position if self.cart_is_out else None

    def sell(self) -> None:
        if self.shelf.take(1):
            self.sold.put(1)


# Who lives there


@dataclass
class Resident:
    """Somebody who plans."""

    town: Town
    home: Tile
    meals: int = 0
    body: Transform = field(init=False)

    def __post_init__(self) -> None:
        self.body = Transform((float(self.home[0]), float(self.home[1])))

    def eat(self) -> None:
        self.meals += 1

    def deeds(self) -> dict[str, dict[str, Any]]:
        """Return how each action is done: where, by what, and with what result."""
        town = self.town
        return {
            "Dig": {"target": MINE, "done": lambda: town.dug.put(1)},
            "Deliver": {"target": STORE, "done": lambda: town.store.put(3)},
            "PutOnApron": {"target": ANVIL},
            "TakeOffApron": {"target": ANVIL},
            "TakeOre": {
                "target": STORE,
                "run": self.take_ore,
                "in_sequence": True,
            },
            "Forge": {
                "target": ANVIL,
                "reserve": town.anvil.reserve,
                "done": lambda: town.made.put(1),
            },
            "Grind": {"target": GRINDSTONE, "done": lambda: town.made.put(1)},
            "PutOnSale": {"target": MARKET, "done": lambda: town.shelf.put(1)},
            "BuyBread": {
                "run": None,
                "target": town.place_of_cart,
                "done": self.eat,
            },
            "PickBerries": {"target": BERRIES, "done": self.eat},
            "Sleep": {"target": self.home},
        }

    def take_ore(self) -> list[FsmAction[Any]]:
        """Return what takes a second, and fails if somebody else was faster."""

        def take(state: FsmState[Any]) -> None:
            if not self.town.store.take(3):
                state.send_event("FAILED", "no ore left")

        return [TimedWait(1.0), DelegateAction(take)]

    def walk(self, target: Callable[[], tuple[float, ...]]) -> FollowPath:
        town, body = self.town, self.body

        def way() -> AStarPath[Tile]:
            return town.way(
                town.grid.tile_at(body.position), town.grid.tile_at(target())
            )

        walk = FollowPath(body, way, SPEED)
        town.walks.append(walk)
        return walk


def resident(
    town: Town, name: str, kind: str, home: Tile
) -> GoapAgent[Resident]:
    who = Resident(town, home)
    deeds = who.deeds()

    def how_it_is_done(action: GoapAction) -> GoapAction:
        """It takes as many seconds as it costs, or as the deed says."""
        deed = {"run": lambda: [TimedWait(action.cost)]} | deeds[action.name]
        return action.replace(**deed)

    return GoapAgent(
        name,
        context=who,
        actions=map(how_it_is_done, actions_of(kind, DATASETS)),
        goals=GOALS,
        sensors={"store": lambda: town.store.amount},
        travel=who.walk,
        reach=1.0,
        position=lambda: who.body.position,
    )


def customer(town: Town, number: int) -> Fsm[Transform]:
    x, y = HOMES[number]
    body = Transform((float(x), float(y)))
    fsm = Fsm(CUSTOMERS[number], context=body)
    home, out = fsm.add_state("At home"), fsm.add_state("To the market")
    buy, back = fsm.add_state("Buy"), fsm.add_state("To a home")
    home.add_action(TimedWait(10.0 + 7.0 * number))
    out.add_action(FollowField(body, town.to_market, SPEED / 2))
    buy.add_action(DelegateAction(town.sell))
    buy.add_action(TimedWait(1.0))
    back.add_action(FollowField(body, town.to_homes, SPEED / 2))
    for here, there in ((home, out), (out, buy), (buy, back), (back, home)):
        here.add_transition(FINISHED, there)
    fsm.add_global_transition(FAILED, home)  # no way there: another day
    return fsm


def baker(town: Town) -> Fsm[Town]:
    fsm = Fsm("Baker", context=town)
    sells, bakes = fsm.add_state("Sells"), fsm.add_state("Bakes")
    sells.add_action(SetValue(town, "cart_is_out", True))
    sells.add_action(FollowWaypoints(town.cart, ROUND, 0.8, mode=PathMode.ONCE))
    bakes.add_action(SetValue(town, "cart_is_out", False))
    bakes.add_action(TimedWait(NIGHT))
    sells.add_transition(FINISHED, bakes)
    bakes.add_transition(FINISHED, sells)
    return fsm


def gate(town: Town) -> Fsm[Town]:
    fsm = Fsm("Gate", context=town)
    is_open, is_shut = fsm.add_state("Open"), fsm.add_state("Shut")
    is_open.add_action(DelegateAction(town.open_gate))
    is_open.add_action(TimedWait(DAY))
    is_shut.add_action(DelegateAction(town.shut_gate))
    is_shut.add_action(TimedWait(NIGHT))
    is_open.add_transition(FINISHED, is_shut)
    is_shut.add_transition(FINISHED, is_open)
    return fsm


def build() -> FsmGroup:
    town = Town()
    return FsmGroup(
        [
            gate(town),
            baker(town),
            resident(town, "Mira", "Miner", HOMES[0]),
            resident(town, "Milo", "Miner", HOMES[1]),
            resident(town, "Sven", "Smith", HOMES[2]),
            resident(town, "Ada", "Smith", HOMES[3]),
            *(customer(town, number) for number in range(len(CUSTOMERS))),
        ]
    )


# The story


def main() -> None:
    if sys.argv[1:2] == ["--svg"]:
        Path(sys.argv[2]).write_text(picture(), "utf-8", newline="\n")
        return
    machines = build()
    told: dict[str, str] = {}
    machines.start()
    for _ in range(20 * 120):
        machines.update(1 / 20)
        for machine in machines:
            now = news(machine)
            if now and told.get(machine.name) != now:
                print(f"{machine.time:6.2f} s  {machine.name} {now}")
            told[machine.name] = now


def news(machine: Fsm[Any]) -> str:
    """Return what is worth telling of somebody now."""
    if machine.name in CUSTOMERS or machine.current_state is None:
        return ""
    if not isinstance(machine, GoapAgent):
        return f"is now in {machine.current_state.name!r}"
    if machine.plan:
        return (
            f"plans {', '.join(action.name for action in machine.plan.actions)}"
        )
    failure = machine.why().last_failure
    if failure is not None and failure.time == machine.time:
        return f"cannot {failure.action}: {failure.reason}"
    return ""


def picture(*, dark: bool = False) -> str:
    """Return the map, with the ways of the ore by day and by night, and that of the tools."""
    town = Town()
    by_day = town.way(MINE, STORE)
    town.shut_gate()
    by_night = town.way(MINE, STORE)
    town.open_gate()
    return town.grid.to_svg(
        [by_day, by_night, town.way(ANVIL, MARKET)],
        places={
            "mine": MINE, "berries": BERRIES, "bridge": GATE, "ford": FORD, "anvil": ANVIL,
            "store": STORE, "grindstone": GRINDSTONE, "market": MARKET,
        },
        title="The way of the ore, by day and by night, and that of the tools",
        dark=dark,
    )  # fmt: skip


if __name__ == "__main__":
    main()
