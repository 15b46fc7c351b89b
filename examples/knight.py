"""A knight is stunned in the middle of a swing, the game is paused, and then he ends the swing.

    fsmkit run examples/knight.py --seconds 8
    python examples/knight.py

A blow and a pause suspend what he is doing instead of ending it: nothing is exited, his time stands
still, and BACK resumes the state where it was. The interruptions stack: if he is paused while he is
stunned, he is still stunned after the pause. What a blow does depends on its force, the data of the
event: a guard checks whether it is fatal.
"""

from dataclasses import dataclass

from actions import TimedWait, Tween
from fsmkit import BACK, FINISHED, Fsm, FsmState

HIT = "HIT"
PAUSE, RESUME = "PAUSE", "RESUME"

BLOWS = [(1.75, 1), (6.75, 2)]
"""The times at which his opponent strikes, in seconds, and how hard."""


@dataclass
class Knight:
    health: int = 3
    sword: float = 0.0
    """Degrees; 0 is lowered, 120 has struck."""


def is_fatal(state: FsmState[Knight], force: int) -> bool:
    return force >= state.context.health


def lose_health(state: FsmState[Knight], force: int) -> None:
    state.context.health -= force


def build() -> Fsm[Knight]:
    knight = Knight()
    fsm = Fsm("Knight", context=knight)
    guard, swing = fsm.add_state("On guard"), fsm.add_state("Swing")
    stunned, paused = fsm.add_state("Stunned"), fsm.add_state("Paused")
    fallen = fsm.add_state("Fallen", final=True)

    guard.add_action(Tween(knight, "sword", None, 0.0, duration=0.5))
    guard.add_action(TimedWait(1.0))
    swing.add_action(Tween(knight, "sword", None, 120.0, duration=1.5))
    stunned.add_action(TimedWait(1.0))

    guard.add_transition(FINISHED, swing)
    swing.add_transition(FINISHED, guard)
    stunned.add_transition(FINISHED, BACK)
    paused.add_transition(RESUME, BACK)
    fsm.add_global_transition(PAUSE, paused, suspend=True)
    fsm.add_global_transition(HIT, fallen, when=is_fatal)
    fsm.add_global_transition(HIT, stunned, do=lose_health, suspend=True)

    for seconds, force in BLOWS:
        fsm.send_event_after(seconds, HIT, force)
    fsm.send_event_after(2.25, PAUSE)
    fsm.send_event_after(3.75, RESUME)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    knight = fsm.context
    while fsm.time < 7.0:
        fsm.update(0.25)
        assert fsm.current_state is not None
        sword = "=" * round(knight.sword / 10)
        waiting = ", ".join(state.name for state in fsm.suspended)
        print(
            f"{fsm.time:4.2f} s  {fsm.current_state.name:8}|{sword:12}|  health {knight.health}"
            + (f"  suspended: {waiting}" if waiting else "")
        )


if __name__ == "__main__":
    main()
