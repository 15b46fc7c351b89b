"""Crowd: a million agents that run one machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from fsmkit import Fsm, FsmState, UnknownStateError
from fsmkit.crowd.arguments import as_array, checked_integer, thread_count
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.interpreted import Interpreter, Row
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.file import storage
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.packages import np
from fsmkit.crowd.promotion import promoted, put_back
from fsmkit.timing import checked_seconds

Engine: TypeAlias = Literal["compiled", "python"]
Dtype: TypeAlias = Literal["float64", "float32"]


class Crowd:
    """`size` agents that run `machine`, which is copied: later changes to it have no effect.

    With `start`, a state or its name, they start there at once; else `start()` starts them. Each
    `update` is one step for all. The world, with the values that agents share, is `world`.

    - `engine`: `"compiled"`, or `"python"`, which calls the functions as they are: slow, the
      reference, and for debugging.
    - `seed`: of `random(agent)`.
    - `parallel`: True for a thread per processor, or a number of threads; fewer are used for a
      small crowd.
    - `dtype`: of the columns of floats, `"float64"` or `"float32"`, which takes half the memory.
      Arithmetic is always 64-bit; results are rounded when they are stored.

    Raises CrowdError for a machine that cannot run over columns and for more agents than fit into
    memory, SubsetError for a function that cannot be compiled, UnknownStateError for an unknown
    start state.
    """

    def __init__(
        self,
        machine: CrowdFsm,
        size: int,
        *,
        start: FsmState[Any] | str | None = None,
        engine: Engine = "compiled",
        seed: int = 0,
        parallel: bool | int = False,
        dtype: Dtype = "float64",
    ) -> None:
        if not isinstance(machine, CrowdFsm):
            raise CrowdError(f"The machine of a Crowd must be a CrowdFsm, got {machine!r}.")
        size = checked_integer(size, "The size of a crowd")
        seed = checked_integer(seed, "seed")
        threads = thread_count(parallel)
        if engine not in ("compiled", "python"):
            raise CrowdError(f'engine must be "compiled" or "python", got {engine!r}.')
        if dtype not in ("float64", "float32"):
            raise CrowdError(f'dtype must be "float64" or "float32", got {dtype!r}.')
        layout = Layout(machine, is_float32=dtype == "float32")
        self.machine = machine
        self.world: Any = machine.world() if machine.world is not None else None
        """The values that all agents share, an instance of the machine's world."""
        self._store = Store(layout, size, seed, np.dtype(dtype))
        self._engine: Compiled | Interpreter = (
            Compiled(layout, self._store, threads) if engine == "compiled"
            else Interpreter(layout, self._store)
        )  # fmt: skip
        self._handler: Callable[[Callable[[float], None], float], None] | None = None
        self.layout = layout
        """The machine as the crowd sees it, copied when the crowd was made."""
        if start is not None:
            self.start(start)

    @property
    def source(self) -> str:
        """The text of the compiled loops; empty with the Python engine."""
        return self._engine.source if isinstance(self._engine, Compiled) else ""

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        return self._store.time

    @property
    def seed(self) -> int:
        """The seed of random numbers; they also depend on the agent, the step and the call."""
        return self._store.seed

    # One step for all

    def start(self, state: FsmState[Any] | str | None = None, where: Any = None) -> None:
        """Start agents in `state`, by default the first; running ones exit theirs before."""
        first = self.layout.states[0] if state is None else self._found(state)
        number = self.layout.numbers[first.name]
        self._change(where, len(self.layout.events) + number)

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent, `steps` times.

        Raises ValueError unless dt is finite and >= 0, CrowdError for a value of the world that is
        of another kind; the crowd is unchanged then. Raises TransitionLoopError with the index
        of an agent that changes its state without end, and whatever the functions raise, with the
        agent and the line in a note; all other agents are updated all the same.
        """
        if self._handler is None:
            self._update(dt, steps)
        else:
            self._handler(lambda seconds: self._update(seconds, steps), dt)

    def intercept(
        self, handler: Callable[[Callable[[float], None], float], None]
    ) -> Callable[[], None]:
        """Have `handler(carry_out, dt)` called in place of `update`, until the result is called.

        For tools that pause a crowd: `carry_out(dt)` updates it. Raises TypeError for what is no
        function, and CrowdError if there is such a handler already.
        """
        if not callable(handler):
            raise TypeError(f"handler must be a function (carry_out, dt), got {handler!r}.")
        if self._handler is not None:
            raise CrowdError(f"{self!r} is intercepted already. Undo that first.")
        self._handler = handler

        def undo() -> None:
            self._handler = None

        return undo

    def _update(self, dt: float, steps: int) -> None:
        seconds = float(checked_seconds(dt, f"Crowd of {self.machine.name!r}: dt"))
        world = self.layout.world_values(self.world, seconds)
        store = self._store
        for _ in range(checked_integer(steps, "steps")):
            store.time += seconds
            store.delta_time = seconds
            store.step += 1
            self._engine.update(world).raise_errors(self.layout)

    def send_event(self, event: str, where: Any = None) -> int:
        """Send `event` to all agents, or to those in `where`: a mask, or indices.

        Returns the number that changed state (or entered it again). Raises CrowdError for an event
        that no state knows.
        """
        if event not in self.layout.events:
            known = ", ".join(map(repr, self.layout.events)) or "none"
            raise CrowdError(
                f"Crowd of {self.machine.name!r}: no state knows {event!r}. Known events: {known}. "
                "Check the spelling."
            )
        return self._change(where, self.layout.events.index(event))

    def _change(self, where: Any, code: int) -> int:
        mask = self._store.mask(where)
        moved = np.zeros(len(self), np.bool_)
        world = self._world_values()
        self._store.step += 1
        report: Report = self._engine.change(mask, code, world, moved)
        report.raise_errors(self.layout)
        return int(moved.sum())

    # Reading

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, key: str | int) -> Any:
        """Return the live column of a field, or one agent as a live object. Raises CrowdError."""
        if isinstance(key, str):
            return self._column(key)
        return Row(self._store, self._store.index(key))

    def __setitem__(self, key: str, values: Any) -> None:
        """Write the column of a field: `crowd["x"] = values` is `crowd["x"][:] = values`."""
        self._column(key)[:] = self._cells(key, values, len(self))

    if not TYPE_CHECKING:  # else type checkers would accept any attribute

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute, unless it has the name of a field: no column would change."""
            layout = self.__dict__.get("layout")  # it is set last
            fields = layout.columns.record.kinds if layout is not None else ()
            if name in fields and not hasattr(self, name):
                raise CrowdError(f"{name!r} is a column. Write crowd[{name!r}] = ...")
            super().__setattr__(name, value)

    @property
    def states(self) -> Any:
        """The state of each agent, as its index in `machine.states`; -1 if it is not running."""
        view = self._store.state.view()
        view.flags.writeable = False
        return view

    @property
    def numbers(self) -> Any:
        """The number of each agent, which it keeps when others are removed; see `Individual`."""
        view = self._store.ids.view()
        view.flags.writeable = False
        return view

    @property
    def time_in_state(self) -> Any:
        """The seconds for which each agent has been in its state."""
        return np.where(self._store.state == NOT_RUNNING, 0.0, self.time - self._store.entered_at)

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        running = self._store.state[self._store.state != NOT_RUNNING]
        counts = np.bincount(running, minlength=len(self.layout.states))
        return {state.name: int(n) for state, n in zip(self.layout.states, counts, strict=True)}

    def where(self, state: FsmState[Any] | str) -> Any:
        """Return a mask of the agents in `state`. Raises UnknownStateError."""
        return self._store.state == self.layout.numbers[self._found(state).name]

    # Adding and removing

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and start them; return their indices.

        Columns that you got before no longer belong to the crowd. Raises CrowdError for values that
        do not fit, also in the world, and UnknownStateError; the crowd is unchanged then.
        """
        count = checked_integer(count, "The number of agents to add")
        values = {name: self._cells(name, each, count) for name, each in fields.items()}
        if start is not None:
            start = self._found(start)
            self._world_values()  # raises before there are more agents
        added = self._store.grow(count)
        for name, cells in values.items():
            self._column(name)[added.start :] = cells
        if start is not None:
            self.start(start, list(added))
        return added

    def remove(self, where: Any) -> int:
        """Remove agents, given by a mask or indices; return how many. The order is kept."""
        mask = self._store.mask(where)
        self._store.keep(~mask)
        return int(mask.sum())

    def fsm(self, index: int) -> Fsm[Any]:
        """Return an ordinary machine in the state of one agent; see `fsmkit.crowd.promotion`."""
        return promoted(self._store, self.world, self._store.index(index))

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the state of an ordinary machine that `fsm` has made."""
        put_back(self._store, self._store.index(index), fsm)

    def save(self, path: Any) -> None:
        """Write the crowd to a file (npz), completely or not at all.

        Raises OSError if it cannot be written, CrowdError for a value of the world that is of
        another kind.
        """
        storage.save(self._store, self.world, path)

    @classmethod
    def load(
        cls,
        machine: CrowdFsm,
        path: Any,
        *,
        engine: Engine = "compiled",
        parallel: bool | int = False,
        dtype: Dtype | None = None,
    ) -> Self:
        """Return the crowd in a file; with another `dtype` its floats are rounded to that.

        Raises CrowdMismatchError if it does not fit `machine`, CrowdError if it is not a crowd
        or is damaged, OSError if it cannot be read.
        """
        saved = storage.read(path)
        crowd = cls(
            machine,
            saved.size,
            engine=engine,
            seed=saved.header.seed,
            parallel=parallel,
            dtype=saved.header.dtype if dtype is None else dtype,
        )
        saved.restore(crowd._store, crowd.world)
        return crowd

    def __repr__(self) -> str:
        return self._store.owner

    # Helpers

    def _world_values(self) -> dict[str, Any]:
        """Return the shared values, between two updates. Raises CrowdError."""
        return self.layout.world_values(self.world, self._store.delta_time)

    def _column(self, name: str) -> Any:
        try:
            return self._store.field(name)
        except AttributeError as error:
            raise CrowdError(str(error)) from None

    def _cells(self, name: str, values: Any, count: int) -> Any:
        """Return `values`, or one value, for `count` cells of a column. Raises CrowdError."""
        column = self._column(name)
        given = as_array(values, repr(name))
        if given.shape not in ((), (count,)):
            raise CrowdError(
                f"{name!r} must be one value, or {count} of them, got an array of the shape "
                f"{given.shape}."
            )
        if given.size and given.dtype.kind not in ("biuf" if column.dtype.kind == "f" else "biu"):
            raise CrowdError(f"The column {name!r} must be {column.dtype}, got {given.dtype}.")
        if column.dtype.kind != "f" and given.size:
            changed = given[given.astype(column.dtype) != given]
            if changed.size:
                raise CrowdError(f"The column {name!r} must be {column.dtype}, got {changed[0]}.")
        return given

    def _found(self, state: FsmState[Any] | str) -> FsmState[Any]:
        name = state.name if isinstance(state, FsmState) else state
        if not isinstance(name, str):
            raise CrowdError(f"A state must be an FsmState or the name of one, got {state!r}.")
        if name not in self.layout.numbers:
            known = ", ".join(map(repr, self.layout.numbers))
            raise UnknownStateError(
                f"Crowd of {self.machine.name!r} has no state {name!r}. Its states: {known}."
            )
        return self.layout.states[self.layout.numbers[name]]
