"""Random machines with a little of everything, and the journal that each of them leaves.

`python random_machines.py FIRST COUNT` plays the machines number FIRST, FIRST + 1 and so on. It
prints a line of JSON that says whether the kernel is in use, and one with the journal of each.

The number says everything: the machines, what their actions and observers do, and the calls from
outside. Whoever does something has a list of operations, so anything may come from anywhere.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

from random_cast import OBSERVERS, STYLES, Actor, SlottedWait, Talking, Thing, Walking, actor_class
from random_operations import FAILING, OPERATIONS, SENDING, UPDATING
from random_world import Op, World, looks, shown

import actions as library
from fsmkit import BACK, ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmError, FsmState

STATES = ("A", "B", "C")
EVENTS = ("X", "Y", "Z")
KNOWN = (*EVENTS, FINISHED, FAILED, ERROR)
DELAYS = (0.0, 0.1, 0.25, 1.0)


class Maker:
    """Draws machines and operations."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world = world
        self.rng = rng
        self.wildness = rng.choice((0.0, 0.3, 1.0))
        """How much there is beside events, time and finishing."""

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def machine(self, name: str, depth: int) -> Fsm[Any]:
        rng = self.rng
        kind: type[Fsm[Any]] = rng.choices((Fsm, Walking, Talking), (6, 1, 1))[0]
        fsm = kind(
            name,
            self.world,
            on_unhandled=rng.choices(("ignore", "warn", "raise"), (4, 1, 1))[0],
            max_transitions=rng.choice((3, 6, 6, 100)),
            carry_time=self.maybe(0.2),
        )
        for index, state in enumerate(STATES):
            final = index == len(STATES) - 1 and self.maybe(0.2)
            fsm.add_state(state, final=final, failed=final and self.maybe(0.3))
        chance = rng.choice((0.2, 0.5))
        for state in fsm.states.values():
            for event in KNOWN:
                if self.maybe(chance):
                    self.connect(state.add_transition, event, f"{name}.{state.name}")
            for index in range(rng.randint(0, 3)):
                state.add_action(self.action(depth, f"{name}.{state.name}{index}"))
        for event in KNOWN:
            if self.maybe(chance / 3):
                self.connect(fsm.add_global_transition, event, name)
        for index in range(rng.choice((0, 1, 2))):
            self.add_group(fsm, f"G{index}", chance / 2)
        return fsm

    def add_group(self, fsm: Fsm[Any], name: str, chance: float) -> None:
        group = fsm.add_group(name, *self.rng.sample(STATES, self.rng.randint(0, 3)))
        for event in KNOWN:
            if self.maybe(chance):
                self.connect(group.add_transition, event, f"{fsm.name}.{name}")

    def connect(self, add: Callable[..., object], event: str, name: str) -> None:
        """Add one transition for `event` or more: mostly a plain one."""
        rng = self.rng
        for index in range(rng.choice((0, 0, 0, 1, 2))):
            self.add_way(add, event, f"{name} {event} {index}", guarded=True)
        if self.maybe(0.7):
            add(event, rng.choice(STATES))
        elif self.maybe(0.7):
            self.add_way(add, event, f"{name} {event}", guarded=False)

    def add_way(self, add: Callable[..., object], event: str, name: str, *, guarded: bool) -> None:
        """Add a transition that may have a guard or an effect, suspend, or lead back."""
        rng, world = self.rng, self.world
        target = rng.choice((*STATES, *STATES, BACK))
        answer, script = rng.choice((True, False, "data", "fails")), self.script(0.3)

        def guard(state: FsmState[Any], data: object) -> object:
            world.note(f"{name}: asked in {state.name} with {shown(data)}")
            if answer == "fails":
                raise ZeroDivisionError(name)
            return bool(data) if answer == "data" else answer

        def effect(state: FsmState[Any]) -> None:
            world.note(f"{name}: effect {looks(state.fsm)}")
            world.run(script, state.fsm)

        options = {
            "when": guard if guarded else None,
            "do": effect if self.maybe(0.2) else None,
            "suspend": target is not BACK and self.maybe(0.5),
        }
        with suppress(FsmError):  # a state that would suspend itself
            add(event, target, **options)

    def action(self, depth: int, name: str) -> FsmAction[Any]:
        if self.maybe(0.55):
            action: FsmAction[Any] = self.actor(name)
        elif depth and self.maybe(0.6):
            action = self.composite(depth - 1, name)
        else:
            action = self.leaf()
        if self.maybe(0.1):
            action.enabled = False
        return action

    def actor(self, name: str) -> Actor:
        rng = self.rng
        chances = {"on_enter": 0.7, "on_update": 0.7, "on_exit": 0.5, "on_event": 0.25}
        chances |= {"on_suspend": 0.3, "on_resume": 0.3}
        callbacks = tuple(each for each, chance in chances.items() if self.maybe(chance))
        style = rng.choices(STYLES, (8, 1, 1, 1, 1, 1))[0]
        actor = actor_class(callbacks, style)(
            self.world,
            name,
            {
                each: self.script(0.3 if each in ("on_exit", "on_suspend") else 0.6)
                for each in callbacks
            },
            tuple(event for event in EVENTS if self.maybe(0.3)),
        )
        if self.maybe(0.3):
            actor.finish_event = rng.choice(EVENTS)
        actor.background = self.maybe(0.1)
        return actor

    def composite(self, depth: int, name: str) -> FsmAction[Any]:
        rng = self.rng
        kind = rng.choice((library.Sequence, library.Parallel, library.Race, *"123456"))
        if not isinstance(kind, str):
            children = [self.action(depth, f"{name}/{i}") for i in range(rng.randint(0, 3))]
            return kind(*children, finish_event=self.finish_event())
        if kind == "1":
            return library.RunFsm(self.machine(f"{name}/M", 0), finish_event=self.finish_event())
        child = self.action(depth, f"{name}/0")
        if kind == "6":
            often, other = rng.choice((0.1, 0.3)), self.action(depth, f"{name}/1")
            return library.Selector(
                library.Option(child, when=lambda state: state.fsm.time % often < often / 2),
                library.Option(other),
                suspend=self.maybe(0.5),
                finish_event=self.finish_event(),
            )
        if kind == "2":
            return library.Repeat(
                child, rng.choice((None, 0, 1, 2)), finish_event=self.finish_event()
            )
        if kind == "3":
            return library.Timeout(child, rng.choice(DELAYS), self.finish_event())
        if kind == "5":
            return library.Retry(child, rng.choice((1, 2)), delay=rng.choice(DELAYS))
        return library.When(lambda state: state.fsm.time < 1.0, child)

    def leaf(self) -> FsmAction[Any]:
        rng, event, data = self.rng, self.finish_event(), self.world
        delay = rng.choice(DELAYS)
        script = self.script(0.5)
        return rng.choice((
            lambda: library.TimedWait(delay, event),
            lambda: library.TimedWait(lambda: delay),
            lambda: library.Move(Thing(data), None, (4.0, 2.0), duration=delay, finish_event=event),
            lambda: library.WaitFrames(rng.choice((0, 1, 2)), finish_event=event),
            lambda: library.SendEvent(rng.choice(EVENTS), data=7, delay=delay),
            lambda: library.SendEventWhen(lambda s: s.fsm.time > 0.5, rng.choice(EVENTS)),
            lambda: library.WaitUntil(lambda s: s.fsm.time_in_state > 0.2, finish_event=event),
            lambda: library.Cooldown(rng.choice(EVENTS), delay),
            lambda: library.DelegateAction(
                lambda state: data.run(script, state.fsm),
                *rng.choice(((), (None, partial(self.world_note, "delegate exits")))),
            ),
            lambda: library.Coroutine(lambda state: self.routine(state, delay, script)),
            lambda: SlottedWait(delay, data),
        ))()  # fmt: skip

    def world_note(self, line: str, state: FsmState[Any]) -> None:
        self.world.note(f"{line} {looks(state.fsm)}")

    def routine(self, state: FsmState[Any], delay: float, script: list[Op]) -> Iterator[float]:
        self.world.note("the coroutine begins")
        yield delay
        self.world.run(script, state.fsm)
        yield 0.0
        self.world.note("the coroutine ends")

    def finish_event(self) -> str | None:
        return self.rng.choice(EVENTS) if self.maybe(0.2) else None

    def script(self, chance: float) -> list[Op]:
        """Operations of a callback."""
        if not self.maybe(chance):
            return []
        return [self.inner() for _ in range(self.rng.randint(1, 3))]

    def inner(self) -> Op:
        """An operation of a callback: one like the external ones, or one that only fits there."""
        rng = self.rng
        if self.maybe(0.05 + 0.05 * self.wildness):
            return ("raise", rng.choice(FAILING))
        if self.maybe(0.1):
            return ("look",)
        operation = self.operation(in_callback=True)
        wrapped = rng.choices(("", "try", "other"), (6, 2, 1))[0]
        return (wrapped, operation) if wrapped else operation

    def operation(self, *, in_callback: bool) -> Op:
        """What may be done from anywhere."""
        rng = self.rng
        often: dict[str, float] = {
            "send": 9,
            "finish": 3,
            "fail": 1,
            "post": 1,
            "later": 1.5,
            "start": 1,
        }
        often |= {"update": 0.3, "stop": 0.5} if in_callback else {"update": 8, "stop": 0.7}
        seldom: dict[str, float] = dict.fromkeys(
            ("offer", "cancel", "enable", "observe", "detach", "broadcast", "start object"), 1.0
        )
        rare: dict[str, float] = dict.fromkeys(OPERATIONS, 0.15 if in_callback else 0.6)
        for known in (*often, *seldom, "raise", "try", "other", "look"):
            rare.pop(known)
        weights = often | {op: weight * self.wildness for op, weight in (seldom | rare).items()}
        name = rng.choices(list(weights), list(weights.values()))[0]
        return (name, *self.arguments(name))

    def arguments(self, name: str) -> tuple[Any, ...]:
        rng = self.rng
        event, state = rng.choice(EVENTS), rng.choice(STATES)
        known = rng.choice(KNOWN)
        number, delay = rng.randrange(6), rng.choice(DELAYS)
        if self.maybe(0.1 * self.wildness):
            event, state, delay = (
                rng.choice(("", "V", 3, None)),
                "Nowhere",
                rng.choice((-1.0, 1e400)),
            )
        draw: dict[str, Callable[[], tuple[Any, ...]]] = {
            "send": lambda: (event, rng.choices(SENDING, (8, 1, 1, 1, 1))[0]),
            "later": lambda: (delay, event, self.maybe(0.3)),
            "start": lambda: (rng.choice((state, state, None)),),
            "update": self.update,
            "enable": lambda: (number, self.maybe(0.5)),
            "observe": lambda: (rng.choice(tuple(OBSERVERS)), self.observers_script()),
            "add action": lambda: (state, rng.randrange(1000)),
            "remove action": lambda: (state, number),
            "add transition": lambda: (state, known, rng.choice(STATES)),
            "remove transition": lambda: (state, known),
            "add global": lambda: (known, state),
            "remove global": lambda: (known,),
            "connect group": lambda: (number, known, state),
            "disconnect group": lambda: (number, known),
            "add to group": lambda: (number, state),
            "remove from group": lambda: (number, state),
            "remove group": lambda: (number,),
            "add group": lambda: (f"G{number}", state),
            "add state": lambda: (rng.choice((state, f"S{number}")),),
            "set limit": lambda: (rng.choice((1, 3, 6, 100)),),
            "set unhandled": lambda: (rng.choice(("ignore", "warn", "raise")),),
        }  # fmt: skip
        alike = dict.fromkeys(("offer", "post", "broadcast"), (event,))
        alike |= dict.fromkeys(("start object", "remove state"), (state,))
        alike |= dict.fromkeys(("finish", "fail", "cancel", "detach"), (number,))
        return draw[name]() if name in draw else alike.get(name, ())

    def update(self) -> tuple[Any, ...]:
        rng = self.rng
        dt = rng.choice((0.0, 0.1, 0.1, 0.25, 1.0))
        if self.maybe(0.2 * self.wildness):
            dt = rng.choice((1, True, Fraction(1, 4), -0.1, 1e400, float("nan")))
        return dt, rng.choices(UPDATING, (8, 1, 1, 2 * self.wildness))[0]

    def observers_script(self) -> list[Op]:
        """Operations of an observer: they may post, raise, and come and go."""
        rng = self.rng
        return rng.choice((
            [], [], [("post", rng.choice(EVENTS))], [("raise", rng.choice(("", "the same")))],
            [("detach", rng.randrange(6))], [("observe", "glancing", [])], [("look",)],
        ))  # fmt: skip


