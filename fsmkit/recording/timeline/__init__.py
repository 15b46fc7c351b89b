"""Timelines: when each machine was in which state, as text, as SVG, and as a trace."""

from fsmkit.recording.timeline.svg_timeline import timeline_svg
from fsmkit.recording.timeline.text_timeline import timeline_text
from fsmkit.recording.timeline.trace import trace_events

__all__ = ["timeline_svg", "timeline_text", "trace_events"]
