"""Crowd: a million agents that run one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from logging import getLogger
from typing import Any, Final, NoReturn, Self, TypeAlias

from fsmkit import Fsm, FsmState
from fsmkit.crowd import crowd_file
from fsmkit.crowd.any_crowd import AnyCrowd, check_machine
from fsmkit.crowd.argument_checks import checked_integer, thread_count
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.execution import (
    Dtype,
    EngineName,
    Placement,
    Stepping,
    TargetName,
    checked_dtype,
)
from fsmkit.crowd.engine.interpreted import LiveRow
from fsmkit.crowd.engine.store import FieldColumns, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.neighbours.renewal import Neighbours
from fsmkit.crowd.packages import np
from fsmkit.crowd.promotion import put_back
from fsmkit.crowd.studies.sweeps import checked_measures, checked_seeds, sweep, swept_parameters
from fsmkit.crowd.studies.trials import Course, CrowdSnapshot, Trial, stepping
from fsmkit.crowd.study import Study
from fsmkit.timing import checked_seconds

_logger: Final = getLogger("fsmkit")
StepHandler: TypeAlias = Callable[[Callable[[float], None], float], None]


class Crowd(AnyCrowd):
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
    - `target`: `"cpu"`, or `"cuda"` for an NVIDIA card, where the columns stay between the steps;
      `read` and `write` copy them. Results are the same; with `exact=False` a machine may call
      functions whose last bit differs there. Needs the extra `cuda`.

    Raises CrowdError for a machine that cannot run over columns and for more agents than fit into
    memory, SubsetError for a function that cannot be compiled, UnknownStateError for an unknown
    start state.
    """

    _READING = "crowd[{name!r}]"
    _WRITING = "crowd[{name!r}] = ..."

    def __init__(
        self,
        machine: CrowdFsm,
        size: int,
        *,
        start: FsmState[Any] | str | None = None,
        engine: EngineName = "compiled",
        seed: int = 0,
        parallel: bool | int = False,
        dtype: Dtype = "float64",
        target: TargetName = "cpu",
        exact: bool = True,
    ) -> None:
        check_machine("Crowd", machine)
        size = checked_integer(size, "The size of a crowd")
        seed = checked_integer(seed, "seed")
        placement = Placement(engine, target, exact, thread_count(parallel))
        layout = Layout(machine, is_float32=checked_dtype(dtype))
        self._plan = placement.plan(layout)
        self.machine = machine
        self.world = machine.world() if machine.world is not None else None
        self._engine, self._store = placement.populated(layout, self._plan, size, seed)
        self._fields = FieldColumns(self._store, is_live=placement.is_live)
        self.neighbours = Neighbours(
            self._store, threads=placement.threads, defers=isinstance(self._engine, Compiled)
        )
        self._steps = Stepping(self._store, self._engine, self.neighbours)
        self._handler: StepHandler | None = None
        self._is_begun = False
        """True once an agent was running before an update, or the warning was given."""
        self.layout = layout
        if start is not None:
            self.start(start)

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        return self._store.time

    @property
    def seed(self) -> int:
        """The seed of random numbers; they also depend on the agent, the step and the call."""
        return self._store.seed

    # One step for all

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent, `steps` times.

        Raises ValueError unless dt is finite and >= 0, and CrowdError for a value of the world of
        the wrong kind; the crowd is unchanged then. Agents that were not started do nothing; a
        warning says so once if none was. Raises TransitionLoopError with the index of an agent
        that changes its state endlessly, and any error of the functions, with the agent and the
        line in a note; all other agents are still updated.
        """
        if self._handler is None:
            self._update(dt, steps)
        else:
            self._handler(lambda seconds: self._update(seconds, steps), dt)

    def intercept(self, handler: StepHandler) -> Callable[[], None]:
        """Let `handler(carry_out, dt)` be called instead of `update`; call the result to undo that.

        For tools that pause a crowd: `carry_out(dt)` updates it. Raises TypeError unless `handler`
        is a function, and CrowdError if there is a handler already.
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
        if not self._is_begun and len(self):
            if self._is_at_rest():
                _logger.warning("%s", self._none_runs("An update does nothing."))
            self._is_begun = True
        for _ in range(checked_integer(steps, "steps")):
            self._steps.update(seconds, world)

    # Reading

    def __len__(self) -> int:
        return len(self._store)

    def __getitem__(self, key: str | int) -> Any:
        """Return the live column of a field, or one agent as a live object.

        Raises CrowdError, for any key if the columns are on a card.
        """
        self._fields.check_live(key)
        if isinstance(key, str):
            return self._fields.live(key)
        return LiveRow(self._store, self._store.row(key))

    def __setitem__(self, key: str, values: Any) -> None:
        """Write the column of a field: `crowd["x"] = values` is `crowd["x"][:] = values`."""
        self._fields.check_live(key)
        column = self._fields.live(key)
        column[:] = self._fields.cells(key, values, len(column))

    @property
    def states(self) -> Any:
        """The state of each agent, as its index in `machine.states`; -1 if it is not running."""
        return self._fields.shown("state")

    @property
    def ids(self) -> Any:
        """The id of each agent, which it keeps when others are removed, in ascending order."""
        return self._fields.shown("ids")

    @property
    def time_in_state(self) -> Any:
        """The seconds for which each agent has been in its state."""
        return self._fields.time_in_state()

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        return self._fields.count()

    def where(self, state: FsmState[Any] | str) -> Any:
        """Return a mask of the agents in `state`. Raises UnknownStateError."""
        return self._fields.in_state(self.layout.numbers[self.layout.found(state).name])

    def read(self, name: str, agents: Any = None) -> Any:
        """Return a copy of the column of a field, of all agents or of those in `agents`.

        `agents` is a mask, indices, a slice, or a state or its name. Raises CrowdError.

        >>> from attrs import define
        >>> @define
        ... class Npc:
        ...     x: float = 0.0
        >>> machine = CrowdFsm("Npc", Npc)
        >>> state = machine.add_state("Patrol")
        >>> crowd = Crowd(machine, 4)
        >>> crowd.write("x", [1.0, 2.0, 3.0, 4.0])
        >>> crowd.write("x", 0.0, agents=[0])
        >>> crowd.read("x", agents=slice(0, 3))
        array([0., 2., 3.])
        """
        return self._fields.read(name, self._chosen(agents))

    def write(self, name: str, values: Any, agents: Any = None) -> None:
        """Write the column of a field, of all agents or of those in `agents`; see `read`.

        `values` is one for all, or one for each. Raises CrowdError.
        """
        self._fields.write(name, values, self._chosen(agents))

    # Adding and removing

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and start them; return their indices.

        Columns that you got before no longer belong to the crowd. Raises CrowdError for values that
        do not fit, also in the world, and UnknownStateError; the crowd is unchanged then.
        """
        values, code, world = self._checked_new(count, start, fields)
        first, row = self._store.next_id, self._store.grow(count).start
        for name, cells in values.items():
            self._fields.whole(name)[row:] = cells
        if code is not None:
            self._steps.change(np.ones(count, np.bool_), code, world, row)
        return range(self._store.rank_of(first), self._store.rank_of(first + count))

    def remove(self, where: Any) -> int:
        """Remove the agents in `where`, see `start`; return how many. The order is kept."""
        rows = self._store.rows_of(self._chosen(where))
        self._store.remove(rows)
        return len(rows)

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the state of an ordinary machine that `fsm` has made."""
        put_back(self.layout, *self._located(index), fsm)

    def sweep(
        self,
        parameters: Mapping[str, Iterable[Any]],
        seeds: Iterable[int] = (0,),
        *,
        dt: float,
        steps: int,
        start: FsmState[Any] | str | None = None,
        measure: Iterable[str] | Callable[[Crowd], Mapping[str, Any]] | None = None,
        every: int | None = None,
        processes: int | None = None,
    ) -> Study:
        """Run the crowd from now on with other values and seeds; return a table of the results.

        Every combination of the values is run with every seed, from the current agents, world and
        time. The crowd itself does not change, and nothing is compiled again. The result is the
        same as running each by hand, whatever the number of processes.

        - `parameters`: name -> values. A name is `"world.field"`; `"State.parameter"` for a number
          that an action of the state was given, or `"State[1].parameter"` for that of the action
          with this index; or the name of a field, whose value all agents get.
        - `dt`, `steps`: of the updates.
        - `start`: a state in which all agents are started first, with the values and the seed.
        - `measure`: names such as `"mean(x)"`, `"count(Ill)"`, `"quantile(x, 0.9, Ill)"` (see
          `Collector`); or a function that takes a crowd and returns a dict of numbers, which is
          called in this process. By default the number of agents in each state.
        - `every`: measure at the beginning and every so many steps; by default only at the end.
        - `processes`: by default one for each processor; 1 runs everything in this process.

        Raises CrowdError for any unknown name, and if no agent was started, before anything is run;
        and StudyError, after all runs, if some failed.
        """
        if not isinstance(self._engine, Compiled):
            raise CrowdError(
                f"{self!r} must be compiled for processors for a sweep. Make it without engine= "
                "and target=."
            )
        if start is None and len(self) and self._is_at_rest():
            raise CrowdError(self._none_runs("Nothing would happen in a sweep."))
        swept = swept_parameters(self.layout, parameters)
        fields, states = self.layout.columns.record.kinds, self._plan.states
        measures = {} if callable(measure) else checked_measures(measure, fields, states)
        course = Course(
            plan=self._plan,
            origin=CrowdSnapshot.of(self._store),
            world=self._world_values(),
            neighbours=self.neighbours.declarations,
            dt=float(checked_seconds(dt, f"Sweep of {self.machine.name!r}: dt")),
            steps=checked_integer(steps, "steps"),
            every=None if every is None else checked_integer(every, "every", 1),
            start=None if start is None else self.layout.start_number(start),
            measures=None if callable(measure) else list(measures.values()),
        )
        shown = (lambda *at: measure(self._at(*at))) if callable(measure) else list(measures)
        return sweep(course, swept, checked_seeds(seeds), shown, processes)

    def _at(self, run: Trial, snapshot: CrowdSnapshot) -> Crowd:
        """Return another crowd like this one, at a moment of a run."""
        other = copy(self)
        other._plan = run.plan_of(self._plan)
        other._steps = stepping(other._plan, run.seed, self.neighbours.declarations)
        other._store, other._engine = other._steps.store, other._steps.engine
        other._fields, other.neighbours = FieldColumns(other._store), other._steps.neighbours
        other.world = run.world_of(self.world)
        other._handler = None
        snapshot.restore(other._store)
        return other

    def save(self, path: Any) -> None:
        """Write the crowd to a file (npz), completely or not at all; but no tables of the world.

        Raises OSError if it cannot be written, CrowdError for a value of the world of the wrong
        kind.
        """
        crowd_file.save(self.layout, self._store, self.world, self.neighbours.declarations, path)

    @classmethod
    def load(
        cls,
        machine: CrowdFsm,
        path: Any,
        *,
        engine: EngineName = "compiled",
        parallel: bool | int = False,
        dtype: Dtype | None = None,
        target: TargetName = "cpu",
        exact: bool = True,
    ) -> Self:
        """Return the crowd in a file; with another `dtype` its floats are rounded to that.

        Declarations of `Cells` and `Places` stay in effect. The tables of the world are not saved:
        set them again. Raises CrowdMismatchError if the file does not fit `machine`, CrowdError if
        it is not a crowd or is damaged, OSError if it cannot be read.
        """
        with crowd_file.opened(path) as saved:
            crowd = cls(
                machine,
                saved.size,
                engine=engine,
                seed=saved.header.seed,
                parallel=parallel,
                dtype=saved.header.dtype if dtype is None else dtype,
                target=target,
                exact=exact,
            )
            crowd.neighbours.declarations = saved.restore(crowd.layout, crowd._store, crowd.world)
        return crowd

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise CrowdError(
            f"{self!r} cannot be copied. Save it and load it again, with save() and Crowd.load(); "
            "or sweep(), which leaves the crowd as it is."
        )

    def __repr__(self) -> str:
        return self._store.owner

    # Helpers

    def _change(self, where: Any, code: int) -> int:
        mask = self._store.mask(self._chosen(where))
        return self._steps.change(mask, code, self._world_values())

    def _located(self, index: int) -> tuple[Store, int]:
        return self._store, self._store.row(index)

    def _delta_time(self) -> float:
        return self._store.delta_time

    def _is_at_rest(self) -> bool:
        return not any(self.count().values())

    def _none_runs(self, so: str) -> str:
        first = self.layout.states[0].name
        return (
            f"No agent of {self!r} was started. {so} Make it with Crowd(..., start={first!r}), or "
            "call start()."
        )

    def _chosen(self, agents: Any) -> Any:
        """Return the mask of those in a state; anything else as it is. Raises UnknownStateError."""
        return self.where(agents) if isinstance(agents, str | FsmState) else agents
