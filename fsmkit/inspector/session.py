"""Session: the side of the loop. It stands between the loop and the machines, and reads them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from logging import getLogger
from math import inf
from threading import Event
from time import monotonic
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.answering import Answering
from fsmkit.inspector.breakpoints import Breakpoints, Halt
from fsmkit.inspector.cast import Cast
from fsmkit.inspector.focus import Focus
from fsmkit.inspector.interception import Carry, intercept_updates
from fsmkit.inspector.mailbox import Frame, Mailbox
from fsmkit.inspector.pacing import Pacing
from fsmkit.inspector.requests import WHILE_HELD, Answer, Request, RequestError
from fsmkit.inspector.tape import Tape

PATIENCE: Final = 5.0
"""Seconds that a machine is held at a breakpoint though no page is open."""

MOST_REQUESTS: Final = 256
"""How many may wait for the loop."""


MOST_FORGOTTEN: Final = 4
"""How many machines are kept that nobody looks at any more: one may come back to them."""

_logger: Final = getLogger("fsmkit")


class Session:
    """Reads machines, makes frames for pages and carries out what pages ask for.

    All of it happens inside the machine's own updates, in the thread of the loop, but for what is
    marked as the server's.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        *,
        rate: float,
        record: bool | None,
        while_held: Callable[[], object] | None,
    ) -> None:
        self.machines = machines
        self.rate = rate
        self.while_held = while_held or (lambda: None)
        self.pacing = Pacing()
        self.clock = 0.0
        self.updates = 0
        self.last_update = monotonic()
        self.held: Halt | None = None
        self.breakpoints = Breakpoints(self._hold)
        self.cast = Cast(machines, self.breakpoints.forget)
        self.tape = Tape(machines, record)
        self._answering = Answering(self)
        self._requests: deque[Request] = deque()
        self._asked = Event()
        self._pages: tuple[Mailbox, ...] = ()
        self._page_left_at = monotonic()
        self._focuses: dict[str, Focus] = {}
        self._next_frame = 0.0
        self._is_inside = False
        if self.cast.only is not None:
            self.focus(self.cast.only)
        self._undo = intercept_updates(machines, self._update)

    def close(self) -> None:
        """Let go of the machines; a loop that is held goes on."""
        self._undo()
        while self._requests:
            self._requests.popleft().reply({"error": "The inspector is being closed."})
        self.held = None
        self._asked.set()
        self.breakpoints.clear()
        for focus in self._focuses.values():
            focus.close()
        self.cast.close()
        self.tape.close()

    def focus(self, name: str) -> Focus:
        """What is kept of that machine; it begins now if nobody has looked at it yet."""
        if name not in self._focuses:
            self._make_room()
            self._focuses[name] = Focus(
                self.cast.machine(name), self.cast.roster, lambda: self.clock
            )
        self._focuses[name] = self._focuses.pop(name)  # the last one looked at is the last one
        return self._focuses[name]

    def is_in_focus(self, name: str) -> bool:
        """Whether anything is kept of that machine."""
        return name in self._focuses

    def moved(self, text: str) -> None:
        """Machines have been brought somewhere else without being told."""
        self.tape.stop()  # what comes now does not follow from what was recorded
        for focus in self._focuses.values():
            focus.moved(text)
        self.cast.look_again()

    # The server's

    def ask(self, request: Request) -> None:
        """Have the loop answer `request`. Raises RequestError if too many are waiting."""
        if len(self._requests) >= MOST_REQUESTS:
            raise RequestError("Too many requests are waiting. Does the loop update the machine?")
        self._requests.append(request)
        self._asked.set()

    def open_page(self, page: Mailbox) -> None:
        """Tell this page, too."""
        page.select(self.cast.only)
        self._pages = (*self._pages, page)
        self._next_frame = 0.0

    def close_page(self, page: Mailbox) -> None:
        """Tell this page nothing more."""
        self._pages = tuple(other for other in self._pages if other is not page)
        self._page_left_at = monotonic()

    def status(self) -> dict[str, Any]:
        """What every page is told in every frame."""
        return {
            "clock": self.clock,
            "paused": self.pacing.paused,
            "speed": self.pacing.speed,
            "updates": self.updates,
            "idle": monotonic() - self.last_update,
            "held": self._held_as_told(),
            "recorded": self.tape.path is not None,
        }

    # An update

    def _update(self, carry_out: Carry, dt: float) -> None:
        if self._is_inside:
            carry_out(dt)
            return
        self._is_inside = True
        try:
            self.last_update = monotonic()
            if self._requests:
                self._answer_requests()
            for portion in self.pacing.portions(dt):
                self._let_pass(carry_out, portion)
        finally:
            self._is_inside = False
            self._after_update()

    def _let_pass(self, carry_out: Carry, dt: float) -> None:
        if 0.0 <= dt < inf:  # else the machine will say that this is no time
            self.clock += dt
            self.updates += 1
        carry_out(dt)

    def _after_update(self) -> None:
        try:
            for focus in self._focuses.values():
                focus.after_update()
            if self._pages and monotonic() >= self._next_frame:
                self._send_frame()
        except Exception:  # the game is not to suffer from it
            _logger.exception("The inspector could not read the machines.")

    def _answer_requests(self) -> None:
        while self._requests:
            request = self._requests.popleft()
            if not request.is_given_up:
                request.reply(self._answer(request))
                self._next_frame = 0.0  # what it has changed is to be seen at once

    def _answer(self, request: Request) -> Answer:
        try:
            if self.held is not None and request.do not in WHILE_HELD:
                raise RequestError(
                    "The machine is at a breakpoint, in the middle of a change: resume or step "
                    "first."
                )
            return {"ok": True, **self._answering.answer(request)}
        except RequestError as error:
            return {"error": str(error)}
        except Exception as error:  # of the machine, or of a callback of the user's
            return {"error": f"{type(error).__name__}: {error}"}

    # A breakpoint

    def _hold(self, halt: Halt) -> None:
        """Wait in the middle of the machine's call until a page says that it may go on."""
        if self.held is not None or not self._is_inside or self._is_abandoned():
            return
        self.held = halt
        while self.held is not None and not self._is_abandoned():
            self._asked.clear()
            self._answer_requests()
            self._send_frame()
            self.while_held()
            if self.held is not None:
                self._asked.wait(1.0 / self.rate)
            self.last_update = monotonic()
        self.held = None

    def _is_abandoned(self) -> bool:
        return not self._pages and monotonic() > self._page_left_at + PATIENCE

    def _held_as_told(self) -> dict[str, Any] | None:
        halt = self.held
        if halt is None:
            return None
        return {
            "machine": self.cast.roster.names.get(halt.machine, halt.machine.name),
            "event": halt.event,
            "state": halt.state,
            "target": halt.target,
        }

    # Frames

    def _send_frame(self) -> None:
        self._next_frame = monotonic() + 1.0 / self.rate
        joined, left = self.cast.look()
        for name in left:
            if focus := self._focuses.pop(name, None):
                focus.close()
        points = [(self.cast.roster.names[m], kind, name) for m, kind, name in self.breakpoints]
        frame = Frame(self.status(), self.cast.changed_states(), joined, left, points)
        details: dict[str, Any] = {}
        for page in self._pages:
            focus = self._focuses.get(page.selected or "")
            if focus is None:
                page.put(frame, None, ())
                continue
            name = str(page.selected)
            if name not in details:
                details[name] = focus.detail()
            page.put(frame, details[name], focus.log.since(page.log_position))

    def _make_room(self) -> None:
        """Forget the machines that nobody looks at, but for the last few."""
        looked_at = {page.selected for page in self._pages}
        forgotten = [name for name in self._focuses if name not in looked_at]
        for name in forgotten[:-MOST_FORGOTTEN]:
            self._focuses.pop(name).close()
