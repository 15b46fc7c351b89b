"""Driver: the calls of a sharded crowd, in steps, its checkpoints, and its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from hashlib import sha256
from typing import Any, Final, Self

from attrs import asdict, define, evolve, field

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.report import MAX_SHOWN, Births, Report
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import Declaration, saved
from fsmkit.crowd.neighbours.renewal import DeclaredNeighbours
from fsmkit.crowd.shards.checkpoints import Checkpoint, CheckpointFolder, Manifest, file_of, remove
from fsmkit.crowd.shards.coordinator import Call, Coordinator
from fsmkit.crowd.shards.ranks import NewRun, Ranks
from fsmkit.crowd.shards.shard import Clock, Done, Start
from fsmkit.crowd.shards.shard_errors import ShardLostError
from fsmkit.crowd.shards.workers import describe
from fsmkit.crowd.table import Table, is_same
from fsmkit.introspection.blocks import block

CAREFUL_STEPS: Final = 100
"""The steps that are done one by one after an error.

Otherwise shards ahead of the one with the error would have to go back each time.
"""


STEPS: Final = frozenset({"update", "change", "add"})
"""Calls with which a step begins."""


@define(eq=False)
class OpenStep:
    report: Report = field(factory=Report)
    is_begun: bool = False
    most: int = 0
    """The number of births at which the step counts as endless."""
    born: int = 0


@define(eq=False)
class Driver:
    """Carries out calls in all shards; knows which agents are in which shard, and the time."""

    layout: Layout
    plan: CrowdPlan
    coordinator: Coordinator
    seed: int
    ranks: Ranks
    clock: Clock
    number: int = 0
    """The number of the last call that the shards were given."""
    operations: int = 0
    """The number of the user's calls so far; each is one call of the shards or several."""
    folder: CheckpointFolder | None = None
    every: int | None = None
    """The number of calls between two checkpoints."""
    declarations: list[Declaration] = field(factory=list, init=False)
    """Renewed before each step, one after the other."""
    _pending: Call | None = field(default=None, init=False)
    """A call that was interrupted before all shards answered."""
    _step: OpenStep = field(factory=OpenStep, init=False)
    _careful: int = field(default=0, init=False)
    """The number of steps left to be done one by one."""
    _closed: str = field(default="", init=False)
    """Why it is closed, if it is."""
    _tables: dict[str, Any] = field(factory=dict, init=False)
    """The tables of the world as the shards have them."""

    def update(self, world: Mapping[str, Any], dt: float, steps: int) -> None:
        is_coupled = bool(self.declarations) or self.plan.most_births > 0
        with self._operation(world):
            while steps > 0:
                for each in self.declarations:
                    self._do({}, "renew", [(each,)] * self.ranks.shards, needs=each)
                is_careful = is_coupled or self._careful > 0 or self.coordinator.log.is_cut
                part = 1 if is_careful else steps
                arguments = [(dt, part)] * self.ranks.shards
                done = self._do(world, "update", arguments, steps=part)[0].steps
                self._careful = max(0, self._careful - done)
                steps -= done
                self._end_step()

    def renew(self, declaration: Declaration) -> None:
        with self._operation(None):
            self._do({}, "renew", [(declaration,)] * self.ranks.shards, needs=declaration)

    def call(
        self,
        world: Mapping[str, Any],
        name: str,
        arguments: Sequence[tuple[Any, ...]],
        new: Sequence[NewRun] = (),
    ) -> list[Any]:
        """Do a call, which adds the agents `new`; return the values of all shards.

        Raises what functions of agents raise.
        """
        with self._operation(world):
            dones = self._do(world, name, arguments, new=new)
            self._end_step()
            return [done.value for done in dones]

    def look(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        self.settle()
        return list(self._guarded(lambda: self.coordinator.look(name, arguments)))

    def checkpoint(self, world: Mapping[str, Any]) -> Checkpoint:
        self.settle()
        if self.folder is None:
            raise CrowdError("There is no folder for checkpoints. Give checkpoints=, a folder.")
        folder = self.folder.new(self.number)
        shards = range(self.ranks.shards)
        try:
            files = [file_of(folder, shard) for shard in shards]
            hashes = self._guarded(lambda: self.coordinator.save(files))
            manifest = self._manifest(world, hashes)
            checkpoint = self.folder.complete(folder, manifest, self.coordinator.checkpoint)
        except BaseException:
            remove(folder)
            raise
        known = {name: Table(table) for name, table in self._tables.items()}
        starts = starts_from(checkpoint, self.plan, {**world, **known})
        self.coordinator.set_starts(starts, checkpoint.path)
        return checkpoint

    def _manifest(self, world: Mapping[str, Any], hashes: Sequence[str]) -> Manifest:
        return Manifest(
            number=self.number,
            operations=self.operations,
            outline=self.layout.outline(),
            fingerprint=fingerprint(self.plan),
            versions=describe().versions,
            dtype="float32" if self.plan.columns.is_float32 else "float64",
            seed=self.seed,
            clock=asdict(self.clock),
            world={n: v for n, v in world.items() if n != "dt" and not isinstance(v, Table)},
            runs=[[run.first, run.shard, run.length] for run in self.ranks.runs],
            next_id=self.ranks.next_id,
            hashes=hashes,
            neighbours=saved(self.declarations),
        )

    def close(self, reason: str = "It is closed.") -> None:
        """End all workers; anything later raises CrowdError."""
        self._closed = self._closed or reason
        self.coordinator.close()

    def check_open(self) -> None:
        if self._closed:
            raise CrowdError(f"Crowd of {self.plan.name!r} in shards: {self._closed}")

    # Calls, in steps

    def _do(
        self,
        world: Mapping[str, Any],
        name: str,
        arguments: Sequence[tuple[Any, ...]],
        *,
        new: Sequence[NewRun] = (),
        steps: int = 1,
        needs: Declaration | None = None,
    ) -> list[Done]:
        call = Call(self.number + 1, self._changed(world), name, arguments, steps, needs, new)
        self._pending = call
        dones = self._guarded(lambda: self.coordinator.call(call))
        return self._finish(call, dones)

    @block
    def _operation(self, world: Mapping[str, Any] | None) -> Iterator[None]:
        """Carry out a call of the user, and take a checkpoint after it if one is due."""
        self.settle()
        self.operations += 1
        try:
            yield
        finally:
            if self._pending is None and not self._closed:
                self._keep_log_short(world)

    def settle(self) -> Self:
        """Finish a call that was interrupted; return the driver. Raises CrowdError if closed."""
        self.check_open()
        if self._pending is not None:
            call = self._pending
            self._finish(call, self._guarded(lambda: self.coordinator.finish(call)))
        self._end_step()
        return self

    def _finish(self, call: Call, dones: list[Done]) -> list[Done]:
        dones = self._guarded(lambda: self._together(call, dones))
        ranks = self.ranks
        if call.new:
            ranks = deepcopy(ranks)
            ranks.add(call.new)
        ranks_before, ranks = ranks, self._recounted(ranks, [done.length for done in dones])
        # Nothing waits from here on. After an interruption above, all of this is done again.
        self._pending, self.ranks, self.clock = None, ranks, dones[0].clock
        self.number = call.number
        self._step.is_begun |= call.name in STEPS
        _merge(self._step.report, ranks_before, [done.reports for done in dones])
        for done in dones:
            if done.error is not None:
                raise done.error
        return dones

    def _end_step(self) -> None:
        """Add the spawned agents, remove the retired ones, and raise the errors."""
        step = self._step
        births = step.report.take_births()
        if births is not None and not step.most:
            step.most = len(births) * (1 + self.plan.max_transitions)
        while births is not None:
            step.born += len(births)
            if step.born > step.most:
                step.report.born_without_end = step.born
                break
            self._bear(births)
            births = step.report.take_births()
        if self.plan.retiring and self.plan.most_births and step.is_begun:
            self._do({}, "retire", [()] * self.ranks.shards)
        self._step = OpenStep()
        if step.report.failed or step.report.loops:
            self._careful = CAREFUL_STEPS
        step.report.raise_errors(self.plan)

    def _bear(self, births: Births) -> None:
        new = self.ranks.shares(len(births))
        nobody: tuple[Any, ...] = (0, 0, {}, births.starts[:0])
        arguments = [nobody] * self.ranks.shards
        for run in new:
            part = slice(run.offset, run.offset + run.count)
            cells = {name: column[part] for name, column in births.cells.items()}
            arguments[run.shard] = (run.first, run.count, cells, births.starts[part])
        self._do({}, "bear", arguments, new=new)

    def _together(self, call: Call, dones: list[Done]) -> list[Done]:
        """Have all shards end at the same step, that of the first error."""
        least = min(done.steps for done in dones)
        if least > 1 and self.plan.retiring and any(done.reports for done in dones):
            least -= 1  # a failing agent is named by its rank, which is known only before a call
        ahead = [shard for shard, done in enumerate(dones) if done.steps > least]
        if not ahead:
            return dones
        self._careful = CAREFUL_STEPS
        call.steps = least
        call.arguments = [(dt, least) for dt, _ in call.arguments]
        return self.coordinator.go_back(ahead)

    def _recounted(self, ranks: Ranks, lengths: Sequence[int]) -> Ranks:
        if ranks.lengths() == list(lengths):
            return ranks
        ranks = deepcopy(ranks)
        firsts = [(ranks.firsts(shard),) for shard in range(ranks.shards)]
        counted = self._guarded(lambda: self.coordinator.look("lengths", firsts))
        for shard, each in enumerate(counted):
            ranks.recount(shard, each)
        ranks.tidy()
        return ranks

    def _keep_log_short(self, world: Mapping[str, Any] | None) -> None:
        log = self.coordinator.log
        is_due = log.is_full or (self.every is not None and len(log.calls) >= self.every)
        if self.folder is None:
            if log.is_full:
                log.cut()
        elif is_due and world is not None:
            try:
                self.checkpoint(world)
            except OSError as error:
                error.add_note("The call itself was done. The checkpoint before still counts.")
                raise

    def _changed(self, world: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the world, without tables that the shards have already."""
        values: dict[str, Any] = {}
        for name, value in world.items():
            if not isinstance(value, Table):
                values[name] = value
            elif name not in self._tables or not is_same(self._tables[name], value.array):
                self._tables[name] = value.array.copy()
                values[name] = Table(self._tables[name])
        return values

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Return the result of `work`; close all shards if one is lost for good."""
        try:
            return work()
        except ShardLostError as error:
            self.close(f"It has lost shard {error.shard}. Resume from its checkpoint, if any.")
            raise


def starts_from(checkpoint: Checkpoint, plan: CrowdPlan, world: Mapping[str, Any]) -> list[Start]:
    manifest = checkpoint.manifest
    return [
        Start(
            plan, manifest.seed, Clock(**manifest.clock), world, manifest.number,
            file=str(file_of(checkpoint.folder, shard)), hash=each,
        )
        for shard, each in enumerate(manifest.hashes)
    ]  # fmt: skip


def fingerprint(plan: CrowdPlan) -> str:
    """Return a hash over the loops of a machine and the numbers that its actions got."""
    return sha256(f"{plan.text}{sorted(plan.parameters.items())}".encode()).hexdigest()


def _merge(whole: Report, ranks: Ranks, shards: Sequence[Mapping[int, Report]]) -> None:
    """Add the reports of all shards to that of a step, as if one process had made it."""
    for number in sorted({number for reports in shards for number in reports}):
        found = [(k, reports[number]) for k, reports in enumerate(shards) if number in reports]
        whole.merge(_merged(ranks, found))


def _merged(ranks: Ranks, reports: Sequence[tuple[int, Report]]) -> Report:
    """Return one report for those of several shards; its agents are named by their ranks."""
    failures = [
        evolve(failure, agent=ranks.rank(shard, failure.agent))
        for shard, each in reports
        for failure in each.failures
    ]
    looping = [(ranks.rank(k, each.first_looping), each) for k, each in reports if each.loops]
    first, of_first = min(looping, key=lambda pair: pair[0]) if looping else (0, Report())
    return Report(
        failures=sorted(failures, key=lambda failure: failure.agent)[:MAX_SHOWN],
        failed=sum(each.failed for _, each in reports),
        loops=sum(each.loops for _, each in reports),
        first_looping=first,
        trail=of_first.trail,
        births=[births for _, each in reports for births in each.births],
    )


class ShardNeighbours(DeclaredNeighbours):
    """What agents know about their neighbours in all shards; `Cells` and `Places` declare it.

    Before each step the fields that are read are gathered from all shards, and handed to all of
    them. Declarations are a part of checkpoints.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver.plan, driver.declarations)
        self._driver = driver

    def _write_first(self, declaration: Declaration) -> None:
        self._driver.renew(declaration)
