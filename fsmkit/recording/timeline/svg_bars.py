"""The picture of a timeline in SVG: bars of states, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define, evolve, field

from fsmkit.recording.chronicle import StateVisit
from fsmkit.recording.timeline.blocks import Block, blocks_of
from fsmkit.recording.timeline.event_flags import Flag, flags_of
from fsmkit.recording.timeline.tracks import StateNumbers, Track, Window
from fsmkit.recording.timeline.wording import Wording
from fsmkit.svg.elements import element, words
from fsmkit.svg.time_axis import ticks
from fsmkit.terminal.console import cut, printable
from fsmkit.terminal.console import width as columns_of

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
class Bars:
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
        tracks = [element("g", *self._track(track), class_="track") for track in self.tracks]
        bottom = self.height + GAP
        self.height = bottom
        below = [*self._legend(), *self._notes()]
        self.height += MARGIN / 2
        yield element(
            "rect", class_="page", x=0.5, y=0.5, rx=12, width=self.width - 1, height=self.height - 1
        )
        yield element("g", *self._axis(bottom), class_="axis")
        yield from tracks
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
        for block in blocks_of(track.slices, self._x, MIN_SLICE):
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
        """Yield the name of the state in its bar, if there is room for enough of it."""
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
            side = (
                {"x": flag.x - 6.0, "text_anchor": "end"}
                if flag.is_reversed
                else {"x": flag.x + 6.0}
            )
            parts.append(element("text", words(flag.text), y=middle + 4, **side))
        if flag.kind == "error":
            parts += _cross(flag.x, top)
        elif flag.kind != "changed":
            parts.append(element("circle", cx=flag.x, cy=top, r=3.5))
        return element(
            "g", *parts, class_="error" if flag.kind == "error" else f"event {flag.kind}"
        )

    def _legend(self) -> Iterator[str]:
        """Yield the meaning of fills whose names are in no bar."""
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
