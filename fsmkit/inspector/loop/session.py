"""Session: the loop's side. It stands between the loop and the machines, and reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from logging import getLogger
from math import inf
from numbers import Real
from pathlib import Path
from threading import get_ident
from time import monotonic
from typing import Any, Final, cast

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.loop.all_machines import AllMachines
from fsmkit.inspector.loop.answering.driving import Driving
from fsmkit.inspector.loop.answering.editing import Editing
from fsmkit.inspector.loop.answering.grouping import Grouping
from fsmkit.inspector.loop.answering.looking import Looking
from fsmkit.inspector.loop.answering.plotting import Plotting
from fsmkit.inspector.loop.answering.stopping import Stopping
from fsmkit.inspector.loop.answering.suspending import Suspending
from fsmkit.inspector.loop.answering.telling import Telling
from fsmkit.inspector.loop.answering.travelling import Travelling
from fsmkit.inspector.loop.clock import Clock
from fsmkit.inspector.loop.group_past import GroupPast
from fsmkit.inspector.loop.holding import Holding
from fsmkit.inspector.loop.inspected import Inspected, Watched
from fsmkit.inspector.loop.interception import (
    Advance,
    Updated,
    check_uninspected,
    intercept_updates,
)
from fsmkit.inspector.loop.machines import InspectedMachines
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.recorder import LiveRecorder
from fsmkit.inspector.loop.request_handler import RequestHandler
from fsmkit.inspector.loop.request_queue import RequestQueue
from fsmkit.inspector.loop.requests import Request
from fsmkit.inspector.loop.sends import Sends
from fsmkit.inspector.loop.signal import Signal
from fsmkit.inspector.loop.stops.checks import BreakpointChecks
from fsmkit.inspector.loop.stops.halt import Halt, Reason
from fsmkit.inspector.loop.stops.stops import Stops
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.inspector.loop.suspensions import Suspensions
from fsmkit.inspector.loop.watched_machine import WatchedMachine
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.named_values import NamedValues
from fsmkit.inspector.reading.noted_calls import NotedCalls
from fsmkit.inspector.reading.part_reader import Reports
from fsmkit.inspector.reading.watches import Watches

_logger: Final = getLogger("fsmkit")


class Session:
    """Reads machines, builds frames for pages and carries out the requests of pages.

    All of it happens in the loop's thread, inside the machine's own updates or, at a breakpoint,
    inside another call to it, except for the methods marked as the server's.
    """

    def __init__(
        self,
        machines: Updated,
        *,
        rate: float,
        record: bool | None,
        while_held: Callable[[], object] | None,
        watches: Watches | None = None,
        code: Code | None = None,
        ignore: Sequence[str] = (),
        signal: Signal | None = None,
    ) -> None:
        check_uninspected(machines)
        self.machines = machines
        self.while_held = while_held or (lambda: None)
        self.clock = Clock()
        self.updates = 0
        self.last_update = monotonic()
        self._loop: int | None = None
        """The thread that updates the machines."""
        self._is_inside = False
        self._reports = Reports()
        self.suspensions = Suspensions()
        self.watches = watches or Watches()
        self.code = code or Code()
        self._ignore = ignore
        self.known = AllMachines(self.now)
        self.inspected = self._inspect()
        self.calls = NotedCalls(self.inspected.naming.names, self.code)
        self.known.called_by = self.calls.called_by
        self.known.place_of = self.calls.place_of
        sends = Sends(self.known, self.calls, self.inspected.naming.names)
        self.subscribers = Subscribers(self.inspected, rate, self._watch, self.known, sends)
        self.group_past = GroupPast(machines, self.inspected.naming.names, self.now)
        self.recorder = LiveRecorder(machines, record)
        self.holding = Holding(
            signal,
            is_alone=lambda: self.subscribers.are_gone,
            meanwhile=self._pass_time_held,
            interval=1.0 / rate,
        )
        self.stops = Stops(
            self.inspected, self.clock, NamedValues(self.watches),
            hold=self._hold, may_stop=self._may_stop,
            is_seen=lambda: not self.subscribers.are_gone, log=self._log_point,
        )  # fmt: skip
        self.requests = RequestQueue(RequestHandler(*self._topics()), self._is_held)
        if self.inspected.first is not None:
            self.subscribers.watched(self.inspected.first)
        self._undo = intercept_updates(machines, self._update)

    def _inspect(self) -> Inspected:
        """Return what is on display."""
        machines = cast("Fsm[Any] | FsmGroup", self.machines)
        return InspectedMachines(machines, self._forget, self.known)

    def _watch(self, name: str) -> Watched:
        """Begin to watch one for the pages. Raises RequestError."""
        machine = self.inspected.machine(name)
        return WatchedMachine(
            machine,
            self.inspected.naming,
            self.now,
            watches=self.watches,
            known=self.known,
            calls=self.calls,
        )

    def now(self) -> float:
        """Return the seconds that have passed for the machines."""
        return self.clock.time

    def _topics(self) -> Iterator[object]:
        """Yield what answers the requests."""
        yield Looking(self.inspected, self.subscribers, self._is_held)
        yield Telling(self.subscribers, self.code, self._ignore, self._is_held)
        await_nothing = self.stops.next_change.cancel
        yield Driving(
            self.inspected, self.clock, self._is_held, self.holding.release, await_nothing
        )
        checks = BreakpointChecks(self.inspected, self.stops.values)
        yield Stopping(
            self.stops, checks, self.clock, lambda: self.holding.halt, self.holding.release
        )
        yield Editing(self.inspected, self._note_edit)
        yield Suspending(self.inspected, self.suspensions, self.subscribers.note_about)
        yield Plotting(self.subscribers)
        yield Travelling(self.inspected, self.subscribers, self._note_jump)
        yield Grouping(self.subscribers, self.group_past, self._note_jump)

    def close(self) -> None:
        """Detach from the machines; a loop that is held goes on."""
        self._undo()
        self.requests.refuse_all("The inspector is being closed.")
        self.holding.release()
        self.holding.wake()
        self.stops.close()
        self.suspensions.clear()
        self.subscribers.close()
        self.inspected.close()
        self.recorder.close()

    def note_exchange(self, text: str) -> None:
        """Show the machines that have taken the place of others, and note why."""
        self.recorder.stop()  # it is of the others
        self._read(self._send_frame)
        self._read(lambda: self.subscribers.note(text))
        self.subscribers.hurry()

    # The server's

    def join(self, page: Mailbox) -> None:
        """Send frames to this page from now on."""
        self.subscribers.join(page)

    def leave(self, page: Mailbox) -> None:
        """Send it no more."""
        self.subscribers.leave(page)

    def ask(self, request: Request) -> None:
        """Pass `request` to the loop. Raises RequestError if too many are waiting."""
        self.requests.add(request)
        self.holding.wake()

    @property
    def title(self) -> str:
        """The name of the machine, or the number of machines."""
        if isinstance(self.machines, Fsm):
            return self.machines.name
        return f"{len(self.machines)} machine{'' if len(self.machines) == 1 else 's'}"

    @property
    def recording(self) -> Path | None:
        """The file of the recording that can be downloaded."""
        return self.recorder.path

    def greeting(self) -> dict[str, Any]:
        """Return what a page is told first."""
        return {
            "title": self.title,
            "machines": self.inspected.states,
            "follows_all": True,
            "follows_sends": isinstance(self.machines, FsmGroup),
            "marks": self.known.marks(),
            "since": self.known.times(),
            "rate": self.subscribers.rate,
        }

    def status(self) -> dict[str, Any]:
        """Return the part of a frame that is the same for every page."""
        return {
            "clock": self.clock.time,
            "paused": self.clock.paused,
            "speed": self.clock.speed,
            "updates": self.updates,
            "idle": monotonic() - self.last_update,
            "held": self.holding.to_json(self.inspected.naming.names),
            "suspended": self._names(self.suspensions),
            "stop": self._reason_to_json(),
            "awaits": None if self.clock.paused else self.stops.next_change.awaited,
            "recorded": self.recorder.path is not None,
        }

    # An update

    def _update(self, carry_out: Advance, dt: float) -> None:
        is_number = type(dt) is float or isinstance(dt, Real)  # else the machine raises an error
        if self._is_inside or self._is_held() or not is_number:
            carry_out(dt)
            return
        self._is_inside = True
        self._loop = get_ident()
        try:
            self.last_update = monotonic()
            dt = self.holding.time.without(dt)
            if self.clock.waits_for_page and self.subscribers.are_gone:
                self._go_on_without_page()
            if self.suspensions and self.subscribers.are_gone:
                self._resume_all()
            if self.requests:
                self._answer_requests()
            self._read(self._before_update)
            self._read(self.stops.before_update)
            for portion in self.clock.portions(dt):
                self._let_pass(carry_out, portion)
                if self.clock.paused:
                    break
        finally:
            self._is_inside = False
            self.watches.expire()
            self._read(self._after_update)

    def _let_pass(self, carry_out: Advance, dt: float) -> None:
        if 0.0 <= dt < inf:  # else the machine raises an error
            self.clock.time += dt
            self.updates += 1
        self.stops.reason = None
        try:
            carry_out(dt)
        finally:
            self._read(self.stops.after_update)

    def _before_update(self) -> None:
        for watched in self.subscribers:
            watched.before_update()
        self.group_past.before_update()

    def _after_update(self) -> None:
        self.known.settle()
        if self.recorder.ends():
            size = f"{self.recorder.longest / 1e6:g} MB"
            self.subscribers.note(f"the recording ends here: its file has reached {size}")
        for watched in self.subscribers:
            watched.after_update()
        if self.subscribers.is_frame_due:
            self._send_frame()

    def _read(self, read: Callable[[], object]) -> None:
        try:
            read()
        except Exception as error:  # the game must not suffer from it
            self._reports.report("the machines", error)

    def _send_frame(self) -> None:
        breakpoints = [point.to_json() for point in self.stops.breakpoints]
        self.subscribers.send_frame(self.status(), breakpoints)

    # Requests

    def _answer_requests(self) -> None:
        """Answer the waiting requests, up to one that releases a machine held in its call."""
        halt = self.holding.halt
        while self.requests and self.holding.halt is halt:
            answered = self.requests.answer_next()
            if answered is not None and not answered.rule.is_repeated:
                self.subscribers.hurry()  # so that its effect is visible at once

    def _forget(self, machine: Fsm[Any]) -> None:
        """Drop what pages have set on a machine that leaves."""
        self.stops.forget(machine)
        self.suspensions.forget(machine)

    def _go_on_without_page(self) -> None:
        """End the pause of pages that are all closed now."""
        self.clock.resume()
        text = "goes on: the last page was closed while it was paused"
        _logger.warning("The inspector: the game %s.", text)
        self._read(lambda: self.subscribers.note(text))

    def _resume_all(self) -> None:
        """Resume the machines suspended by pages that are all closed now."""
        names = ", ".join(self._names(self.suspensions))
        self.suspensions.clear()
        self._read(lambda: self.subscribers.note(f"the last page was closed: resumed {names}"))

    def _names(self, machines: Iterable[Fsm[Any]]) -> list[str]:
        return [self.inspected.naming.names.get(each, each.name) for each in tuple(machines)]

    def _note_edit(self, machine: Fsm[Any], text: str) -> None:
        """Note what a page has changed: what follows cannot be derived from what was recorded."""
        end = "; the recording ends here" if self.recorder.stop() else ""
        self.watches.expire()
        self.subscribers.note_about(machine, f"{text}{end}")

    def _note_jump(self, text: str) -> None:
        """Note that machines are in other states without having changed to them."""
        self.recorder.stop()  # what follows cannot be derived from what was recorded
        self.subscribers.note_jump(text)

    def _log_point(self, machine: Fsm[Any], text: str) -> None:
        """Write what a log point says about a machine into every log."""
        name = self.inspected.naming.names.get(machine, machine.name)
        for watched in self.subscribers:
            watched.log.add(self.clock.time, name, "log point", text=text)

    # A breakpoint

    def _may_stop(self) -> bool:
        return not self._is_held() and get_ident() == self._loop

    def _hold(self, halt: Halt, reason: Reason) -> None:
        """Wait in the middle of a call to the machine until a page lets it go on."""
        if not self.holding.can_wait:
            self._pause_after(reason)
            return
        self.stops.reason = reason
        self.watches.expire()
        self._read(lambda: self.subscribers.watched(self._outermost(reason.machine)))
        self.requests.answer_current(f"Held at the breakpoint on {reason.title}.")
        try:
            self.holding.hold(halt, self.calls.halted(halt.machine, halt.event))
        finally:
            self.stops.reason = None
        if reason.stays and self.subscribers.are_gone:
            self._stay(reason)

    def _pass_time_held(self) -> None:
        """Do what the pages need while a machine is held."""
        self._answer_requests()
        self._read(self._send_frame)
        self.while_held()
        self.last_update = monotonic()

    def _stay(self, reason: Reason) -> None:
        """Pause, since no page can let the machine go on; one that is opened later finds it so."""
        self.clock.pause()
        self.stops.reason = reason
        _logger.error("Paused until its page resumes: %s: %s", reason.machine, reason.text)

    def _pause_after(self, reason: Reason) -> None:
        """Let the change happen, and pause: a call cannot be held here."""
        self.clock.pause(by_page=not reason.stays)
        text = reason.text or f"after the breakpoint on {reason.title}"
        self.stops.reason = evolve(reason, text=text)
        self.subscribers.note(f"the breakpoint on {reason.title}: paused after this update")
        self.subscribers.hurry()

    def _is_held(self) -> bool:
        return self.holding.halt is not None

    def _reason_to_json(self) -> dict[str, Any] | None:
        reason = self.stops.reason
        is_stopped = self._is_held() or self.clock.paused
        if reason is None or not is_stopped:
            return None
        return {**reason.to_json(), "outermost": self._outermost(reason.machine)}

    def _outermost(self, name: str) -> str:
        """Return the name of the machine around that one, which pages can select."""
        names = self.inspected.naming.names
        found = next((machine for machine, other in names.items() if other == name), None)
        while found is not None and found.host is not None:
            found = found.host.fsm
        return names.get(found, name) if found is not None else name
