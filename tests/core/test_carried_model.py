"""Rule 22 against a plain model: random machines of waits and of machines inside, step by step."""

from __future__ import annotations

import random
from math import inf

import pytest
from attrs import define, field

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm

TOLERANCE = 1e-9


@define
class Item:
    """What a state does: a wait, or a machine inside, whose final state has an outcome."""

    length: float = 0.0
    event: str | None = None
    inner: Spec | None = None


@define
class Spec:
    """A machine: by name, what each state does and where its events lead. "End" is final."""

    states: dict[str, tuple[list[Item], dict[str, str]]]


Log = list[tuple[str, str, float]]


@define
class Model:
    """The rule, followed literally; the log has every entrance with the machine's time."""

    spec: Spec
    name: str
    log: Log
    time: float = 0.0
    state: str = ""
    since: float = 0.0
    elapsed: dict[int, float] = field(factory=dict)
    inside: dict[tuple[str, int], Model] = field(factory=dict)
    """The machines inside, by state and index; their clocks go on from visit to visit."""
    finished: set[int] = field(factory=set)

    def start(self) -> None:
        target: str | None = next(iter(self.spec.states))
        while target is not None:
            target = self.enter(target)

    def enter(self, state: str) -> str | None:
        """Enter a state; give the next one, if what finishes at once leads there."""
        self.state, self.since = state, self.time
        self.log.append((self.name, state, self.time))
        self.elapsed, self.finished = {}, set()
        items = self.items
        for index, item in enumerate(items):
            self.elapsed[index] = 0.0
            if item.inner is not None:
                blank = Model(item.inner, f"{self.name}.{state}", self.log)
                self.inside.setdefault((state, index), blank).start()
            elif not item.length and (target := self.finish(index)):
                return target
        return None if items else self.ways.get(FINISHED)

    def update(self, dt: float) -> None:
        end, left = self.time + dt, dt
        self.time = end
        while left > 0.0:
            target, left = self.walk(left)
            self.time = end - left
            while target is not None:
                target = self.enter(target)
            self.time = end

    def walk(self, left: float) -> tuple[str | None, float]:
        """Let time pass, from one end to the next; give what was decided and what is left."""
        while left > TOLERANCE:
            step = min(left, self.next_end())
            ending_last = sorted(self.going(), key=lambda each: self.rest_of(*each) <= step)
            left -= step
            for index, item in ending_last:
                has_ended = self.pass_by(index, item, step)
                if has_ended and (target := self.finish(index)):
                    return target, left
        return None, 0.0

    def going(self) -> list[tuple[int, Item]]:
        return [each for each in enumerate(self.items) if each[0] not in self.finished]

    def next_end(self) -> float:
        """Seconds until something ends, here or in a machine inside."""
        return min((self.rest_of(index, item) for index, item in self.going()), default=inf)

    def rest_of(self, index: int, item: Item) -> float:
        if item.inner is not None:
            return self.inside[self.state, index].next_end()
        return item.length - self.elapsed[index]

    def pass_by(self, index: int, item: Item, seconds: float) -> bool:
        """Let time pass for one item, and say whether it has ended."""
        if item.inner is not None:
            inside = self.inside[self.state, index]
            inside.update(seconds)
            return inside.state == "End"
        self.elapsed[index] += seconds
        return self.elapsed[index] >= item.length - TOLERANCE

    def finish(self, index: int) -> str | None:
        self.finished.add(index)
        event = self.items[index].event
        if event is not None and event in self.ways:
            return self.ways[event]
        return self.ways.get(FINISHED) if len(self.finished) == len(self.items) else None

    @property
    def items(self) -> list[Item]:
        return self.spec.states[self.state][0]

    @property
    def ways(self) -> dict[str, str]:
        return self.spec.states[self.state][1]


def machine(spec: Spec, name: str, log: Log) -> Fsm:
    """The real machine of a spec."""
    fsm = Fsm(name, on_unhandled="ignore", carry_time=True)
    for state in spec.states:
        fsm.add_state(state, final=state == "End")
    for state, (items, ways) in spec.states.items():
        here = fsm.states[state]
        note = here.add_action(
            DelegateAction(lambda state: log.append((name, state.name, state.fsm.time)))
        )
        note.background = True
        for item in items:
            if item.inner is None:
                here.add_action(TimedWait(item.length, item.event))
            else:
                inside = machine(item.inner, f"{name}.{state}", log)
                here.add_action(RunFsm(inside, {"End": item.event} if item.event else None))
        for event, target in ways.items():
            here.add_transition(event, target)
    return fsm


def random_spec(rng: random.Random, depth: int = 1) -> Spec:
    own = ("X", "Y") if depth else ("P", "Q")  # an event is offered to the machine inside first

    def item() -> Item:
        event = rng.choice((None, None, *own))
        if depth and rng.random() < 0.3:
            return Item(event=event, inner=random_spec(rng, depth - 1))
        return Item(rng.choice((0.0, 0.01, 0.04, 0.25, 0.7, rng.uniform(0.02, 2.0))), event)

    names = ["A", "B", "C", "D"]
    states: dict[str, tuple[list[Item], dict[str, str]]] = {}
    for name in names:
        items = [item() for _ in range(rng.randint(0 if name == "D" else 1, 3))]
        events = [event for event in (*own, FINISHED) if rng.random() < 0.7]
        states[name] = (items, {event: rng.choice([*names, "End"]) for event in events})
    # One state takes its time and is on every way round, so that no way is endless at one moment.
    states["A"] = ([Item(rng.uniform(0.02, 0.5))], {FINISHED: rng.choice(["B", "C"])})
    for name in names[1:]:
        items, ways = states[name]
        later = [*names[names.index(name) + 1 :], "A", "End"]
        states[name] = (items, {event: rng.choice(later) for event in ways})
    states["End"] = ([], {})
    return Spec(states)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_random_machines_carry_time_as_the_model_does(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        spec = random_spec(rng)
        expected: Log = []
        journal: Log = []
        model, fsm = Model(spec, "M", expected), machine(spec, "M", journal)
        model.start()
        fsm.start()
        for _ in range(30):
            step = rng.choice((1 / 60, 1 / 30, 0.1, 0.25, 1.0, rng.uniform(0.001, 3.0)))
            model.update(step)
            fsm.update(step)
        assert [line[:2] for line in journal] == [line[:2] for line in expected]
        assert [line[2] for line in journal] == pytest.approx([line[2] for line in expected])
