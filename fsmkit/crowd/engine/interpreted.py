"""The reference: runs the functions as they are, agent by agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from traceback import walk_tb
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

from attrs import define

from fsmkit import FINISHED, FsmState
from fsmkit.crowd import randomness
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.guard import CrowdGuard
from fsmkit.crowd.views import OwnView, WorldView, call_function

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

    def update(self, world: Mapping[str, Any]) -> Report:
        """Update every agent."""
        return self._run(range(len(self.store)), world, lambda step: step.update(), 0)

    def change(self, where: Any, event: int, world: Mapping[str, Any], moved: Any) -> Report:
        """Send an event, or start, for the agents in `where`."""
        chosen = [i for i in range(len(self.store)) if where[i]]

        def decide(step: AgentStep) -> int:
            to = step.sent(event)
            moved[step.i] = to != STAY
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
        for i in agents:
            step = AgentStep(self, i, world)
            try:
                step.follow(decide(step), counted, report)
            except Exception as error:
                report.add_failure(self.layout, i, step.state, step.place(error), error)
        return report


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
                report.add_loop(self.i, trail[-self.layout.trail_length :])
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

    def place(self, error: Exception) -> str:
        """Return the user's innermost function that has raised, with its file and line."""
        if self.acting is None:
            return "before any function was called"
        acting: CodeType = self.acting.__code__
        code, line, is_inside = acting, acting.co_firstlineno, False
        for frame, number in walk_tb(error.__traceback__):
            if frame.f_code is acting or (is_inside and _is_user_code(frame)):
                code, line, is_inside = frame.f_code, number, True
        return f"{code.co_name}(), {code.co_filename}:{line}"

    def _to(self, state: FsmState[Any], event: str) -> int:
        for way in self.layout.ways(state, event):
            if way.guard is None or self._agrees(way.guard):
                return STAY if way.target is None else self.layout.numbers[way.target.name]
        return STAY

    def _agrees(self, guard: CrowdGuard) -> bool:
        self.acting = guard.function
        return bool(guard.function(Row(self.store, self.i, self), WorldView(self.world)))

    def _call(self, state: FsmState[Any], index: int, action: Any, phase: str) -> Any:
        function = action.definition.functions.get(phase)
        if function is None:
            return None
        self.acting = function
        agent, world = Row(self.store, self.i, self), WorldView(self.world)
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
        return self._store.field(name)[self._i].item()

    def __setattr__(self, name: str, value: Any) -> None:
        self._store.put(name, self._i, value)

    def __dir__(self) -> Iterator[str]:
        return iter(self._store.layout.columns.record.kinds)

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.__dir__())
        return f"<{self._store.layout.columns.record.name} {self._i}: {', '.join(fields)}>"

    def next_random_number(self) -> float:
        """Return the next one of this step."""
        step, store = self._step, self._store
        if step is None:
            raise CrowdError("random() must be called in a function of an action: it needs a step.")
        number = randomness.draw(store.seed, int(store.ids[self._i]), store.step, step.draws)
        step.draws += 1
        return number


@define
class MemoryCells:
    """The remembered values of an action for one agent, live."""

    store: Store
    i: int
    columns: Mapping[str, str]

    def read(self, name: str) -> Any:
        """Return the value of a cell."""
        return self.store.columns[self.columns[name]][self.i].item()

    def write(self, name: str, value: Any) -> None:
        """Write a cell. Raises TypeError or OverflowError for a value that does not fit."""
        self.store.put_cell(self.columns[name], self.i, value, name)


def _is_user_code(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    package = module.partition(".")[0]
    return module.startswith("fsmkit.crowd.library.") or package not in HIDDEN_PACKAGES
