"""Opening: the driver of a new crowd, or of one that goes on from a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.file.header import differences
from fsmkit.crowd.neighbours.saving import restored, saved
from fsmkit.crowd.records import fitted
from fsmkit.crowd.shards.checkpoints import Checkpoint, CheckpointFolder, Manifest
from fsmkit.crowd.shards.description import called_functions, describe
from fsmkit.crowd.shards.driver import Driver
from fsmkit.crowd.shards.errors import ShardMismatchError
from fsmkit.crowd.shards.ranks import Ranks, Run
from fsmkit.crowd.shards.shard import Clock, Start
from fsmkit.crowd.shards.team import Team
from fsmkit.crowd.shards.workers import Shards
from fsmkit.crowd.table import Table


@frozen
class Opening:
    """What a driver is made of, whether the crowd is new or not."""

    layout: Layout
    plan: Plan
    shards: Shards
    seed: int
    deadline: float
    exact: bool
    folder: CheckpointFolder | None
    every: int | None

    def new(self, size: int, world: Mapping[str, Any]) -> Driver:
        """Return the driver of `size` new agents. Raises what `Team.begin` does."""
        ranks = Ranks.divided(size, self.shards.count)
        starts = [
            Start(self.plan, self.seed, Clock(), world, first_id=run.first, size=run.length)
            for run in ranks.runs
        ]
        return self._begun(starts, ranks, Clock())

    def resumed(self, checkpoint: Checkpoint, world: Mapping[str, Any]) -> Driver:
        """Return the driver of a crowd that goes on. Raises what `Team.begin` does."""
        manifest = checkpoint.manifest
        clock = Clock(**manifest.clock)
        starts = [
            Start(
                self.plan, self.seed, clock, world, manifest.number,
                file=str(checkpoint.file(shard)), hash=each,
            )
            for shard, each in enumerate(manifest.hashes)
        ]  # fmt: skip
        runs = [Run(*run) for run in manifest.runs]
        ranks = Ranks(len(starts), runs, manifest.next_id)
        driver = self._begun(starts, ranks, clock, manifest.number, manifest.operations)
        driver.team.checkpoint = checkpoint.path
        driver.declarations += restored(manifest.neighbours)
        return driver

    def _begun(
        self,
        starts: Sequence[Start],
        ranks: Ranks,
        clock: Clock,
        number: int = 0,
        operations: int = 0,
    ) -> Driver:
        functions = called_functions(self.plan.text) if self.exact else []
        team = Team(self.shards.open(), starts, self.deadline, functions)
        driver = Driver(
            self.plan, team, self.seed, ranks, clock, number, operations, self.folder, self.every,
            manifest_maker(self.layout),
        )  # fmt: skip
        try:
            team.begin()
        except BaseException:
            team.close()
            raise
        return driver


def manifest_maker(layout: Layout) -> Callable[..., Manifest]:
    """Return the function that makes the manifest of a driver's checkpoint."""

    def make(driver: Driver, world: Mapping[str, Any], hashes: Sequence[str]) -> Manifest:
        return Manifest(
            number=driver.number,
            operations=driver.calls,
            outline=layout.outline(),
            fingerprint=fingerprint(driver.plan),
            versions=describe().versions,
            dtype="float32" if driver.plan.columns.is_float32 else "float64",
            seed=driver.seed,
            clock=asdict(driver.clock),
            world={n: v for n, v in world.items() if n != "dt" and not isinstance(v, Table)},
            runs=[[run.first, run.shard, run.length] for run in driver.ranks.runs],
            next_id=driver.ranks.next_id,
            hashes=hashes,
            neighbours=saved(driver.declarations),
        )

    return make


def fingerprint(plan: Plan) -> str:
    """Return a hash over the loops of a machine and the numbers that its actions got."""
    return sha256(f"{plan.text}{sorted(plan.parameters.items())}".encode()).hexdigest()


def check_fits(checkpoint: Checkpoint, layout: Layout, plan: Plan, *, exact: bool) -> None:
    """Raise CrowdMismatchError or ShardMismatchError unless a crowd can go on with this machine."""
    manifest, where = checkpoint.manifest, repr(str(checkpoint.folder))
    found = "; ".join(differences(manifest.outline, layout.outline()))
    if found:
        raise CrowdMismatchError(
            f"{where} does not fit {plan.name!r}. There are {found}. Resume it with a machine that "
            "is built like the one it was saved from."
        )
    own = describe().versions
    other = [f"{name} {each}" for name, each in manifest.versions.items() if own.get(name) != each]
    if exact and other:
        raise ShardMismatchError(
            f"{where} was made with {', '.join(other)}, and here is "
            f"{', '.join(f'{name} {each}' for name, each in own.items())}. Install the same, or "
            "give exact=False: results may differ then."
        )
    if exact and manifest.fingerprint != fingerprint(plan):
        raise CrowdMismatchError(
            f"{where} does not fit {plan.name!r}: its functions or their parameters are others. "
            "Resume it with the machine it was saved from, or give exact=False to go on with these."
        )


def restore_world(layout: Layout, world: Any, saved: Mapping[str, Any]) -> None:
    """Write the saved values into the world. Raises CrowdError if they do not fit."""
    try:
        for name, kind in layout.machine.world_record.kinds.items():
            if name != "dt":
                # Not through the class, which may be frozen.
                object.__setattr__(world, name, fitted(kind, saved[name], name))
    except (KeyError, TypeError, OverflowError) as error:
        raise CrowdError(f"The checkpoint is damaged: its world has no valid {error}.") from None


def folder_of(path: Any) -> CheckpointFolder:
    """Return the folder with that path. Raises CrowdError for what is no path to one."""
    if not isinstance(path, str | Path):
        raise CrowdError(f"checkpoints must be a folder or None, got {path!r}.")
    folder = Path(path).absolute()
    if folder.exists() and not folder.is_dir():
        raise CrowdError(f"checkpoints must be a folder or None, got the file {str(path)!r}.")
    return CheckpointFolder(folder)
