"""Snapshots: the state of machines as plain data, for save games.

>>> from fsmkit import Fsm
>>> def build():
...     door = Fsm("Door")
...     door.add_state("Closed").add_transition("OPEN", door.add_state("Open"))
...     return door
>>> door = build()
>>> door.start()
>>> door.update(2.5)
>>> _ = door.send_event("OPEN")
>>> saved = snapshot(door)
>>> other = build()
>>> restore(other, saved)
>>> other.current_state.name, other.time
('Open', 2.5)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.recording.snapshots.errors import SnapshotError, SnapshotMismatchError
from fsmkit.recording.snapshots.reader import SnapshotReader
from fsmkit.recording.snapshots.value_codec import Decode, Encode
from fsmkit.recording.snapshots.writer import SnapshotWriter
from fsmkit.tooling.atomic_file import write_atomically
from fsmkit.tooling.nesting import members

__all__ = [
    "SnapshotError",
    "SnapshotMismatchError",
    "load_snapshot",
    "restore",
    "save_snapshot",
    "snapshot",
]

Machines: TypeAlias = Fsm[Any] | FsmGroup
Migrate: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Brings the data of a snapshot into the shape of the machines as they are built now."""


def snapshot(machines: Machines, *, encode: Encode | None = None) -> dict[str, Any]:
    """Where a machine is, or those of a group, and the machines inside them, as JSON knows it.

    In it is what the machines know of their run, what their actions remember, the data of their
    events and the states of the random generators that actions were given. What actions act on is
    not: contexts, transforms, time references belong to the game. `encode` is called with values of
    the game's own that an action remembers or an event carries; what it returns is saved instead.

    Raises SnapshotError for what cannot be saved, FsmError from inside a callback of the machines.
    """
    return SnapshotWriter(members(machines), encode).data()


def restore(
    machines: Machines,
    data: dict[str, Any],
    *,
    decode: Decode | None = None,
    migrate: Migrate | None = None,
) -> None:
    """Bring machines to where those were that `data` is a `snapshot` of.

    They are to be built like those; their parameters may differ. No callback is called and no
    observer is told. A machine that is running is put there all the same, without leaving the state
    it is in. `decode` is called with what `encode` returned, and returns the value again.

    If they are built otherwise, `migrate` is called with a copy of the data. For what it returns it
    is enough that everything in it finds its place.

    Everything is checked first, so an error leaves all as it was: SnapshotMismatchError says what
    does not fit, SnapshotError that the data is no snapshot or damaged; FsmError comes from inside
    a callback of the machines.
    """
    try:
        reader = SnapshotReader(members(machines), data, decode, exactly=True)
    except SnapshotMismatchError:
        if migrate is None:
            raise
        reader = SnapshotReader(members(machines), migrate(deepcopy(data)), decode, exactly=False)
    reader.carry_out()


def save_snapshot(machines: Machines, path: str | Path, *, encode: Encode | None = None) -> None:
    """Write a `snapshot` to the file at `path`, wholly or not at all.

    Whatever happens meanwhile, there is the old file or the new one. Raises what `snapshot` raises,
    OSError if the file cannot be written.
    """
    data = snapshot(machines, encode=encode)
    write_atomically(path, json.dumps(data, separators=(",", ":")))


def load_snapshot(
    machines: Machines,
    path: str | Path,
    *,
    decode: Decode | None = None,
    migrate: Migrate | None = None,
) -> None:
    """Bring machines to where the file at `path` says; see `restore`. No code in it is run.

    Raises what `restore` raises, OSError if the file cannot be read.
    """
    content = Path(path).read_bytes()
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{str(path)!r} is no snapshot, or damaged: {error}.") from error
    try:
        restore(machines, data, decode=decode, migrate=migrate)
    except SnapshotError as error:
        error.add_note(f"in the file {str(path)!r}")
        raise
