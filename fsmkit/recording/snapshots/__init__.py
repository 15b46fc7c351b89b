"""Snapshots: the state of a running machine as plain data, and how it is restored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableMapping
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmGroup
from fsmkit.core.checks import arguments
from fsmkit.introspection.nesting import members
from fsmkit.recording.snapshots.records import CHECKSUM, SnapshotError, SnapshotMismatchError
from fsmkit.recording.snapshots.resumption import resume_in
from fsmkit.recording.snapshots.snapshot_codec import SnapshotReader, SnapshotWriter
from fsmkit.recording.value_codec import Decode, Encode
from fsmkit.terminal.atomic_file import write_atomically

__all__ = [
    "SnapshotError",
    "SnapshotMismatchError",
    "load_snapshot",
    "restore",
    "resume_in",
    "save_snapshot",
    "snapshot",
]

MachineOrGroup: TypeAlias = Fsm[Any] | FsmGroup
Migrate: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Adapts the data of a snapshot to machines as they are built now."""


def snapshot(
    machines: MachineOrGroup,
    *,
    encode: Encode | None = None,
    definitions: MutableMapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the state of a machine, or of those of a group, with nested machines, as JSON data.

    It contains the run of each machine, the memory of its actions, the data of its events, and the
    states of the random generators that its actions use. It does not contain the objects that
    actions act on: contexts, transforms and time references belong to the game. `encode` is called
    with values of the game's own classes that an action remembers or an event carries; its result
    is saved.

    The data contains the outline of each machine: which actions its states have. It is the same in
    every snapshot of machines built in the same way. With `definitions`, a mapping, it is stored
    there, once, by its hash, and the data is small. Keep that mapping, and give it to `restore`.

    Raises SnapshotError for a value that cannot be saved, FsmError if called inside a callback of
    the machines, TypeError unless `definitions` is a mapping that can be written to.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    >>> lamp.start("On")
    >>> data = snapshot(lamp)
    >>> data["format"], len(data["machines"])
    ('fsmkit snapshot', 1)
    """
    _check_definitions(definitions, MutableMapping)
    return SnapshotWriter(members(machines), encode, definitions).data()


def restore(
    machines: MachineOrGroup,
    data: dict[str, Any],
    *,
    decode: Decode | None = None,
    migrate: Migrate | None = None,
    definitions: Mapping[str, Any] | None = None,
) -> None:
    """Restore machines to the state of those that `data` is a `snapshot` of.

    No callback is called; observers are notified by `restored`. A running machine is restored as
    well, without exiting its state. `decode` turns the result of `encode` back into the value.
    `definitions` is the mapping that was given to `snapshot`.

    The machines may be built differently now, as long as everything saved has a place: states by
    their names, actions by their classes and their order. What was added since is as it is before
    the first visit. If something has no place, `migrate` is called with a copy of the data, and
    returns it adapted.

    Everything is checked first, so an error changes nothing: SnapshotMismatchError lists what has
    no place, SnapshotError is raised for data that is damaged or not a snapshot, FsmError inside a
    callback of the machines.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     lamp = Fsm("Lamp")
    ...     _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    ...     return lamp
    >>> lamp, another = build(), build()
    >>> lamp.start("On")
    >>> restore(another, snapshot(lamp))
    >>> another.current_state.name
    'On'
    """
    _check_definitions(definitions, Mapping)
    try:
        reader = SnapshotReader(members(machines), data, decode, definitions)
    except SnapshotMismatchError:
        if migrate is None:
            raise
        given = data if "definitions" in data else {**data, "definitions": dict(definitions or {})}
        adapted = migrate(deepcopy({key: each for key, each in given.items() if key != CHECKSUM}))
        reader = SnapshotReader(members(machines), adapted, decode, definitions, is_migrated=True)
    reader.apply()


def _check_definitions(definitions: object, kind: type) -> None:
    if definitions is not None:
        arguments.instance(definitions, "definitions", kind, "a mapping, such as a dict")


def save_snapshot(
    machines: MachineOrGroup, path: str | Path, *, encode: Encode | None = None
) -> None:
    """Write a `snapshot` to the file at `path`, completely or not at all.

    After a crash the file is the old one or the new one. Raises the errors of `snapshot`, and
    OSError if the file cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> lamp.start()
    >>> with TemporaryDirectory() as folder:
    ...     save_snapshot(lamp, Path(folder, "slot1.json"))
    ...     [path.name for path in Path(folder).iterdir()]
    ['slot1.json']
    """
    data = snapshot(machines, encode=encode)
    write_atomically(path, json.dumps(data, separators=(",", ":")))


def load_snapshot(
    machines: MachineOrGroup,
    path: str | Path,
    *,
    decode: Decode | None = None,
    migrate: Migrate | None = None,
) -> None:
    """Restore machines from the file at `path`; see `restore`. No code in it is run.

    Raises the errors of `restore`, and OSError if the file cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from fsmkit import Fsm
    >>> lamp, another = Fsm("Lamp"), Fsm("Lamp")
    >>> _ = lamp.add_state("On"), another.add_state("On")
    >>> lamp.start()
    >>> with TemporaryDirectory() as folder:
    ...     save_snapshot(lamp, Path(folder, "slot1.json"))
    ...     load_snapshot(another, Path(folder, "slot1.json"))
    >>> another.current_state.name
    'On'
    """
    content = Path(path).read_bytes()
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{str(path)!r} is not a snapshot, or is damaged: {error}.") from error
    try:
        restore(machines, data, decode=decode, migrate=migrate)
    except SnapshotError as error:
        error.add_note(f"in the file {str(path)!r}")
        raise
