"""Crowd: a million agents that run one machine."""

from __future__ import annotations

from math import inf
from typing import Any, Literal, TypeAlias

from fsmkit import Fsm, FsmState, UnknownStateError
from fsmkit.crowd.compiled import Compiled
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.interpreted import Interpreter, Row
from fsmkit.crowd.layout import Layout
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.packages import np
from fsmkit.crowd.report import Report
from fsmkit.crowd.store import NOT_RUNNING, Store

Engine: TypeAlias = Literal["compiled", "python"]


class Crowd:
    """`size` agents that run `machine`, which is taken as it is now.

    With `start`, a state or its name, they begin there at once; else `start()` sets them off. Each
    `update` is one step for all. The world, with the values that agents share, is `world`.

    - `engine`: `"compiled"`, or `"python"`, which calls the functions as they are: slow, the
      reference, and for debugging.
    - `seed`: of `random(agent)`.
    - `parallel`: True for a thread per processor, or how many threads.
    - `dtype`: of the columns of floats, `"float64"` or `"float32"`, which takes half the memory.
      Numbers are always reckoned with 64 bits, and rounded when they are stored.

    Raises CrowdError for what cannot be run over columns, SubsetError for a function that cannot be
    compiled, UnknownStateError for a start that there is not.
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
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        if not isinstance(machine, CrowdFsm):
            raise CrowdError(f"A Crowd runs a CrowdFsm, not {machine!r}.")
        if type(size) is not int or size < 0:
            raise CrowdError(f"The size of a crowd is a whole number from 0 on, not {size!r}.")
        if engine not in ("compiled", "python"):
            raise CrowdError(f'engine is "compiled" or "python", not {engine!r}.')
        if dtype not in ("float64", "float32"):
            raise CrowdError(f'dtype is "float64" or "float32", not {dtype!r}.')
        if not 0 <= seed < 2**63:
            raise CrowdError(f"seed is a whole number from 0 to below 2**63, not {seed!r}.")
        self.machine = machine
        self.layout = Layout(machine, is_narrow=dtype == "float32")
        self.world: Any = machine.world() if machine.world is not None else None
        """The values that all agents share, an instance of the machine's world."""
        self._store = Store(self.layout, size, seed, np.dtype(dtype))
        self._engine = self._make_engine(engine, parallel)
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
        number = self.layout.numbers[self._found(state).name]
        self._change(where, len(self.layout.events) + number)

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent; `steps` times.

        Raises ValueError unless dt is finite and >= 0, TransitionLoopError with the index of an
        agent that changes its state without end, and what the functions raise, with the agent and
        the line in a note. The other agents have gone on then.
        """
        if not 0.0 <= dt < inf:
            raise ValueError(f"dt is seconds, finite and >= 0, not {dt!r}.")
        for _ in range(steps):
            self._store.time += dt
            self._store.delta_time = float(dt)
            self._store.step += 1
            self._engine.update(self.world).raise_errors(self.layout)

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
        self._store.step += 1
        report: Report = self._engine.change(mask, code, self.world, moved)
        report.raise_errors(self.layout)
        return int(moved.sum())

    # What there is to see

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, key: str | int) -> Any:
        """The live column of a field, or one agent as a live object."""
        if isinstance(key, str):
            return self._column(key)
        return Row(self._store, range(len(self))[key])

    def __setitem__(self, key: str, values: Any) -> None:
        """Write the column of a field: `crowd["x"] = values` is `crowd["x"][:] = values`."""
        self._column(key)[:] = self._cells(key, values, len(self))

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
        """Which agents are in `state`, as a mask."""
        return self._store.state == self.layout.numbers[self._found(state).name]

    # Coming and going

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and set them off; where they are.

        Columns that were looked at before are not those of the crowd any more. Raises CrowdError
        for values that do not fit, UnknownStateError, and leaves the crowd as it was.
        """
        if type(count) is not int or count < 0:
            raise CrowdError(f"How many agents? A whole number from 0 on, not {count!r}.")
        values = {name: self._cells(name, each, count) for name, each in fields.items()}
        if start is not None:
            start = self._found(start)
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

        return promoted(self, range(len(self))[index])

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the condition of an ordinary machine that `fsm` has made."""
        from fsmkit.crowd.promotion import put_back

        put_back(self, range(len(self))[index], fsm)

    def save(self, path: Any) -> None:
        """Write the crowd to a file (npz), wholly or not at all."""
        from fsmkit.crowd.storage import save

        save(self, path)

    @classmethod
    def load(cls, machine: CrowdFsm, path: Any, **options: Any) -> Crowd:
        """The crowd in a file. Raises CrowdMismatchError if it does not fit `machine`."""
        from fsmkit.crowd.storage import load

        return load(cls, machine, path, options)

    def __repr__(self) -> str:
        return f"<Crowd of {len(self):,} agents of {self.machine.name!r}>"

    # Help

    def _make_engine(self, engine: str, parallel: bool | int) -> Compiled | Interpreter:
        if engine == "python":
            return Interpreter(self.layout, self._store)
        import os

        threads = (os.cpu_count() or 1) if parallel is True else int(parallel)
        return Compiled(self.layout, self._store, threads)

    def _column(self, name: str) -> Any:
        try:
            return self._store.field(name)
        except AttributeError as error:
            raise CrowdError(str(error)) from None

    def _cells(self, name: str, values: Any, count: int) -> Any:
        """`values`, or one value, for `count` cells of a column. Raises CrowdError."""
        column = self._column(name)
        given = np.asarray(values)
        if given.shape not in ((), (count,)):
            raise CrowdError(
                f"{name!r} takes one value, or {count} of them, not an array of the shape "
                f"{given.shape}."
            )
        if given.dtype.kind not in ("biuf" if column.dtype.kind == "f" else "biu"):
            raise CrowdError(f"The column {name!r} holds {column.dtype}, not {given.dtype}.")
        return given

    def _found(self, state: FsmState[Any] | str | None) -> FsmState[Any]:
        if state is None:
            return self.layout.states[0]
        name = state if isinstance(state, str) else state.name
        if name not in self.layout.numbers:
            known = ", ".join(map(repr, self.layout.numbers))
            raise UnknownStateError(
                f"Crowd of {self.machine.name!r} has no state {name!r}. Its states: {known}."
            )
        return self.layout.states[self.layout.numbers[name]]
