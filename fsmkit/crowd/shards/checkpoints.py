"""Checkpoints: the state of a whole crowd in a folder, from which it can go on.

    run/
        checkpoint-0000000500-3f9a01c2/
            shard-0.npz, shard-1.npz ...
            manifest.json

The manifest is written last, and names the hash of every file and its own. What has none was cut
short, and does not count. The last two checkpoints are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, Final
from warnings import warn

from attrs import asdict, frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.shards import shard_file
from fsmkit.tooling.atomic_file import write_atomically

FORMAT: Final = "fsmkit crowd in shards"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
NAME: Final = re.compile(r"checkpoint-(\d{10})-[0-9a-f]{8}")


@frozen
class Manifest:
    """What is known of a checkpoint beside the columns."""

    number: int
    """The number of the last call that the shards were given."""
    operations: int
    """The number of calls of the user."""
    outline: Mapping[str, Mapping[str, Any]]
    fingerprint: str
    """A hash over the loops and the numbers that their actions got."""
    versions: Mapping[str, str]
    dtype: str
    seed: int
    clock: Mapping[str, Any]
    world: Mapping[str, Any]
    runs: Sequence[Sequence[int]]
    """The first id, the shard and the length of every run of ids."""
    next_id: int
    hashes: Sequence[str]
    """Those of the files of all shards."""
    neighbours: Sequence[Any] = ()
    """What agents know of those near them: see `fsmkit.crowd.neighbours.saving`."""


@frozen
class Checkpoint:
    """A complete checkpoint."""

    folder: Path
    manifest: Manifest

    @property
    def path(self) -> Path:
        """The manifest's file."""
        return self.folder / MANIFEST

    def file(self, shard: int) -> Path:
        """Return the file of a shard."""
        return file_of(self.folder, shard)


@frozen
class CheckpointFolder:
    """A folder for the checkpoints of one crowd."""

    path: Path

    def new(self, number: int) -> Path:
        """Make the folder of a new checkpoint. Raises OSError."""
        folder = self.path / f"checkpoint-{number:010}-{token_hex(4)}"
        folder.mkdir(parents=True)
        return folder

    def complete(self, folder: Path, manifest: Manifest, before: Path | None) -> Checkpoint:
        """Write the manifest, by which the checkpoint counts; remove all but it and the one before.

        `before` is the manifest of the one that the crowd took last, or went on from. Others may
        have higher numbers: if they were damaged, the crowd went on from an older one.
        """
        values = asdict(manifest)
        head = {"format": FORMAT, "version": VERSION, "hash": _hash(values)}
        write_atomically(folder / MANIFEST, json.dumps({**head, **values}, indent=1))
        kept = {folder} if before is None else {folder, before.parent}
        for old in set(self._folders()) - kept:
            remove(old)
        return Checkpoint(folder, manifest)

    def last(self) -> Checkpoint:
        """Return the last complete checkpoint; warn if later ones are damaged or cut short.

        Raises CrowdError if there is none.
        """
        unusable = []
        for folder in self._folders():
            try:
                checkpoint = _read(folder)
            except (OSError, CrowdError) as error:
                unusable.append(str(error))
                continue
            if unusable:
                warn(
                    f"{' '.join(unusable)} The one before is taken, {str(folder)!r}.",
                    RuntimeWarning,
                    stacklevel=3,
                )
            return checkpoint
        found = " ".join(unusable) or "There is none."
        raise CrowdError(f"{str(self.path)!r} must have a complete checkpoint. {found}")

    def check_empty(self) -> None:
        """Raise CrowdError if there are checkpoints, which are not to be written over."""
        for folder in self._folders():
            raise CrowdError(
                f"{str(self.path)!r} has checkpoints of another run, {folder.name!r} for one. "
                "Take another folder, or go on with that run: "
                f"ShardedCrowd.resume(machine, {str(self.path)!r}, ...)."
            )

    def _folders(self) -> Iterator[Path]:
        """Yield the folders of all checkpoints, the last one first."""
        if self.path.is_dir():
            named = [each for each in self.path.iterdir() if NAME.fullmatch(each.name)]
            yield from sorted(named, key=_age, reverse=True)


def file_of(folder: Path, shard: int) -> Path:
    """Return the file of a shard in the folder of a checkpoint."""
    return folder / f"shard-{shard}.npz"


def remove(folder: Path) -> None:
    """Remove a checkpoint; its manifest first, so that it never counts while it is in parts."""
    (folder / MANIFEST).unlink(missing_ok=True)
    rmtree(folder, ignore_errors=True)


def _hash(values: Mapping[str, Any]) -> str:
    """Return a hash over the values of a manifest, but for versions: others are refused by name."""
    content = {name: value for name, value in values.items() if name != "versions"}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _age(folder: Path) -> tuple[str, int]:
    """Return the number of a checkpoint, and when its folder was last written to."""
    return folder.name.split("-")[1], folder.stat().st_mtime_ns


def _read(folder: Path) -> Checkpoint:
    """Return a checkpoint. Raises CrowdError or OSError if it is damaged or incomplete."""
    where = repr(str(folder))
    try:
        values = json.loads((folder / MANIFEST).read_text("utf-8"))
        if values.pop("format") != FORMAT or values.pop("version") != VERSION:
            raise CrowdError(f"{where} was made by another fsmkit.")
        if values.pop("hash") != _hash(values):
            raise CrowdError(f"{where} is damaged: its manifest is not as it was written.")
        checkpoint = Checkpoint(folder, Manifest(**values))
    except FileNotFoundError:
        raise CrowdError(f"{where} was cut short.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise CrowdError(f"{where} is damaged: its manifest cannot be read.") from None
    for shard, expected in enumerate(checkpoint.manifest.hashes):
        file = checkpoint.file(shard)
        if not file.exists() or shard_file.hash_of(file) != expected:
            raise CrowdError(f"{where} is damaged: {file.name!r} is not the file it was.")
    return checkpoint
