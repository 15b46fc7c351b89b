"""The reference: runs the functions as they are, agent by agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from traceback import walk_tb
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

from attrs import define

from fsmkit import FINISHED, FsmState
from fsmkit.core.words.notes import traceback_of
from fsmkit.crowd import randomness
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.births import Births
from fsmkit.crowd.engine.report import Failure, Report
from fsmkit.crowd.errors import CrowdError, SubsetError
from fsmkit.crowd.guard import CrowdGuard
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted
from fsmkit.crowd.spawning import start_name
from fsmkit.crowd.views import (
    GIVEN,
    OwnView,
    WorldView,
    ask_function,
    call_function,
    cannot_be_written,
)

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

STAY: Final = -1

HIDDEN_PACKAGES: Final = (*sys.stdlib_module_names, "fsmkit", "numpy")
"""Packages whose lines are not shown in errors, except for the library of actions."""


class Interpreter:
    """The two loops of the compiled module, one agent after the other, in plain Python."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self.layout = layout
        self.store = store
        self.born: list[tuple[int, int, Mapping[str, Any]]] = []
        """The agents that were spawned in this step: the parent's id, the state, the fields."""
        if layout.columns.world.tables:
            with suppress(SubsetError):  # here functions need not be compiled
                Emitter(layout).plan()  # to know how many dimensions the tables must have

    def update(self, world: Mapping[str, Any]) -> Report:
        """Update every agent."""
        agents = np.flatnonzero(self.store.state >= 0).tolist()
        return self._run(agents, world, lambda step: step.update(), 0)

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        """Send an event, or start, in the rows from `first` on where `where` is true."""
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
        with np.errstate(over="ignore"):  # to infinity, with 32 bits
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
        with np.errstate(over="ignore"):  # to infinity, with 32 bits
            for name, default in columns.record.defaults.items():
                values = [each.get(name, default) for each in fields]
                cells[columns.field(name)] = np.array(values, self.store.field(name).dtype)
        return Births(np.array(parents), np.array(starts), cells)


class AgentStep:
    """One agent in one step."""

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
        """True while a guard is asked."""

    @property
    def state(self) -> FsmState[Any] | None:
        """The state of the agent."""
        number = int(self.store.state[self.i])
        return self.layout.states[number] if number >= 0 else None

    def update(self) -> int:
        """Return the number of the state that an update leads to."""
        state = self.state
        return STAY if state is None else self._walk(state, "on_update")

    def sent(self, event: int) -> int:
        """Return the number of the state that an event or a start leads to."""
        if event >= len(self.layout.events):
            return event - len(self.layout.events)
        state = self.state
        return STAY if state is None else self._to(state, self.layout.events[event])

    def follow(self, to: int, counted: int, report: Report) -> None:
        """Change the state, and go on while that causes further changes.

        `counted` is 0, or -1 for a start, which does not count as a change.
        """
        trail: list[int] = []
        while to != STAY:
            if len(trail) + counted == self.layout.machine.max_transitions:
                report.add_loop(self.i, trail[-self.store.plan.trail_length :])
                return
            state = self.state
            if state is not None:
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

    def failure(self, error: Exception) -> Failure:
        """Return what a function has raised, with the agent and the place."""
        name = self.state.name if self.state is not None else None
        return Failure(self.i, name, self._place(error), error)

    def _place(self, error: Exception) -> str:
        """Return the user's innermost function that has raised, with its file and line."""
        if self.acting is None:
            return "before any function was called"
        acting: CodeType = self.acting.__code__
        code, line, is_inside = acting, acting.co_firstlineno, False
        for frame, number in walk_tb(traceback_of(error)):
            if frame.f_code is acting or (is_inside and _is_user_code(frame)):
                code, line, is_inside = frame.f_code, number, True
        return f"{code.co_name}(), {code.co_filename}:{line}"

    def _to(self, state: FsmState[Any], event: str) -> int:
        for way in self.layout.ways(state, event):
            if way.guard is None or self._agrees(way.guard):
                return STAY if way.target is None else self.layout.numbers[way.target.name]
        return STAY

    def _agrees(self, guard: CrowdGuard) -> bool:
        self.acting, self.is_asked = guard.function, True
        try:
            return ask_function(guard.function, *self._views())
        finally:
            self.is_asked = False

    def _views(self) -> tuple[Row, WorldView]:
        """Return the agent and the world as functions see them."""
        return Row(self.store, self.i, self), WorldView(self.world, self.store.time)

    def _call(self, state: FsmState[Any], index: int, action: Any, phase: str) -> Any:
        function = action.definition.functions.get(phase)
        if function is None:
            return None
        self.acting = function
        agent, world = self._views()
        cells = MemoryCells(self.store, self.i, self.layout.binding(state, index).memory)
        return call_function(function, agent, world, OwnView(action, agent, world, cells))


class Row:
    """One agent of a crowd, live: its attributes are the cells of the columns."""

    __slots__ = ("_i", "_step", "_store")

    def __init__(self, store: Store, i: int, step: AgentStep | None = None) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_i", i)
        object.__setattr__(self, "_step", step)

    def __getattr__(self, name: str) -> Any:
        store, i = self._store, self._i
        if self._is_given(name):
            return store.ids[i].item() if name == "id" else store.time_in_state(i)
        return store.field(name)[i].item()

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_given(name):
            raise AttributeError(cannot_be_written(f"agent.{name}"))
        self._store.put(name, self._i, value)

    def __dir__(self) -> Iterator[str]:
        return iter(self._store.plan.columns.record.kinds)

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.__dir__())
        index = self._store.rows.rank(self._i)
        return f"<{self._store.plan.columns.record.name} {index}: {', '.join(fields)}>"

    def note_birth(self, start: FsmState[Any] | str | None, fields: Mapping[str, Any]) -> None:
        """Note a new agent; see `spawn`."""
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

    def _is_given(self, name: str) -> bool:
        return name in GIVEN and name not in self._store.plan.columns.record.kinds

    def next_random_number(self) -> float:
        """Return the next one of this step."""
        step, store = self._step, self._store
        if step is None:
            raise CrowdError("random() must be called in a function of an action: it needs a step.")
        number = randomness.draw(store.seed, int(store.ids[self._i]), store.step, step.draws)
        step.draws += 1
        return number


class LiveRow(Row):
    """The row of one agent, also when others are added or removed: it is found by the id."""

    __slots__ = ("_number",)

    def __init__(self, store: Store, row: int) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_step", None)
        object.__setattr__(self, "_number", int(store.ids[row]))

    @property
    def _i(self) -> int:
        """Its row now. Raises UnknownAgentError once it is removed."""
        store: Store = self._store
        return store.row_of(self._number)


@define
class MemoryCells:
    """The remembered values of an action for one agent, live."""

    store: Store
    i: int
    columns: Mapping[str, str]

    def read(self, name: str) -> Any:
        """Return the value of a cell."""
        return self.store.rows.columns[self.columns[name]][self.i].item()

    def write(self, name: str, value: Any) -> None:
        """Write a cell. Raises TypeError or OverflowError for a value that does not fit."""
        self.store.put_cell(self.columns[name], self.i, value, name)


def _is_user_code(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    package = module.partition(".")[0]
    return module.startswith("fsmkit.crowd.library.") or package not in HIDDEN_PACKAGES
