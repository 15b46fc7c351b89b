"""Subscribers: the open pages, the rows of their list, and the machines watched for them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, Final, Protocol, TypeAlias

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.live.journal import LiveJournal
from fsmkit.inspector.live.mailbox import BreakpointRows, PageFrame, PageMailbox
from fsmkit.inspector.live.requests.page_request import RequestError
from fsmkit.inspector.reading.candidates import state_name
from fsmkit.inspector.reading.chart import DrawnExtent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.machine_log import MachineLog
from fsmkit.inspector.reading.page_values import Reports
from fsmkit.inspector.reading.rewind import RewindFrame
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import MachineNames, members

NamedStates: TypeAlias = list[tuple[str, str | None]]
"""Names and states; None for what is not running."""


class WatchedRow(Protocol):
    """A row of the page's list, with its log and its past, while a page shows it."""

    log: MachineLog

    @property
    def machine(self) -> Fsm[Any]:
        """The machine itself; for a crowd, the one that all its agents run."""
        ...

    def before_update(self) -> None: ...

    def after_update(self) -> None: ...

    def detail(self) -> Detail: ...

    def drawing(self, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]: ...

    def moment(self, time: float) -> dict[str, Any] | None:
        """Return what the page shows of it as it was then; None if nothing has been kept yet."""
        ...

    def go_back(self, seq: int) -> RewindFrame | None:
        """Go back to a moment and return it; None if it is not kept or has no snapshot."""
        ...

    def note(self, text: str) -> None: ...

    def note_jump(self, text: str) -> None:
        """Note that machines are in other states without having changed to them."""

    def close(self) -> None: ...


class Inspected(Protocol):
    """The rows of the page's list, and which of them have changed since the last frame."""

    naming: MachineNames

    @property
    def machines(self) -> Fsm[Any] | FsmGroup:
        """The machines, for a snapshot of all. Raises RequestError if there are none."""
        ...

    @property
    def first(self) -> str | None: ...

    @property
    def states(self) -> NamedStates:
        """The name and the state of each. May be read from any thread."""
        ...

    def __contains__(self, name: object) -> bool: ...

    def machine(self, name: str) -> Fsm[Any]:
        """Return the machine of that name, nested ones included. Raises RequestError."""
        ...

    def is_there(self, name: str, watched: WatchedRow) -> bool: ...

    def succeeds(self, name: str, watched: WatchedRow) -> bool:
        """Return True if the machine of that name has taken the place of a watched one."""
        ...

    def update(self) -> tuple[NamedStates, list[str]]:
        """Return those that have joined, with their states, and the names that have left."""
        ...

    def mark_all_changed(self) -> None:
        """Mark all as changed: any of them may be in another state."""

    def changed_states(self) -> dict[str, str | None]:
        """Return the states of those that have changed since the last call."""
        ...

    def close(self) -> None: ...


