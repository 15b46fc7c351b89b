"""What happened to a machine: history, timeline, recording, replay and snapshots."""

from fsmkit.recording.comparison import Comparison, Difference
from fsmkit.recording.happenings import Chronicle, RaisedError, SentEvent, StateVisit
from fsmkit.recording.history import History
from fsmkit.recording.recording import Recording
from fsmkit.recording.recording_file import RecordingError
from fsmkit.recording.replaying import Replay, replay
from fsmkit.recording.snapshots import (
    SnapshotError,
    SnapshotMismatchError,
    load_snapshot,
    restore,
    save_snapshot,
    snapshot,
)
from fsmkit.recording.steps import Header, Step
from fsmkit.recording.timeline import timeline_svg, timeline_text, trace_events
from fsmkit.recording.why import Prospect, why

__all__ = [
    "Chronicle",
    "Comparison",
    "Difference",
    "Header",
    "History",
    "Prospect",
    "RaisedError",
    "Recording",
    "RecordingError",
    "Replay",
    "SentEvent",
    "SnapshotError",
    "SnapshotMismatchError",
    "StateVisit",
    "Step",
    "load_snapshot",
    "replay",
    "restore",
    "save_snapshot",
    "snapshot",
    "timeline_svg",
    "timeline_text",
    "trace_events",
    "why",
]
