"""Audience: the pages that are open, and what is kept of the machines that they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any, Final

from fsmkit.inspector.loop.machines import Cast
from fsmkit.inspector.loop.mailbox import Frame, Mailbox, Points
from fsmkit.inspector.loop.watched_machine import Focus

PATIENCE: Final = 5.0
"""Seconds that a machine is held at a breakpoint though no page is open."""

MOST_FORGOTTEN: Final = 4
"""How many machines are kept that nobody looks at any more: one may come back to them."""


class Audience:
    """Tells pages what they are to be told, so many times a second.

    `clock` tells the seconds that the inspector goes by.
    """

    def __init__(self, cast: Cast, rate: float, clock: Callable[[], float]) -> None:
        self.cast = cast
        self.rate = rate
        self._clock = clock
        self._pages: tuple[Mailbox, ...] = ()
        self._left_at = monotonic()
        self._focuses: dict[str, Focus] = {}
        self._next = 0.0

    def __iter__(self) -> Iterator[Focus]:
        return iter(self._focuses.values())

    def close(self) -> None:
        """Watch no more."""
        for focus in self:
            focus.close()

    # The pages

    def join(self, page: Mailbox) -> None:
        """Tell this page, too. On the server's side."""
        page.select(self.cast.only)
        self._pages = (*self._pages, page)
        self.hurry()

    def leave(self, page: Mailbox) -> None:
        """Tell this page nothing more. On the server's side."""
        self._pages = tuple(other for other in self._pages if other is not page)
        self._left_at = monotonic()

    @property
    def has_gone(self) -> bool:
        """Whether no page has been open for a while."""
        return not self._pages and monotonic() > self._left_at + PATIENCE

    # What is kept

    def focus(self, name: str) -> Focus:
        """What is kept of that machine; it begins now if nobody has looked at it yet."""
        if name not in self._focuses:
            self._make_room()
            self._focuses[name] = Focus(self.cast.machine(name), self.cast.roster, self._clock)
        self._focuses[name] = self._focuses.pop(name)  # the last one looked at is the last one
        return self._focuses[name]

    def is_in_focus(self, name: str) -> bool:
        """Whether anything is kept of that machine."""
        return name in self._focuses

    def note(self, text: str) -> None:
        """Write a remark into every log."""
        for focus in self:
            focus.note(text)

    def moved(self, text: str) -> None:
        """Machines have been brought somewhere else without being told."""
        for focus in self:
            focus.moved(text)
        self.cast.look_again()

    def _make_room(self) -> None:
        """Forget the machines that nobody looks at, but for the last few."""
        looked_at = {page.selected for page in self._pages}
        forgotten = [name for name in self._focuses if name not in looked_at]
        for name in forgotten[:-MOST_FORGOTTEN]:
            self._focuses.pop(name).close()

    # Frames

    @property
    def is_waiting(self) -> bool:
        """Whether it is time for the next frame."""
        return bool(self._pages) and monotonic() >= self._next

    def hurry(self) -> None:
        """Send the next frame at once."""
        self._next = 0.0

    def tell(self, status: dict[str, Any], points: Points) -> None:
        """Send a frame to every page."""
        self._next = monotonic() + 1.0 / self.rate
        joined, left = self.cast.look()
        gone = [*left, *self._forget_gone()]
        for page in self._pages:
            self._have_selected(page, gone)
        frame = Frame(status, self.cast.changed_states(), joined, left, points)
        details: dict[str, Any] = {}
        for page in self._pages:
            focus = self._shown(page, may_begin=status["held"] is None)
            if focus is None:
                page.put(frame, None, ())
                continue
            name = str(page.selected)
            if name not in details:
                details[name] = focus.detail()
            page.put(frame, details[name], focus.log.since(page.log_position))

    def _forget_gone(self) -> list[str]:
        """Forget machines that are not there any more; their names may be those of others."""
        names = self.cast.roster.names
        gone = [name for name, focus in self._focuses.items() if names.get(focus.machine) != name]
        for name in gone:
            self._focuses.pop(name).close()
        return gone

    def _have_selected(self, page: Mailbox, gone: Sequence[str]) -> None:
        """Have another machine selected if that one has gone: its namesake, or the first one."""
        selected = page.selected if page.selected in self.cast else self.cast.only
        if selected != page.selected or selected in gone:
            page.select(selected)

    def _shown(self, page: Mailbox, *, may_begin: bool) -> Focus | None:
        """What is kept of the selected machine. In the middle of a call nothing can begin."""
        if page.selected is None or not may_begin:
            return self._focuses.get(page.selected or "")
        return self.focus(page.selected)
