"""Session: the loop's side of the inspector, between a program's loop and its machines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from logging import getLogger
from math import inf
from numbers import Real
from pathlib import Path
from threading import get_ident
from time import monotonic
from typing import Any, Final, cast

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.live import pausing
from fsmkit.inspector.live.breakpoints.breakpoint import Halt, StopReason
from fsmkit.inspector.live.breakpoints.stops import Stops
from fsmkit.inspector.live.cost_meter import CostMeter, CostRequests
from fsmkit.inspector.live.journal import LiveJournal
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.recorder import LiveRecorder
from fsmkit.inspector.live.requests.breakpoint_requests import BreakpointRequests
from fsmkit.inspector.live.requests.edit_requests import EditRequests
from fsmkit.inspector.live.requests.machine_requests import (
    ControlRequests,
    GroupPast,
    TimeTravelRequests,
    ValueRequests,
    ViewRequests,
)
from fsmkit.inspector.live.requests.map_requests import MapRequests
from fsmkit.inspector.live.requests.page_request import PageRequest, RequestQueue
from fsmkit.inspector.live.requests.reasons_process import ReasonsProcess
from fsmkit.inspector.live.subscribers import Inspected, InspectedMachines, Subscribers, WatchedRow
from fsmkit.inspector.live.watched_machine import WatchedMachine
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.kept_places import KeptPlaces
from fsmkit.inspector.reading.page_values import Reports
from fsmkit.inspector.reading.positions import MachinePositions
from fsmkit.inspector.reading.watches import NamedValues, Watches
from fsmkit.inspector.reading.world_map import WorldMap
from fsmkit.introspection.nesting import members

_logger: Final = getLogger("fsmkit")

MOST_EXCHANGES: Final = 50
"""Times at which machines were replaced that a page can mark."""


LONG_ANSWER: Final = 0.05
"""Seconds from which answering requests, as of edits of the code, is no time of the game."""


class Session:
    """Reads machines, builds frames for pages, and carries out the requests of pages.

    All of it happens in the loop's thread, inside the machines' own updates or, at a breakpoint,
    inside another call to a machine, except for the methods marked as the server's.
    """

    def __init__(
        self,
        machines: pausing.Updated,
        *,
        rate: float,
        record: bool | None,
        while_held: Callable[[], object] | None,
        watches: Watches | None = None,
        code: Code | None = None,
        edits: EditRequests | None = None,
        ignore: Sequence[str] = (),
        signal: pausing.Signal | None = None,
        kept_places: Path | None = None,
    ) -> None:
        pausing.check_uninspected(machines)
        self.machines = machines
        self.while_held = while_held or (lambda: None)
        self.clock = pausing.UpdateClock()
        self.updates = 0
        self.exchanges: deque[float] = deque(maxlen=MOST_EXCHANGES)
        """The times at which machines were replaced by others, such as by a hot reload."""
        self.last_update = monotonic()
        self._loop: int | None = None
        """The thread that updates the machines."""
        self._is_inside = False
        self._reports = Reports()
        self.suspended = pausing.InterceptedMachines(
            pausing.Interceptor("update", lambda *_, **__: None)
        )
        self.watches = watches or Watches()
        self.code = code or Code()
        self.edits = edits or EditRequests(None, self.code.line)
        self.reasons: ReasonsProcess | None = None
        """Answers the requests of that name in place of the loop, if there is one."""
        self._ignore = ignore
        self.journal = LiveJournal(self.now, self.code)
        self.inspected = self._inspect()
        self.map = self._map()
        self.subscribers = Subscribers(self.inspected, rate, self._watch, self.journal)
        self.meter = self._make_meter()
        self.kept_places = KeptPlaces(self._named_machines, self._check_machine, kept_places)
        self.group_past = GroupPast(machines, self.journal.names, self.now)
        self.recorder = LiveRecorder(machines, record)
        self.holding = pausing.Holding(
            signal,
            is_alone=lambda: self.subscribers.are_gone,
            meanwhile=self._pass_time_held,
            interval=1.0 / rate,
        )
        self.stops = Stops(
            self.journal, self.clock, NamedValues(self.watches),
            hold=self._hold, may_stop=self._may_stop,
            is_seen=lambda: not self.subscribers.are_gone, log=self._log_point,
        )  # fmt: skip
        self.requests = RequestQueue(tuple(self._topics()), self._is_held)
        if self.inspected.first is not None:
            self.subscribers.watched(self.inspected.first)
        self._undo = pausing.intercept_updates(machines, self._update)

    def _inspect(self) -> Inspected:
        machines = cast("Fsm[Any] | FsmGroup", self.machines)
        return InspectedMachines(machines, self._forget, self.journal)

    def _map(self) -> WorldMap:
        present = partial(members, cast("Fsm[Any] | FsmGroup", self.machines))
        return WorldMap(MachinePositions(present, self._name), present)

    def _make_meter(self) -> CostMeter | None:
        """Return what measures the frames; None for a crowd, which has no callbacks."""
        if not isinstance(self.machines, (Fsm, FsmGroup)):
            return None
        return CostMeter(self.machines, lambda: self.subscribers.want_costs)

    def _watch(self, name: str, before: WatchedRow | None = None) -> WatchedRow:
        past = before if isinstance(before, WatchedMachine) else None
        return WatchedMachine(self.inspected.machine(name), self.journal, self.watches, past)

    def now(self) -> float:
        return self.clock.time

    def _topics(self) -> Iterator[object]:
        yield ViewRequests(
            self.subscribers, self.code, self._ignore, self._is_held, self.kept_places
        )
        yield self.kept_places
        yield ControlRequests(**self._control())
        yield BreakpointRequests(self.inspected, self.stops, self.clock, self.holding)
        yield self.edits
        yield ValueRequests(self.inspected, self._note_edit)
        yield MapRequests(self.map, self.now, self.inspected.machine)
        yield TimeTravelRequests(self.subscribers, self.group_past, self._note_jump)
        if self.meter is not None:
            yield CostRequests(self.meter)

    def _check_machine(self, name: str) -> None:
        self.inspected.machine(name)

    def _named_machines(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        return ((name, tuple(fsm.states)) for fsm, name in self.inspected.naming.names.items())

    def _control(self) -> dict[str, Any]:
        return {
            "inspected": self.inspected, "clock": self.clock, "is_held": self._is_held,
            "release": self.holding.release, "await_nothing": self.stops.next_change.cancel,
            "suspended": self.suspended, "note": self.subscribers.note_about,
        }  # fmt: skip

    def close(self) -> None:
        """Detach from the machines; a loop that is held goes on."""
        self._undo()
        if self.meter is not None:
            self.meter.close()
        self.requests.refuse_all("The inspector is being closed.")
        if self.reasons is not None:
            self.reasons.close()
        self.holding.release()
        self.holding.wake()
        self.stops.close()
        self.suspended.keep_to(())
        self.subscribers.close()
        self.inspected.close()
        self.recorder.close()

    def note_exchange(self, text: str) -> None:
        """Note that machines were replaced; the past of those that others succeed goes on."""
        self.recorder.stop()  # it recorded the machines that were replaced
        self.exchanges.append(self.clock.time)
        self._read(self._send_frame)
        self.note(text)

    def note(self, text: str) -> None:
        """Note something in the log of every machine that a page shows."""
        self._read(lambda: self.subscribers.note(text))
        self.subscribers.hurry()

    # The server's

    def join(self, page: PageMailbox) -> None:
        self.subscribers.join(page)

    def leave(self, page: PageMailbox) -> None:
        self.subscribers.leave(page)

    def ask(self, request: PageRequest) -> None:
        """Pass `request` to the loop. Raises RequestError if too many are waiting."""
        if request.do == "reasons" and self.reasons is not None:
            self.reasons.ask(request)
            return
        self.requests.add(request)
        self.holding.wake()

    @property
    def title(self) -> str:
        outermost = members(cast("Fsm[Any] | FsmGroup", self.machines))
        return outermost[0].name if len(outermost) == 1 else f"{len(outermost)} machines"

    @property
    def recording(self) -> Path | None:
        return self.recorder.path

    def greeting(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "machines": self.inspected.states,
            "follows_all": True,
            "follows_sends": isinstance(self.machines, FsmGroup),
            "measures": self.meter is not None,
            "editing": self.edits.to_json(),
            "marks": self.journal.marks(),
            "since": self.journal.times(),
            "rate": self.subscribers.rate,
        }

    def status(self) -> dict[str, Any]:
        return {
            "clock": self.clock.time,
            "paused": self.clock.paused,
            "speed": self.clock.speed,
            "updates": self.updates,
            "exchanges": list(self.exchanges),
            "idle": monotonic() - self.last_update,
            "held": self.holding.to_json(self.journal.names),
            "suspended": self._names(self.suspended),
            "stop": self._reason_to_json(),
            "awaits": None if self.clock.paused else self.stops.next_change.awaited,
            "recorded": self.recorder.path is not None,
            "has_map": self.map.is_shown,
            "layout": self.kept_places.version,
        }

    # An update

    def _update(self, carry_out: pausing.Advance, dt: float) -> None:
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
            if self.suspended and self.subscribers.are_gone:
                self._resume_all()
            if self.requests:
                begun = monotonic()
                self._answer_requests()
                if (taken := monotonic() - begun) > LONG_ANSWER:
                    self.holding.time.add(taken)
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

    def _let_pass(self, carry_out: pausing.Advance, dt: float) -> None:
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
        if self.meter is not None:
            self.meter.before_update()

    def _after_update(self) -> None:
        self.journal.settle()
        if self.recorder.ends():
            size = f"{self.recorder.longest / 1e6:g} MB"
            self.subscribers.note(f"the recording ends here: its file has reached {size}")
        for watched in self.subscribers:
            watched.after_update()
        self._read(partial(self.map.after_update, self.clock.time))
        if self.subscribers.is_frame_due:
            self._send_frame()

    def _read(self, read: Callable[[], object]) -> None:
        try:
            read()
        except Exception as error:  # the game must not suffer from it
            self._reports.report("the machines", error)

    def _send_frame(self) -> None:
        breakpoints = self.stops.breakpoint_rows()
        self.subscribers.send_frame(self.status(), breakpoints)

    # Requests

    def _answer_requests(self) -> None:
        """Answer the pending requests, up to one that releases a machine held in its call."""
        halt = self.holding.halt
        while self.requests and self.holding.halt is halt:
            answered = self.requests.answer_next()
            if answered is not None and not answered.rule.is_repeated:
                self.subscribers.hurry()  # so that its effect is visible at once

    def _forget(self, machine: Fsm[Any]) -> None:
        self.stops.forget(machine)
        self.suspended.discard(machine)

    def _go_on_without_page(self) -> None:
        """End a pause by pages that are all closed now."""
        self.clock.resume()
        text = "goes on: the last page was closed while it was paused"
        _logger.warning("The inspector: the game %s.", text)
        self._read(lambda: self.subscribers.note(text))

    def _resume_all(self) -> None:
        """Resume the machines suspended by pages that are all closed now."""
        names = ", ".join(self._names(self.suspended))
        self.suspended.keep_to(())
        self._read(lambda: self.subscribers.note(f"the last page was closed: resumed {names}"))

    def _names(self, machines: Iterable[Fsm[Any]]) -> list[str]:
        return [*map(self._name, tuple(machines))]

    def _name(self, machine: Fsm[Any]) -> str:
        return self.journal.names.get(machine, machine.name)

    def _note_edit(self, machine: Fsm[Any], text: str) -> None:
        """Note an edit: from here on, a replay of the recording would differ."""
        end = "; the recording ends here" if self.recorder.stop() else ""
        self.watches.expire()
        self.subscribers.note_about(machine, f"{text}{end}")

    def _note_jump(self, text: str) -> None:
        self.recorder.stop()  # from here on, its replay would differ
        self.subscribers.note_jump(text)

    def _log_point(self, machine: Fsm[Any], text: str) -> None:
        name = self._name(machine)
        for watched in self.subscribers:
            watched.log.add(self.clock.time, name, "log point", text=text)

    # A breakpoint

    def _may_stop(self) -> bool:
        return not self._is_held() and get_ident() == self._loop

    def _hold(self, halt: Halt, reason: StopReason) -> None:
        if self.holding.signal is None:
            self._pause_after(reason)
            return
        self.stops.reason = reason
        self.watches.expire()
        self._read(lambda: self.subscribers.watched(self._outermost(reason.machine)))
        self.requests.answer_current(f"Held at the breakpoint on {reason.title}.")
        try:
            self.holding.hold(halt, self.journal.calls.halted(halt.machine, halt.event))
        finally:
            self.stops.reason = None
        if reason.stays and self.subscribers.are_gone:
            self._stay(reason)

    def _pass_time_held(self) -> None:
        self._answer_requests()
        self._read(self._send_frame)
        self.while_held()
        self.last_update = monotonic()

    def _stay(self, reason: StopReason) -> None:
        """Pause, since no page is open to let the machine go on."""
        self.clock.pause()
        self.stops.reason = reason
        _logger.error("Paused until its page resumes: %s: %s", reason.machine, reason.text)

    def _pause_after(self, reason: StopReason) -> None:
        """Let the change happen, and pause: the call cannot be held."""
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
        names = self.journal.names.items()
        found = next((machine for machine, other in names if other == name), None)
        return name if found is None else self.journal.outermost_name(found)
