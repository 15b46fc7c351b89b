"""A thief who needs no player: his plan for the night, which he carries out to the second.

It is a coroutine in a machine of its own: `yield 1.5` waits that many seconds, and `yield from`
goes somewhere.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from attrs import define
from chronicle import Chronicle
from game import Game

from actions import Coroutine
from fsmkit import FINISHED, Fsm
from fsmkit.space import Position, difference, distance

Steps = Generator[float | None, None, None]

CLOSE_ENOUGH = 0.1


@define(eq=False)
class Hand:
    """The hand that steers the thief."""

    game: Game
    chronicle: Chronicle

    def sneak(self, *places: Position) -> Steps:
        yield from self._go(places, sneaking=True)

    def run(self, *places: Position) -> Steps:
        yield from self._go(places, sneaking=False)

    def wait_for(self, name: str, place: Position) -> Steps:
        """Wait until a guard comes by."""
        guard = next(machine.context for machine in self.game.guards if machine.name == name)
        while distance(guard.body.position, place) > 3 * CLOSE_ENOUGH:
            yield None

    def _go(self, places: tuple[Position, ...], *, sneaking: bool) -> Steps:
        """Go to one place after another, straight; before a door push until it is open."""
        body = self.game.thief.body
        for place in places:
            while distance(body.position, place) > CLOSE_ENOUGH:
                self.game.steer(difference(body.position, place), sneaking=sneaking)
                yield None
        self.game.steer((0.0, 0.0), sneaking=sneaking)


def plan_machine(game: Game, chronicle: Chronicle) -> Fsm[Hand]:
    fsm = Fsm("Plan", context=Hand(game, chronicle))
    plan = PLANS[game.museum.name]
    at_work, done = fsm.add_state("AtWork"), fsm.add_state("Done", final=True)
    at_work.add_action(Coroutine(lambda state: plan(state.context)))
    at_work.add_transition(FINISHED, done)
    return fsm


def rob_the_palace(hand: Hand) -> Steps:
    tell = hand.chronicle.tell
    tell("The thief waits behind the door until Ada has passed")
    yield from hand.sneak((3.0, 13.6))
    yield 1.3
    yield from hand.sneak((3.0, 11.3))
    tell("He steps on the marble, too loudly")
    yield from hand.run((4.9, 11.1))
    tell("He slips back into his corner")
    yield from hand.sneak((3.0, 11.3), (3.0, 13.3), (5.8, 13.0))
    yield 3.5
    tell("He sneaks across the hall")
    yield from hand.sneak((3.0, 13.4), (3.0, 11.2), (5.1, 11.0), (5.0, 6.0), (6.4, 5.0), (7.0, 4.6))
    tell("He hides behind the globe")
    yield from hand.run((6.0, 5.1), (2.7, 5.2), (2.8, 2.2))
    yield 11.5
    tell("He walks behind Ada, through the whole hall")
    yield from hand.sneak((2.8, 4.8), (5.0, 5.4), (5.0, 8.9), (17.0, 9.0), (19.0, 10.8))
    yield 1.4
    tell("He takes to his heels")
    yield from hand.run((13.0, 8.8), (13.0, 6.0), (16.0, 4.0), (22.0, 4.0), (22.0, 8.2))
    tell("He leads them a dance around the house")
    yield from hand.run((24.0, 11.0), (24.0, 13.0), (20.6, 14.0), (19.6, 15.0), (16.0, 15.3))
    yield from hand.run((12.9, 15.0), (12.6, 13.2), (10.0, 13.0), (10.0, 11.0), (3.3, 11.2))
    yield from hand.run((3.0, 13.2))
    yield from hand.sneak((5.8, 13.0))
    yield 13.0
    tell("He sneaks to the last of the jewels")
    yield from hand.sneak((3.0, 13.3), (3.0, 11.0), (4.8, 9.2), (22.0, 9.0), (24.0, 11.0))
    yield from hand.sneak((24.0, 13.2), (26.0, 14.3))
    tell("He runs for the gate")
    yield from hand.run((20.6, 14.0), (19.6, 15.0), (0.0, 15.0))


def rob_the_cloister(hand: Hand) -> Steps:
    tell = hand.chronicle.tell
    tell("The thief goes through the cells, and waits until Dora has passed")
    yield from hand.sneak((3.0, 10.0), (3.0, 4.0), (5.0, 4.0))
    yield from hand.wait_for("Dora", (9.3, 2.0))
    tell("He follows her along the north walk")
    yield from hand.sneak((7.6, 4.0), (8.6, 3.0), (17.5, 3.0))
    yield from hand.wait_for("Dora", (22.0, 4.2))
    yield from hand.sneak((21.0, 2.6))
    yield from hand.wait_for("Dora", (22.0, 9.0))
    yield from hand.sneak((22.0, 4.0), (24.5, 4.0), (25.4, 3.4))
    tell("He is gone before they come")
    yield from hand.run((24.5, 4.0), (22.0, 4.0), (20.5, 3.0), (8.6, 3.0), (7.5, 4.0), (4.5, 4.0))
    tell("He goes back through the cells, and waits for Emil")
    yield from hand.sneak((3.0, 4.0), (3.0, 13.0), (5.0, 13.0))
    yield from hand.wait_for("Dora", (7.0, 2.5))
    yield from hand.wait_for("Emil", (10.0, 11.5))
    tell("He crosses the court behind Emil")
    yield from hand.sneak((7.6, 13.0), (8.2, 12.0), (13.5, 11.6), (15.0, 9.6))
    tell("He slips away between the columns")
    yield from hand.run((13.5, 11.6), (8.2, 12.0), (7.6, 13.0), (3.0, 13.0))
    yield from hand.wait_for("Dora", (22.0, 12.3))
    yield from hand.wait_for("Emil", (10.0, 8.6))
    tell("He hides in the middle of the court until Emil has passed")
    yield from hand.sneak((5.0, 13.0), (7.6, 13.0), (8.2, 9.1), (14.6, 9.1))
    yield from hand.wait_for("Emil", (18.4, 12.0))
    tell("He crosses the last of it")
    yield from hand.sneak((18.5, 9.1), (21.0, 9.6), (21.2, 12.0), (22.0, 13.0), (23.4, 13.0))
    yield from hand.sneak((25.6, 13.1))
    tell("It is so green that he forgets the time")
    yield 1.3
    tell("He runs for the gate")
    yield from hand.run(
        (23.0, 13.0), (22.0, 13.4), (20.8, 15.0), (8.0, 15.0), (6.8, 13.2), (0.0, 13.0)
    )


PLANS: Final = {"palace": rob_the_palace, "cloister": rob_the_cloister}
