"""Driver: carries out the calls of a sharded crowd, and takes its checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from attrs import define, field

from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.engine.births import Births
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.shards.calls import Call
from fsmkit.crowd.shards.checkpoints import Checkpoint, CheckpointFolder, Manifest, file_of, remove
from fsmkit.crowd.shards.errors import ShardLostError
from fsmkit.crowd.shards.merging import merge
from fsmkit.crowd.shards.ranks import NewRun, Ranks
from fsmkit.crowd.shards.shard import Clock, Done, Start
from fsmkit.crowd.shards.team import Team
from fsmkit.crowd.table import Table, is_same
from fsmkit.tooling.blocks import block

CAREFUL_STEPS: Final = 100
"""After an error the steps of an update are done one by one, until so many had none.

Else shards that have done more steps than the one with the error would go back each time.
"""


STEPS: Final = frozenset({"update", "change", "add"})
"""Calls with which a step begins."""


@define(eq=False)
class Pending:
    """A call that is being done, and the agents that it adds."""

    call: Call
    new: Sequence[NewRun]


@define(eq=False)
class Step:
    """A step that has begun: for all agents, then for those who are born in it."""

    report: Report = field(factory=Report)
    is_begun: bool = False
    most: int = 0
    """The most agents that may be born in it."""
    born: int = 0


@define(eq=False)
class Driver:
    """Knows which agents are in which shard, and what time it is there."""

    plan: Plan
    team: Team
    seed: int
    _ranks: Ranks
    _clock: Clock
    number: int = 0
    """The number of the last call that the shards were given."""
    _operations: int = 0
    """The number of calls of the user so far, each of which is one or several for the shards."""
    folder: CheckpointFolder | None = None
    every: int | None = None
    """The number of calls between two checkpoints."""
    make_manifest: Callable[..., Manifest] = Manifest
    declarations: list[Declaration] = field(factory=list, init=False)
    """What is renewed before each step, one after the other."""
    _pending: Pending | None = field(default=None, init=False)
    """A call that was interrupted before all have answered."""
    _step: Step = field(factory=Step, init=False)
    _careful: int = field(default=0, init=False)
    """The number of steps that are still to be done one by one."""
    _closed: str = field(default="", init=False)
    """Why it is closed."""
    _tables: dict[str, Any] = field(factory=dict, init=False)
    """The tables of the world as the shards have them."""

    @property
    def ranks(self) -> Ranks:
        """The agents of all shards."""
        self._settle()
        return self._ranks

    @property
    def calls(self) -> int:
        """The number of calls of the user so far."""
        self._settle()
        return self._operations

    @property
    def last_ranks(self) -> Ranks:
        """The agents of all shards after the last call that was finished."""
        return self._ranks

    @property
    def clock(self) -> Clock:
        """The time of all shards."""
        self._settle()
        return self._clock

    def update(self, world: Mapping[str, Any], dt: float, steps: int) -> None:
        """Update all agents. Raises what their functions have raised."""
        with self._operation(world):
            while steps > 0:
                for each in self.declarations:
                    self._do({}, "renew", [(each,)] * self._ranks.shards, needs=each)
                part = 1 if self._is_careful() else steps
                arguments = [(dt, part)] * self._ranks.shards
                done = self._do(world, "update", arguments, steps=part)[0].steps
                self._careful = max(0, self._careful - done)
                steps -= done
                self._end_step()

    def renew(self, declaration: Declaration) -> None:
        """Write what is known of neighbours. Raises CrowdError for a value that is not finite."""
        with self._operation(None):
            self._do({}, "renew", [(declaration,)] * self._ranks.shards, needs=declaration)

    def call(
        self,
        world: Mapping[str, Any],
        name: str,
        arguments: Sequence[tuple[Any, ...]],
        new: Sequence[NewRun] = (),
    ) -> list[Any]:
        """Do a call, which adds the agents `new`; return the values of all shards.

        Raises what functions of agents have raised.
        """
        with self._operation(world):
            dones = self._do(world, name, arguments, new=new)
            self._end_step()
            return [done.value for done in dones]

    def look(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return what all shards hold."""
        self._settle()
        found: list[Any] = self._guarded(lambda: self.team.look(name, arguments))
        return found

    def checkpoint(self, world: Mapping[str, Any]) -> Checkpoint:
        """Take a checkpoint. Raises CrowdError without a folder, OSError."""
        self._settle()
        if self.folder is None:
            raise CrowdError("There is no folder for checkpoints. Give checkpoints=, a folder.")
        folder = self.folder.new(self.number)
        shards = range(self._ranks.shards)
        try:
            files = [file_of(folder, shard) for shard in shards]
            hashes = self._guarded(lambda: self.team.save(files))
            manifest = self.make_manifest(self, world, hashes)
            checkpoint = self.folder.complete(folder, manifest, self.team.checkpoint)
        except BaseException:
            remove(folder)
            raise
        self.team.set_starts(self.starts(checkpoint, world), checkpoint.path)
        return checkpoint

    def starts(self, checkpoint: Checkpoint, world: Mapping[str, Any]) -> list[Start]:
        """Return how the shards begin from a checkpoint."""
        known = {name: Table(table) for name, table in self._tables.items()}
        return [
            Start(
                self.plan, self.seed, self._clock, {**world, **known}, self.number,
                file=str(checkpoint.file(shard)), hash=checkpoint.manifest.hashes[shard],
            )
            for shard in range(self._ranks.shards)
        ]  # fmt: skip

    def close(self, reason: str = "It is closed.") -> None:
        """End all workers; anything later raises CrowdError."""
        self._closed = self._closed or reason
        self.team.close()

    def check_open(self) -> None:
        """Raise CrowdError if it is closed."""
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
        call = Call(self.number + 1, self._changed(world), name, arguments, steps, needs)
        self._pending = Pending(call, new)
        dones = self._guarded(lambda: self.team.call(call))
        return self._finish(self._pending, dones)

    @block
    def _operation(self, world: Mapping[str, Any] | None) -> Iterator[None]:
        """Do a call of the user; a checkpoint is taken after it if it is due."""
        self._settle()
        self._operations += 1
        try:
            yield
        finally:
            if self._pending is None and not self._closed:
                self._keep_log_short(world)

    def _settle(self) -> None:
        """Finish a call that was interrupted. Raises CrowdError if all is closed."""
        self.check_open()
        if self._pending is not None:
            call = self._pending.call
            self._finish(self._pending, self._guarded(lambda: self.team.finish(call)))
        self._end_step()

    def _finish(self, pending: Pending, dones: list[Done]) -> list[Done]:
        """Bring the ranks and the step up to date. Raises CrowdError if the call was refused."""
        dones = self._guarded(lambda: self._together(pending.call, dones))
        ranks = self._ranks
        if pending.new:
            ranks = deepcopy(ranks)
            ranks.add(pending.new)
        ranks_before, ranks = ranks, self._recounted(ranks, [done.length for done in dones])
        # Nothing waits from here on: whoever is interrupted above does all of this again.
        self._pending, self._ranks, self._clock = None, ranks, dones[0].clock
        self.number = pending.call.number
        self._step.is_begun |= pending.call.name in STEPS
        merge(self._step.report, ranks_before, [done.reports for done in dones])
        for done in dones:
            if done.error is not None:
                raise done.error
        return dones

    def _end_step(self) -> None:
        """Let those be born who were spawned, remove those that retire, and raise the errors."""
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
            self._do({}, "retire", [()] * self._ranks.shards)
        self._step = Step()
        if step.report.failed or step.report.loops:
            self._careful = CAREFUL_STEPS
        step.report.raise_errors(self.plan)

    def _bear(self, births: Births) -> None:
        """Add the agents that were spawned to the shortest shards, and start them."""
        new = self._ranks.shares(len(births))
        nobody: tuple[Any, ...] = (0, 0, {}, births.starts[:0])
        arguments = [nobody] * self._ranks.shards
        for run in new:
            part = slice(run.offset, run.offset + run.count)
            cells = {name: column[part] for name, column in births.cells.items()}
            arguments[run.shard] = (run.first, run.count, cells, births.starts[part])
        self._do({}, "bear", arguments, new=new)

    def _is_careful(self) -> bool:
        """Return True if steps must be done one by one."""
        is_coupled = bool(self.declarations) or self.plan.most_births > 0
        return is_coupled or self._careful > 0 or self.team.log.is_cut

    def _together(self, call: Call, dones: list[Done]) -> list[Done]:
        """See to it that all shards have done the same number of steps, up to the first error."""
        least = min(done.steps for done in dones)
        if least > 1 and self.plan.retiring and any(done.reports for done in dones):
            least -= 1  # who fails is named by a rank that is known only before a call
        ahead = [shard for shard, done in enumerate(dones) if done.steps > least]
        if not ahead:
            return dones
        self._careful = CAREFUL_STEPS
        call.steps = least
        call.arguments = [(dt, least) for dt, _ in call.arguments]
        again = self.team.go_back(ahead)
        return [again.get(shard, done) for shard, done in enumerate(dones)]

    def _recounted(self, ranks: Ranks, lengths: Sequence[int]) -> Ranks:
        """Return the ranks after agents have gone."""
        if ranks.lengths() == list(lengths):
            return ranks
        ranks = deepcopy(ranks)
        firsts = [(ranks.firsts(shard),) for shard in range(ranks.shards)]
        counted = self._guarded(lambda: self.team.look("lengths", firsts))
        for shard, each in enumerate(counted):
            ranks.recount(shard, each)
        ranks.tidy()
        return ranks

    def _keep_log_short(self, world: Mapping[str, Any] | None) -> None:
        log = self.team.log
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
        """Return the values of the world for the shards, without tables that they have already."""
        values: dict[str, Any] = {}
        for name, value in world.items():
            if not isinstance(value, Table):
                values[name] = value
            elif name not in self._tables or not is_same(self._tables[name], value.array):
                self._tables[name] = value.array.copy()
                values[name] = Table(self._tables[name])
        return values

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Do something with the shards; close them all if one is lost for good."""
        try:
            return work()
        except ShardLostError as error:
            self.close(f"It has lost shard {error.shard}. Go on from its checkpoint, if any.")
            raise
