"""The picture of a timeline on a terminal: bars of states, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import define, field, frozen

from fsmkit import FINISHED
from fsmkit.recording.timeline.blocks import Block, blocks_of
from fsmkit.recording.timeline.tracks import StateNumbers, Track, Window
from fsmkit.recording.timeline.wording import error_type
from fsmkit.svg.time_axis import ticks
from fsmkit.terminal.console import Console, cut, padded, width

COLUMNS_PER_TICK: Final = 12
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@frozen
class Signs:
    """The characters that the picture is made of."""

    fills: str
    """One for each state of a machine."""
    crowd: str
    """A column with several states."""
    edge: str
    """Between two visits to the same state."""
    change: str
    line: str
    tick: str
    waiting: str
    """A state that is suspended."""


BLOCKS: Final = Signs("░▓▒█▚▄━═" + LETTERS, "┊", "│", "╵", "─", "┴", "┄")
ASCII: Final = Signs("#.=:%+o-" + LETTERS, "*", "|", "'", "-", "+", "-")

ERROR_SIGN: Final = "!"
OUTCOME_SIGNS: Final = {"unhandled": "?", "refused": "/", "ignored": "=", "consumed": "~"}
PRECEDENCE: Final = (ERROR_SIGN, *OUTCOME_SIGNS.values())
"""The earlier ones win where there is no room for all. Changes of the state come last."""


@frozen(order=True)
class _Mark:
    """An event or an error in a column. The text begins with a sign."""

    precedence: int
    column: int
    text: str


@define
class Bars:
    """Draws `tracks`, with the names of the machines before them."""

    tracks: Sequence[Track]
    window: Window
    width: int
    signs: Signs
    numbers: StateNumbers
    console: Console
    columns: int = field(init=False)
    """The columns of the bars; the rest is for the names."""
    _named: dict[tuple[str, str], bool] = field(factory=dict, init=False)
    """Fill, state -> True if the name is in a bar."""

    def __attrs_post_init__(self) -> None:
        widest = max((width(self._title(track)) for track in self.tracks), default=0)
        self.columns = self.width - min(widest, self.width // 4) - 2

    def lines(self) -> Iterator[str]:
        """Yield the axis, the bars, and the meaning of their fills."""
        labels, line = self._axis()
        yield self._line(self.console.styled(labels, "faint"))
        yield self._line(self.console.styled(line, "faint"))
        for track in self.tracks:
            yield self._line(self._bar(track), self._title(track))
            if waiting := self._waiting(track):
                yield self._line(waiting)
            if marks := self._marks(track):
                yield self._line(marks)
        if legend := [f"{fill} {name}" for (fill, name), named in self._named.items() if not named]:
            yield ""
            yield from self._wrapped(legend)

    def _line(self, content: str, title: str = "") -> str:
        room = self.width - self.columns - 2
        return f"{self.console.styled(padded(cut(title, room), room), 'bold')}  {content}"

    def _title(self, track: Track) -> str:
        return "  " * track.depth + self.console.shown(track.title)

    def _column(self, time: float) -> int:
        """Return the column of `time`. The last one is reserved for the very end."""
        share = (time - self.window.start) / (self.window.seconds or 1.0)
        return round(share * (self.columns - 1))

    def _axis(self) -> tuple[str, str]:
        labels, line = "", list(self.signs.line * self.columns)
        max_ticks = self.columns // COLUMNS_PER_TICK + 1
        for time, text in ticks(self.window.start, self.window.end, max_ticks):
            column = self._column(time)
            line[column] = self.signs.tick
            label = self.console.shown(text)
            begin = max(0, min(column, self.columns - len(label)))
            if not labels or begin > len(labels):
                labels = labels.ljust(begin) + label
        return labels, "".join(line)

    def _bar(self, track: Track) -> str:
        bar, reached, before = "", 0, ""
        for block in blocks_of(track.slices, self._column, 1):
            start, end = int(block.start), int(block.end)
            state = self._only_state(block)
            again = bool(state) and state == before and start == reached
            bar += " " * (start - reached) + self._filled(track.machine, block, again)
            reached, before = end, state
        return bar

    def _waiting(self, track: Track) -> str:
        """Return a line below the bar with the states that are suspended; empty without any."""
        line = ""
        for block in blocks_of(track.slices, self._column, 1):
            visits = [piece.visit for piece in block.slices]
            names = dict.fromkeys(name for visit in visits for name in visit.suspended)
            if names:
                room = int(block.end) - int(block.start)
                label = f" {self.console.shown(', '.join(names))} "
                text = label if width(label) + 2 <= room else ""
                blanks = room - width(text)
                self._named.setdefault((self.signs.waiting, "suspended"), False)
                line = padded(line, int(block.start))
                sign = self.signs.waiting
                line += sign * (blanks // 2) + text + sign * (blanks - blanks // 2)
        return line

    def _filled(self, machine: str, block: Block, again: bool) -> str:
        """Return the columns of a block; `again` if the same state is right before it."""
        columns = int(block.end) - int(block.start)
        for piece in block.slices:
            self._named.setdefault(self._fill(machine, piece.visit.state), False)
        state = self._only_state(block)
        if not state:
            self._named.setdefault((self.signs.crowd, "several states"), False)
            return self.signs.crowd * columns
        fill, name = self._fill(machine, state)
        edge = self.signs.edge if again else ""
        rest = columns - len(edge)
        blanks = rest - width(name) - 2
        if blanks < 2:
            return edge + fill * rest
        self._named[fill, name] = True
        label = self.console.styled(name, "bold")
        return f"{edge}{fill * (blanks // 2)} {label} {fill * (blanks - blanks // 2)}"

    def _fill(self, machine: str, state: str) -> tuple[str, str]:
        return self.signs.fills[self.numbers[machine, state]], self.console.shown(state)

    def _only_state(self, block: Block) -> str:
        """Return the state if there is only one, otherwise an empty string."""
        states = {piece.visit.state for piece in block.slices}
        return states.pop() if len(states) == 1 else ""

    def _marks(self, track: Track) -> str:
        """Return events and errors, each after its sign, with its name if there is room for it.

        Those that changed the state give way to the others, since the bar shows changes as well.
        """
        marks = sorted(self._occurrences(track))
        line = {mark.column: mark.text[0] for mark in reversed(marks) if mark.text[0] in PRECEDENCE}
        for mark in marks:
            end = mark.column + width(mark.text)
            others = [
                (column, column + width(text))
                for column, text in line.items()
                if column != mark.column or text != mark.text[0]
            ]
            if end <= self.columns and all(e < mark.column or end < c for c, e in others):
                line[mark.column] = mark.text
        text = ""
        for column in sorted(line):
            text = padded(text, column) + line[column]
        return text

    def _occurrences(self, track: Track) -> Iterator[_Mark]:
        for raised in track.errors:
            yield self._mark(raised.time, ERROR_SIGN, error_type(raised))
        signs = {**OUTCOME_SIGNS, "changed": self.signs.change}
        for sent in track.events:
            if sent.outcome in signs:
                yield self._mark(sent.time, signs[sent.outcome], sent.event)

    def _mark(self, time: float, sign: str, name: str) -> _Mark:
        precedence = (
            PRECEDENCE.index(sign) if sign in PRECEDENCE else len(PRECEDENCE) + (name == FINISHED)
        )
        return _Mark(precedence, self._column(time), f"{sign}{self.console.shown(name)}")

    def _wrapped(self, items: Sequence[str]) -> Iterator[str]:
        line = ""
        for item in items:
            if line and width(line) + width(item) + 3 > self.width:
                yield line
                line = ""
            line += f"   {item}" if line else cut(item, self.width)
        yield line
