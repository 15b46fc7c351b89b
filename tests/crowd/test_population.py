"""Random machines with births and deaths: objects, both engines, two threads, one journal.

The reference is a population of objects: a list of machines of one agent each, which is given those
that its members have spawned, and which those leave that are in a state that retires them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest
from attrs import define
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmkit import Fsm, TransitionLoopError
from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm
from fsmkit.crowd.individual import Individual, IndividualMemory
from fsmkit.introspection.run_state import RunState, write_run_state

SEED = 11
FIRST = 20
MOST = 150
"""A course ends when there are more agents."""

EVENTS = ("GO", "STOP", "DIE")
Step: TypeAlias = "tuple[Any, ...]"


@define
class Agent:
    x: float = 0.5
    n: int = 0
    flag: bool = False


@define
class Call:
    """One function: whether it spawns and sends, and when."""

    spawns: list[tuple[str, str | None, str]]
    """Condition, state, fields."""
    event: str | None
    condition: str


CONDITIONS = [
    "agent.n & 3 == 1", "agent.x > 0.75", "own.calls & 3 == 2", "random(agent) < 0.3", "agent.flag",
]  # fmt: skip

FIELDS = [
    "", "n=agent.n + 1", "x=agent.x / 2, flag=not agent.flag", "x=random(agent), n=own.calls",
    "flag=agent.n > 3",
]  # fmt: skip


def text_of(name: str, call: Call, number: int) -> list[str]:
    lines = [
        f"def {name}(agent, world, own):",
        "    own.calls += 1",
        f"    agent.n = (agent.n * 7 + {number}) & 1023",
        "    drawn = random(agent)",
        "    agent.x = drawn if agent.n & 1 else agent.x * 0.75 + world.dt + world.time",
    ]
    for index, (condition, start, fields) in enumerate(call.spawns):
        lines += [
            *drawn(condition, f"    chance{index} = "),
            f"    if {condition.replace('random(agent)', f'chance{index}')}:",
            f"        spawn(agent, start={start!r}, {fields})",
        ]
    if call.event is not None:
        lines += [
            *drawn(call.condition, "    chance = "),
            f"    if {call.condition.replace('random(agent)', 'chance')}:",
            f"        return {call.event!r}",
        ]
    return [*lines, "    agent.flag = not agent.flag", "", ""]


def drawn(condition: str, before: str) -> list[str]:
    return [f"{before}random(agent)"] if "random" in condition else []


@define
class Blueprint:
    """A machine: for each state its functions and transitions; the last one retires."""

    calls: list[dict[str, Call]]
    transitions: list[dict[str, int]]
    anywhere: dict[str, int]

    def functions(self) -> str:
        lines = ["from fsmkit.crowd import random, spawn", "", ""]
        for state, calls in enumerate(self.calls):
            for index, (phase, call) in enumerate(calls.items()):
                lines += text_of(f"s{state}_{phase}", call, state * 3 + index)
        return "\n".join(lines)

    def machine(self, module: ModuleType) -> CrowdFsm:
        machine = CrowdFsm("Any", Agent, on_unhandled="ignore", max_transitions=5)
        last = len(self.calls) - 1
        states = [machine.add_state(f"S{n}", retire=n == last) for n in range(last + 1)]
        for number, state in enumerate(states):
            functions = {
                phase: getattr(module, f"s{number}_{phase}") for phase in self.calls[number]
            }
            state.add_action(CrowdAction(**functions, memory={"calls": 0}))
            for event, target in self.transitions[number].items():
                state.add_transition(event, states[target])
        for event, target in self.anywhere.items():
            machine.add_global_transition(event, states[target])
        return machine


def calls_in(count: int, sends: bool = True) -> st.SearchStrategy[Call]:
    start = st.sampled_from([None, *(f"S{number}" for number in range(count))])
    spawned = st.tuples(st.sampled_from(CONDITIONS), start, st.sampled_from(FIELDS))
    return st.builds(
        Call,
        spawns=st.lists(spawned, min_size=1, max_size=2),
        event=st.sampled_from([None, *EVENTS]) if sends else st.none(),
        condition=st.sampled_from(CONDITIONS),
    )


@st.composite
def blueprints(draw: Any) -> Blueprint:
    count = draw(st.integers(2, 4))
    phases = st.fixed_dictionaries(
        {},
        optional={
            "on_enter": calls_in(count),
            "on_update": calls_in(count),
            "on_exit": calls_in(count, sends=False),
        },
    )
    targets = st.dictionaries(st.sampled_from(EVENTS), st.integers(0, count - 1), max_size=3)
    return Blueprint(
        draw(st.lists(phases, min_size=count, max_size=count)),
        draw(st.lists(targets, min_size=count, max_size=count)),
        draw(st.dictionaries(st.sampled_from(EVENTS), st.integers(0, count - 1), max_size=1)),
    )


courses = st.lists(
    st.one_of(
        st.tuples(st.just("update"), st.sampled_from([0.0, 0.125, 0.25])),
        st.tuples(st.just("update"), st.sampled_from([0.125, 0.25])),
        st.tuples(st.just("send"), st.sampled_from(EVENTS), st.integers(0, 7)),
        st.tuples(st.just("start"), st.integers(0, 3), st.integers(0, 7)),
        st.tuples(st.just("add"), st.integers(0, 5), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 7)),
        st.tuples(st.just("save")),
        st.tuples(st.just("promote"), st.integers(0, 99)),
    ),
    min_size=1,
    max_size=10,
)


def chosen(numbers: list[int], pattern: int | None) -> list[int]:
    """Return the indices of those that a step is for, by their ids; None stands for all."""
    if pattern is None:
        return list(range(len(numbers)))
    return [i for i, n in enumerate(numbers) if (n + 1) * 2654435761 >> 7 & (pattern + 1)]


class OneCrowd:
    """The agents as a crowd."""

    def __init__(self, machine: CrowdFsm, folder: Path, **options: Any) -> None:
        self.machine = machine
        self.path = folder / "crowd.npz"
        self.options = options
        self.crowd = Crowd(machine, FIRST, seed=SEED, **options)

    def __len__(self) -> int:
        return len(self.crowd)

    def numbers(self) -> list[int]:
        """Return the ids, without closing up free rows."""
        store = self.crowd._store
        numbers: list[int] = store.rows.taken(store.ids).tolist()
        return numbers

    def make(self, step: Step) -> str:
        crowd, (kind, *rest) = self.crowd, step
        names = list(self.machine.states)
        try:
            if kind == "update":
                crowd.update(rest[0])
            elif kind == "send" and rest[0] in crowd.layout.events:
                crowd.send_event(rest[0], where=chosen(self.numbers(), rest[1]))
            elif kind == "start":
                where = chosen(self.numbers(), rest[1])
                crowd.start(names[rest[0] % len(names)], where=where)
            elif kind == "add":
                crowd.add(rest[0], start=names[rest[1] % len(names)], x=0.875, n=rest[1])
            elif kind == "remove":
                crowd.remove(chosen(self.numbers(), rest[0]))
            elif kind == "save":
                crowd.save(self.path)
                self.crowd = Crowd.load(self.machine, self.path, **self.options)
            elif kind == "promote" and len(crowd):
                index = rest[0] % len(crowd)
                fsm = crowd.fsm(index)
                fsm.context.agent.x += 0.125
                crowd.put(index, fsm)
        except (TransitionLoopError, CrowdError, ExceptionGroup) as error:
            return type(error).__name__
        return ""

    def told(self) -> list[Any]:
        crowd = self.crowd
        names = [*crowd.machine.states, None]
        rows = zip(
            crowd.ids.tolist(), crowd.states.tolist(), crowd.time_in_state.tolist(),
            *(column.tolist() for column in crowd._store.columns.values()), strict=True,
        )  # fmt: skip
        return [(number, names[state], *rest) for number, state, *rest in rows]


class Population:
    """The agents as machines of their own."""

    def __init__(self, machine: CrowdFsm) -> None:
        self.machine = machine
        self.step = 0
        self.time = self.delta_time = 0.0
        self.next = 0
        self.members: list[Fsm[Any]] = []
        for _ in range(FIRST):
            self._add({})

    def __len__(self) -> int:
        return len(self.members)

    def make(self, step: Step) -> str:
        kind, *rest = step
        names = list(self.machine.states)
        numbers = [fsm.context.number for fsm in self.members]
        if kind == "update":
            self.time, self.delta_time = self.time + rest[0], rest[0]
            return self._each(range(len(self)), lambda fsm: fsm.update(rest[0]))
        if kind == "send":
            known = {event for state in self.machine.states.values() for event in state.transitions}
            if rest[0] not in known | set(self.machine.global_transitions):
                return ""
            return self._each(chosen(numbers, rest[1]), lambda fsm: fsm.send_event(rest[0]))
        if kind == "start":
            state = names[rest[0] % len(names)]
            return self._each(chosen(numbers, rest[1]), lambda fsm: fsm.start(state))
        if kind == "add":
            size = len(self)
            for _ in range(rest[0]):
                self._add({"x": 0.875, "n": rest[1]})
            state = names[rest[1] % len(names)]
            return self._each(range(size, len(self)), lambda fsm: fsm.start(state))
        if kind == "remove":
            gone = chosen(numbers, rest[0])
            self.members = [fsm for i, fsm in enumerate(self.members) if i not in gone]
        elif kind == "promote" and self.members:
            self.members[rest[0] % len(self)].context.agent.x += 0.125
        return ""

    def told(self) -> list[Any]:
        return [
            (
                fsm.context.number,
                fsm.current_state.name,
                fsm.time_in_state,
                *(getattr(fsm.context.agent, name) for name in ("x", "n", "flag")),
                *(
                    IndividualMemory(fsm.context, state.actions[0]).read("calls")
                    for state in fsm.states.values()
                ),
            )
            for fsm in self.members
        ]

    def _add(self, fields: dict[str, Any]) -> Fsm[Any]:
        individual = Individual(Agent(**fields), None, self.next, SEED, self.step)
        self.next += 1
        fsm = self.machine.single(individual)
        write_run_state(fsm, RunState(time=self.time, delta_time=self.delta_time))
        self.members.append(fsm)
        return fsm

    def _each(self, where: Any, call: Callable[[Fsm[Any]], object]) -> str:
        """Make a step with some agents, which is one for all; then come births and deaths."""
        self.step += 1
        for i, fsm in enumerate(self.members):
            if i not in where:
                fsm.context.begin_step()
        parents = [self.members[i] for i in where]
        has_looped = self._called(parents, call)
        births = self._births(parents)
        born, most = 0, len(births) * (1 + self.machine.max_transitions)
        while births and (born := born + len(births)) <= most:
            before, self.step = self.step, self.step - 1  # start() is a step of theirs
            children = [(self._add(dict(each.fields)), each.start) for each in births]
            self.step = before
            for fsm, start in children:
                has_looped |= self._called([fsm], lambda fsm, start=start: fsm.start(start))
            births = self._births([fsm for fsm, _ in children])
        self.members = [
            fsm
            for fsm in self.members
            if fsm.current_state is None or fsm.current_state.name not in self.machine.retiring
        ]
        if births:
            return "ExceptionGroup" if has_looped else "CrowdError"
        return "TransitionLoopError" if has_looped else ""

    def _called(self, members: list[Fsm[Any]], call: Callable[[Fsm[Any]], object]) -> bool:
        has_looped = False
        for fsm in members:
            try:
                call(fsm)
            except TransitionLoopError:
                has_looped = True
        return has_looped

    def _births(self, parents: list[Fsm[Any]]) -> list[Any]:
        return [birth for fsm in parents for birth in fsm.context.births]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModuleType]:
    """Write a module, as the functions need a source."""
    folder = tmp_path_factory.mktemp("functions")

    def write(text: str) -> ModuleType:
        name = f"functions_{sha256(text.encode()).hexdigest()[:16]}"
        if name not in sys.modules:
            path: Path = folder / f"{name}.py"
            path.write_text(text, "utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
        return sys.modules[name]

    return write


def compare(populations: list[Any], course: list[Step]) -> None:
    """Check that all do the same, in every step; after endless changes a course ends."""
    for step in [("start", 0, None), *course]:
        failures = [each.make(step) for each in populations]
        assert len(set(failures)) == 1, (step, failures)
        one, *others = (each.told() for each in populations)
        for other in others:
            assert repr(one) == repr(other), step
        if failures[0] or len(one) > MOST:
            break


SOME = settings.default.max_examples // 4
"""A dozen machines; in the slow run three times as many."""

run = settings(max_examples=SOME, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@run
@given(blueprint=blueprints(), course=courses)
def test_interpreted_agents_are_a_population_of_objects(
    written: Callable[[str], ModuleType], blueprint: Blueprint, course: list[Step], folder: Path
) -> None:
    machine = blueprint.machine(written(blueprint.functions()))
    compare([Population(machine), OneCrowd(machine, folder, engine="python")], course)


@pytest.mark.slow
@run
@given(blueprint=blueprints(), course=courses)
@pytest.mark.usefixtures("not_compiled")
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_the_text_of_the_loops_does_the_same(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    course: list[Step],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.MIN_AGENTS_PER_THREAD", 4)
    monkeypatch.setattr("fsmkit.crowd.engine.report.ROOM", 3)
    machine = blueprint.machine(written(blueprint.functions()))
    crowds = [
        OneCrowd(machine, folder, engine="python"),
        OneCrowd(machine, folder),
        OneCrowd(machine, folder, parallel=2),
    ]
    compare(crowds, course)


@pytest.mark.slow
@settings(run, max_examples=2)
@given(blueprint=blueprints(), several=st.lists(courses, min_size=5, max_size=5))
def test_compiled_agents_are_a_population_of_objects(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    several: list[list[Step]],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsmkit.crowd.engine.compiled.MIN_AGENTS_PER_THREAD", 4)
    machine = blueprint.machine(written(blueprint.functions()))
    for course in several:
        crowds = [OneCrowd(machine, folder, parallel=number) for number in (1, 2)]
        compare([Population(machine), *crowds], course)
