"""timeline_text: a timeline for the terminal.

It consists of bars of states, one below the other, and a list of changes of state, of events
without effect, and of errors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import define, field, frozen

from fsmkit.recording.chronicle import Chronicle, StateVisit
from fsmkit.recording.timeline import tracks
from fsmkit.recording.timeline.tracks import Block, StateNumbers, Track, Window, Wording
from fsmkit.svg.axis import ticks
from fsmkit.terminal.console import PAPER, Console, cut, padded, width
from fsmkit.terminal.console import width as width_of

MIN_WIDTH: Final = 40
MAX_MACHINES: Final = 20
MAX_ENTRIES: Final = 40
MAX_ERROR_LINES: Final = 4
MAX_NAME_COLUMNS: Final = 24
HEADINGS: Final = ("time", "machine", "from", "event", "to", "sent by")


def timeline_text(
    chronicle: Chronicle,
    *,
    width: int = 100,
    whole: bool = False,
    start: float | None = None,
    end: float | None = None,
    console: Console | None = None,
) -> str:
    """Return a timeline as text: a bar of states for each machine, and a list of what happened.

    Below each bar are events: those that changed the state, and after a sign those that did not:
    `?` unhandled, `/` refused by its guards, `=` ignored (its target is the current state, or the
    machine ignores what it does not know), `~` consumed by an action; `!` is an error. States that
    are suspended have a line of their own below the bar. Of very many machines only the busiest are
    shown, of a long list only the end.

    `width` is in columns, at least 40; with `whole` it is that of the bars, and nothing is cut or
    left out. `start` and `end` are in seconds and select a part. For a `console` with colours the
    text is styled; characters that it cannot show are avoided. Raises ValueError if `end` is before
    `start`.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> history = History(lamp)
    >>> lamp.start()
    >>> lamp.update(1.5)
    >>> _ = lamp.send_event("PRESSED")
    >>> lamp.update(2.5)
    >>> print(timeline_text(history.chronicle(), width=50))
          0 s                   2 s                4 s
          ┴─────────────────────┴────────────────────┴
    Lamp  ░░░░░ Off ░░░░░░▓▓▓▓▓▓▓▓▓▓▓ On ▓▓▓▓▓▓▓▓▓▓▓▓
                          ╵PRESSED
    <BLANKLINE>
      time  machine  from  event    to
    0.00 s  Lamp           (start)  Off
    1.50 s  Lamp     Off   PRESSED  On
    """
    window = Window.of(chronicle, start, end)
    width, console = max(width, MIN_WIDTH), console or PAPER
    signs = BLOCKS if console.has_blocks else ASCII
    found = tracks.tracks_of(chronicle, window)
    shown = found if whole else tracks.busiest(found, MAX_MACHINES)
    numbers = tracks.state_numbers(chronicle, len(signs.fills))
    lines = [*TextBars(shown, window, width, whole, signs, numbers, console).lines()]
    if more := len(found) - len(shown):
        lines += ["", f"{more} more machines, less busy, are not shown."]
    if listed := entries(shown, window):
        lines += ["", *_list(listed, window, None if whole else width, console)]
    return "\n".join(line.rstrip() for line in lines)


def _list(
    listed: Sequence[ListedEntry], window: Window, width: int | None, console: Console
) -> Iterator[str]:
    """Yield the list; all of it, and nothing cut, without a `width`."""
    room = sys.maxsize if width is None else width
    last, most = (listed, room) if width is None else (listed[-MAX_ENTRIES:], MAX_NAME_COLUMNS)
    wording = Wording(window.seconds)
    rows = [list(HEADINGS), *(_cells(entry, wording, most, console) for entry in last)]
    if not any(entry.sender for entry in last):
        rows = [row[:-1] for row in rows]
    columns = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        row[0] = row[0].rjust(columns[0])
    yield console.styled(cut(_joined(rows[0], columns), room), "faint")
    if before := len(listed) - len(last):
        yield f"{' ' * columns[0]}  {before} more before"
    for entry, row in zip(last, rows[1:], strict=True):
        yield cut(_joined(row, columns), room)
        for line in entry.error.splitlines()[: MAX_ERROR_LINES if width else None]:
            yield cut(f"{' ' * columns[0]}  {console.shown(line)}", room)


def _cells(entry: ListedEntry, wording: Wording, most: int, console: Console) -> list[str]:
    source = f"{entry.source} (suspended)" if entry.waits else entry.source
    names = (entry.machine, source, entry.event, entry.target)
    shown = [cut(console.shown(name), most) for name in names]
    return [wording.time(entry.time), *shown, console.shown(entry.sender)]


def _joined(cells: Sequence[str], columns: Sequence[int]) -> str:
    return "  ".join(map(padded, cells, columns)).rstrip()


LISTED_OUTCOMES: Final = ("refused", "ignored", "unhandled")
"""The outcomes of listed events; others lead to a change or concern only an action."""


@frozen
class ListedEntry:
    time: float
    machine: str
    source: str
    """The state the machine was in; empty if it was not running."""
    event: str
    """An event, or in brackets `(start)`, `(stop)`, `(error)`."""
    target: str = ""
    """The state it went to, or in brackets the outcome of the event."""
    sender: str = ""
    error: str = ""
    waits: bool = False
    """True if the change suspends the state the machine was in."""


def entries(shown: Iterable[Track], window: Window) -> list[ListedEntry]:
    changes: list[ListedEntry] = []
    others: list[ListedEntry] = []
    for track in shown:
        changes += (change for change in _changes(track) if window.has(change.time))
        others += _others(track)
    changes.sort(key=lambda entry: entry.time)
    others.sort(key=lambda entry: entry.time)
    return list(_merged(changes, others))


def _changes(track: Track) -> Iterator[ListedEntry]:
    taken = (sent for sent in track.events if sent.outcome == "changed" and sent.data is not None)
    names = {(sent.time, sent.event): tracks.event_title(sent) for sent in taken}
    for before, visit in zip((None, *track.visits), track.visits, strict=False):
        source = ""
        if before is not None and visit.event is not None:
            source = before.state
        elif before is not None and before.end is not None:
            yield _stop(before, before.end)
        event = visit.event or ""
        event = "(start)" if visit.event is None else names.get((visit.start, event), event)
        target = f"{visit.state} (resumed)" if visit.resumed else visit.state
        waits = bool(source) and visit.suspended[-1:] == (source,)
        yield ListedEntry(
            visit.start, track.machine, source, event, target, visit.sender, waits=waits
        )
    for last in track.visits[-1:]:
        if last.end is not None:
            yield _stop(last, last.end)


def _stop(visit: StateVisit, time: float) -> ListedEntry:
    return ListedEntry(time, visit.machine, visit.state, "(stop)")


def _others(track: Track) -> Iterator[ListedEntry]:
    for sent in track.events:
        if sent.outcome in LISTED_OUTCOMES:
            outcome = f"({sent.outcome})"
            name = tracks.event_title(sent)
            yield ListedEntry(sent.time, track.machine, sent.state, name, outcome, sent.sender)
    for raised in track.errors:
        yield ListedEntry(raised.time, track.machine, raised.state, "(error)", error=raised.error)


def _merged(changes: Iterable[ListedEntry], others: Iterable[ListedEntry]) -> Iterator[ListedEntry]:
    """Merge both by time; at equal times, entries of a state come before its exit."""
    waiting = list(others)[::-1]
    for change in changes:
        while waiting and _is_before(waiting[-1], change):
            yield waiting.pop()
        yield change
    yield from reversed(waiting)


def _is_before(other: ListedEntry, change: ListedEntry) -> bool:
    if other.time == change.time:
        return (other.machine, other.source) == (change.machine, change.source)
    return other.time < change.time


COLUMNS_PER_TICK: Final = 12
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@frozen
class Signs:
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

SIGNS: Final = {
    "error": "!", "unhandled": "?", "refused": "/", "ignored": "=", "consumed": "~",
}  # fmt: skip
"""Kind -> the sign before its name; that of a change depends on the console."""


@frozen(order=True)
class _Mark:
    precedence: tuple[int, bool]
    column: int
    text: str


@define
class TextBars:
    tracks: Sequence[Track]
    window: Window
    width: int
    whole: bool
    signs: Signs
    numbers: StateNumbers
    console: Console
    columns: int = field(init=False)
    """The columns of the bars."""
    room: int = field(init=False)
    """The columns of the names before them."""
    _named: dict[tuple[str, str], bool] = field(factory=dict, init=False)
    """Fill, state -> True if the name is in a bar."""

    def __attrs_post_init__(self) -> None:
        widest = max((width(self._title(track)) for track in self.tracks), default=0)
        least = min(widest, self.width // 4)
        self.columns = self.width - least - 2
        self.room = widest if self.whole else least

    def lines(self) -> Iterator[str]:
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
        name = self.console.styled(padded(cut(title, self.room), self.room), "bold")
        return f"{name}  {content}"

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
        for block in tracks.blocks_of(track.slices, self._column, 1):
            start, end = int(block.start), int(block.end)
            state = self._only_state(block)
            again = bool(state) and state == before and start == reached
            bar += " " * (start - reached) + self._filled(track.machine, block, again)
            reached, before = end, state
        return bar

    def _waiting(self, track: Track) -> str:
        line = ""
        for block in tracks.blocks_of(track.slices, self._column, 1):
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
        signs = {**SIGNS, "changed": self.signs.change}
        marks = sorted(
            _Mark(
                tracks.precedence(kind, name),
                self._column(occurrence.time),
                signs[kind] + self.console.shown(name),
            )
            for kind, name, occurrence in tracks.occurrences_of(track)
        )
        line = {m.column: m.text[0] for m in reversed(marks) if m.text[0] != self.signs.change}
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

    def _wrapped(self, items: Sequence[str]) -> Iterator[str]:
        line = ""
        for item in items:
            if line and width(line) + width(item) + 3 > self.width:
                yield line
                line = ""
            line += f"   {item}" if line else cut(item, self.width)
        yield line
