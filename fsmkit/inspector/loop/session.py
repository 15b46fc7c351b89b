"""Session: the side of the loop. It stands between the loop and the machines, and reads them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from logging import getLogger
from math import inf
from threading import Event, get_ident
from time import monotonic
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.loop.breakpoints import Breakpoints, Halt
from fsmkit.inspector.loop.clock import Pacing
from fsmkit.inspector.loop.interception import Carry, check_uninspected, intercept_updates
from fsmkit.inspector.loop.machines import Cast
from fsmkit.inspector.loop.recorder import Tape
from fsmkit.inspector.loop.request_handler import Answering
from fsmkit.inspector.loop.requests import WHILE_HELD, Answer, Request, RequestError
from fsmkit.inspector.loop.subscribers import Audience

MOST_REQUESTS: Final = 256
"""How many may wait for the loop."""

_logger: Final = getLogger("fsmkit")


class Session:
    """Reads machines, makes frames for pages and carries out what pages ask for.

    All of it happens in the thread of the loop, inside the machine's own updates or, at a
    breakpoint, inside another call to it, but for what is marked as the server's.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        *,
        rate: float,
        record: bool | None,
        while_held: Callable[[], object] | None,
    ) -> None:
        check_uninspected(machines)
        self.machines = machines
        self.while_held = while_held or (lambda: None)
        self.pacing = Pacing()
        self.clock = 0.0
        self.updates = 0
        self.last_update = monotonic()
        self.held: Halt | None = None
        self._answering = Answering(self)
        self._requests: deque[Request] = deque()
        self._request: Request | None = None
        """The one that is being answered."""
        self._asked = Event()
        self._loop: int | None = None
        """The thread that makes the updates."""
        self._is_inside = False
        self.breakpoints = Breakpoints(self._hold)
        self.cast = Cast(machines, self.breakpoints.forget)
        self.audience = Audience(self.cast, rate, lambda: self.clock)
        self.tape = Tape(machines, record)
        if self.cast.only is not None:
            self.audience.focus(self.cast.only)
        self._undo = intercept_updates(machines, self._update)

    def close(self) -> None:
        """Let go of the machines; a loop that is held goes on."""
        self._undo()
        while self._requests:
            self._requests.popleft().answer({"error": "The inspector is being closed."})
        self.held = None
        self._asked.set()
        self.breakpoints.clear()
        self.audience.close()
        self.cast.close()
        self.tape.close()

    def moved(self, text: str) -> None:
        """Machines have been brought somewhere else without being told."""
        self.tape.stop()  # what comes now does not follow from what was recorded
        self.audience.moved(text)

    # The server's

    def ask(self, request: Request) -> None:
        """Have the loop answer `request`. Raises RequestError if too many are waiting."""
        if len(self._requests) >= MOST_REQUESTS:
            raise RequestError("Too many requests are waiting. Does the loop update the machine?")
        self._requests.append(request)
        self._asked.set()

    @property
    def title(self) -> str:
        """What is inspected."""
        if isinstance(self.machines, Fsm):
            return self.machines.name
        return f"{len(self.machines)} machine{'' if len(self.machines) == 1 else 's'}"

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
        if self._is_inside or self.held is not None:
            carry_out(dt)
            return
        self._is_inside = True
        self._loop = get_ident()
        try:
            self.last_update = monotonic()
            if self._requests:
                self._answer_requests()
            self._read(self._before_update)
            for portion in self.pacing.portions(dt):
                self._let_pass(carry_out, portion)
        finally:
            self._is_inside = False
            self._read(self._after_update)

    def _let_pass(self, carry_out: Carry, dt: float) -> None:
        if 0.0 <= dt < inf:  # else the machine will say that this is no time
            self.clock += dt
            self.updates += 1
        carry_out(dt)

    def _before_update(self) -> None:
        for focus in self.audience:
            focus.before_update()

    def _after_update(self) -> None:
        if self.tape.ends():
            size = f"{self.tape.longest / 1e6:g} MB"
            self.audience.note(f"the recording ends here: its file has reached {size}")
        for focus in self.audience:
            focus.after_update()
        if self.audience.is_waiting:
            self._tell()

    def _read(self, read: Callable[[], object]) -> None:
        try:
            read()
        except Exception:  # the game is not to suffer from it
            _logger.exception("The inspector could not read the machines.")

    def _tell(self) -> None:
        names = self.cast.roster.names
        self.audience.tell(self.status(), [(names[m], kind, n) for m, kind, n in self.breakpoints])

    # Requests

    def _answer_requests(self) -> None:
        """Answer them, up to the one that lets the machine go on in the middle of its call."""
        held = self.held
        while self._requests and self.held is held:
            request = self._requests.popleft()
            if not request.is_given_up:
                request.answer(self._answer(request))
                self.audience.hurry()  # what it has changed is to be seen at once

    def _answer(self, request: Request) -> Answer:
        try:
            if self.held is None:
                self._request = request
            elif request.do not in WHILE_HELD:
                raise RequestError(
                    "The machine is at a breakpoint, in the middle of a change: resume or step "
                    "first."
                )
            return {"ok": True, **self._answering.answer(request)}
        except RequestError as error:
            return {"error": str(error)}
        except Exception as error:  # of the machine, or of a callback of the user's
            return {"error": f"{type(error).__name__}: {error}"}
        finally:
            if self.held is None:
                self._request = None

    # A breakpoint

    def _hold(self, halt: Halt) -> None:
        """Wait in the middle of a call to the machine until a page says that it may go on."""
        if self.held is not None or get_ident() != self._loop or self.audience.has_gone:
            return
        self.held = halt
        if self._request is not None:
            self._request.answer(
                {"ok": True, "outcome": f"Held at the breakpoint on {halt.point!r}."}
            )
        try:
            while self.held is not None and not self.audience.has_gone:
                self._asked.clear()
                self._answer_requests()
                self._read(self._tell)
                self.while_held()
                if self.held is not None:
                    self._asked.wait(1.0 / self.audience.rate)
                self.last_update = monotonic()
        finally:
            self.held = None

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
