"""timeline_text: a timeline for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.timeline.change_list import Entry, entries
from fsmkit.recording.timeline.text_bars import ASCII, BLOCKS, Bars
from fsmkit.recording.timeline.tracks import Window, busiest, state_numbers, tracks_of
from fsmkit.recording.timeline.wording import Wording
from fsmkit.terminal.console import PAPER, Console, cut, padded
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
    start: float | None = None,
    end: float | None = None,
    console: Console | None = None,
) -> str:
    """Return a timeline as text: a bar of states for each machine, and a list of what happened.

    Below each bar are events: those that changed the state, and after a sign those that did not:
    `?` unhandled, `/` refused by its guards, `=` ignored (its target is the current state), `~`
    consumed by an action; `!` is an error. States that are suspended have a line of their own below
    the bar. Of very many machines the busiest are shown, of a long list the end.

    `width` is in columns, at least 40; `start` and `end` are in seconds and select a part. For a
    `console` with colours the text is styled; characters that it cannot show are avoided. Raises
    ValueError if `end` is before `start`.

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
    tracks = tracks_of(chronicle, window)
    shown = busiest(tracks, MAX_MACHINES)
    numbers = state_numbers(chronicle, len(signs.fills))
    lines = [*Bars(shown, window, width, signs, numbers, console).lines()]
    if more := len(tracks) - len(shown):
        lines += ["", f"{more} machines more, less busy, are not shown."]
    if listed := entries(shown, window):
        lines += ["", *_list(listed, window, width, console)]
    return "\n".join(line.rstrip() for line in lines)


def _list(listed: Sequence[Entry], window: Window, width: int, console: Console) -> Iterator[str]:
    """Yield a table of the last entries of `listed`."""
    last, wording = listed[-MAX_ENTRIES:], Wording(window.seconds)
    rows = [list(HEADINGS), *(_cells(entry, wording, console) for entry in last)]
    if not any(entry.sender for entry in last):
        rows = [row[:-1] for row in rows]
    columns = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        row[0] = row[0].rjust(columns[0])
    yield console.styled(cut(_joined(rows[0], columns), width), "faint")
    if before := len(listed) - len(last):
        yield f"{' ' * columns[0]}  {before} more before"
    for entry, row in zip(last, rows[1:], strict=True):
        yield cut(_joined(row, columns), width)
        for line in entry.error.splitlines()[:MAX_ERROR_LINES]:
            yield cut(f"{' ' * columns[0]}  {console.shown(line)}", width)


def _cells(entry: Entry, wording: Wording, console: Console) -> list[str]:
    source = f"{entry.source} (suspended)" if entry.waits else entry.source
    names = (entry.machine, source, entry.event, entry.target)
    shown = [cut(console.shown(name), MAX_NAME_COLUMNS) for name in names]
    return [wording.time(entry.time), *shown, console.shown(entry.sender)]


def _joined(cells: Sequence[str], columns: Sequence[int]) -> str:
    return "  ".join(map(padded, cells, columns)).rstrip()
