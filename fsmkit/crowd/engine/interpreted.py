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
from fsmkit.crowd.views import OwnView, WorldView, event_of

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

STAY: Final = -1

NO_USERS: Final = (*sys.stdlib_module_names, "fsmkit", "numpy")
"""Packages whose lines are not told of, with an exception for the library of actions."""


class Interpreter:
    """Has the two loops of the compiled module, one agent after the other, in plain Python."""

    def __init__(self, layout: Layout, store: Store) -> None:
        self.layout = layout
        self.store = store

    def update(self, shared: Mapping[str, Any]) -> Report:
        """Let every agent act."""
        return self._run(range(len(self.store)), shared, lambda visit: visit.update(), 0)

    def change(self, where: Any, event: int, shared: Mapping[str, Any], moved: Any) -> Report:
        """Send an event, or start, where `where` says so."""
        chosen = [i for i in range(len(self.store)) if where[i]]

        def decide(visit: Visit) -> int:
            to = visit.sent(event)
            moved[visit.i] = to != STAY
            return to

        is_start = event >= len(self.layout.events)
        return self._run(chosen, shared, decide, -1 if is_start else 0)

    def _run(
        self,
        agents: Sequence[int],
        shared: Mapping[str, Any],
        decide: Callable[[Visit], int],
        counted: int,
    ) -> Report:
        report = Report()
        for i in agents:
            visit = Visit(self, i, shared)
            try:
                visit.follow(decide(visit), counted, report)
            except Exception as error:
                report.failed(self.layout, i, visit.state, visit.place(error), error)
        return report


class Visit:
    """One agent in one step."""

    def __init__(self, engine: Interpreter, i: int, shared: Mapping[str, Any]) -> None:
        self.engine = engine
        self.layout = engine.layout
        self.store = engine.store
        self.i = i
        self.shared = shared
        self.draws = 0
        self.acting: Callable[..., Any] | None = None
        self.entered = 1 << 30

    @property
    def state(self) -> FsmState[Any] | None:
        """The state of the agent."""
        number = int(self.store.state[self.i])
        return self.layout.states[number] if number >= 0 else None

    def update(self) -> int:
        """The number of the state that an update leads to."""
        state = self.state
        return STAY if state is None else self._walk(state, "on_update")

    def sent(self, event: int) -> int:
        """The number of the state that an event leads to, or a start."""
        if event >= len(self.layout.events):
            return event - len(self.layout.events)
        state = self.state
        return STAY if state is None else self._to(state, self.layout.events[event])

    def follow(self, to: int, counted: int, report: Report) -> None:
        """Change the state, and go on as long as that leads on.

        `counted` is 0, or -1 for a start, which does not count as a change.
        """
        trail: list[int] = []
        while to != STAY:
            if len(trail) + counted == self.layout.machine.max_transitions:
                report.looped(self.i, trail[-self.layout.trail :])
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
        """The innermost function of the user's that has raised, with its file and line."""
        if self.acting is None:
            return "before any function was called"
        acting: CodeType = self.acting.__code__
        code, line, is_inside = acting, acting.co_firstlineno, False
        for frame, number in walk_tb(error.__traceback__):
            if frame.f_code is acting or (is_inside and _is_users(frame)):
                code, line, is_inside = frame.f_code, number, True
        return f"{code.co_name}(), {code.co_filename}:{line}"

    def _to(self, state: FsmState[Any], event: str) -> int:
        target = self.layout.target(state, event)
        return STAY if target is None else self.layout.numbers[target.name]

    def _call(self, state: FsmState[Any], index: int, action: Any, phase: str) -> Any:
        function = action.functions.get(phase)
        if function is None:
            return None
        self.acting = function
        agent, world = Row(self.store, self.i, self), WorldView(self.shared)
        cells = Cells(self.store, self.i, self.layout.binding(state, index).memory)
        return event_of(function, agent, world, OwnView(action, agent, world, cells))


class Row:
    """One agent of a crowd, alive: its attributes are the cells of the columns."""

    __slots__ = ("_i", "_store", "_visit")

    def __init__(self, store: Store, i: int, visit: Visit | None = None) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_i", i)
        object.__setattr__(self, "_visit", visit)

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
        """The next one of this step."""
        visit, store = self._visit, self._store
        if visit is None:
            raise CrowdError("random() is for the functions of actions, where it has a step.")
        number = randomness.draw(store.seed, int(store.ids[self._i]), store.step, visit.draws)
        visit.draws += 1
        return number


@define
class Cells:
    """What an action remembers of one agent, alive."""

    store: Store
    i: int
    columns: Mapping[str, str]

    def read(self, name: str) -> Any:
        """The value of a cell."""
        return self.store.columns[self.columns[name]][self.i].item()

    def write(self, name: str, value: Any) -> None:
        """Write a cell. Raises TypeError or OverflowError for a value that does not fit."""
        self.store.put_cell(self.columns[name], self.i, value, name)


def _is_users(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.startswith("fsmkit.crowd.library.") or (module.partition(".")[0] not in NO_USERS)
