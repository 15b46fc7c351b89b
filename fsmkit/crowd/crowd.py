"""Crowd: a million agents that run one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from fsmkit import Fsm, FsmState, UnknownStateError
from fsmkit.crowd.arguments import array, threads, whole
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.interpreted import Interpreter, Row
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.packages import np
from fsmkit.timing import checked_seconds

Engine: TypeAlias = Literal["compiled", "python"]
Dtype: TypeAlias = Literal["float64", "float32"]


class Crowd:
    """`size` agents that run `machine`, which is taken as it is now.

    With `start`, a state or its name, they begin there at once; else `start()` sets them off. Each
    `update` is one step for all. The world, with the values that agents share, is `world`.

    - `engine`: `"compiled"`, or `"python"`, which calls the functions as they are: slow, the
      reference, and for debugging.
    - `seed`: of `random(agent)`.
    - `parallel`: True for a thread per processor, or how many threads; fewer work where there are
      few agents.
    - `dtype`: of the columns of floats, `"float64"` or `"float32"`, which takes half the memory.
      Numbers are always reckoned with 64 bits, and rounded when they are stored.

    Raises CrowdError for what cannot be run over columns and for more agents than there is memory
    for, SubsetError for a function that cannot be compiled, UnknownStateError for a start that
    there is not.
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
            raise CrowdError(f"A Crowd runs a CrowdFsm, not {machine!r}.")
        size = whole(size, "The size of a crowd")
        seed = whole(seed, "seed")
        at_once = threads(parallel)
        if engine not in ("compiled", "python"):
            raise CrowdError(f'engine is "compiled" or "python", not {engine!r}.')
        if dtype not in ("float64", "float32"):
            raise CrowdError(f'dtype is "float64" or "float32", not {dtype!r}.')
        layout = Layout(machine, is_narrow=dtype == "float32")
        self.machine = machine
        self.world: Any = machine.world() if machine.world is not None else None
        """The values that all agents share, an instance of the machine's world."""
        self._store = Store(layout, size, seed, np.dtype(dtype))
        self._engine: Compiled | Interpreter = (
            Compiled(layout, self._store, at_once) if engine == "compiled"
            else Interpreter(layout, self._store)
        )  # fmt: skip
        self.layout = layout
        """The machine as the crowd sees it, which was taken when it was made."""
        if start is not None:
            self.start(start)

    @property
    def source(self) -> str:
        """The text of the compiled loops; empty with the Python engine."""
        return self._engine.source if isinstance(self._engine, Compiled) else ""

    @property
    def time(self) -> float:
        """Seconds that have passed."""
        return self._store.time

    @property
    def seed(self) -> int:
        """What the random numbers come from, together with the agent, the step and the call."""
        return self._store.seed

    # One step for all

    def start(self, state: FsmState[Any] | str | None = None, where: Any = None) -> None:
        """Set agents off in `state`, by default the first; those that run leave theirs before."""
        first = self.layout.states[0] if state is None else self._found(state)
        number = self.layout.numbers[first.name]
        self._change(where, len(self.layout.events) + number)

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent; `steps` times.

        Raises ValueError unless dt is finite and >= 0, CrowdError for a value of the world that is
        of another kind, and leaves the crowd as it was. Raises TransitionLoopError with the index
        of an agent that changes its state without end, and what the functions raise, with the agent
        and the line in a note; the other agents have gone on then.
        """
        seconds = float(checked_seconds(dt, f"Crowd of {self.machine.name!r}: dt"))
        shared = self.layout.shared(self.world, seconds)
        store = self._store
        for _ in range(whole(steps, "steps")):
            store.time += seconds
            store.delta_time = seconds
            store.step += 1
            self._engine.update(shared).raise_errors(self.layout)

    def send_event(self, event: str, where: Any = None) -> int:
        """Send `event` to all agents, or those that `where` says: a mask, or indices.

        Returns how many changed their state (or entered it again). Raises CrowdError for an event
        that no state knows.
        """
        if event not in self.layout.events:
            known = ", ".join(map(repr, self.layout.events)) or "none"
            raise CrowdError(
                f"Crowd of {self.machine.name!r}: no state knows {event!r}. Known are: {known}. "
                "Check the spelling."
            )
        return self._change(where, self.layout.events.index(event))

    def _change(self, where: Any, code: int) -> int:
        mask = self._store.mask(where)
        moved = np.zeros(len(self), np.bool_)
        shared = self._shared()
        self._store.step += 1
        report: Report = self._engine.change(mask, code, shared, moved)
        report.raise_errors(self.layout)
        return int(moved.sum())

    # What there is to see

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, key: str | int) -> Any:
        """The live column of a field, or one agent as a live object. Raises CrowdError."""
        if isinstance(key, str):
            return self._column(key)
        return Row(self._store, self._store.index(key))

    def __setitem__(self, key: str, values: Any) -> None:
        """Write the column of a field: `crowd["x"] = values` is `crowd["x"][:] = values`."""
        self._column(key)[:] = self._cells(key, values, len(self))

    if not TYPE_CHECKING:  # else type checkers would let any attribute be set

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute, but none by the name of a field: that would change no column."""
            layout = self.__dict__.get("layout")  # not there before all else is
            fields = layout.columns.record.kinds if layout is not None else ()
            if name in fields and not hasattr(self, name):
                raise CrowdError(f"{name!r} is a column. Write crowd[{name!r}] = ...")
            super().__setattr__(name, value)

    @property
    def states(self) -> Any:
        """The state of each agent, as its place in `machine.states`; -1 for one not running."""
        view = self._store.state.view()
        view.flags.writeable = False
        return view

    @property
    def time_in_state(self) -> Any:
        """Seconds for which each agent has been in its state."""
        return np.where(self._store.state == NOT_RUNNING, 0.0, self.time - self._store.entered_at)

    def count(self) -> dict[str, int]:
        """How many agents are in each state."""
        running = self._store.state[self._store.state != NOT_RUNNING]
        counts = np.bincount(running, minlength=len(self.layout.states))
        return {state.name: int(n) for state, n in zip(self.layout.states, counts, strict=True)}

    def where(self, state: FsmState[Any] | str) -> Any:
        """Which agents are in `state`, as a mask. Raises UnknownStateError."""
        return self._store.state == self.layout.numbers[self._found(state).name]

    # Coming and going

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and set them off; where they are.

        Columns that were looked at before are not those of the crowd any more. Raises CrowdError
        for values that do not fit, those of the world too, UnknownStateError, and leaves the crowd
        as it was.
        """
        count = whole(count, "The number of agents to add")
        values = {name: self._cells(name, each, count) for name, each in fields.items()}
        if start is not None:
            start = self._found(start)
            self._shared()  # raises before there are more agents
        added = self._store.grow(count)
        for name, cells in values.items():
            self._column(name)[added.start :] = cells
        if start is not None:
            self.start(start, list(added))
        return added

    def remove(self, where: Any) -> int:
        """Remove agents, given by a mask or indices; how many. The others keep their order."""
        mask = self._store.mask(where)
        self._store.keep(~mask)
        return int(mask.sum())

    def fsm(self, index: int) -> Fsm[Any]:
        """An ordinary machine in the condition of one agent; see `fsmkit.crowd.promotion`."""
        from fsmkit.crowd.promotion import promoted

        return promoted(self, self._store.index(index))

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the condition of an ordinary machine that `fsm` has made."""
        from fsmkit.crowd.promotion import put_back

        put_back(self, self._store.index(index), fsm)

    def save(self, path: Any) -> None:
        """Write the crowd to a file (npz), wholly or not at all.

        Raises OSError if it cannot be written, CrowdError for a value of the world that is of
        another kind.
        """
        from fsmkit.crowd.file.storage import save

        save(self, path)

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
        """The crowd in a file; with another `dtype` its floats are rounded to that.

        Raises CrowdMismatchError if it does not fit `machine`, CrowdError if it is no crowd or
        damaged, OSError if it cannot be read.
        """
        from fsmkit.crowd.file.storage import load

        return load(cls, machine, path, {"engine": engine, "parallel": parallel, "dtype": dtype})

    def __repr__(self) -> str:
        return f"<Crowd of {len(self):,} agents of {self.machine.name!r}>"

    # Help

    def _shared(self) -> dict[str, Any]:
        """What all agents share, between two updates. Raises CrowdError."""
        return self.layout.shared(self.world, self._store.delta_time)

    def _column(self, name: str) -> Any:
        try:
            return self._store.field(name)
        except AttributeError as error:
            raise CrowdError(str(error)) from None

    def _cells(self, name: str, values: Any, count: int) -> Any:
        """`values`, or one value, for `count` cells of a column. Raises CrowdError."""
        column = self._column(name)
        given = array(values, repr(name))
        if given.shape not in ((), (count,)):
            raise CrowdError(
                f"{name!r} takes one value, or {count} of them, not an array of the shape "
                f"{given.shape}."
            )
        if given.size and given.dtype.kind not in ("biuf" if column.dtype.kind == "f" else "biu"):
            raise CrowdError(f"The column {name!r} holds {column.dtype}, not {given.dtype}.")
        if column.dtype.kind != "f" and given.size:
            changed = given[given.astype(column.dtype) != given]
            if changed.size:
                raise CrowdError(f"The column {name!r} holds {column.dtype}, not {changed[0]}.")
        return given

    def _found(self, state: FsmState[Any] | str) -> FsmState[Any]:
        name = state.name if isinstance(state, FsmState) else state
        if not isinstance(name, str):
            raise CrowdError(f"A state is given as an FsmState or by its name, not as {state!r}.")
        if name not in self.layout.numbers:
            known = ", ".join(map(repr, self.layout.numbers))
            raise UnknownStateError(
                f"Crowd of {self.machine.name!r} has no state {name!r}. Its states: {known}."
            )
        return self.layout.states[self.layout.numbers[name]]
