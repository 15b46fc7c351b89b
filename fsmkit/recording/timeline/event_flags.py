"""Flags: events and errors above the bar of a machine, with their names where there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attrs import define, field

from fsmkit import FINISHED
from fsmkit.recording.chronicle import RaisedError, SentEvent
from fsmkit.recording.timeline.tracks import Track
from fsmkit.recording.timeline.wording import Wording, error_type
from fsmkit.terminal.console import cut, printable, width

PRECEDENCE: Final = ("error", "unhandled", "refused", "ignored", "consumed", "changed")
"""The earlier ones win where there is no room for all."""

ROWS: Final = 3
MAX_NAME_COLUMNS: Final = 28
LETTER: Final = 7.6
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
        room = width(self.text) * LETTER + 12.0
        self.left = self.x if self.x + room <= self.right_edge else self.x - room
        self.right = self.left + room

    @property
    def is_reversed(self) -> bool:
        """True if the name is to the left of the pin, because there is no room on the right."""
        return self.left < self.x

    def title(self, wording: Wording) -> str:
        """Return what happened, in words."""
        lines = [
            wording.error(one) if isinstance(one, RaisedError) else wording.event(one)
            for one in self.occurrences[:MAX_TITLE_LINES]
        ]
        more = len(self.occurrences) - len(lines)
        return "\n".join([*lines, f"and {more} more"] if more else lines)


def flags_of(track: Track, place: Callable[[float], float], right_edge: float) -> list[Flag]:
    """Return the flags of a machine, without those of state changes that have no room."""
    groups: dict[tuple[str, str, int], list[SentEvent | RaisedError]] = {}
    for kind, name, occurrence in _occurrences(track):
        together = int(place(occurrence.time) / MERGE_DISTANCE)
        groups.setdefault((kind, name, together), []).append(occurrence)
    flags = [
        Flag(kind, name, place(occurrences[0].time), occurrences, right_edge)
        for (kind, name, _), occurrences in groups.items()
    ]
    placed: list[Flag] = []
    for flag in sorted(flags, key=_precedence):
        flag.row = next((row for row in _rows(flag) if _is_free(flag, row, placed)), None)
        if flag.row is not None:
            placed.append(flag)
    return [flag for flag in flags if flag.row is not None or flag.kind != "changed"]


def _occurrences(track: Track) -> Iterator[tuple[str, str, SentEvent | RaisedError]]:
    for sent in track.events:
        if sent.outcome in PRECEDENCE:  # a queued one is sent again
            yield sent.outcome, sent.event, sent
    for raised in track.errors:
        yield "error", error_type(raised), raised


def _precedence(flag: Flag) -> tuple[int, bool, float]:
    """Return a sort key: from right to left, so that pins pass beside the names below."""
    return PRECEDENCE.index(flag.kind), flag.name == FINISHED, -flag.x


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
