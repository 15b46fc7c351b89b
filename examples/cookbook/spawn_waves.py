"""Spawn enemies in waves.

Each wave is a state, made from a row of a table, and leads to the next one.
Inside a wave things happen one after another, so the code reads from top to
bottom: a `Coroutine` pauses for a moment, spawns one enemy after another, and
waits until all of them are gone. Then it returns, and the state has
[finished](../concepts/finishing.md).

Here an enemy is only a name. In a game the context is an `FsmGroup` with the
machine of each enemy. An empty group is false, like an empty list, and a dying
enemy may remove itself from the group in the middle of an update. While a
`Coroutine` runs, the machine cannot be saved, so let players save between two
levels.

With hundreds of enemies, `fsmkit run game.py --profile` shows how many
microseconds of a frame each of their actions takes.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

from actions import Coroutine
from fsmkit import FINISHED, Fsm, FsmState

Enemies = list[str]
WAVES = {"First": ["rat", "rat"], "Second": ["rat", "wolf"], "Last": ["dragon"]}


def wave(state: FsmState[Enemies]) -> Iterator[float | Callable[[], bool]]:
    yield 2.0
    for enemy in WAVES[state.name]:
        state.context.append(enemy)
        yield 0.5
    yield lambda: not state.context


def build() -> Fsm[Enemies]:
    fsm = Fsm("Waves", context=Enemies())
    for name in WAVES:
        fsm.add_state(name).add_action(Coroutine(wave))
    fsm.add_state("Won", final=True)
    for state, following in pairwise(fsm.states.values()):
        state.add_transition(FINISHED, following)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    while fsm.path != ("Won",):
        fsm.update(1.25)
        print(f"{fsm.time:5.2f} s  {fsm.path[0]:6}  {fsm.context}")
        del fsm.context[-1:]  # the player shoots the last one
