"""A runner jumps over one obstacle and runs into the next.

    fsmkit run examples/runner.py --seconds 5
    fsmkit run examples/runner.py --seconds 5 --event JUMP@2.9    # one more press
    python examples/runner.py

In a game the space bar sends JUMP. Here the presses are scripted.
"""

from dataclasses import dataclass, field

from actions import Jump, MoveConstantly, SendEventWhen, TriggerAnimator
from fsmkit import Fsm, FsmState
from fsmkit.space import Transform

SPEED = 6.0
OBSTACLES = [(8.0, 9.0), (18.0, 19.0)]
"""The start and the end of each, in metres."""

JUMP = "JUMP"
HIT_GROUND = "HIT_GROUND"
HIT_OBSTACLE = "HIT_OBSTACLE"

PRESSES = [1.2]
"""The seconds at which the key is pressed."""


class Animator:
    """Stands for the animation system of an engine."""

    playing = ""

    def set_trigger(self, name: str) -> None:
        self.playing = name


@dataclass
class Runner:
    transform: Transform = field(default_factory=Transform)
    animator: Animator = field(default_factory=Animator)


def hits_obstacle(state: FsmState[Runner]) -> bool:
    x, _ = state.context.transform.position
    return any(begin <= x <= end for begin, end in OBSTACLES)


def build() -> Fsm[Runner]:
    runner = Runner()
    fsm = Fsm("Runner", context=runner)
    running = fsm.add_state("Running")
    jumping = fsm.add_state("Jumping")
    die = fsm.add_state("Die", final=True)

    running.add_action(TriggerAnimator(runner.animator, "Run"))
    running.add_action(MoveConstantly(runner.transform, (SPEED, 0.0)))
    running.add_action(SendEventWhen(hits_obstacle, HIT_OBSTACLE))

    jumping.add_action(TriggerAnimator(runner.animator, "Jump"))
    jumping.add_action(MoveConstantly(runner.transform, (SPEED, 0.0)))
    jumping.add_action(
        Jump(
            runner.transform, height=2.0, duration=0.8, finish_event=HIT_GROUND
        )
    )

    die.add_action(TriggerAnimator(runner.animator, "Die"))

    running.add_transition(JUMP, jumping)
    running.add_transition(HIT_OBSTACLE, die)
    jumping.add_transition(HIT_GROUND, running)

    for seconds in PRESSES:
        fsm.send_event_after(seconds, JUMP)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    runner = fsm.context
    for frame in range(1, 201):
        fsm.update(1 / 60)
        if frame % 12 == 0:
            x, height = runner.transform.position
            print(
                f"{frame / 60:.1f} s  {x:4.1f} m  {height:.1f} m high  {runner.animator.playing}"
            )


if __name__ == "__main__":
    main()
