"""Test a machine that rolls dice.

Pass a `random.Random` with a seed, and every run can be repeated. So a rare bug
becomes a test as soon as you know its seed. A second kind of test runs many
seeds, adds up what happened with `usage_of`, and compares the shares with the
weights. Leave it some tolerance: it should fail when a weight is wrong, not
when somebody adds another action that rolls dice. The same sum, and [`pytest
--fsm-cover`](../testing.md), also show whether every branch was taken. See
[chance](../concepts/chance.md).

```py
def test_she_looks_about_three_times_as_often_as_she_yawns():
    entered = sum(map(minute, range(60)), Usage()).entered
    assert 2.5 < entered["Cat", "Look"] / entered["Cat", "Yawn"] < 3.5
```
"""

from random import Random

from actions import RandomWait, SendRandomEvent, Sequence, TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.recording import History, Usage, usage_of


def build(seed: int = 1) -> Fsm:
    rng = Random(seed)
    fsm = Fsm("Cat")
    sit, yawn, look = map(fsm.add_state, ("Sit", "Yawn", "Look"))
    choice = SendRandomEvent({"YAWN": 1, "LOOK": 3}, rng=rng)
    sit.add_action(Sequence(RandomWait(1.0, 3.0, rng=rng), choice))
    sit.add_transition("YAWN", yawn)
    sit.add_transition("LOOK", look)
    for state in (yawn, look):
        state.add_action(TimedWait(0.5))
        state.add_transition(FINISHED, sit)
    return fsm


def minute(seed: int) -> Usage:
    fsm = build(seed)
    with History(fsm) as history, fsm.running():
        for _ in range(600):
            fsm.update(0.1)
    return usage_of(history.chronicle())


if __name__ == "__main__":
    print("the same again:", minute(seed=7) == minute(seed=7))
    hour = sum(map(minute, range(60)), Usage())
    for way, count in sorted(hour.taken.items()):
        print(f"{way.source} --{way.event}--> {way.target}: {count}")