@define(eq=False)
class InspectedMachines:
    """Tracks which machines are there, and which have changed state since the last frame.

    `journal` observes each of them while it is there; `forget` is called with each that leaves.
    """

    machines: Fsm[Any] | FsmGroup
    _forget: Callable[[Fsm[Any]], object]
    _journal: LiveJournal
    naming: MachineNames = field(init=False)
    _present: tuple[Fsm[Any], ...] = field(default=(), init=False)
    _by_name: dict[str, Fsm[Any]] = field(factory=dict, init=False)
    _jumped: dict[Fsm[Any], None] = field(factory=dict, init=False)
    _replaced: dict[Fsm[Any], Fsm[Any]] = field(factory=dict, init=False)
    """Machine -> the one that a hot reload has put in its place, at the last update."""

    def __attrs_post_init__(self) -> None:
        self.naming = self._journal.naming
        self.update()

    @property
    def first(self) -> str | None:
        return next(iter(self._by_name), None)

    @property
    def states(self) -> NamedStates:
        return [(name, state_name(machine)) for name, machine in tuple(self._by_name.items())]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name or name in self.naming.names.values()

    def machine(self, name: str) -> Fsm[Any]:
        if name in self._by_name:
            return self._by_name[name]
        for machine, other in self.naming.names.items():
            if other == name:
                return machine
        raise RequestError(f"{name!r} is not (or no longer) an inspected machine.")

    def is_there(self, name: str, watched: WatchedRow) -> bool:
        return self.naming.names.get(watched.machine) == name

    def update(self) -> tuple[NamedStates, list[str]]:
        present = members(self.machines)
        successors, self._replaced = self._journal.take_successors(), {}
        if present == self._present:
            return [], []
        self._replace(successors, set(present) - set(self._present))
        before, staying = {*self._present, *self._replaced.values()}, {*present, *self._replaced}
        left = [self._remove(machine) for machine in self._present if machine not in staying]
        self._present = present
        joined = [self._add(machine) for machine in present if machine not in before]
        return joined, left

    def succeeds(self, name: str, watched: WatchedRow) -> bool:
        successor = self._replaced.get(watched.machine)
        return successor is not None and self._by_name.get(name) is successor

    def mark_all_changed(self) -> None:
        self._jumped.update(dict.fromkeys(self._present))

    def changed_states(self) -> dict[str, str | None]:
        jumped, self._jumped = self._jumped, {}
        jumped.update(dict.fromkeys(self._journal.take_changed()))
        names = self.naming.names
        return {names[each]: state_name(each) for each in jumped if each in names}

    def close(self) -> None:
        self._journal.close()

    def _replace(self, successors: Mapping[Fsm[Any], Fsm[Any]], new: Container[Fsm[Any]]) -> None:
        """Let machines that joined go on in the place of those that they succeed."""
        for machine, successor in successors.items():
            if machine in self._present and successor in new:
                self._replaced[machine] = successor
                for each in self._journal.replace(machine, successor):
                    self._forget(each)
                self._by_name[self.naming.names[successor]] = successor
                self._jumped[successor] = None

    def _add(self, machine: Fsm[Any]) -> tuple[str, str | None]:
        name = self._journal.add(machine)
        self._by_name[name] = machine
        return name, state_name(machine)

    def _remove(self, machine: Fsm[Any]) -> str:
        name = self.naming.names[machine]
        del self._by_name[name]
        for each in self._journal.remove(machine):
            self._forget(each)
        return name


PATIENCE: Final = 5.0
"""Seconds for which a machine is held at a breakpoint while no page is open."""

MOST_UNSELECTED: Final = 4
"""Unselected machines that stay watched, since a page may return to them."""


