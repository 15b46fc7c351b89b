"""timeline_svg: a timeline as a picture.

It consists of bars of states, one below the other, with flags for events and errors above them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from attrs import define, evolve, field

from fsmkit import FAILED, FINISHED
from fsmkit.recording.chronicle import Chronicle, RaisedError, SentEvent, StateVisit
from fsmkit.recording.timeline import tracks
from fsmkit.recording.timeline.tracks import Block, StateNumbers, Track, Window, Wording
from fsmkit.svg.axis import ticks
from fsmkit.svg.elements import element, words
from fsmkit.svg.picture import chart_rules, picture
from fsmkit.svg.theme import DARK, LIGHT, PALETTE
from fsmkit.terminal.console import cut, printable
from fsmkit.terminal.console import width as columns_of

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
    target is the current state, or the machine ignores what it does not know), filled if an action
    consumed them. States that are suspended are hatched, along the bottom of the bar. Errors are
    red, and so is `FAILED`, with its reason. Names without room are left out; tooltips show
    everything. Visits too short to be distinguished share a place: their states are stacked, each
    as high as its share of the time. Of more than sixty machines the busiest are shown.

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
    found = tracks.tracks_of(chronicle, window)
    shown = tracks.busiest(found, MAX_MACHINES)
    more = len(found) - len(shown)
    notes = [f"{more} more machines, less busy, are not shown."] if more else []
    visits = [piece.visit for track in shown for piece in track.slices]
    is_interrupted = any(visit.suspended for visit in visits)
    notes += ["Hatched: the state is suspended."] if is_interrupted else []
    has_failed = any(_is_failure(sent) for track in shown for sent in track.events)
    has_refused = any(sent.outcome == "refused" for track in shown for sent in track.events)
    numbers = tracks.state_numbers(chronicle, len(PALETTE))
    bars = SvgBars(shown, window, max(width, MIN_WIDTH), numbers, chronicle.end, notes)
    theme = DARK if dark else LIGHT
    parts = [*bars.elements()]  # they give the picture its height
    return picture(
        "timeline",
        theme,
        parts,
        width=bars.width,
        height=bars.height,
        label="Timeline",
        rules=chart_rules(
            theme, guarded=has_refused, interrupted=is_interrupted, failing=has_failed
        ),
    )


class Chronicled(Protocol):
    def chronicle(self) -> Chronicle: ...


def bundle(source: Chronicle | Chronicled) -> dict[str, str]:
    """Return MIME type -> content, for IPython."""
    chronicle = source if isinstance(source, Chronicle) else source.chronicle()
    return {"image/svg+xml": timeline_svg(chronicle)}


MARGIN: Final = 22.0
AXIS: Final = 38.0
BAR: Final = 30.0
FLAG: Final = 15.0
"""The height of a row of names."""
GAP: Final = 12.0
FAMILY_GAP: Final = 8.0
"""The extra space above each outermost machine."""
INDENT: Final = 16.0
LINE: Final = 22.0
"""The height of a line below the bars."""
TICK: Final = 90.0
"""The room for a label on the axis."""
MIN_SLICE: Final = 3.0
STRIP: Final = 5.0
"""The height of a suspended state."""
LETTER: Final = 7.4
"""The approximate width of a letter."""
MIN_COLUMNS: Final = 6
"""A name that is cut to fewer columns is not shown."""
MACHINE_LETTER: Final = 8.4
MAX_MACHINE_COLUMNS: Final = 26
MAX_LISTED_VISITS: Final = 12


@define
class SvgBars:
    """Draws `tracks`, with the names of the machines before them. All lengths are in pixels."""

    tracks: Sequence[Track]
    window: Window
    width: float
    numbers: StateNumbers
    now: float
    """The time that visits in progress have reached, in seconds."""
    notes: Sequence[str] = ()
    """Lines below the picture."""
    height: float = field(default=AXIS, init=False)
    """The height so far."""
    _depth: int = field(default=0, init=False)
    """The depth of the track above."""
    _left: float = field(init=False)
    _right: float = field(init=False)
    _wording: Wording = field(init=False)
    _named: dict[tuple[str, str], bool] = field(factory=dict, init=False)
    """Fill, state -> True if the name is in a bar."""

    def __attrs_post_init__(self) -> None:
        rooms = [columns_of(_title(t)) * MACHINE_LETTER + t.depth * INDENT for t in self.tracks]
        self._left = MARGIN + min(max(rooms, default=0.0), self.width / 4) + 14.0
        self._right = self.width - MARGIN - 8.0
        self._wording = Wording(self.window.seconds)

    def elements(self) -> Iterator[str]:
        """Yield all elements, from back to front; then `height` is that of the picture."""
        drawn = [element("g", *self._track(track), class_="track") for track in self.tracks]
        bottom = self.height + GAP
        self.height = bottom
        below = [*self._legend(), *self._notes()]
        self.height += MARGIN / 2
        yield element(
            "rect", class_="page", x=0.5, y=0.5, rx=12, width=self.width - 1, height=self.height - 1
        )
        yield element("g", *self._axis(bottom), class_="axis")
        yield from drawn
        yield from below

    def _x(self, time: float) -> float:
        share = (time - self.window.start) / (self.window.seconds or 1.0)
        return self._left + share * (self._right - self._left)

    def _axis(self, bottom: float) -> Iterator[str]:
        max_ticks = int((self._right - self._left) / TICK) + 1
        for time, text in ticks(self.window.start, self.window.end, max_ticks):
            x = self._x(time)
            yield element("path", class_="grid", d=f"M{x:.1f} {AXIS - 12}V{bottom:.1f}")
            yield element("text", words(text), class_="tick", x=x, y=AXIS - 20)

    def _track(self, track: Track) -> Iterator[str]:
        flags = flags_of(track, self._x, self.width - MARGIN / 2)
        above = self.height
        rows = max((flag.row + 1 for flag in flags if flag.row is not None), default=0)
        top = self.height + GAP + (0.0 if track.depth else FAMILY_GAP) + rows * FLAG
        self.height = top + BAR
        yield from self._machine(track, top)
        yield from self._branch(track, above, top)
        lane = self._right - self._left
        yield element("rect", class_="lane", x=self._left, y=top, width=lane, height=BAR, rx=5)
        for block in tracks.blocks_of(track.slices, self._x, MIN_SLICE):
            yield self._crowd(block, top) if block.is_crowded else self._visit(block, top)
        for flag in flags:
            yield self._flag(flag, top)

    def _machine(self, track: Track, top: float) -> Iterator[str]:
        x, middle = MARGIN + track.depth * INDENT, top + BAR / 2
        room = (self._left - 14.0 - x) / MACHINE_LETTER
        name = cut(_title(track), max(3, round(room)))
        kind = "machine inner" if track.depth else "machine"
        tooltip = element("title", words(track.machine))
        yield element("text", tooltip, words(name), class_=kind, x=x, y=middle + 4)

    def _branch(self, track: Track, above: float, top: float) -> Iterator[str]:
        """Yield the line from the machine above to a nested one or to a sibling."""
        if track.depth:
            x = MARGIN + track.depth * INDENT - 10.0
            above -= BAR / 4 if track.depth > self._depth else BAR / 2
            yield element("path", class_="branch", d=f"M{x:.1f} {above:.1f}V{top + BAR / 2:.1f}h6")
        self._depth = track.depth

    def _visit(self, block: Block, top: float) -> str:
        visit = block.slices[0].visit
        room = block.end - block.start
        if room > 2 * MIN_SLICE:
            room -= 1.0  # so that neighbours of one colour can be told apart
        fill, round_off = self._fill(visit), min(5.0, room / 3)
        bar = element(
            "rect", class_=fill, x=block.start, y=top, width=room, height=BAR, rx=round_off
        )
        tooltip = element("title", words(self._wording.visit(visit, self.now)))
        return element(
            "g", tooltip, bar, *self._name(visit, block.start, top, room),
            *self._waiting(visit, block.start, top + BAR, room), class_="visit",
        )  # fmt: skip

    def _waiting(self, visit: StateVisit, x: float, bottom: float, room: float) -> Iterator[str]:
        """Yield a hatched strip for each state that is suspended meanwhile, the last one on top."""
        for name in visit.suspended:
            bottom -= STRIP
            fill = self._fill(evolve(visit, state=name))
            yield element("rect", class_=fill, x=x, y=bottom, width=room, height=STRIP)
            middle = bottom + STRIP / 2
            line = f"M{x:.1f} {middle:.1f}h{room:.1f}"
            yield element("path", class_="hatch", d=line, stroke_width=STRIP)

    def _name(self, visit: StateVisit, x: float, top: float, room: float) -> Iterator[str]:
        name = printable(visit.state)
        text = cut(name, int((room - 8.0) / LETTER))
        if columns_of(text) < min(MIN_COLUMNS, columns_of(name)):
            return
        self._named[self._fill(visit), name] |= text == name
        label = element("text", words(text), class_="name", x=room / 2, y=BAR / 2 + 4)
        yield element("svg", label, x=x, y=top, width=room, height=BAR)  # clips what overflows

    def _fill(self, visit: StateVisit) -> str:
        fill = f"fill-{self.numbers[visit.machine, visit.state]}"
        self._named.setdefault((fill, printable(visit.state)), False)
        return fill

    def _crowd(self, block: Block, top: float) -> str:
        """Return several visits in one place: a layer for each of their states."""
        fills = {piece.visit.state: self._fill(piece.visit) for piece in block.slices}
        layers: list[str] = []
        room = block.end - block.start
        for state, share in sorted(block.shares().items(), key=lambda item: fills[item[0]]):
            fill, height = fills[state], share * BAR
            layers.append(
                element("rect", class_=fill, x=block.start, y=top, width=room, height=height)
            )
            top += height
        lines = [
            self._wording.visit(one.visit, self.now) for one in block.slices[:MAX_LISTED_VISITS]
        ]
        if more := len(block.slices) - len(lines):
            lines.append(f"and {more} more")
        tooltip = element("title", words("\n\n".join(lines)))
        return element("g", tooltip, *layers, class_="visit crowd")

    def _flag(self, flag: Flag, top: float) -> str:
        parts = [element("title", words(flag.title(self._wording)))]
        if flag.row is not None:
            middle = top - 8.0 - flag.row * FLAG
            parts.append(element("path", d=f"M{flag.x:.1f} {middle - 5:.1f}V{top:.1f}"))
            x, side = flag.x + 6.0, {}
            if flag.is_reversed:
                x, side = flag.x - 6.0, {"text_anchor": "end"}
            parts.append(element("text", words(flag.text), y=middle + 4, x=x, **side))
        if flag.kind == "error":
            parts += _cross(flag.x, top)
        elif flag.kind != "changed":
            parts.append(element("circle", cx=flag.x, cy=top, r=3.5))
        kind = f"event {flag.kind}{' failure' if flag.is_failure else ''}"
        return element("g", *parts, class_="error" if flag.kind == "error" else kind)

    def _legend(self) -> Iterator[str]:
        x = self._left
        unnamed = [key for key, named in self._named.items() if not named]
        for fill, state in sorted(unnamed):
            text = cut(state, 2 * MAX_MACHINE_COLUMNS)
            room = columns_of(text) * LETTER + 34.0
            if x == self._left or x + room > self._right:
                x = self._left
                self.height += LINE
            y = self.height - 6.0
            yield element("rect", class_=fill, x=x, y=y - 9, width=11, height=11, rx=3)
            yield element("text", words(text), class_="note", x=x + 17, y=y)
            x += room

    def _notes(self) -> Iterator[str]:
        for note in self.notes:
            self.height += LINE
            yield element("text", words(note), class_="note", x=MARGIN, y=self.height - 6)


def _cross(x: float, top: float) -> Iterator[str]:
    yield element("path", class_="strike", d=f"M{x:.1f} {top:.1f}v{BAR}")
    yield element("circle", cx=x, cy=top, r=5.5)
    yield element(
        "path", class_="cross", d=f"M{x - 2.2:.1f} {top - 2.2:.1f}l4.4 4.4m0 -4.4l-4.4 4.4"
    )


def _title(track: Track) -> str:
    return cut(printable(track.title), MAX_MACHINE_COLUMNS)


ROWS: Final = 3
MAX_NAME_COLUMNS: Final = 28
FLAG_LETTER: Final = 7.6
"""The approximate width of a letter, in pixels."""
MERGE_DISTANCE: Final = 4.0
"""Events of one name that are fewer pixels apart share a flag."""
MAX_TITLE_LINES: Final = 6


@define(eq=False)
class Flag:
    """Events of one name, or errors of one type, at `x`. All lengths are in pixels."""

    kind: str
    name: str
    x: float
    occurrences: Sequence[SentEvent | RaisedError]
    right_edge: float
    """No name extends beyond it."""
    row: int | None = None
    """The row of the name above the bar; None if there is no room for it."""
    text: str = field(init=False)
    """The name, and the number of occurrences if there are several."""
    left: float = field(init=False)
    """The left edge of the name, including a margin."""
    right: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        times = f" ×{len(self.occurrences)}" if len(self.occurrences) > 1 else ""
        self.text = f"{cut(printable(self.name), MAX_NAME_COLUMNS)}{times}"
        room = columns_of(self.text) * FLAG_LETTER + 12.0
        self.left = self.x if self.x + room <= self.right_edge else self.x - room
        self.right = self.left + room

    @property
    def is_failure(self) -> bool:
        return _is_failure(self.occurrences[0])

    @property
    def is_reversed(self) -> bool:
        """True if the name is to the left of the pin, because there is no room on the right."""
        return self.left < self.x

    def title(self, wording: Wording) -> str:
        lines = [
            wording.error(one) if isinstance(one, RaisedError) else wording.event(one)
            for one in self.occurrences[:MAX_TITLE_LINES]
        ]
        more = len(self.occurrences) - len(lines)
        return "\n".join([*lines, f"and {more} more"] if more else lines)


def _is_failure(occurrence: SentEvent | RaisedError) -> bool:
    return isinstance(occurrence, SentEvent) and occurrence.event == FAILED


def flags_of(track: Track, place: Callable[[float], float], right_edge: float) -> list[Flag]:
    """Return the flags of a machine, without those of state changes that have no room."""
    groups: dict[tuple[str, str, int], list[SentEvent | RaisedError]] = {}
    for kind, name, occurrence in tracks.occurrences_of(track):
        together = int(place(occurrence.time) / MERGE_DISTANCE)
        groups.setdefault((kind, name, together), []).append(occurrence)
    flags = [
        Flag(kind, name, place(occurrences[0].time), occurrences, right_edge)
        for (kind, name, _), occurrences in groups.items()
    ]
    placed: list[Flag] = []
    # from right to left, so that pins pass beside the names below
    for flag in sorted(flags, key=lambda flag: (tracks.precedence(flag.kind, flag.name), -flag.x)):
        flag.row = next((row for row in _rows(flag) if _is_free(flag, row, placed)), None)
        if flag.row is not None:
            placed.append(flag)
    return [flag for flag in flags if flag.row is not None or flag.kind != "changed"]


def _rows(flag: Flag) -> range:
    """Return the possible rows: none for several changes at one place, which the bar shows."""
    if flag.kind == "changed" and len(flag.occurrences) > 1:
        return range(0)
    return range(2 if flag.name == FINISHED else ROWS)


def _is_free(flag: Flag, row: int, placed: Sequence[Flag]) -> bool:
    for other in placed:
        assert other.row is not None
        if row == other.row:
            collides = flag.left < other.right and other.left < flag.right
        elif row < other.row:
            collides = flag.left < other.x < flag.right
        else:
            collides = other.left < flag.x < other.right
        if collides:
            return False
    return True
