"""The reference engine: it calls the functions directly, agent by agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, Final

from attrs import define

from fsmkit import FINISHED, FsmState
from fsmkit.core.words.notes import traceback_of
from fsmkit.crowd import randomness
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.report import AgentFailure, Births, Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError, SubsetError
from fsmkit.crowd.guard import CrowdGuard
from fsmkit.crowd.individual import AgentView, OwnView, WorldView, ask_function, call_function
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.crowd.spawning import start_name

STAY: Final = -1

HIDDEN_PACKAGES: Final = (*sys.stdlib_module_names, "fsmkit", "numpy")
"""Packages whose lines are not shown in errors, except those of the library of actions."""


class Interpreter:
    """The two loops of the compiled module in plain Python, one agent at a time."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self.layout = layout
        self.store = store
        self.born: list[tuple[int, int, Mapping[str, Any]]] = []
        """The agents that were spawned in this step: parent's id, state and fields."""
        if layout.columns.world.tables:
            with suppress(SubsetError):  # this engine does not compile functions
                Emitter(layout).plan()  # to learn how many dimensions the tables must have

    def update(self, world: Mapping[str, Any]) -> Report:
        agents = np.flatnonzero(self.store.state >= 0).tolist()
        return self._run(agents, world, lambda step: step.update(), 0)

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        chosen = (np.flatnonzero(where) + first).tolist()

        def decide(step: AgentStep) -> int:
            to = step.sent(event)
            moved[step.i - first] = to != STAY
            return to

        is_start = event >= len(self.layout.events)
        return self._run(chosen, world, decide, -1 if is_start else 0)

    def _run(
        self,
        agents: Sequence[int],
        world: Mapping[str, Any],
        decide: Callable[[AgentStep], int],
        counted: int,
    ) -> Report:
        report = Report()
        self.born = []
        with np.errstate(over="ignore"):  # 32-bit floats become infinite
            for i in agents:
                step = AgentStep(self, i, world)
                try:
                    step.follow(decide(step), counted, report)
                except Exception as error:
                    report.add_failure(step.failure(error))
        if self.born:
            report.births.append(self._births())
        return report.by_index(self.store.rows.rank)

    def _births(self) -> Births:
        parents, starts, fields = zip(*self.born, strict=True)
        columns = self.layout.columns
        cells: dict[str, Any] = {}
        with np.errstate(over="ignore"):  # 32-bit floats become infinite
            for name, default in columns.record.defaults.items():
                values = [each.get(name, default) for each in fields]
                cells[columns.field(name)] = np.array(values, self.store.field(name).dtype)
        return Births(np.array(parents), np.array(starts), cells)


class AgentStep:
    def __init__(self, engine: Interpreter, i: int, world: Mapping[str, Any]) -> None:
        self.engine = engine
        self.layout = engine.layout
        self.store = engine.store
        self.i = i
        self.world = world
        self.draws = 0
        self.acting: Callable[..., Any] | None = None
        self.entered = 1 << 30
        self.is_asked = False
        """True while a guard is evaluated."""

    @property
    def state(self) -> FsmState[Any] | None:
        number = int(self.store.state[self.i])
        return self.layout.states[number] if number >= 0 else None

    def update(self) -> int:
        state = self.state
        return STAY if state is None else self._walk(state, "on_update")

    def sent(self, event: int) -> int:
        """Return the number of the state to which an event or a start leads."""
        if event >= len(self.layout.events):
            return event - len(self.layout.events)
        state = self.state
        return STAY if state is None else self._to(state, self.layout.events[event])

    def follow(self, to: int, counted: int, report: Report) -> None:
        """Change the state, and continue while that causes further changes.

        `counted` is 0, or -1 for a start, which does not count as a change.
        """
        trail: list[int] = []
        while to != STAY:
            if len(trail) + counted == self.layout.machine.max_transitions:
                report.add_loop(self.i, trail[-self.store.plan.trail_length :])
                return
            if (state := self.state) is not None:
                for index, action in enumerate(state.actions[: self.entered]):
                    self._call(state, index, action, "on_exit")
            self.store.state[self.i] = to
            self.store.entered_at[self.i] = self.store.time
            trail.append(to)
            self.entered = 1 << 30
            state = self.layout.states[to]
            to = self._walk(state, "on_enter") if state.actions else self._to(state, FINISHED)

    def _walk(self, state: FsmState[Any], phase: str) -> int:
        for index, action in enumerate(state.actions):
            event = self._call(state, index, action, phase)
            to = STAY if event is None else self._to(state, event)
            if to != STAY:
                if phase == "on_enter":
                    self.entered = index + 1
                return to
        return STAY

    def failure(self, error: Exception) -> AgentFailure:
        name = self.state.name if self.state is not None else None
        return AgentFailure(self.i, name, self._place(error), error)

    def _place(self, error: Exception) -> str:
        """Return the user's innermost function that raised, with its file and line."""
        if self.acting is None:
            return "before any function was called"
        acting: CodeType = self.acting.__code__
        code, line, is_inside = acting, acting.co_firstlineno, False
        for frame, number in walk_tb(traceback_of(error)):
            if frame.f_code is acting or (is_inside and _is_user_code(frame)):
                code, line, is_inside = frame.f_code, number, True
        return f"{code.co_name}(), {code.co_filename}:{line}"

    def _to(self, state: FsmState[Any], event: str) -> int:
        for route in self.layout.routes(state, event):
            if route.guard is None or self._agrees(route.guard):
                return STAY if route.target is None else self.layout.numbers[route.target.name]
        return STAY

    def _agrees(self, guard: CrowdGuard) -> bool:
        self.acting, self.is_asked = guard.function, True
        try:
            return ask_function(guard.function, *self._views())
        finally:
            self.is_asked = False

    def _views(self) -> tuple[AgentRow, WorldView]:
        return AgentRow(self.store, self.i, self), WorldView(self.world, self.store.time)

    def _call(self, state: FsmState[Any], index: int, action: Any, phase: str) -> Any:
        function = action.definition.functions.get(phase)
        if function is None:
            return None
        self.acting = function
        agent, world = self._views()
        cells = MemoryCells(self.store, self.i, self.layout.binding(state, index).memory)
        return call_function(function, agent, world, OwnView(action, agent, world, cells))


