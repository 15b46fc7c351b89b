"""Step physics evenly at any frame rate.

A ball that falls and bounces, computed frame by frame, flies differently on a
fast computer and on a slow one: each frame makes a small error that depends on
its length. `FixedStep` divides the time of the frames into equal steps, and the
machine gets one update for each. So the ball does the same everywhere, and can
be replayed.

The rest of a frame is kept for the next one. `FixedStep.alpha` says how far
time has got towards the next step, so you can draw between the last two
positions. After a very long frame the steps beyond `max_steps` are dropped: the
game slows down instead of stalling. [Time](../concepts/time.md) explains why
you pass the time to a machine.
"""

from actions import DelegateAction
from fsmkit import Fsm, FsmState
from fsmkit.timing import FixedStep


class Ball:
    height, speed = 2.0, 0.0


def fall(state: FsmState[Ball]) -> None:
    ball = state.context
    ball.speed -= 9.81 * state.delta_time
    ball.height = max(0.0, ball.height + ball.speed * state.delta_time)
    if ball.height == 0.0:
        state.send_event("LANDED")


def bounce(state: FsmState[Ball]) -> None:
    state.context.speed *= -0.8


def build() -> Fsm[Ball]:
    fsm = Fsm("Ball", context=Ball())
    flight = fsm.add_state("Flight")
    flight.add_action(DelegateAction(on_update=fall))
    flight.add_transition("LANDED", flight, do=bounce)
    return fsm


if __name__ == "__main__":
    for fps in (30, 60, 144):
        plain, fixed, frame = build(), build(), FixedStep(1 / 120)
        with plain.running(), fixed.running():
            for _ in range(2 * fps):
                plain.update(1 / fps)
                for dt in frame.steps(1 / fps):
                    fixed.update(dt)
        a, b = plain.context.height, fixed.context.height
        print(f"{fps:3} fps: {a:.3f} m high, in fixed steps {b:.3f} m")
