"""ShardedCrowd: a crowd whose agents are in several processes, new or resumed from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn, Self
from weakref import finalize

from attrs import frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.checks import arguments
from fsmkit.crowd.any_crowd import AnyCrowd, check_machine
from fsmkit.crowd.argument_checks import as_array, checked_integer, plain
from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.crowd_file import check_outline, restore_world
from fsmkit.crowd.engine.column import checked_cells
from fsmkit.crowd.engine.execution import Dtype, checked_dtype
from fsmkit.crowd.engine.store import FieldColumns, Store
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.neighbours.declaration import restored
from fsmkit.crowd.packages import np
from fsmkit.crowd.promotion import put_back
from fsmkit.crowd.shards.checkpoints import Checkpoint, CheckpointFolder
from fsmkit.crowd.shards.coordinator import Coordinator
from fsmkit.crowd.shards.driver import Driver, ShardNeighbours, fingerprint, starts_from
from fsmkit.crowd.shards.ranks import (
    COMPARISONS,
    AgentCondition,
    AgentRows,
    Compared,
    IdRun,
    Ranks,
    rows_of_indices,
    rows_of_slice,
)
from fsmkit.crowd.shards.shard import Clock, Start
from fsmkit.crowd.shards.shard_errors import ShardMismatchError
from fsmkit.crowd.shards.workers import Shards, called_functions, describe
from fsmkit.timing import checked_seconds


@frozen
class ShardOptions:
    shards: Shards
    every: int | None
    deadline: float
    exact: bool

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.shards, Shards) or isinstance(self.shards, type):
            raise CrowdError(
                "shards must be ProcessShards(4), RayShards(4) or DaskShards(4), got "
                f"{self.shards!r}."
            )
        arguments.flag(self.exact, "exact", CrowdError)
        arguments.number(self.deadline, "deadline", above=0, unit=" of seconds", error=CrowdError)
        if self.every is not None:
            checked_integer(self.every, "every", least=1)

    def coordinator(self, plan: CrowdPlan, starts: Sequence[Start]) -> Coordinator:
        functions = called_functions(plan.text) if self.exact else []
        coordinator = Coordinator(self.shards.open(), starts, self.deadline, functions)
        try:
            coordinator.begin()
        except BaseException:
            coordinator.close()
            raise
        return coordinator


def check_fits(checkpoint: Checkpoint, layout: Layout, plan: CrowdPlan, *, exact: bool) -> None:
    manifest, where = checkpoint.manifest, repr(str(checkpoint.folder))
    check_outline(where, manifest.outline, layout, "Resume it with")
    if not exact:
        return
    own = describe().versions
    other = [f"{name} {each}" for name, each in manifest.versions.items() if own.get(name) != each]
    if other:
        raise ShardMismatchError(
            f"{where} was made with {', '.join(other)}, and here is "
            f"{', '.join(f'{name} {each}' for name, each in own.items())}. Install the same, or "
            "give exact=False: results may differ then."
        )
    if manifest.fingerprint != fingerprint(plan):
        raise CrowdMismatchError(
            f"{where} does not fit {plan.name!r}: its functions or their parameters differ. "
            "Resume it with the machine it was saved from, or continue with exact=False."
        )


class ShardedCrowd(AnyCrowd):
    """`size` agents that run `machine`, divided between the processes of `shards`.

    Its results equal those of a `Crowd` with the same arguments, bit for bit, and it has the same
    methods; as the agents are elsewhere, nothing is live: use the calls `read`, `write`
    and `states`. Close it with `close()`, or use it as a context manager.

    - `shards`: `ProcessShards(4)`, `RayShards(4)` or `DaskShards(4)`.
    - `checkpoints`: a folder, which all shards can reach; its files restore a lost
      shard, and `resume` a crowd. Without it a lost shard repeats everything from the beginning, up
      to 64 MB.
    - `every`: the number of calls between two checkpoints; None for those taken by hand, and when
      64 MB have been written into columns.
    - `deadline`: the seconds that a shard may take for a call (an update: for each step), and that
      may pass until a lost one has a worker again.
    - `exact`: False to allow workers whose arithmetic differs in the last bits.

    Raises the errors of `Crowd`, and also: CrowdError at once if there are fewer processors than
    shards, ShardMismatchError for a worker with other versions or other arithmetic, ShardLostError.

    >>> from attrs import define
    >>> from fsmkit.crowd import CrowdFsm
    >>> from fsmkit.crowd.shards import InProcessShards
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Walk")
    >>> with ShardedCrowd(machine, 4, shards=InProcessShards(2), start="Walk") as crowd:
    ...     print(crowd.count())
    {'Walk': 4}
    """

    _READING = "crowd.read({name!r})"
    _WRITING = "crowd.write({name!r}, ...)"

    def __init__(
        self,
        machine: CrowdFsm,
        size: int,
        *,
        shards: Shards,
        start: FsmState[Any] | str | None = None,
        seed: int = 0,
        dtype: Dtype = "float64",
        checkpoints: str | Path | None = None,
        every: int | None = 500,
        deadline: float = 120.0,
        exact: bool = True,
    ) -> None:
        check_machine("ShardedCrowd", machine)
        options = ShardOptions(shards, every, deadline, exact)
        size = checked_integer(size, "The size of a crowd")
        seed = checked_integer(seed, "seed")
        if shards.count > size:
            raise CrowdError(
                f"A crowd must have an agent for each shard, got {shards.count} shards and {size} "
                "agents. Take fewer shards."
            )
        layout = Layout(machine, is_float32=checked_dtype(dtype))
        folder = None if checkpoints is None else CheckpointFolder.of(checkpoints)
        plan = Emitter(layout).plan()
        if start is not None:
            layout.found(start)
        if folder is not None:
            folder.check_empty()
        world = machine.world() if machine.world is not None else None
        values = layout.world_values(world, 0.0)
        ranks = Ranks.divided(size, shards.count)
        starts = [
            Start(plan, seed, Clock(), values, first_id=each.first, size=each.length)
            for each in ranks.runs
        ]
        coordinator = options.coordinator(plan, starts)
        driver = Driver(layout, plan, coordinator, seed, ranks, Clock(), folder=folder, every=every)
        self._begin(machine, world, driver)
        if start is not None:
            self.start(start)

    @classmethod
    def resume(
        cls,
        machine: CrowdFsm,
        folder: str | Path,
        *,
        shards: Shards,
        every: int | None = 500,
        deadline: float = 120.0,
        exact: bool = True,
    ) -> Self:
        """Return the crowd of the last checkpoint in a folder, with as many shards as it had.

        It continues to take checkpoints there; declarations of `Cells` and `Places` stay in effect.
        The tables of the world are not saved: give them again.
        If the last checkpoint is damaged or was cut short, the one before is taken, with a warning.
        Raises CrowdError without a checkpoint, CrowdMismatchError if it does not fit `machine`,
        ShardMismatchError if it was made with other versions.
        """
        check_machine("ShardedCrowd", machine)
        options = ShardOptions(shards, every, deadline, exact)
        checkpoints = CheckpointFolder.of(folder)
        checkpoint = checkpoints.last()
        manifest = checkpoint.manifest
        if shards.count != len(manifest.hashes):
            raise CrowdError(
                f"{str(checkpoint.folder)!r} was made by {len(manifest.hashes)} shards, got "
                f"{shards.count}. Take as many."
            )
        layout = Layout(machine, is_float32=manifest.dtype == "float32")
        plan = Emitter(layout).plan()
        check_fits(checkpoint, layout, plan, exact=exact)
        world = machine.world() if machine.world is not None else None
        try:
            restore_world(layout, world, manifest.world)
        except (KeyError, TypeError, OverflowError) as error:
            raise CrowdError(
                f"The checkpoint is damaged: its world has no valid {error}."
            ) from None
        values = layout.world_values(world, manifest.clock["delta_time"])
        starts = starts_from(checkpoint, plan, values)
        ranks = Ranks(len(starts), [IdRun(*each) for each in manifest.runs], manifest.next_id)
        driver = Driver(
            layout, plan, options.coordinator(plan, starts), manifest.seed, ranks,
            starts[0].clock, manifest.number, manifest.operations, checkpoints, every,
        )  # fmt: skip
        driver.coordinator.checkpoint = checkpoint.path
        driver.declarations += restored(manifest.neighbours)
        crowd = cls.__new__(cls)
        crowd._begin(machine, world, driver)
        return crowd

    def _begin(self, machine: CrowdFsm, world: Any, driver: Driver) -> None:
        self.machine = machine
        self.world = world
        self._plan = driver.plan
        self._driver = driver
        self._fields = FieldColumns(Store(driver.plan, 0, driver.seed), is_live=False)
        """The columns, without agents: for their dtypes and messages."""
        self.neighbours = ShardNeighbours(driver)
        self._finalizer = finalize(self, driver.close)
        self.layout = driver.layout
        """The machine as the crowd sees it, copied when the crowd was made."""

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        return self._driver.settle().clock.time

    @property
    def seed(self) -> int:
        """The seed of random numbers; they also depend on the agent, the step and the call."""
        return self._driver.seed

    @property
    def calls(self) -> int:
        """The number of calls so far that may have changed something; `resume` continues there."""
        return self._driver.settle().operations

    # One step for all

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent, `steps` times, in one round trip to the shards.

        Raises the errors of `Crowd.update`, with indices of agents in the whole crowd; and
        ShardLostError.
        """
        seconds = float(checked_seconds(dt, f"Crowd of {self.machine.name!r}: dt"))
        number = checked_integer(steps, "steps")
        self._driver.check_open()
        self._driver.update(self.layout.world_values(self.world, seconds), seconds, number)

    def _change(self, where: Any, code: int) -> int:
        return sum(self._call("change", [(code, each) for each in self._conditions(where)]))

    # Conditions, which the shards evaluate

    def where(self, state: FsmState[Any] | str) -> AgentCondition:
        """Return the condition of being in `state`. Raises UnknownStateError."""
        return Compared("state", "==", self.layout.numbers[self.layout.found(state).name])

    def is_where(self, field: str, comparison: str, value: float) -> AgentCondition:
        """Return the condition on a field compared with a number, as `"x", "<", 10.0`.

        It is evaluated at the shards, by the call that gets it. Conditions can be combined by `&`,
        `|` and `~`. Raises CrowdError for an unknown field or comparison.
        """
        self._fields.dtype(field)
        if comparison not in COMPARISONS:
            known = " ".join(COMPARISONS)
            raise CrowdError(f"The comparison must be one of {known}, got {comparison!r}.")
        number = plain(value)
        if not isinstance(number, Real):
            raise CrowdError(f"{field!r} must be compared with a number, got {value!r}.")
        return Compared(self._plan.columns.field(field), comparison, plain(value))

    # Reading and writing

    def __len__(self) -> int:
        return len(self._driver.settle().ranks)

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        parts = self._look("count", ())
        return {
            state: sum(part[number] for part in parts)
            for number, state in enumerate(self._plan.states)
        }

    def read(self, name: str, agents: Any = None) -> Any:
        """Return a copy of the column of a field, for all agents or some.

        `agents` is a slice, a mask, indices, a state or a condition. For one index it is one value.
        """
        self._fields.dtype(name)
        return self._read("read", self._plan.columns.field(name), agents)

    def write(self, name: str, values: Any, agents: Any = None) -> None:
        """Write the column of a field, for all agents or some: one value, or one for each.

        Raises CrowdError for values that do not fit; nothing is changed then.
        """
        dtype = self._fields.dtype(name)
        given = as_array(values, repr(name))
        if given.ndim == 0 and isinstance(agents, str | FsmState | AgentCondition):
            rows: Sequence[Any] = self._conditions(agents)
            cells: Sequence[Any] = [checked_cells(repr(name), dtype, given)[()]] * len(rows)
        else:
            chosen = self._rows(agents)
            rows, cells = chosen.rows, chosen.cut(self._fields.cells(name, given, chosen.count))
        column = self._plan.columns.field(name)
        self._call("write", [(column, *each) for each in zip(rows, cells, strict=True)])

    def states(self, agents: Any = None) -> Any:
        """Return the state of each agent, as its index in `machine.states`; -1 if not running."""
        return self._read("read", "state", agents)

    def ids(self, agents: Any = None) -> Any:
        """Return the id of each agent, which it keeps when others are removed."""
        return self._read("read", "ids", agents)

    def time_in_state(self, agents: Any = None) -> Any:
        """Return the seconds for which each agent has been in its state."""
        return self._read("times", None, agents)

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the state of an ordinary machine that `fsm` has made."""
        store, row = self._located(index)
        put_back(self.layout, store, row, fsm)
        cells = {name: column[row].item() for name, column in store.arrays().items()}
        self._call("put", [(each, cells) for each in self._at(index)])

    # Adding and removing

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and start them; return their indices.

        The shortest shards get them. Raises CrowdError and UnknownStateError; the crowd is
        unchanged then.
        """
        values, code, world = self._checked_new(count, start, fields)
        ranks = self._driver.settle().ranks
        size, new = len(ranks), ranks.shares(count)
        parts: list[tuple[Any, ...]] = [(0, 0, {}, code)] * ranks.shards
        for run in new:
            cells = {
                self._plan.columns.field(name): _part(each, run.offset, run.count)
                for name, each in values.items()
            }
            parts[run.shard] = (run.first, run.count, cells, code)
        first = ranks.next_id
        self._driver.call(world, "add", parts, new)
        if code is None or not self._plan.retiring:
            return range(size, size + count)
        later = sum(born for [born] in self._look("lengths", ([first + count],)))
        return range(size, len(self) - later)

    def remove(self, where: Any) -> int:
        """Remove agents, given as for `send_event`; return how many. The order is kept."""
        return sum(self._call("remove", [(each,) for each in self._conditions(where)]))

    # Files

    def checkpoint(self) -> Path:
        """Take a checkpoint now; return the path of its manifest.

        Raises CrowdError without such a folder, OSError if it cannot be written.
        """
        return self._driver.checkpoint(self._world_values()).path

    def close(self) -> None:
        """End all shards. Afterwards everything else raises CrowdError."""
        self._driver.close()

    def __enter__(self) -> Self:
        self._driver.check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What is not possible here

    def __getitem__(self, key: object) -> NoReturn:
        if isinstance(key, str):
            raise CrowdError("Columns are on other machines. Take read() and write().")
        raise CrowdError("Agents are on other machines. Take fsm() and put(), or read().")

    def __setitem__(self, key: object, values: object) -> NoReturn:
        raise CrowdError("Columns are on other machines. Take read() and write().")

    def __repr__(self) -> str:
        ranks = self._driver.ranks
        shards = "shard" if ranks.shards == 1 else "shards"
        return f"<Crowd of {len(ranks):,} agents of {self._plan.name!r} in {ranks.shards} {shards}>"

    # Helpers

    def _call(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return self._driver.call(self._world_values(), name, arguments)

    def _look(self, name: str, arguments: tuple[Any, ...]) -> list[Any]:
        return self._driver.look(name, [arguments] * self._driver.settle().ranks.shards)

    def _read(self, look: str, column: str | None, agents: Any) -> Any:
        rows, named = self._rows(agents), () if column is None else (column,)
        found = rows.joined(self._driver.look(look, [(*named, each) for each in rows.rows]))
        return found if arguments.to_integer(agents) is None else found[0]

    def _delta_time(self) -> float:
        return self._driver.settle().clock.delta_time

    def _conditions(self, where: Any) -> Sequence[AgentCondition | None]:
        ranks = self._driver.settle().ranks
        if where is None or isinstance(where, AgentCondition):
            return [where] * ranks.shards
        if isinstance(where, str | FsmState):
            return [self.where(where)] * ranks.shards
        return ranks.conditions(ranks.checked(where, "where", repr(self)))

    def _rows(self, agents: Any) -> AgentRows:
        ranks = self._driver.settle().ranks
        if agents is None or isinstance(agents, slice):
            return rows_of_slice(ranks, slice(None) if agents is None else agents)
        if isinstance(agents, str | FsmState):
            agents = self.where(agents)
        if isinstance(agents, AgentCondition):
            agents = rows_of_slice(ranks, slice(None)).joined(self._look("mask", (agents,)))
        chosen = ranks.checked(agents, "agents", repr(self))
        return rows_of_indices(
            ranks, np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        )

    def _at(self, index: int) -> list[int | None]:
        """Return the index of an agent in its shard, and None for the other shards."""
        ranks: Ranks = self._driver.settle().ranks
        shard, inside = ranks.locate(ranks.checked_index(index, repr(self)))
        return [inside if each == shard else None for each in range(ranks.shards)]

    def _located(self, index: int) -> tuple[Store, int]:
        """Return a store with one agent only, as it is now, and its row."""
        found = self._driver.look("agent", [(each,) for each in self._at(index)])
        cells = next(filter(None, found))
        store = Store(self._plan, 0, self.seed)
        dtypes = {name: column.dtype for name, column in store.arrays().items()}
        store.replace({name: np.array([cells[name]], each) for name, each in dtypes.items()})
        clock = self._driver.settle().clock
        store.time, store.delta_time, store.step = clock.time, clock.delta_time, clock.step
        return store, 0


def _part(values: Any, offset: int, count: int) -> Any:
    return values[()] if values.ndim == 0 else values[offset : offset + count].copy()
