"""Recording and replay: histories, timelines, recordings and snapshots of machines."""

from fsmkit.recording.chronicle import (
    ActionRun,
    Chronicle,
    History,
    RaisedError,
    SentEvent,
    StateVisit,
)
from fsmkit.recording.replay.recording import Recording
from fsmkit.recording.replay.recording_file import RecordingError
from fsmkit.recording.replay.replayer import Comparison, Difference, Replay, replay
from fsmkit.recording.replay.steps import Header, KeyFrame, Step
from fsmkit.recording.snapshots import (
    SnapshotError,
    SnapshotMismatchError,
    load_snapshot,
    restore,
    resume_in,
    save_snapshot,
    snapshot,
)
from fsmkit.recording.timeline import timeline_svg, timeline_text, trace_events
from fsmkit.recording.usage import Sending, StateName, Usage, Way, usage_of
from fsmkit.recording.why import Prospect, why

__all__ = [
    "ActionRun",
    "Chronicle",
    "Comparison",
    "Difference",
    "Header",
    "History",
    "KeyFrame",
    "Prospect",
    "RaisedError",
    "Recording",
    "RecordingError",
    "Replay",
    "Sending",
    "SentEvent",
    "SnapshotError",
    "SnapshotMismatchError",
    "StateName",
    "StateVisit",
    "Step",
    "Usage",
    "Way",
    "load_snapshot",
    "replay",
    "restore",
    "resume_in",
    "save_snapshot",
    "snapshot",
    "timeline_svg",
    "timeline_text",
    "trace_events",
    "usage_of",
    "why",
]
