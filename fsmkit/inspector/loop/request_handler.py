"""RequestHandler: carries out the requests of pages, in the loop's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsmkit import Fsm
from fsmkit.inspector.loop.breakpoints import Breakpoints
from fsmkit.inspector.loop.clock import FASTEST, SLOWEST, Clock
from fsmkit.inspector.loop.machines import InspectedMachines
from fsmkit.inspector.loop.mailbox import Mailbox
from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.inspector.loop.subscribers import Subscribers
from fsmkit.inspector.reading.ways import prospect, refusal
from fsmkit.recording import restore, snapshot


class RequestHandler:
    """Has a method for each request. Raises RequestError if a request cannot be granted.

    - `is_held`: says if a machine is held at a breakpoint; `release` lets it go on.
    - `note_jump`: called after machines were put into other states, with a text for the log.
    """

    def __init__(
        self,
        inspected: InspectedMachines,
        subscribers: Subscribers,
        clock: Clock,
        breakpoints: Breakpoints,
        *,
        is_held: Callable[[], bool],
        release: Callable[[], None],
        note_jump: Callable[[str], None],
    ) -> None:
        self._inspected = inspected
        self._subscribers = subscribers
        self._clock = clock
        self._breakpoints = breakpoints
        self._is_held = is_held
        self._release = release
        self._note_jump = note_jump

    def answer(self, request: Request) -> Answer:
        """Carry out `request`."""
        answer: Answer | None = getattr(self, f"_{request.do}")(**request.arguments)
        return answer or {}

    # Looking

    def _select(self, machine: str, page: Mailbox) -> None:
        if self._is_held() and not self._subscribers.is_watched(machine):
            raise RequestError("The machine is at a breakpoint: resume before selecting others.")
        self._subscribers.watched(machine)
        page.select(machine)

    def _ask(self, machine: str, event: str) -> Answer:
        return {"why": prospect(self._machine(machine), event)}

    def _moment(self, machine: str, time: float) -> Answer:
        frame = self._subscribers.watched(machine).rewind.at(time)
        if frame is None:
            raise RequestError(f"No moment of {machine!r} has been kept yet.")
        return {"moment": frame.to_json()}

    def _graph(self, machine: str) -> Answer:
        return {"graph": self._subscribers.watched(machine).drawing()}

    def _snapshot(self, machine: str | None) -> Answer:
        target = self._inspected.machines if machine is None else self._machine(machine)
        return {"snapshot": snapshot(target)}

    # Driving

    def _pause(self) -> None:
        self._clock.pause()

    def _resume(self) -> None:
        self._clock.resume()
        self._release()

    def _step(self) -> None:
        if self._is_held():
            self._clock.pause()
            self._release()
        else:
            self._clock.step()

    def _speed(self, factor: float) -> None:
        if not SLOWEST <= factor <= FASTEST:
            raise RequestError(f"The speed must be from {SLOWEST} to {FASTEST:g}, got {factor:g}.")
        self._clock.speed = factor

    def _send(self, machine: str, event: str, data: object = None) -> Answer:
        target = self._machine(machine)
        if not event:
            raise RequestError("The name of the event must not be empty.")
        reason = prospect(target, event)
        outcomes = _Outcomes(target, event)
        undo = target.observe(outcomes)
        try:
            target.offer_event(event, data)
        finally:
            undo()
        if outcomes.seen[:1] == ["refused"]:
            reason = refusal(target, event)
        return {"outcome": reason}

    def _force(self, machine: str, state: str) -> None:
        target = self._machine(machine)
        if state not in target.states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        target.start(state)

    def _break(self, machine: str, kind: str, name: str, on: bool) -> None:
        target = self._machine(machine)
        if kind not in ("state", "event"):
            raise RequestError(f"A breakpoint must be on a state or an event, got {kind!r}.")
        if kind == "state" and name not in target.states:
            raise RequestError(f"{machine!r} has no state {name!r}.")
        self._breakpoints.set(target, kind, name, on=on)

    def _go_on(self, machine: str, seq: int) -> Answer:
        frame = self._subscribers.watched(machine).rewind.go_back(seq)
        if frame is None:
            raise RequestError("That moment is no longer kept, or could not be saved.")
        too_large = ", ".join(frame.too_large)
        self._note_jump(
            f"went back to {frame.time:.2f} s"
            + (f"; too large to restore: {too_large}" if too_large else "")
        )
        return {"time": frame.time}

    def _restore(self, machine: str | None, data: dict[str, Any]) -> None:
        restore(self._inspected.machines if machine is None else self._machine(machine), data)
        self._note_jump("loaded a snapshot")

    def _machine(self, name: str) -> Fsm[Any]:
        return self._inspected.machine(name)


class _Outcomes:
    """Observes what becomes of an event."""

    def __init__(self, machine: Fsm[Any], event: str) -> None:
        self._sent = machine, event
        self.seen: list[str] = []

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        """Note the outcome."""
        if (fsm, event) == self._sent:
            self.seen.append(outcome)
