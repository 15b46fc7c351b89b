"""A chest rattles for those who have no key, and opens for those who have one.

    fsmkit run examples/chest.py --seconds 5
    python examples/chest.py

Each state has its animation. Between the attempt to open the chest and the result there is a state
that takes no time: it only checks whether there is a key, and is exited at once, one way or the
other.
"""

from collections.abc import Callable
from dataclasses import dataclass

from actions import AddValue, SetValue, Switch, TimedWait, Tween
from actions.easing import ease_out_quad
from fsmkit import FINISHED, Fsm

USE, FITS, LOCKED = "USE", "FITS", "LOCKED"


@dataclass
class Hero:
    """Tries the chest, looks for the key, and tries again."""

    now: Callable[[], float]
    gold: int = 0

    @property
    def has_key(self) -> bool:
        return self.now() > 2.0


@dataclass
class Chest:
    hero: Hero
    lid: float = 0.0
    """Degrees; 0 is shut."""
    is_shaking: bool = False


def build() -> Fsm[Chest]:
    hero = Hero(now=lambda: fsm.time)
    chest = Chest(hero)
    fsm = Fsm("Chest", context=chest)
    closed = fsm.add_state("Closed")
    trying = fsm.add_state("Trying")
    rattling = fsm.add_state("Rattling")
    opening = fsm.add_state("Opening")
    empty = fsm.add_state("Empty", final=True)

    trying.add_action(Switch(lambda: hero.has_key, {True: FITS, False: LOCKED}))
    rattling.add_action(
        SetValue(chest, "is_shaking", True, restore_on_exit=True)
    )
    rattling.add_action(TimedWait(0.6))
    opening.add_action(
        Tween(chest, "lid", None, 110.0, duration=1.2, easing=ease_out_quad)
    )
    empty.add_action(AddValue(hero, "gold", 50))

    closed.add_transition(USE, trying)
    trying.add_transition(FITS, opening)
    trying.add_transition(LOCKED, rattling)
    rattling.add_transition(FINISHED, closed)
    opening.add_transition(FINISHED, empty)

    fsm.send_event_after(0.5, USE)
    fsm.send_event_after(2.5, USE)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    chest = fsm.context
    while fsm.time < 4.0:
        fsm.update(0.25)
        assert fsm.current_state is not None
        shaking = "  *shakes*" if chest.is_shaking else ""
        print(
            f"{fsm.time:4.2f} s  {fsm.current_state.name:8}  lid at {chest.lid:3.0f}°"
            f"  hero has {chest.hero.gold:2} gold{shaking}"
        )


if __name__ == "__main__":
    main()
