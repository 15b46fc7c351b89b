"""A platform waits for a hero to step on it, lifts him up to the ledge and comes down again.

    fsmkit run examples/moving_platform.py --seconds 6
    python examples/moving_platform.py

There are two machines, and neither knows the other: the platform checks whether it carries anyone,
and the hero checks whether he is high enough. No action carries him either: the platform is the
parent of his transform while he stands on it.
"""

from dataclasses import dataclass, field

from actions import (
    DelegateAction,
    Move,
    MoveTowards,
    SetValue,
    TimedWait,
    WaitUntil,
)
from actions.easing import ease_in_out_quad
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.space import Transform

BELOW, ABOVE = (4.0, 0.0), (4.0, 3.0)
LEDGE = (8.0, 3.0)


@dataclass
class Level:
    platform: Transform = field(default_factory=lambda: Transform(BELOW))
    hero: Transform = field(default_factory=Transform)

    @property
    def is_loaded(self) -> bool:
        return self.hero.parent is self.platform

    @property
    def is_above(self) -> bool:
        return bool(self.platform.position == ABOVE)


def build_platform(level: Level) -> Fsm[Level]:
    fsm = Fsm("Platform", context=level)
    waits, rises = fsm.add_state("Waits"), fsm.add_state("Rises")
    stays, sinks = fsm.add_state("Stays"), fsm.add_state("Sinks")
    lift = level.platform

    waits.add_action(WaitUntil(lambda state: state.context.is_loaded))
    rises.add_action(
        Move(lift, None, ABOVE, duration=2.0, easing=ease_in_out_quad)
    )
    stays.add_action(WaitUntil(lambda state: not state.context.is_loaded))
    stays.add_action(TimedWait(1.0))
    sinks.add_action(Move(lift, None, BELOW, duration=1.0))

    waits.add_transition(FINISHED, rises)
    rises.add_transition(FINISHED, stays)
    stays.add_transition(FINISHED, sinks)
    sinks.add_transition(FINISHED, waits)
    return fsm


def build_hero(level: Level) -> Fsm[Level]:
    fsm = Fsm("Hero", context=level)
    come, ride, leave = (
        fsm.add_state("Come"),
        fsm.add_state("Ride"),
        fsm.add_state("Leave"),
    )
    there = fsm.add_state("There", final=True)

    come.add_action(MoveTowards(level.hero, level.platform, speed=3.0))
    ride.add_action(
        SetValue(level.hero, "parent", level.platform, restore_on_exit=True)
    )
    ride.add_action(WaitUntil(lambda state: state.context.is_above))
    leave.add_action(MoveTowards(level.hero, LEDGE, speed=3.0))
    there.add_action(
        DelegateAction(lambda _: print("    The hero is on the ledge."))
    )

    come.add_transition(FINISHED, ride)
    ride.add_transition(FINISHED, leave)
    leave.add_transition(FINISHED, there)
    return fsm


def build() -> FsmGroup:
    level = Level()
    return FsmGroup([build_platform(level), build_hero(level)])


def main() -> None:
    group = build()
    group.start()
    for _ in range(12):
        group.update(0.5)
        platform, hero = group
        x, y = hero.context.hero.position
        height = platform.context.platform.position[1]
        assert platform.current_state is not None
        assert hero.current_state is not None
        print(
            f"{platform.time:4.1f} s  platform {platform.current_state.name:5} at {height:.1f} m"
            f"  hero {hero.current_state.name:5} at ({x:.1f}, {y:.1f})"
        )


if __name__ == "__main__":
    main()
