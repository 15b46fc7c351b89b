"""Blueprint: a random machine, and a random course of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from attrs import define

from fsmkit.crowd import CrowdAction, CrowdFsm, CrowdGuard
from fsmkit.crowd.library import SendEventWhen, TimedWait, written_function

from .agents import EVENTS, OUTSIDE, Agent, World
from .populations import Step
from .writer import Writer


@define
class Text:
    """A function as text, with the helpers that it calls."""

    name: str
    lines: list[str]


class Blueprint:
    """A random machine, and how it is built."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        self.count = rng.randint(2, 5)
        self.light = rng.random() < 0.5
        self.texts: list[Text] = []
        self.helpers = [self._helper(number) for number in range(rng.randint(0, 2))]
        self.guards = [self._guard(number) for number in range(2)]
        self.actions = [self._actions(number) for number in range(self.count)]
        self.retires = [n == self.count - 1 and rng.random() < 0.7 for n in range(self.count)]
        self.transitions = [self._ways(rng.randint(0, 3)) for _ in range(self.count)]
        self.anywhere = self._ways(rng.randint(0, 1))
        self.most = rng.choice([1, 2, 3, 4, 9])

    @property
    def text(self) -> str:
        return "\n\n".join("\n".join(each.lines) for each in self.texts)

    def machine(self) -> CrowdFsm:
        """Build the machine; all of its functions see each other."""
        functions = {each.name: written_function(each.name, each.lines) for each in self.texts}
        for each in functions.values():
            each.__globals__.update(OUTSIDE, **functions)
        machine = CrowdFsm("Any", Agent, World, on_unhandled="ignore", max_transitions=self.most)
        states = [machine.add_state(f"S{n}", retire=self.retires[n]) for n in range(self.count)]
        for state, actions, ways in zip(states, self.actions, self.transitions, strict=True):
            for names in actions:
                state.add_action(_action(names, functions))
            for event, target, guard in ways:
                when = CrowdGuard(functions[guard]) if guard else None
                state.add_transition(event, states[target], when=when)
        for event, target, guard in self.anywhere:
            when = CrowdGuard(functions[guard]) if guard else None
            machine.add_global_transition(event, states[target], when=when)
        return machine

    def course(self) -> list[Step]:
        """Return random steps."""
        rng, steps = self.rng, []
        for _ in range(rng.randint(4, 10)):
            kind = rng.choice(["update"] * 5 + ["send"] * 2 + ["start", "add", "remove", "column",
                              "world", "save", "promote", "drive"])  # fmt: skip
            steps.append((kind, *(rng.randrange(1 << 16) for _ in range(3))))
        return steps

    def _writer(self, *may: str) -> Writer:
        writer = Writer(self.rng, self.count, list(self.helpers_so_far), light=self.light)
        writer.may = set(may)
        return writer

    @property
    def helpers_so_far(self) -> list[str]:
        return [each.name for each in self.texts if each.name.startswith("helper")]

    def _helper(self, number: int) -> str:
        writer = self._writer(*["draw"] * (self.rng.random() < 0.6))
        writer.lines = [f"def helper{number}(a, w, p, k):"]
        writer.known = {"f": ["p"], "i": ["k"], "b": []}
        if self.rng.random() < 0.5:
            writer.lines += [f"    if {writer.c(1)}:", f"        return float({writer.f(1)})"]
        writer.block(2, "    ")
        writer.lines += [f"    return float({writer.f()})"]
        return self._kept(f"helper{number}", writer)

    def _guard(self, number: int) -> str:
        writer = self._writer()
        writer.lines = [f"def guard{number}(a, w):"]
        writer.helpers = []
        if self.rng.random() < 0.5:
            writer.lines += [f"    if {writer.c(1)}:", f"        return {writer.i(0)}"]
        writer.lines += [f"    return {writer.c()}"]
        return self._kept(f"guard{number}", writer)

    def _actions(self, state: int) -> list[Any]:
        return [self._functions(f"s{state}_{n}") for n in range(self.rng.choice([0, 1, 1, 2]))]

    def _functions(self, name: str) -> Any:
        chance = self.rng.random()
        if chance < 0.08:
            return TimedWait, self.rng.choice([0.0, 0.25, "x"]), self.rng.choice(EVENTS)
        if chance < 0.12:
            return SendEventWhen, self.guards[0], self.rng.choice(EVENTS)
        phases = [each for each in ("enter", "update", "exit") if self.rng.random() < 0.55]
        return [self._function(f"{name}_{phase}", phase) for phase in phases or ["update"]]

    def _function(self, name: str, phase: str) -> str:
        writer = self._writer("draw", "write", "spawn", *["send"] * (phase != "exit"))
        writer.own = True
        writer.lines = [f"def {name}(a, w, own):", "    own.calls += 1"]
        writer.block(3, "    ", 5)
        if "send" in writer.may and self.rng.random() < 0.5:
            writer.lines += [f"    if {writer.c(1)}:"]
            writer.lines += [f"        return {self.rng.choice(EVENTS)!r}"]
        return self._kept(name, writer)

    def _kept(self, name: str, writer: Writer) -> str:
        self.texts.append(Text(name, writer.lines))
        return name

    def _ways(self, most: int) -> list[tuple[str, int, str | None]]:
        rng = self.rng
        guards = [None, None, *self.guards]
        return [
            (event, rng.randrange(self.count), guard)
            for event in rng.sample(EVENTS, most)
            for guard in [*rng.sample(self.guards, rng.randint(0, 1)), rng.choice(guards)]
        ]


def _action(names: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
    if isinstance(names, tuple):
        kind, *arguments = names
        return kind(*(functions.get(each, each) for each in arguments))
    phases: dict[str, Any] = {f"on_{name.rpartition('_')[2]}": functions[name] for name in names}
    return CrowdAction(**phases, parameters={"step": 0.375}, memory={"calls": 0, "sum": 0.0})
