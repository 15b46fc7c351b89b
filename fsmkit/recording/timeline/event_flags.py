"""Flags: events and errors above the bar of a machine, with their names where there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attrs import define, field

from fsmkit import FINISHED
from fsmkit.recording.chronicle import RaisedError, SentEvent
from fsmkit.recording.timeline.tracks import Track
from fsmkit.recording.timeline.wording import Wording, cut, error_type
from fsmkit.terminal.console import printable, width

GRAVITY: Final = ("error", "unhandled", "ignored", "consumed", "changed")
"""The first of these come first where there is no room for all."""

ROWS: Final = 3
NAME_COLUMNS: Final = 28
LETTER: Final = 7.6
"""The width of a letter, about, in pixels."""
TOGETHER: Final = 4.0
"""Events of one name that are fewer pixels apart share a flag."""
MOST_TOLD: Final = 6


@define(eq=False)
class Flag:
    """Events of one name, or errors of one type, at `x`. All lengths are in pixels."""

    kind: str
    name: str
    x: float
    happenings: Sequence[SentEvent | RaisedError]
    right_edge: float
    """No name reaches further."""
    row: int | None = None
    """How high the name stands above the bar; None if there is no room for it."""
    text: str = field(init=False)
    """The name, and how many there are."""
    left: float = field(init=False)
    """Where it begins, with some room around it."""
    right: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        times = f" ×{len(self.happenings)}" if len(self.happenings) > 1 else ""
        self.text = f"{cut(printable(self.name), NAME_COLUMNS)}{times}"
        room = width(self.text) * LETTER + 12.0
        self.left = self.x if self.x + room <= self.right_edge else self.x - room
        self.right = self.left + room

    @property
    def is_reversed(self) -> bool:
        """Whether the name stands before the pin, as behind it there is no room."""
        return self.left < self.x

    def title(self, wording: Wording) -> str:
        """What happened, in words."""
        told = [
            wording.error(one) if isinstance(one, RaisedError) else wording.event(one)
            for one in self.happenings[:MOST_TOLD]
        ]
        more = len(self.happenings) - len(told)
        return "\n".join([*told, f"and {more} more"] if more else told)


def flags_of(track: Track, place: Callable[[float], float], right_edge: float) -> list[Flag]:
    """The flags of a machine, without those of state changes that there is no room for."""
    groups: dict[tuple[str, str, int], list[SentEvent | RaisedError]] = {}
    for kind, name, happening in _happenings(track):
        together = int(place(happening.time) / TOGETHER)
        groups.setdefault((kind, name, together), []).append(happening)
    flags = [
        Flag(kind, name, place(happenings[0].time), happenings, right_edge)
        for (kind, name, _), happenings in groups.items()
    ]
    placed: list[Flag] = []
    for flag in sorted(flags, key=_precedence):
        flag.row = next((row for row in _rows(flag) if _is_free(flag, row, placed)), None)
        if flag.row is not None:
            placed.append(flag)
    return [flag for flag in flags if flag.row is not None or flag.kind != "changed"]


def _happenings(track: Track) -> Iterator[tuple[str, str, SentEvent | RaisedError]]:
    for sent in track.events:
        if sent.outcome in GRAVITY:  # a queued one comes again
            yield sent.outcome, sent.event, sent
    for raised in track.errors:
        yield "error", error_type(raised), raised


def _precedence(flag: Flag) -> tuple[int, bool, float]:
    """From right to left, for then pins pass beside the names below."""
    return GRAVITY.index(flag.kind), flag.name == FINISHED, -flag.x


def _rows(flag: Flag) -> range:
    """Those it may stand in: none for many changes at one place, as the bar shows a crowd there."""
    if flag.kind == "changed" and len(flag.happenings) > 1:
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
