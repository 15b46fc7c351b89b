"""Worlds of nested compositions: made up at random, built of the library, and played.

`python tests/actions/composition_worlds.py NUMBER` plays one and prints both journals.
"""

from __future__ import annotations

import sys
from itertools import cycle
from random import Random
from typing import Any

from composition_machine import MAX_DEPTH, MAX_OPERATIONS, Spec
from composition_model import Model

import actions as library
from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, TransitionOnExitError

EVENTS = ("E1", "E2", "E3")
KNOWN = ("GO", FINISHED, FAILED, ERROR)
LISTS = ("sequence", "parallel", "race")
CHOOSING = ("selector", "selector", "utility", "utility")
WRAPPERS = ("repeat", "timeout", "when", "retry")


class Oops(Exception):
    pass


class Abort(BaseException):
    pass


class World:
    """A machine of the library. `leaf` is the class of its leaves."""

    def __init__(
        self, specs: list[Spec], transitions: set[str], leaf: type[Leaf] | None = None
    ) -> None:
        self.leaf = leaf or Leaf
        self.journal: list[str] = []
        self.actions: dict[str, FsmAction[Any]] = {}
        self.operations = self.depth = 0
        self.fsm: Fsm[Any] = Fsm("M", on_unhandled="ignore")
        self.work, rest = self.fsm.add_state("Work"), self.fsm.add_state("Rest")
        for event in sorted(transitions):
            self.work.add_transition(event, rest)
        for spec in specs:
            self.work.add_action(self.build(spec))

    def build(self, spec: Spec) -> FsmAction[Any]:
        children = [self.build(child) for child in spec.children]
        action = self.actions[spec.name] = self.made(spec, children)
        action.enabled = spec.enabled
        return action

    def made(self, spec: Spec, some: list[Any]) -> FsmAction[Any]:
        if spec.kind in SIMPLE:
            return SIMPLE[spec.kind](*some, finish_event=spec.finish_event)
        if spec.kind in ("selector", "utility"):
            return self.choosing(spec, some)
        if spec.kind in NUMBERED:
            return NUMBERED[spec.kind](spec, *some)
        return (self.leaf if spec.kind == "leaf" else Region)(self, spec)

    def choosing(self, spec: Spec, some: list[Any]) -> FsmAction[Any]:
        def asks(answers: list[Any] | None) -> Any:
            again = cycle(answers or ())
            return None if answers is None else lambda: next(again)

        whens, scores = map(asks, spec.more["when"]), map(asks, spec.more["score"])
        if spec.kind == "selector":
            options = map(lambda one, when: library.Option(one, when=when), some, whens)
            return library.Selector(*options, suspend=spec.number, finish_event=spec.finish_event)
        options = map(
            lambda one, when, score: library.Option(one, when=when, score=score),
            some, whens, scores,
        )  # fmt: skip
        return library.Utility(*options, hysteresis=spec.number, finish_event=spec.finish_event)

    def call(self, operation: str, argument: str) -> list[str]:
        """Do it from outside; return the names of what was raised."""
        try:
            if operation == "start":
                self.fsm.start("Work")
            elif operation == "stop":
                self.fsm.stop()
            elif operation == "send":
                self.fsm.send_event(argument)
            elif operation == "finish":
                self.actions[argument].finish()
            elif operation == "fail":
                self.actions[argument].fail(argument)
            else:
                self.fsm.update(1.0)
        except BaseException as error:
            return sorted(names(error))
        return []


