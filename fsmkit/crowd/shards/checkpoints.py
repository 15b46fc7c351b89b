"""Checkpoints: the state of a whole crowd in a folder, from which it can be resumed.

    run/
        checkpoint-0000000500-3f9a01c2/
            shard-0.npz, shard-1.npz ...
            manifest.json

The manifest is written last, with the hash of every file and its own. A folder without one is
incomplete, and does not count. The files of shards (npz) are written and read column by column. The
last two checkpoints are kept.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, Final
from warnings import warn

from attrs import asdict, frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np
from fsmkit.terminal.atomic_file import write_atomically

FORMAT: Final = "fsmkit crowd in shards"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
NAME: Final = re.compile(r"checkpoint-(\d{10})-[0-9a-f]{8}")


@frozen
class Manifest:
    number: int
    """The number of the last call that the shards were given."""
    operations: int
    """The number of the user's calls."""
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
    """The hash of the file of each shard."""
    neighbours: Sequence[Any] = ()
    """What agents know about their neighbours, as JSON values."""


@frozen
class Checkpoint:
    folder: Path
    manifest: Manifest

    @property
    def path(self) -> Path:
        return self.folder / MANIFEST


@frozen
class CheckpointFolder:
    path: Path

    @classmethod
    def of(cls, path: Any) -> CheckpointFolder:
        if not isinstance(path, str | Path):
            raise CrowdError(f"checkpoints must be a folder or None, got {path!r}.")
        folder = Path(path).absolute()
        if folder.exists() and not folder.is_dir():
            raise CrowdError(f"checkpoints must be a folder or None, got the file {str(path)!r}.")
        return cls(folder)

    def new(self, number: int) -> Path:
        folder = self.path / f"checkpoint-{number:010}-{token_hex(4)}"
        folder.mkdir(parents=True)
        return folder

    def complete(self, folder: Path, manifest: Manifest, before: Path | None) -> Checkpoint:
        """Write the manifest, which makes the checkpoint count; keep it and the one before.

        `before` is the manifest of the one that the crowd took last, or was resumed from. Others
        may have higher numbers: if they were damaged, the crowd was resumed from an older one.
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
        for folder in self._folders():
            raise CrowdError(
                f"{str(self.path)!r} has checkpoints of another run, {folder.name!r} for one. "
                "Take another folder, or continue that run: "
                f"ShardedCrowd.resume(machine, {str(self.path)!r}, ...)."
            )

    def _folders(self) -> Iterator[Path]:
        """Yield the folders of all checkpoints, the last one first."""
        if self.path.is_dir():
            named = [each for each in self.path.iterdir() if NAME.fullmatch(each.name)]
            yield from sorted(named, key=_age, reverse=True)


def file_of(folder: Path, shard: int) -> Path:
    return folder / f"shard-{shard}.npz"


def remove(folder: Path) -> None:
    """Remove a checkpoint; its manifest first, so that an incomplete one never counts."""
    (folder / MANIFEST).unlink(missing_ok=True)
    rmtree(folder, ignore_errors=True)


def _hash(values: Mapping[str, Any]) -> str:
    """Return a hash over a manifest, without the versions: a wrong one is reported by name."""
    content = {name: value for name, value in values.items() if name != "versions"}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _age(folder: Path) -> tuple[str, int]:
    """Return the number of a checkpoint, and the time of the last write to its folder."""
    return folder.name.split("-")[1], folder.stat().st_mtime_ns


def _read(folder: Path) -> Checkpoint:
    where = repr(str(folder))
    try:
        values = json.loads((folder / MANIFEST).read_text("utf-8"))
        if values.pop("format") != FORMAT or values.pop("version") != VERSION:
            raise CrowdError(f"{where} was made by another fsmkit.")
        if values.pop("hash") != _hash(values):
            raise CrowdError(f"{where} is damaged: its manifest has changed.")
        checkpoint = Checkpoint(folder, Manifest(**values))
    except FileNotFoundError:
        raise CrowdError(f"{where} was cut short.") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise CrowdError(f"{where} is damaged: its manifest cannot be read.") from None
    for shard, expected in enumerate(checkpoint.manifest.hashes):
        file = file_of(folder, shard)
        if not file.exists() or hash_of(file) != expected:
            raise CrowdError(f"{where} is damaged: {file.name!r} has changed.")
    return checkpoint


def write_columns(path: str | Path, columns: dict[str, Any]) -> str:
    """Write columns to a new file, have it reach the disk, and return its hash. Raises OSError.

    The manifest of the checkpoint makes the file count: one that was cut short is never read.
    """
    with Path(path).open("w+b") as file:
        np.savez(file, **columns)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        return file_digest(file, "sha256").hexdigest()


def hash_of(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_columns(path: str | Path, expected: str) -> dict[str, Any]:
    """Return the columns in the file. No code in it is run.

    Raises CrowdError unless it has the hash that was `expected`, OSError if it cannot be read.
    """
    if hash_of(path) != expected:
        raise CrowdError(f"{str(path)!r} is damaged: it is not the file that the checkpoint names.")
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