class Warnings(logging.Handler):
    """Puts the warnings of fsmkit into a journal, and nowhere else."""

    def __init__(self, journal: list[str]) -> None:
        super().__init__()
        self.journal = journal
        self.logger = logging.getLogger("fsmkit")

    def emit(self, record: logging.LogRecord) -> None:
        self.journal.append(f"{record.levelname}: {record.getMessage()}")

    def __enter__(self) -> None:
        self.logger.addHandler(self)
        self.logger.propagate = False

    def __exit__(self, *_error: object) -> None:
        self.logger.removeHandler(self)
        self.logger.propagate = True


def make_action(world: World, seed: int) -> FsmAction[Any]:
    """An action that is added later."""
    return Maker(world, Random(seed)).action(1, f"added{seed}")


def play(number: int) -> list[str]:
    """The journal of the machine of that number, a story of ten to forty calls."""
    world = World(number, OPERATIONS, make_action)
    with Warnings(world.journal):
        tell(world)
    return world.journal


def tell(world: World) -> None:
    maker = Maker(world, world.rng)
    for name in ("M", "N")[: world.rng.choice((1, 1, 2))]:
        world.machines.append(maker.machine(name, world.rng.choice((0, 1, 2))))
        if maker.maybe(0.5):
            world.group.add(world.machines[-1])
        if maker.maybe(0.3):
            world.call(("observe", "watching", maker.observers_script()), world.machines[-1])
    for machine in world.machines:
        world.call(("start", None), machine)
    for _ in range(world.rng.randint(10, 40)):
        world.call(maker.operation(in_callback=False), world.rng.choice(world.machines))
    for machine in world.machines:
        world.call(("stop",), machine)


def main(first: int, count: int) -> None:
    """Print which core it is, then the journals."""
    print(json.dumps({"has_kernel": "fsmkit.core._kernel" in sys.modules}))
    for number in range(first, first + count):
        print(json.dumps(play(number)), flush=True)  # before the next one can crash


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
