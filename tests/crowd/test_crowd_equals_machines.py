"""A crowd equals as many machines: compiled, interpreted or separate, the bits are the same.

Every callback changes `told` by its own number, so that `told` at the end depends on all callbacks
and their order: it is the journal of an agent in one number.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest
from attrs import define
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsmkit import FINISHED, Fsm, TransitionLoopError
from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, CrowdGuard
from fsmkit.crowd.individual import IndividualMemory

EVENTS = ["GO", "STOP", "AGAIN", FINISHED]
MEMORY: dict[str, float] = {"calls": 0, "sum": 0.0, "zero": 0.0}
DTS = [0.0, 0.1, 1 / 60, 0.25]

GUARDS = """
def is_far(agent, world):
    return agent.x > world.level


def is_odd(agent, world):
    return agent.n & 1


def is_up(agent, world):
    return agent.y


def is_told(agent, world):
    if agent.flag:
        return agent.told & 3 < 2
    return not is_odd(agent, world)


def bent(x, limit):
    if x > limit:
        over = x - limit
        if over > 1.0:
            return -0.5 * folded(over, limit)
        return folded(over, 0.25)
    return math.sqrt(limit - x)


def folded(x, limit):
    if limit < 0.5 and x > 0.5 or x > 4.0:
        x = 0.5 / x
    return x if x > limit else limit