class AgentRow(AgentView):
    """A live view of one agent: its attributes are the cells of the columns."""

    __slots__ = ("_i", "_step", "_store")

    def __init__(self, store: Store, i: int, step: AgentStep | None = None) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_i", i)
        object.__setattr__(self, "_step", step)

    def _has_field(self, name: str) -> bool:
        return name in self._store.plan.columns.record.kinds

    def _given(self, name: str) -> Any:
        store, i = self._store, self._i
        return store.ids[i].item() if name == "id" else store.time_in_state(i)

    def _read(self, name: str) -> Any:
        return self._store.field(name)[self._i].item()

    def _write(self, name: str, value: Any) -> None:
        self._store.put(name, self._i, value)

    def __dir__(self) -> Iterator[str]:
        return iter(self._store.plan.columns.record.kinds)

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.__dir__())
        index = self._store.rows.rank(self._i)
        return f"<{self._store.plan.columns.record.name} {index}: {', '.join(fields)}>"

    def note_birth(self, start: FsmState[Any] | str | None, fields: Mapping[str, Any]) -> None:
        step, store = self._step, self._store
        if step is None or step.is_asked:
            raise CrowdError("spawn() must be called in a function of an action: it needs a step.")
        kinds = store.plan.columns.record.kinds
        name = start_name(start)
        number = 0 if name is None else step.layout.number(name)
        for each in fields:
            store.field(each)
        values = {each: fitted(kinds[each], value, repr(each)) for each, value in fields.items()}
        step.engine.born.append((int(store.ids[self._i]), number, values))

    def next_random_number(self) -> float:
        step, store = self._step, self._store
        if step is None:
            raise CrowdError("random() must be called in a function of an action: it needs a step.")
        number = randomness.draw(store.seed, int(store.ids[self._i]), store.step, step.draws)
        step.draws += 1
        return number


class LiveRow(AgentRow):
    """The row of one agent, found by its id, so that others may be added or removed."""

    __slots__ = ("_number",)

    def __init__(self, store: Store, row: int) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_step", None)
        object.__setattr__(self, "_number", int(store.ids[row]))

    @property
    def _i(self) -> int:
        store: Store = self._store
        return store.row_of(self._number)


@define
class MemoryCells:
    store: Store
    i: int
    columns: Mapping[str, str]

    def read(self, name: str) -> Any:
        return self.store.rows.columns[self.columns[name]][self.i].item()

    def write(self, name: str, value: Any) -> None:
        self.store.put_cell(self.columns[name], self.i, value, name)


def _is_user_code(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    package = module.partition(".")[0]
    return module == "fsmkit.crowd.library" or package not in HIDDEN_PACKAGES
