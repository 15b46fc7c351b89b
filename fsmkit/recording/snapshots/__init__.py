"""Snapshots: the state of a running machine as plain data, and how it is restored."""

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
