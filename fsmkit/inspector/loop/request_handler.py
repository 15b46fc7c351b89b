"""Answering: how each request of a page is carried out, on the loop's side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsmkit import Fsm
from fsmkit.inspector.loop.clock import FASTEST, SLOWEST
from fsmkit.inspector.loop.requests import Answer, Request, RequestError
from fsmkit.recording import restore, snapshot, why

if TYPE_CHECKING:
    from fsmkit.inspector.loop.mailbox import Mailbox
    from fsmkit.inspector.loop.session import Session


class Answering:
    """Has a method for each request. Raises RequestError for what cannot be granted."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def answer(self, request: Request) -> Answer:
        """Carry out `request`."""
        answer: Answer | None = getattr(self, f"_{request.do}")(**request.arguments)
        return answer or {}

    # Looking

    def _select(self, machine: str, page: Mailbox) -> None:
        audience = self.session.audience
        if self.session.held is not None and not audience.is_in_focus(machine):
            raise RequestError("The machine is at a breakpoint: resume before you look at others.")
        audience.focus(machine)
        page.select(machine)

    def _ask(self, machine: str, event: str) -> Answer:
        return {"why": str(why(self._machine(machine), event))}

    def _moment(self, machine: str, time: float) -> Answer:
        moment = self.session.audience.focus(machine).moments.at(time)
        if moment is None:
            raise RequestError(f"Nothing is kept of {machine!r} yet.")
        return {"moment": moment.told()}

    def _graph(self, machine: str) -> Answer:
        return {"graph": self.session.audience.focus(machine).drawing()}

    def _snapshot(self, machine: str | None) -> Answer:
        target = self.session.machines if machine is None else self._machine(machine)
        return {"snapshot": snapshot(target)}

    # Driving

    def _pause(self) -> None:
        self.session.pacing.pause()

    def _resume(self) -> None:
        self.session.pacing.resume()
        self.session.held = None

    def _step(self) -> None:
        if self.session.held is not None:
            self.session.pacing.pause()
            self.session.held = None
        else:
            self.session.pacing.step()

    def _speed(self, factor: float) -> None:
        if not SLOWEST <= factor <= FASTEST:
            raise RequestError(f"The speed is from {SLOWEST} to {FASTEST:g}, not {factor:g}.")
        self.session.pacing.speed = factor

    def _send(self, machine: str, event: str, data: object = None) -> Answer:
        target = self._machine(machine)
        if not event:
            raise RequestError("An event has a name.")
        reason = str(why(target, event))
        target.offer_event(event, data)
        return {"outcome": reason}

    def _force(self, machine: str, state: str) -> None:
        target = self._machine(machine)
        if state not in target.states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        target.start(state)

    def _break(self, machine: str, kind: str, name: str, on: bool) -> None:
        target = self._machine(machine)
        if kind not in ("state", "event"):
            raise RequestError(f"A breakpoint is on a state or an event, not on a {kind!r}.")
        if kind == "state" and name not in target.states:
            raise RequestError(f"{machine!r} has no state {name!r}.")
        self.session.breakpoints.set(target, kind, name, on=on)

    def _go_on(self, machine: str, seq: int) -> Answer:
        moment = self.session.audience.focus(machine).moments.go_back(seq)
        if moment is None:
            raise RequestError("That moment is not kept any more, or could not be saved.")
        stays = ", ".join(moment.too_large)
        self.session.moved(
            f"went back to {moment.time:.2f} s"
            + (f"; too large to be put back: {stays}" if stays else "")
        )
        return {"time": moment.time}

    def _restore(self, machine: str | None, data: dict[str, Any]) -> None:
        restore(self.session.machines if machine is None else self._machine(machine), data)
        self.session.moved("went to a snapshot")

    def _machine(self, name: str) -> Fsm[Any]:
        return self.session.cast.machine(name)
