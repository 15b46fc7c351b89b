"""timeline_svg: a timeline as a picture."""

from __future__ import annotations

from typing import Final

from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.timeline.svg_bars import Bars
from fsmkit.recording.timeline.tracks import Window, busiest, state_numbers, tracks_of
from fsmkit.svg.elements import element
from fsmkit.svg.theme import DARK, LIGHT, PALETTE

MAX_MACHINES: Final = 60
MIN_WIDTH: Final = 320


def timeline_svg(
    chronicle: Chronicle,
    *,
    dark: bool = False,
    width: int = 960,
    start: float | None = None,
    end: float | None = None,
) -> str:
    """Return a timeline as SVG: a bar of states for each machine, with events and errors above it.

    The name of an event that changed the state is where the new state begins. Events that did not
    change it have a dot: empty if they were unhandled, refused by their guards or ignored (their
    target is the current state), filled if an action consumed them. States that are suspended are
    hatched, along the bottom of the bar. Errors are red. Names without room are left out;
    tooltips show everything. Visits too short to be distinguished share a place: their states are
    stacked, each as high as its share of the time. Of more than sixty machines the busiest are
    shown.

    `width` is in pixels, at least 320; the picture shrinks where there is less room. `start` and
    `end` are in seconds and select a part. Raises ValueError if `end` is before `start`.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> history = History(lamp)
    >>> lamp.start()
    >>> lamp.update(2.0)
    >>> timeline_svg(history.chronicle())[:4]
    '<svg'
    """
    window = Window.of(chronicle, start, end)
    tracks = tracks_of(chronicle, window)
    shown = busiest(tracks, MAX_MACHINES)
    more = len(tracks) - len(shown)
    notes = [f"{more} machines more, less busy, are not shown."] if more else []
    visits = [piece.visit for track in shown for piece in track.slices]
    is_interrupted = any(visit.suspended for visit in visits)
    notes += ["Hatched: the state is suspended."] if is_interrupted else []
    has_refused = any(sent.outcome == "refused" for track in shown for sent in track.events)
    numbers = state_numbers(chronicle, len(PALETTE))
    bars = Bars(shown, window, max(width, MIN_WIDTH), numbers, chronicle.end, notes)
    theme = DARK if dark else LIGHT
    styles = theme.style_sheet(guarded=has_refused, interrupted=is_interrupted)
    content = [element("style", styles), *bars.elements()]
    return element(
        "svg", "\n", "\n".join(content), "\n",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"fsmkit-timeline {theme.name}",
        role="img",
        aria_label="Timeline",
        viewBox=f"0 0 {bars.width:g} {bars.height:g}",
        width=bars.width,
        height=bars.height,
        style="max-width:100%;height:auto",
    ) + "\n"  # fmt: skip
