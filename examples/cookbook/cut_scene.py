"""Play a cut scene that can be skipped.

A scene is a list of things that happen one after another, so its code reads
from top to bottom: a `Coroutine` moves, waits and speaks, and each `yield`
waits for the action that it yields. When it returns, the state has finished and
the game continues.

`SKIP` leads out of the state in the middle of the scene. The generator is then
closed, and its `finally` puts everything where the scene would have left it.
Whatever must be true after the scene belongs there, not in the last lines.
[Finishing](../concepts/finishing.md) explains when a state ends.

You cannot save the game in the middle of such a scene, because Python cannot
save a running generator: `snapshot` raises an error that says so. Save before
or after it, as [save slots](save_slots.md) do, or write the scene as a
`Sequence` of `Move`, `TimedWait` and `Log`, which can be saved at any time.
"""

from collections.abc import Iterator

from actions import Coroutine, Move
from fsmkit import FINISHED, Fsm, FsmState
from fsmkit.space import Transform
from fsmkit.testing import Step, drive

GATE = (8.0, 0.0)


def arrival(state: FsmState[Transform]) -> Iterator[Move | float]:
    hero = state.context
    try:
        yield Move(hero, None, (6.0, 0.0), duration=3.0)
        print("Hero: Is anybody there?")
        yield 1.5
        print("A voice: Come in.")
        yield Move(hero, None, GATE, duration=1.0)
    finally:
        hero.position = GATE


def build() -> Fsm[Transform]:
    fsm = Fsm("Game", context=Transform((0.0, 0.0)))
    scene, play = map(fsm.add_state, ("Cut scene", "Play"))
    scene.add_action(Coroutine(arrival))
    scene.add_transition(FINISHED, play)
    scene.add_transition("SKIP", play)
    play.add_transition("REPLAY", scene)
    return fsm


if __name__ == "__main__":
    whole: list[Step] = [3.0, 1.5, 1.0]
    skipped: list[Step] = [3.0, "SKIP"]
    for script in (whole, skipped):
        fsm = build()
        drive(fsm, script)
        print(f"{fsm.path[0]} after {fsm.time} s at {fsm.context.position}")
