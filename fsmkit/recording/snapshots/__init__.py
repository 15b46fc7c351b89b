"""Snapshots: the moment of a machine as plain data, and a machine brought there again."""

from fsmkit.recording.snapshots.errors import SnapshotError, SnapshotMismatchError
from fsmkit.recording.snapshots.snapshot import (
    load_snapshot,
    restore,
    save_snapshot,
    snapshot,
)

__all__ = [
    "SnapshotError",
    "SnapshotMismatchError",
    "load_snapshot",
    "restore",
    "save_snapshot",
    "snapshot",
]