"""


@define
class Agent:
    x: float = 0.0
    y: float = 0.0
    n: int = 0
    told: int = 0
    flag: bool = False


@define
class Shared:
    level: float = 0.5


@define
class Call:
    """One callback: the conditions on which it returns events."""

    event: str | None
    condition: str
    draws: bool


Ways: TypeAlias = list[tuple[str | None, int]]
"""The transitions of an event: the guard and the number of the state it leads to."""


@define
class Blueprint:
    """A machine: for each state its actions, and the transitions."""

    actions: list[list[dict[str, Call]]]
    transitions: list[dict[str, Ways]]
    anywhere: dict[str, Ways]
    groups: Sequence[tuple[set[int], dict[str, Ways]]] = ()
    """Of each group the numbers of its states, and its transitions."""

    def functions(self) -> str:
        """Return the text of a module with the functions of all actions."""
        lines = ["import math", "from fsmkit.crowd import random", "", GUARDS]
        number = 0
        for state, actions in enumerate(self.actions):
            for index, calls in enumerate(actions):
                for phase, call in calls.items():
                    number += 1
                    lines += text_of(f"s{state}_{index}_{phase}", call, number)
        return "\n".join(lines)

    def machine(self, module: ModuleType) -> CrowdFsm:
        machine = CrowdFsm("Any", Agent, Shared, on_unhandled="ignore", max_transitions=7)
        states = [machine.add_state(f"S{number}") for number in range(len(self.actions))]
        for number, (state, actions) in enumerate(zip(states, self.actions, strict=True)):
            for index, calls in enumerate(actions):
                state.add_action(
                    CrowdAction(
                        **{phase: getattr(module, f"s{number}_{index}_{phase}") for phase in calls},
                        parameters={"step": 0.375, "limit": "world.level"},
                        memory=dict(MEMORY),
                    )
                )
            add_all(state.add_transition, self.transitions[number], states, module)
        for number, (members, table) in enumerate(self.groups):
            group = machine.add_group(f"G{number}", *(states[i % len(states)] for i in members))
            add_all(group.add_transition, table, states, module)
        add_all(machine.add_global_transition, self.anywhere, states, module)
        return machine


def add_all(
    add: Callable[..., object], table: dict[str, Ways], states: list[Any], module: ModuleType
) -> None:
    for event, ways in table.items():
        for guard, target in ways:
            when = None if guard is None else CrowdGuard(getattr(module, guard))
            add(event, states[target], when=when)


def text_of(name: str, call: Call, number: int) -> list[str]:
    draw = "random(agent)" if call.draws else "agent.x * 0.75"
    lines = [
        f"def {name}(agent, world, own):",
        f"    agent.told = (agent.told * 31 + {number}) & 1048575",
        "    own.calls += 1",
        f"    agent.x = {draw} + own.step * world.dt",
        "    own.sum += bent(agent.x, own.limit) - own.limit",
        "    agent.y = agent.n & 1 if agent.flag else -own.zero",
        "    own.zero = 0 if agent.y > 0 else agent.y",
        "    agent.told += math.copysign(1.0, own.zero) < 0.0",
        "    agent.flag = not agent.flag or own.sum > 3.0",
    ]
    if call.event is not None:
        lines += [f"    if {call.condition}:", f"        return {call.event!r}"]
    return [*lines, "    agent.n = agent.n + (own.calls & 3)", "", ""]


CONDITIONS = [
    "True", "agent.x > own.limit", "agent.told & 3 == 0", "own.calls & 1 == 1",
    "agent.flag and agent.n > 2", "not agent.flag or agent.told & 7 < 3",
]  # fmt: skip


def actions(draws: st.SearchStrategy[bool]) -> st.SearchStrategy[dict[str, Call]]:
    """Generate the functions of an action."""
    events, conditions = st.sampled_from([None, None, *EVENTS]), st.sampled_from(CONDITIONS)
    calls = st.builds(Call, event=events, condition=conditions, draws=draws)
    silent = st.builds(Call, event=st.none(), condition=st.just("True"), draws=draws)
    return st.fixed_dictionaries(
        {}, optional={"on_enter": calls, "on_update": calls, "on_exit": silent}
    )


def ways(count: int, guarded: bool) -> st.SearchStrategy[Ways]:
    """Generate the transitions of an event: guarded ones, and perhaps one that is always taken."""
    target = st.integers(0, count - 1)
    always = st.builds(lambda to: [(None, to)], target)
    if not guarded:
        return always
    names = st.sampled_from(["is_far", "is_odd", "is_up", "is_told"])
    asked = st.lists(st.tuples(names, target), min_size=1, max_size=3)
    return st.one_of(always, always, asked, st.builds(lambda one, two: one + two, asked, always))


@st.composite
def blueprints(draw: Any, most: int = 4, may_draw: bool = True, guarded: bool = True) -> Blueprint:
    draws = st.booleans() if may_draw else st.just(False)
    count = draw(st.integers(1, most))
    each = ways(count, guarded)
    targets = st.dictionaries(st.sampled_from(EVENTS), each, max_size=3)
    return Blueprint(
        draw(st.lists(st.lists(actions(draws), max_size=3), min_size=count, max_size=count)),
        draw(st.lists(targets, min_size=count, max_size=count)),
        draw(st.dictionaries(st.sampled_from(EVENTS[:3]), each, max_size=1)),
        draw(st.lists(st.tuples(st.sets(st.integers(0, 3)), targets), max_size=2)),
    )


BEGIN = ("start", 0, None)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("update"), st.sampled_from(DTS)),
        st.tuples(st.just("send"), st.sampled_from(EVENTS), st.integers(0, 7)),
        st.tuples(st.just("start"), st.integers(0, 3), st.integers(0, 7)),
        st.tuples(st.just("level"), st.sampled_from([0.0, 0.5, 2])),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModuleType]:
    """Write a module, as the functions need a source."""
    folder = tmp_path_factory.mktemp("functions")

    def write(text: str) -> ModuleType:
        name = f"functions_{sha256(text.encode()).hexdigest()[:16]}"
        if name in sys.modules:
            return sys.modules[name]
        path: Path = folder / f"{name}.py"
        path.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return write


class Together:
    """The agents as a crowd."""

    def __init__(self, machine: CrowdFsm, size: int, **options: Any) -> None:
        self.crowd = Crowd(machine, size, **options)

    def make(self, step: tuple[Any, ...]) -> str:
        crowd, (kind, *rest) = self.crowd, step
        try:
            if kind == "update":
                crowd.update(rest[0])
            elif kind == "send":
                if rest[0] in crowd.layout.events:
                    crowd.send_event(rest[0], where=chosen(len(crowd), rest[1]))
            elif kind == "start":
                state = crowd.layout.states[rest[0] % len(crowd.layout.states)]
                crowd.start(state, where=chosen(len(crowd), rest[1]))
            else:
                crowd.world.level = rest[0]
        except TransitionLoopError as error:
            return str(error).partition(":")[0]
        return ""

    def told(self) -> list[Any]:
        crowd = self.crowd
        names = list(crowd.machine.states)
        memory = [name for name in crowd._store.columns if not name.startswith("agent_")]
        return [
            (
                names[state] if state >= 0 else None,
                float(crowd.time_in_state[i]),
                *(crowd[name][i].item() for name in ("x", "y", "n", "told", "flag")),
                *(crowd._store.columns[name][i].item() for name in memory),
            )
            for i, state in enumerate(crowd.states.tolist())
        ]


class OneByOne:
    """The agents as machines of their own."""

    def __init__(self, machine: CrowdFsm, size: int, **options: Any) -> None:
        crowd = Crowd(machine, size, engine="python", **options)
        self.machines: list[Fsm[Any]] = [crowd.fsm(i) for i in range(size)]
        self.world = crowd.world
        self.layout = crowd.layout

    def make(self, step: tuple[Any, ...]) -> str:
        kind, *rest = step
        everyone = range(len(self.machines))
        if kind == "update":
            return self._each(everyone, lambda fsm: fsm.update(rest[0]))
        if kind == "level":
            self.world.level = rest[0]
            return ""
        where = [i for i in everyone if chosen(len(self.machines), rest[1])[i]]
        if kind == "send":
            if rest[0] not in self.layout.events:
                return ""
            return self._each(where, lambda fsm: fsm.send_event(rest[0]))
        state = self.layout.states[rest[0] % len(self.layout.states)].name
        return self._each(where, lambda fsm: fsm.start(state))

    def told(self) -> list[Any]:
        return [self._told(fsm) for fsm in self.machines]

    def _told(self, fsm: Fsm[Any]) -> Any:
        agent, state = fsm.context.agent, fsm.current_state
        memory = [
            IndividualMemory(fsm.context, action).read(name)
            for each in fsm.states.values()
            for action in each.actions
            for name in MEMORY
        ]
        return (
            state.name if state is not None else None,
            fsm.time_in_state if state is not None else 0.0,
            agent.x, agent.y, agent.n, agent.told, agent.flag, *memory,
        )  # fmt: skip

    def _each(self, where: Any, call: Callable[[Fsm[Any]], object]) -> str:
        first = ""
        for i, fsm in enumerate(self.machines):
            if i not in where:
                fsm.context.begin_step()  # a call for some agents is a step for all
                continue
            try:
                call(fsm)
            except TransitionLoopError:
                first = first or f"Crowd of 'Any', agent {i}"
        return first


def chosen(size: int, pattern: int | None) -> Any:
    """Return a mask; None stands for all agents."""
    if pattern is None:
        return [True] * size
    return [bool((i + 1) * 2654435761 >> 7 & (pattern + 1)) for i in range(size)]


SOME = settings.default.max_examples // 2
"""Some dozens of machines; in the slow run three times as many."""


@pytest.mark.slow
@settings(max_examples=SOME, deadline=None, suppress_health_check=list(HealthCheck))
@given(blueprint=blueprints(), course=steps, dtype=st.sampled_from(["float64", "float32"]))
def test_interpreted_agents_are_machines(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    course: list[tuple[Any, ...]],
    dtype: str,
) -> None:
    machine = blueprint.machine(written(blueprint.functions()))
    one_by_one = OneByOne(machine, 5, seed=3, dtype=dtype)
    crowd = Together(machine, 5, engine="python", seed=3, dtype=dtype)
    for step in [BEGIN, *course]:
        failure = crowd.make(step)
        assert failure == one_by_one.make(step)
        assert repr(crowd.told()) == repr(one_by_one.told())  # 0.0 is not -0.0
        if failure:  # from here on the agent counts as having entered all actions
            break


@pytest.mark.slow
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(blueprint=blueprints(most=5), courses=st.lists(steps, min_size=5, max_size=5))
def test_compiled_agents_are_interpreted_ones(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    courses: list[list[tuple[Any, ...]]],
) -> None:
    assert_same(blueprint.machine(written(blueprint.functions())), courses)


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps")
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(blueprint=blueprints(may_draw=False), courses=st.lists(steps, min_size=5, max_size=5))
def test_swept_agents_are_interpreted_ones(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    courses: list[list[tuple[Any, ...]]],
) -> None:
    machine = blueprint.machine(written(blueprint.functions()))
    assert "def sweep" in Crowd(machine, 1).source
    assert_same(machine, courses)


@pytest.mark.slow
@pytest.mark.usefixtures("always_sweeps", "not_compiled")
@settings(max_examples=SOME, deadline=None, suppress_health_check=list(HealthCheck))
@given(blueprint=blueprints(), courses=st.lists(steps, min_size=1, max_size=2))
def test_the_text_of_a_sweep_and_of_the_other_loops_does_what_the_functions_do(
    written: Callable[[str], ModuleType],
    blueprint: Blueprint,
    courses: list[list[tuple[Any, ...]]],
) -> None:
    assert_same(blueprint.machine(written(blueprint.functions())), courses, size=8)


def assert_same(machine: CrowdFsm, courses: list[list[tuple[Any, ...]]], size: int = 40) -> None:
    """Check that both engines do the same, in every step of every run."""
    for course in courses:
        both = [Together(machine, size, engine=engine, seed=3) for engine in ("python", "compiled")]
        for step in [BEGIN, *course]:
            interpreted, compiled = (each.make(step) for each in both)
            assert interpreted == compiled
            assert both[0].told() == both[1].told()


@pytest.mark.slow
def test_the_number_of_threads_changes_nothing(written: Callable[[str], ModuleType]) -> None:
    rng = random.Random(1)
    call = Call("GO", "agent.told & 3 == 0", True)
    blueprint = Blueprint(
        [[{"on_enter": call, "on_update": call}], [{"on_update": Call("STOP", "True", True)}]],
        [{"GO": [(None, 1)]}, {"STOP": [("is_odd", 0), (None, 1)]}],
        {},
    )
    machine = blueprint.machine(written(blueprint.functions()))
    crowds = [Crowd(machine, 200_000, start="S0", seed=9, parallel=n) for n in (1, 2, 3)]
    for _ in range(10):
        dt = rng.choice(DTS)
        for crowd in crowds:
            crowd.update(dt)
    one, *others = crowds
    for other in others:
        for name, column in one._store.arrays().items():
            assert (column == other._store.arrays()[name]).all()