@define(eq=False)
class Subscribers:
    """Sends frames to the pages, `rate` times a second.

    `watch` begins to watch the machine of a name, which may go on with the past of a row that it
    replaces; `journal` is that of all machines.
    """

    inspected: Inspected
    rate: float
    _watch: Callable[..., WatchedRow]
    journal: LiveJournal
    _pages: tuple[PageMailbox, ...] = field(default=(), init=False)
    _left_at: float = field(factory=monotonic, init=False)
    _watched: dict[str, WatchedRow] = field(factory=dict, init=False)
    _next: float = field(default=0.0, init=False)
    _reports: Reports = field(factory=Reports, init=False)

    def __iter__(self) -> Iterator[WatchedRow]:
        return iter(self._watched.values())

    def close(self) -> None:
        for watched in self:
            watched.close()

    # The pages

    def join(self, page: PageMailbox) -> None:
        """Add a page. Called in the server's thread."""
        page.select(self.inspected.first)
        self._pages = (*self._pages, page)
        self.hurry()

    def leave(self, page: PageMailbox) -> None:
        """Remove a page. Called in the server's thread."""
        self._pages = tuple(other for other in self._pages if other is not page)
        self._left_at = monotonic()
        self.note_sends_while_shown()

    def note_sends_while_shown(self) -> None:
        self.journal.sends.is_wanted = any(page.send_news.is_wanted for page in self._pages)

    @property
    def want_costs(self) -> bool:
        """True if a page asks what a frame costs."""
        return any(page.measures for page in self._pages)

    @property
    def are_gone(self) -> bool:
        """True if no page has been open for a while."""
        return not self._pages and monotonic() > self._left_at + PATIENCE

    # The watched machines

    def watched(self, name: str) -> WatchedRow:
        """Return the machine of that name, watched from now on."""
        if name not in self._watched:
            self._make_room()
            self._watched[name] = self._watch(name)
        self._watched[name] = self._watched.pop(name)  # the order is that of use
        return self._watched[name]

    def is_watched(self, name: str) -> bool:
        return name in self._watched

    def note(self, text: str) -> None:
        for watched in self:
            watched.note(text)
        self.journal.note(text)

    def note_about(self, machine: Fsm[Any], text: str) -> None:
        for watched in self:
            if machine in walk.machines(watched.machine):
                watched.note(text)

    def note_jump(self, text: str) -> None:
        for watched in self:
            watched.note_jump(text)
        self.journal.note(text)
        self.inspected.mark_all_changed()

    def _make_room(self) -> None:
        """Stop watching all but the latest of the machines that no page has selected."""
        selected = {page.selected for page in self._pages}
        unselected = [name for name in self._watched if name not in selected]
        for name in unselected[:-MOST_UNSELECTED]:
            self._watched.pop(name).close()

    # Frames

    @property
    def is_frame_due(self) -> bool:
        """True if the next frame is due; without pages, it updates the list of machines."""
        return monotonic() >= self._next

    def hurry(self) -> None:
        self._next = 0.0

    def send_frame(self, status: dict[str, Any], breakpoints: BreakpointRows) -> None:
        self._next = monotonic() + 1.0 / self.rate
        joined, left = self.inspected.update()
        gone = [*left, *self._forget_gone()]
        self.journal.note_calls_while_wanted()
        if not self._pages:
            return
        for page in self._pages:
            self._select_existing(page, gone)
        states, marks = self.inspected.changed_states(), self.journal.take_marks()
        frame = PageFrame(status, states, joined, left, breakpoints, marks)
        repeats = self.journal.take_repeats()
        for page in self._pages:
            page.collect(self.journal, repeats)
            page.collect_sends(self.journal.sends.ring)
        details: dict[str | None, Any] = {}
        for page in self._pages:
            try:
                watched = self._shown(page, may_begin=status["held"] is None)
                if watched is not None and page.selected not in details:
                    details[page.selected] = watched.detail()
            except Exception as error:  # other pages still get theirs
                self._reports.report(f"the machine {page.selected!r}", error)
                watched = None
            log = watched.log.since(page.log_position) if watched is not None else ()
            page.put(frame, details.get(page.selected), log)

    def _forget_gone(self) -> list[str]:
        """Stop watching machines that have left; others may have taken their names.

        The machine that a hot reload has put in the place of another one is watched instead.
        """
        there, succeeds = self.inspected.is_there, self.inspected.succeeds
        others = [(name, each) for name, each in self._watched.items() if not there(name, each)]
        for name, before in others:
            self._watched.pop(name).close()
            if succeeds(name, before):
                self._watched[name] = self._watch(name, before)
        return [name for name, _ in others if name not in self._watched]

    def _select_existing(self, page: PageMailbox, gone: Sequence[str]) -> None:
        """Select another machine if the selected one has left: its namesake, or the first one."""
        selected = page.selected if page.selected in self.inspected else self.inspected.first
        if selected != page.selected or selected in gone:
            page.select(selected)

    def _shown(self, page: PageMailbox, *, may_begin: bool) -> WatchedRow | None:
        """Return the selected machine. Watching cannot begin in the middle of a call."""
        if page.selected is None or not may_begin:
            return self._watched.get(page.selected or "")
        return self.watched(page.selected)