def names(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [name for each in error.exceptions for name in names(each)]
    known = {Oops: "Oops", Abort: "Abort", TransitionOnExitError: "OnExit"}
    if type(error) not in known:
        raise error
    return [known[type(error)]]


class Leaf(FsmAction):
    """Follows the scripts of its spec."""

    def __init__(self, world: World, spec: Spec) -> None:
        self.world = world
        self.spec = spec
        self.calls: dict[str, int] = {}
        self.finish_event = spec.finish_event

    def on_enter(self) -> None:
        self.note(f"enter {self.spec.name}")
        self.run("enter")

    def on_update(self) -> None:
        self.note(f"update {self.spec.name}")
        self.run("update")

    def on_exit(self) -> None:
        self.note(f"exit {self.spec.name}")
        self.run("exit")

    def on_suspend(self) -> None:
        self.note(f"suspend {self.spec.name}")

    def on_resume(self) -> None:
        self.note(f"resume {self.spec.name}")

    def on_event(self, event: str, data: object) -> bool:
        if event in self.spec.takes:
            self.note(f"{self.spec.name} hears {event}")
            self.run(event)
        return self.spec.takes.get(event, False)

    def note(self, line: str) -> None:
        self.world.journal.append(line)

    def run(self, callback: str) -> None:
        self.calls[callback] = call = self.calls.get(callback, 0) + 1
        for first, last, operation, argument in self.spec.scripts.get(callback, []):
            world = self.world
            may_do = world.operations < MAX_OPERATIONS and world.depth < MAX_DEPTH
            if first <= call <= last and may_do:
                world.operations += 1
                world.depth += 1
                try:
                    self.do(operation, argument)
                finally:
                    world.depth -= 1

    def do(self, operation: str, argument: str) -> None:
        if operation == "send":
            answer = self.fsm.send_event(argument)
            self.note(f"{self.spec.name} sends {argument}: {answer}")
        elif operation == "finish":
            self.world.actions[argument].finish()
        elif operation == "fail":
            self.world.actions[argument].fail(argument)
        elif operation == "later":
            self.fsm.send_event_after(0.0, argument)
        else:
            raise {"Oops": Oops, "Abort": Abort}[operation]


class Region(library.RunFsm):
    """A machine that goes through a row of events and then ends."""

    def __init__(self, world: World, spec: Spec) -> None:
        machine = Fsm(spec.name)
        for position in range(len(spec.more) + 1):
            is_last = position == len(spec.more)
            is_lost = is_last and spec.number == "failed"
            state = machine.add_state(str(position), final=is_last, failed=is_lost)
            line = f"{spec.name} reaches {position}" if position else f"enter {spec.name}"
            state.add_action(
                library.DelegateAction(lambda _state, line=line: world.journal.append(line))  # type: ignore[misc]
            )
        for position, event in enumerate(spec.more):
            machine.states[str(position)].add_transition(event, str(position + 1))
        super().__init__(machine, finish_event=spec.finish_event)
        self.world = world

    def on_exit(self) -> None:
        state = self.machine.current_state
        assert state is not None
        self.world.journal.append(f"exit {self.machine.name} in {state.name}")
        super().on_exit()


class Own(library.Composite):
    """A composite of a user's own, as rude as can be: it exits its children whenever it likes.

    It enters them from the last to the first, begins again who finishes, and ends with E3.
    """

    def __init__(self, *children: FsmAction[Any], finish_event: str | None) -> None:
        super().__init__()
        self.some = children
        self.finish_event = finish_event

    @property
    def children(self) -> tuple[FsmAction[Any], ...]:
        return self.some

    def begin(self) -> None:
        for child in reversed(self.some):
            self.begin_child(child)

    def go_on(self) -> None:
        for child in self.present:
            if child.finished:
                self.end_child(child)
                self.begin_child(child)

    def on_event(self, event: str, data: object) -> bool:
        if event == "E2" and self.present:
            self.end_child(self.present[-1])
        if event == "E3":
            self.end_all()
            self.finish()
        return super().on_event(event, data)


SIMPLE: dict[str, Any] = {"sequence": library.Sequence, "race": library.Race, "own": Own}
NUMBERED: dict[str, Any] = {
    "cooldown": lambda spec: library.Cooldown(spec.more, spec.number),
    "parallel": lambda spec, *some: library.Parallel(
        *some, needed=spec.number, finish_event=spec.finish_event
    ),
    "regions": lambda spec, *some: library.Regions(
        *some, needed=spec.number, finish_event=spec.finish_event
    ),
    "repeat": lambda spec, one: library.Repeat(one, spec.number, finish_event=spec.finish_event),
    "timeout": lambda spec, one: library.Timeout(
        one, spec.number, spec.more[0], fails=spec.more[1]
    ),
    "when": lambda spec, one: library.When(
        lambda _state: spec.number, one, finish_event=spec.finish_event
    ),
    "retry": lambda spec, one: library.Retry(
        one, spec.number, delay=spec.more[0], backoff=spec.more[1], finish_event=spec.finish_event
    ),
}


class Maker:
    """Makes up worlds, of composites in `lists` beside others."""

    def __init__(self, number: int, lists: tuple[str, ...] = LISTS) -> None:
        self.rng = Random(number)
        self.lists = lists
        self.leaves: list[Spec] = []
        self.count = 0
        self.specs = [self.spec(self.rng.choice((1, 2, 3))) for _ in range(self.rng.choice((1, 2)))]
        self.transitions = {event for event in KNOWN if self.maybe(0.3)}
        everyone = [f"n{i}" for i in range(1, self.count + 1)]
        for leaf in self.leaves:
            self.fill(leaf, everyone)
        self.everyone = everyone

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def spec(self, depth: int) -> Spec:
        self.count += 1
        name = f"n{self.count}"
        choose = self.rng.choice
        enabled = self.maybe(0.93)
        if depth == 0:
            return self.leaf(name, enabled)
        kind = choose((*self.lists, *self.lists, *WRAPPERS, "retry", "regions", *CHOOSING))
        event = choose((*EVENTS, "GO")) if self.maybe(0.25) else None
        if kind == "regions":
            regions = [self.region() for _ in range(choose((1, 2, 3)))]
            needed = choose((None, 1, len(regions)))
            return Spec(kind, name, regions, enabled, event, number=needed)
        if kind in CHOOSING:
            some = [self.spec(depth - 1) for _ in range(choose((1, 2, 2, 3, 3)))]
            answers = {
                "when": [self.answers((False, True, True)) for _ in some],
                "score": [self.answers((0.0, 0.5, 1.0)) or [0.5] for _ in some],
            }
            number = self.maybe(0.5) if kind == "selector" else choose((0.0, 0.0, 0.5))
            return Spec(kind, name, some, enabled, event, number=number, more=answers)
        if kind in self.lists:
            some = [self.spec(depth - 1) for _ in range(choose((0, 1, 2, 2, 3)))]
            needed = choose((None, 1, len(some))) if kind == "parallel" and some else None
            return Spec(kind, name, some, enabled, event, number=needed)
        number = {
            "repeat": choose((None, 0, 1, 2, 3)), "timeout": choose((0.0, 1.0, 2.0)),
            "when": self.maybe(0.8), "retry": choose((1, 2, 3)),
        }[kind]  # fmt: skip
        more: Any = (choose((0.0, 0.0, 1.0)), choose((0, 1, 2))) if kind == "retry" else None
        if kind == "timeout":
            event, more = None, (event, self.maybe(0.4))
        return Spec(kind, name, [self.spec(depth - 1)], enabled, event, number=number, more=more)

    def answers(self, some: tuple[Any, ...]) -> list[Any] | None:
        """What a function of an option answers, over and over."""
        if self.maybe(0.3):
            return None
        return [self.rng.choice(some) for _ in range(self.rng.choice((1, 2, 3)))]

    def leaf(self, name: str, enabled: bool) -> Spec:
        if self.maybe(0.08):
            event, seconds = self.rng.choice(EVENTS), self.rng.choice((0.0, 1.0, 2.0))
            return Spec("cooldown", name, enabled=enabled, number=seconds, more=event)
        leaf = Spec("leaf", name, enabled=enabled)
        leaf.finish_event = self.rng.choice((*EVENTS, "GO")) if self.maybe(0.2) else None
        self.leaves.append(leaf)
        return leaf

    def region(self) -> Spec:
        self.count += 1
        events = [self.rng.choice(EVENTS) for _ in range(self.rng.choice((1, 2)))]
        event = self.rng.choice((*EVENTS, "GO")) if self.maybe(0.2) else None
        end = "failed" if self.maybe(0.2) else None
        return Spec("region", f"n{self.count}", finish_event=event, number=end, more=events)

    def fill(self, leaf: Spec, everyone: list[str]) -> None:
        """Give a leaf its scripts."""
        leaf.takes = {event: self.maybe(0.5) for event in EVENTS if self.maybe(0.5)}
        if self.maybe(0.15):
            leaf.takes[FAILED] = self.maybe(0.5)
        for callback in ("enter", "update", "exit", *leaf.takes):
            if self.maybe({"enter": 0.3, "update": 0.6, "exit": 0.2}.get(callback, 0.7)):
                count = self.rng.choice((1, 1, 2))
                leaf.scripts[callback] = [
                    self.operation(leaf, callback, everyone) for _ in range(count)
                ]
        if self.maybe(0.6):  # most things end some time
            calls = self.rng.choice((1, 2, 3))
            end = "fail" if self.maybe(0.3) else "finish"
            leaf.scripts.setdefault("update", []).append((calls, 99, end, leaf.name))

    def operation(self, leaf: Spec, callback: str, everyone: list[str]) -> tuple[Any, ...]:
        kinds = ("send", "finish", "fail", "later", "Oops", "Abort")
        kind = self.rng.choices(kinds, (8, 4, 3, 1, 1.5, 0.2))[0]
        later = EVENTS[EVENTS.index(callback) + 1 :] if callback in EVENTS else EVENTS
        argument = {
            "send": self.rng.choice((*later, *later, "GO", "NOBODY")),
            "finish": leaf.name if self.maybe(0.4) else self.rng.choice(everyone),
            "fail": leaf.name if self.maybe(0.6) else self.rng.choice(everyone),
            "later": self.rng.choice((*EVENTS, "GO")),
        }.get(kind, "")
        first = self.rng.choice((1, 1, 2))
        return (first, first + self.rng.choice((0, 1, 99)), kind, argument)


def play(number: int) -> None:
    """Play a world on both sides; AssertionError where they differ."""
    maker = Maker(number)
    world, model = World(maker.specs, maker.transitions), Model(maker.specs, maker.transitions)
    for _ in range(maker.rng.choice((8, 14))):
        kinds = ("update", "send", "start", "finish", "fail", "stop")
        kind = maker.rng.choices(kinds, (9, 3, 1, 1, 0.7, 0.3))[0]
        if not model.working and maker.maybe(0.8):
            kind = "start"
        if kind in ("finish", "fail") and (model.queue or model.finished_is_due):
            kind = "update"  # what waits comes first: another test's business
        arguments = {"send": (*EVENTS, "GO"), "finish": maker.everyone, "fail": maker.everyone}
        argument = arguments.get(kind, ("",))
        take(world, model, kind, maker.rng.choice(argument))
    take(world, model, "stop", "")
    take(world, model, "stop", "")


def take(world: World, model: Model, kind: str, argument: str) -> None:
    """Take one step on both sides and compare all that can be seen."""
    world.journal.append(f"-- {kind} {argument}")
    model.journal.append(f"-- {kind} {argument}")
    raised = world.call(kind, argument)
    calls: dict[str, Any] = {"start": model.start, "stop": model.stop, "update": model.update}
    named: dict[str, Any] = {
        "send": model.send, "finish": model.finish_one, "fail": model.fail_one,
    }  # fmt: skip
    expected = calls[kind]() if kind in calls else named[kind](argument)
    assert world.journal == model.journal
    assert raised == expected
    state = world.fsm.current_state
    place = "Work" if model.working else "Rest" if model.running else None
    assert (state.name if state else None) == place
    finished = {name for name, action in world.actions.items() if action.finished}
    assert finished == {name for name, node in model.nodes.items() if node.finished}
    reasons = {name: each._reason_ for name, each in world.actions.items() if each.failed}
    assert reasons == {name: node.reason for name, node in model.nodes.items() if node.failed}
    if place == "Rest" and world.fsm.last_event != ERROR:
        assert (world.fsm.last_event, world.fsm.event_data) == model.cause


if __name__ == "__main__":
    play(int(sys.argv[1]))
