"""ShardedCrowd: a crowd whose agents are in several processes, on one machine or on many."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from numbers import Real
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self
from weakref import finalize

from fsmkit import Fsm, FsmState
from fsmkit.crowd.arguments import as_array, checked_integer, integer, plain
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.column import checked_cells
from fsmkit.crowd.engine.fields import Fields, columns_of
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.engine.targets import Dtype, checked_dtype
from fsmkit.crowd.errors import CrowdError, not_a_crowd_fsm
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.packages import np
from fsmkit.crowd.promotion import promoted, put_back
from fsmkit.crowd.shards.agent_rows import (
    AgentRows,
    checked,
    checked_index,
    conditions,
    rows_of_indices,
    rows_of_slice,
)
from fsmkit.crowd.shards.conditions import COMPARISONS, Compared, Condition, InState
from fsmkit.crowd.shards.driver import Driver
from fsmkit.crowd.shards.neighbours import ShardNeighbours
from fsmkit.crowd.shards.opening import Opening, check_fits, folder_of, restore_world
from fsmkit.crowd.shards.ranks import Ranks
from fsmkit.crowd.shards.workers import Shards
from fsmkit.timing import checked_seconds


class ShardedCrowd:
    """`size` agents that run `machine`, divided between the processes of `shards`.

    It does bit for bit what a `Crowd` does with the same arguments, and has the same methods; what
    cannot be live, as the agents are elsewhere, is a call: `read`, `write`, `states`. Close it with
    `close()`, or use it as a context manager.

    - `shards`: `ProcessShards(4)`, `RayShards(4)` or `DaskShards(4)`.
    - `checkpoints`: a folder, which all shards can reach; from its files a lost shard comes back,
      and `resume` goes on. None for no files: a lost shard repeats everything from the beginning,
      as long as that is not more than 64 MB.
    - `every`: the number of calls between two checkpoints; None for those taken by hand, and when
      64 MB have been written into columns.
    - `deadline`: the seconds that a shard may take for a call (an update: for each step), and that
      may pass until a lost one has a worker again.
    - `exact`: False to allow workers whose arithmetic differs in the last bits.

    Raises, beside what `Crowd` raises: CrowdError at once if there are fewer processors than
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
        if not isinstance(machine, CrowdFsm):
            raise not_a_crowd_fsm("ShardedCrowd", machine)
        size = checked_integer(size, "The size of a crowd")
        seed = checked_integer(seed, "seed")
        _check_shards(shards)
        if shards.count > size:
            raise CrowdError(f"A crowd must have an agent for each shard, got {shards.count} "
                             f"shards and {size} agents. Take fewer shards.")  # fmt: skip
        _check_exact(exact)
        layout = Layout(machine, is_float32=checked_dtype(dtype))
        opening = Opening(
            layout=layout,
            plan=Emitter(layout).plan(),
            shards=shards,
            seed=seed,
            deadline=_checked_deadline(deadline),
            exact=exact,
            folder=None if checkpoints is None else folder_of(checkpoints),
            every=None if every is None else checked_integer(every, "every", least=1),
        )
        if start is not None:
            layout.found(start)
        if opening.folder is not None:
            opening.folder.check_empty()
        world = machine.world() if machine.world is not None else None
        self._begin(machine, opening, world, opening.new(size, layout.world_values(world, 0.0)))
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

        It goes on taking checkpoints there, and writing what `Cells` and `Places` have declared.
        The tables of the world are not saved: give them again.
        If the last checkpoint is damaged or was cut short, the one before is taken, with a warning.
        Raises CrowdError if there is none, CrowdMismatchError if it does not fit `machine`,
        ShardMismatchError if it was made with other versions.
        """
        if not isinstance(machine, CrowdFsm):
            raise not_a_crowd_fsm("ShardedCrowd", machine)
        _check_shards(shards)
        _check_exact(exact)
        checkpoints = folder_of(folder)
        seconds = _checked_deadline(deadline)
        between = None if every is None else checked_integer(every, "every", least=1)
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
        restore_world(layout, world, manifest.world)
        opening = Opening(layout, plan, shards, manifest.seed, seconds, exact, checkpoints, between)
        values = layout.world_values(world, manifest.clock["delta_time"])
        crowd = cls.__new__(cls)
        crowd._begin(machine, opening, world, opening.resumed(checkpoint, values))
        return crowd

    def _begin(self, machine: CrowdFsm, opening: Opening, world: Any, driver: Driver) -> None:
        self.machine = machine
        self.world: Any = world
        """The values that all agents share, an instance of the machine's world."""
        self._plan = opening.plan
        self._driver = driver
        self._fields = Fields(Store(opening.plan, 0, opening.seed), is_live=False)
        """The columns, without agents: for their dtypes and messages."""
        self.neighbours = ShardNeighbours(driver)
        """What is written before each step; see `Cells` and `Places`."""
        self._finalizer = finalize(self, driver.close)
        self.layout = opening.layout
        """The machine as the crowd sees it, copied when the crowd was made."""

    @property
    def source(self) -> str:
        """The text of the compiled loops."""
        return self._plan.text

    @property
    def time(self) -> float:
        """The seconds that have passed."""
        return self._driver.clock.time

    @property
    def seed(self) -> int:
        """The seed of random numbers; they also depend on the agent, the step and the call."""
        return self._driver.seed

    @property
    def calls(self) -> int:
        """The number of calls so far that may have changed something: where `resume` goes on."""
        return self._driver.calls

    # One step for all

    def start(self, state: FsmState[Any] | str | None = None, where: Any = None) -> None:
        """Start agents in `state`, by default the first; running ones exit theirs before."""
        first = self.layout.states[0] if state is None else state
        self._change(where, self.layout.start_number(first))

    def update(self, dt: float, steps: int = 1) -> None:
        """Let `dt` seconds pass for every agent, `steps` times, in one round trip to the shards.

        Raises what `Crowd.update` does, with the indices of agents in the whole crowd; and
        ShardLostError.
        """
        seconds = float(checked_seconds(dt, f"Crowd of {self.machine.name!r}: dt"))
        number = checked_integer(steps, "steps")
        self._driver.check_open()
        self._driver.update(self.layout.world_values(self.world, seconds), seconds, number)

    def send_event(self, event: str, where: Any = None) -> int:
        """Send `event` to all agents, or to those in `where`; return how many changed their state.

        `where` is a mask, indices, a state, or a condition such as `crowd.is_where("x", "<", 5.0)`.
        Raises CrowdError for an event that no state knows.
        """
        return self._change(where, self.layout.event_number(event))

    def _change(self, where: Any, code: int) -> int:
        chosen = self._conditions(where)
        moved = self._call("change", [(code, each) for each in chosen])
        return sum(moved)

    # Conditions, which the shards evaluate

    def where(self, state: FsmState[Any] | str) -> Condition:
        """Return the condition of being in `state`. Raises UnknownStateError."""
        return InState(self.layout.numbers[self.layout.found(state).name])

    def is_where(self, field: str, comparison: str, value: float) -> Condition:
        """Return the condition that a field compares so with a number, as `"x", "<", 10.0`.

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
        return len(self._driver.ranks)

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
        if given.ndim == 0 and isinstance(agents, str | FsmState | Condition):
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

    def fsm(self, index: int) -> Fsm[Any]:
        """Return an ordinary machine in the state of one agent; see `Crowd.fsm`."""
        return promoted(self.layout, self._store_of(index), self.world, 0)

    def put(self, index: int, fsm: Fsm[Any]) -> None:
        """Bring one agent into the state of an ordinary machine that `fsm` has made."""
        store = self._store_of(index)
        put_back(self.layout, store, 0, fsm)
        cells = {name: column[0].item() for name, column in store.arrays().items()}
        self._call("put", [(each, cells) for each in self._at(index)])

    # Adding and removing

    def add(
        self, count: int, /, *, start: FsmState[Any] | str | None = None, **fields: Any
    ) -> range:
        """Add agents with these values in their fields, and start them; return their indices.

        The shortest shards get them. Raises CrowdError and UnknownStateError; the crowd is
        unchanged then.
        """
        count = checked_integer(count, "The number of agents to add")
        values = {name: self._fields.cells(name, each, count) for name, each in fields.items()}
        code = None if start is None else self.layout.start_number(start)
        ranks = self._driver.ranks
        size, new = len(ranks), ranks.shares(count)
        arguments: list[tuple[Any, ...]] = [(0, 0, {}, code)] * ranks.shards
        for run in new:
            cells = {
                self._plan.columns.field(name): _part(each, run.offset, run.count)
                for name, each in values.items()
            }
            arguments[run.shard] = (run.first, run.count, cells, code)
        first = ranks.next_id
        self._driver.call(self._world_values(), "add", arguments, new)
        if code is None or not self._plan.retiring:
            return range(size, size + count)
        return range(size, sum(self._look("below", (first + count,))))

    def remove(self, where: Any) -> int:
        """Remove agents, given as for `send_event`; return how many. The order is kept."""
        return sum(self._call("remove", [(each,) for each in self._conditions(where)]))

    # Files

    def checkpoint(self) -> Path:
        """Have all shards written to the folder of checkpoints now; return the manifest's path.

        Raises CrowdError without such a folder, OSError if it cannot be written.
        """
        return self._driver.checkpoint(self._world_values()).path

    def close(self) -> None:
        """End all shards. Afterwards everything else raises CrowdError."""
        self._driver.close()

    def __enter__(self) -> Self:
        self._driver.check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # What is not possible here

    def __getitem__(self, key: object) -> NoReturn:
        """Raise CrowdError: nothing is live."""
        if isinstance(key, str):
            raise CrowdError("Columns are on other machines. Take read() and write().")
        raise CrowdError("Agents are on other machines. Take fsm() and put(), or read().")

    def __setitem__(self, key: object, values: object) -> NoReturn:
        """Raise CrowdError: nothing is live."""
        raise CrowdError("Columns are on other machines. Take read() and write().")

    if not TYPE_CHECKING:  # else type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; for the name of a field it says how to get the column."""
            if name in columns_of(self):
                raise AttributeError(f"{name!r} is a column. Take crowd.read({name!r}).")
            return super().__getattribute__(name)  # raises

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute, unless it has the name of a field: no column would change."""
            if name in columns_of(self) and not hasattr(self, name):
                raise CrowdError(f"{name!r} is a column. Write crowd.write({name!r}, ...)")
            super().__setattr__(name, value)

    def __repr__(self) -> str:
        ranks = self._driver.last_ranks
        shards = "shard" if ranks.shards == 1 else "shards"
        return f"<Crowd of {len(ranks):,} agents of {self._plan.name!r} in {ranks.shards} {shards}>"

    # Helpers

    def _call(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return self._driver.call(self._world_values(), name, arguments)

    def _look(self, name: str, arguments: tuple[Any, ...]) -> list[Any]:
        return self._driver.look(name, [arguments] * self._driver.ranks.shards)

    def _read(self, look: str, column: str | None, agents: Any) -> Any:
        rows, named = self._rows(agents), () if column is None else (column,)
        found = rows.joined(self._driver.look(look, [(*named, each) for each in rows.rows]))
        return found if integer(agents) is None else found[0]

    def _world_values(self) -> dict[str, Any]:
        """Return the shared values, between two updates. Raises CrowdError."""
        return self.layout.world_values(self.world, self._driver.clock.delta_time)

    def _conditions(self, where: Any) -> Sequence[Condition | None]:
        """Return the condition for each shard."""
        ranks = self._driver.ranks
        if where is None or isinstance(where, Condition):
            return [where] * ranks.shards
        if isinstance(where, str | FsmState):
            return [self.where(where)] * ranks.shards
        return conditions(ranks, checked(ranks, where, "where", repr(self)))

    def _rows(self, agents: Any) -> AgentRows:
        """Return the rows in all shards of some agents."""
        ranks = self._driver.ranks
        if agents is None or isinstance(agents, slice):
            return rows_of_slice(ranks, slice(None) if agents is None else agents)
        if isinstance(agents, str | FsmState):
            agents = self.where(agents)
        if isinstance(agents, Condition):
            agents = rows_of_slice(ranks, slice(None)).joined(self._look("mask", (agents,)))
        chosen = checked(ranks, agents, "agents", repr(self))
        return rows_of_indices(
            ranks, np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        )

    def _at(self, index: int) -> list[int | None]:
        """Return the index of an agent in its shard, and None for the other shards."""
        ranks: Ranks = self._driver.ranks
        shard, inside = ranks.locate(checked_index(ranks, index, repr(self)))
        return [inside if each == shard else None for each in range(ranks.shards)]

    def _store_of(self, index: int) -> Store:
        """Return a store with one agent only, as it is now."""
        found = self._driver.look("agent", [(each,) for each in self._at(index)])
        cells = next(filter(None, found))
        store = Store(self._plan, 0, self.seed)
        dtypes = {name: column.dtype for name, column in store.arrays().items()}
        store.replace({name: np.array([cells[name]], each) for name, each in dtypes.items()})
        clock = self._driver.clock
        store.time, store.delta_time, store.step = clock.time, clock.delta_time, clock.step
        return store


def _part(values: Any, offset: int, count: int) -> Any:
    """Return the values of some new agents: a copy, as it is kept."""
    return values[()] if values.ndim == 0 else values[offset : offset + count].copy()


def _check_shards(shards: object) -> None:
    if not isinstance(shards, Shards) or isinstance(shards, type):
        raise CrowdError(
            f"shards must be ProcessShards(4), RayShards(4) or DaskShards(4), got {shards!r}."
        )


def _check_exact(exact: object) -> None:
    if not isinstance(exact, bool):
        raise CrowdError(f"exact must be True or False, got {exact!r}.")


def _checked_deadline(deadline: Any) -> float:
    if (
        not isinstance(deadline, int | float)
        or isinstance(deadline, bool)
        or not (0 < deadline < inf)
    ):
        raise CrowdError(f"deadline must be seconds > 0, got {deadline!r}.")
    return float(deadline)
