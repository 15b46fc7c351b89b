"""Subscribers: the open pages, and the machines that are watched for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.inspector.loop.all_machines import AllMachines
from fsmkit.inspector.loop.inspected import Inspected, Watched
from fsmkit.inspector.loop.mailbox import BreakpointList, Frame, Mailbox
from fsmkit.inspector.loop.sends import Sends
from fsmkit.inspector.reading.chart import machines_of
from fsmkit.inspector.reading.part_reader import Reports

PATIENCE: Final = 5.0
"""Seconds for which a machine is held at a breakpoint while no page is open."""

MOST_UNSELECTED: Final = 4
"""Machines that stay watched though no page has selected them: a page may come back to them."""


class Subscribers:
    """Sends frames to the pages, `rate` times a second.

    `watch` begins to watch the machine of a name; `known` is what is known of all of them.
    """

    def __init__(
        self,
        inspected: Inspected,
        rate: float,
        watch: Callable[[str], Watched],
        known: AllMachines,
        sends: Sends,
    ) -> None:
        self.inspected = inspected
        self.known = known
        self._sends = sends
        self.rate = rate
        self._watch = watch
        self._pages: tuple[Mailbox, ...] = ()
        self._left_at = monotonic()
        self._watched: dict[str, Watched] = {}
        self._next = 0.0
        self._reports = Reports()

    def __iter__(self) -> Iterator[Watched]:
        return iter(self._watched.values())

    def close(self) -> None:
        """Stop watching."""
        for watched in self:
            watched.close()

    # The pages

    def join(self, page: Mailbox) -> None:
        """Add a page. Called in the server's thread."""
        page.select(self.inspected.first)
        self._pages = (*self._pages, page)
        self.hurry()

    def leave(self, page: Mailbox) -> None:
        """Remove a page. Called in the server's thread."""
        self._pages = tuple(other for other in self._pages if other is not page)
        self._left_at = monotonic()
        self.note_wishes()

    def note_wishes(self) -> None:
        """Note what machines send each other for as long as a page shows that."""
        self._sends.is_wanted = any(page.follows_sends for page in self._pages)

    @property
    def are_gone(self) -> bool:
        """True if no page has been open for a while."""
        return not self._pages and monotonic() > self._left_at + PATIENCE

    # The watched machines

    def watched(self, name: str) -> Watched:
        """Return the machine of that name, watched from now on."""
        if name not in self._watched:
            self._make_room()
            self._watched[name] = self._watch(name)
        self._watched[name] = self._watched.pop(name)  # the order is that of use
        return self._watched[name]

    def is_watched(self, name: str) -> bool:
        """Return True if the machine of that name is watched."""
        return name in self._watched

    def note(self, text: str) -> None:
        """Write a note into every log."""
        for watched in self:
            watched.note(text)
        self.known.note(text)

    def note_about(self, machine: Fsm[Any], text: str) -> None:
        """Write a note into the logs in which this machine appears."""
        for watched in self:
            if machine in machines_of(watched.machine):
                watched.note(text)

    def note_jump(self, text: str) -> None:
        """Note that machines are in other states without having changed to them."""
        for watched in self:
            watched.note_jump(text)
        self.known.note(text)
        self.inspected.mark_all_changed()

    def _make_room(self) -> None:
        """Stop watching the machines that no page has selected, except for the latest ones."""
        selected = {page.selected for page in self._pages}
        unselected = [name for name in self._watched if name not in selected]
        for name in unselected[:-MOST_UNSELECTED]:
            self._watched.pop(name).close()

    # Frames

    @property
    def is_frame_due(self) -> bool:
        """True if it is time for the next frame; without pages, to see who joins and leaves."""
        return monotonic() >= self._next

    def hurry(self) -> None:
        """Send the next frame without delay."""
        self._next = 0.0

    def send_frame(self, status: dict[str, Any], breakpoints: BreakpointList) -> None:
        """Send a frame to every page."""
        self._next = monotonic() + 1.0 / self.rate
        joined, left = self.inspected.update()
        gone = [*left, *self._forget_gone()]
        if not self._pages:
            return
        for page in self._pages:
            self._select_existing(page, gone)
        states, marks = self.inspected.changed_states(), self.known.take_marks()
        frame = Frame(status, states, joined, left, breakpoints, marks)
        repeats = self.known.take_repeats()
        for page in self._pages:
            page.collect(self.known, repeats, left)
            page.collect_sends(self._sends.ring)
        details: dict[str | None, Any] = {}
        for page in self._pages:
            try:
                watched = self._shown(page, may_begin=status["held"] is None)
                if watched is not None and page.selected not in details:
                    details[page.selected] = watched.detail()
            except Exception as error:  # the others are sent theirs
                self._reports.report(f"the machine {page.selected!r}", error)
                watched = None
            log = watched.log.since(page.log_position) if watched is not None else ()
            page.put(frame, details.get(page.selected), log)

    def _forget_gone(self) -> list[str]:
        """Stop watching machines that have gone; others may have taken their names."""
        there = self.inspected.is_there
        gone = [name for name, each in self._watched.items() if not there(name, each)]
        for name in gone:
            self._watched.pop(name).close()
        return gone

    def _select_existing(self, page: Mailbox, gone: Sequence[str]) -> None:
        """Select another machine if the selected one has gone: its namesake, or the first one."""
        selected = page.selected if page.selected in self.inspected else self.inspected.first
        if selected != page.selected or selected in gone:
            page.select(selected)

    def _shown(self, page: Mailbox, *, may_begin: bool) -> Watched | None:
        """Return the selected machine. In the middle of a call watching cannot begin."""
        if page.selected is None or not may_begin:
            return self._watched.get(page.selected or "")
        return self.watched(page.selected)
