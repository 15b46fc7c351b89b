"""Delivery of an engine's events to machines: things that touch, and the mouse on a thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.core.checks.arguments import shown

Machines: TypeAlias = Fsm[Any] | FsmGroup

Recipients: TypeAlias = Machines | Callable[[Any], Machines | None]
"""Receive the events of things: fixed machines, or a function from a thing to its own."""


def check_machines(who: str, machines: object) -> None:
    if not isinstance(machines, Fsm | FsmGroup):
        raise TypeError(f"{who}: machines must be an Fsm or an FsmGroup, got {shown(machines)}.")


def offer(machines: Machines, event: str, data: object = None) -> None:
    """Offer `event` to a machine, or to every machine of a group.

    Machines that do not know the event ignore it: keys and collisions are offered to all.
    """
    for machine in (machines,) if isinstance(machines, Fsm) else machines:
        machine.offer_event(event, data)


@define(eq=False)
class Touches:
    """The pairs of things that touch, and the events to send when a touch begins and ends.

    A function from a thing to its machine (`recipients`) is called with the first of the pair, and
    its machine gets the other one as data; so does a fixed machine that hears of one thing alone.
    With `many` things a fixed machine could not tell which one it is, and gets the pair. Where
    several touches begin at once, an event may remove things; the later pairs of these, as told
    by `is_gone`, do not count. Touches that an exception left unsent are sent by the next update.
    """

    recipients: Recipients
    event: str
    ended: str | None = None
    many: bool = False
    is_gone: Callable[[Any], bool] = field(default=lambda _: False, kw_only=True)
    pairs: dict[tuple[int, int], tuple[Any, Any]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        _check("send_collisions", self.recipients, self.event, self.ended)

    def update(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        sent = self.pairs
        now = {(id(one), id(other)): (one, other) for one, other in pairs if one is not other}
        for key in [key for key in sent if key not in now]:
            self._send(self.ended, *sent.pop(key))
        for key in [key for key in now if key not in sent]:
            if not any(map(self.is_gone, now[key])):
                sent[key] = now[key]
                self._send(self.event, *now[key])
        self.pairs = {key: sent[key] for key in now if key in sent}  # in the order of the things

    def _send(self, event: str | None, one: Any, other: Any) -> None:
        is_fixed = isinstance(self.recipients, Fsm | FsmGroup)
        _send(self.recipients, event, one, (one, other) if is_fixed and self.many else other)


@define(eq=False)
class Pointer:
    """Sends events when the mouse enters and leaves a thing, and is pressed and released on it.

    A function from a thing to its machine (`recipients`) may choose who receives them; the data is
    the thing. A thing that was pressed gets `released` wherever the mouse is by then.
    """

    recipients: Recipients
    pressed: str | None = None
    released: str | None = None
    entered: str | None = None
    left: str | None = None
    under: Any = field(default=None, init=False)
    """The thing under the mouse."""
    grasped: Any = field(default=None, init=False)
    """The thing on which the button was pressed, until it is released."""

    def __attrs_post_init__(self) -> None:
        events = (self.pressed, self.released, self.entered, self.left)
        _check("send_mouse", self.recipients, *events)

    def point(self, things: Sequence[Any]) -> None:
        """Note the things under the mouse now, the topmost last."""
        before, self.under = self.under, things[-1] if things else None
        if self.under is not before:
            self._send(self.left, before)
            self._send(self.entered, self.under)

    def press(self) -> bool:
        """Note that the button has gone down; return True if that was on a thing."""
        self.grasped = self.under
        self._send(self.pressed, self.grasped)
        return self.grasped is not None

    def release(self) -> bool:
        """Note that the button has gone up; return True if it had gone down on a thing."""
        thing, self.grasped = self.grasped, None
        self._send(self.released, thing)
        return thing is not None

    def _send(self, event: str | None, thing: Any) -> None:
        if thing is not None:
            _send(self.recipients, event, thing, thing)


def _check(who: str, recipients: object, *events: object) -> None:
    is_function = callable(recipients) and not isinstance(recipients, type)
    if not (is_function or isinstance(recipients, Fsm | FsmGroup)):
        raise TypeError(
            f"{who}: machines must be an Fsm, an FsmGroup, or a function from a thing to its own, "
            f"got {shown(recipients)}."
        )
    for event in events:
        if not (event is None or isinstance(event, str)):
            raise TypeError(f"{who}: an event must be a str, got {shown(event)}.")


def _send(recipients: Recipients, event: str | None, thing: Any, data: object) -> None:
    if event is None:
        return
    machines = recipients if isinstance(recipients, Fsm | FsmGroup) else recipients(thing)
    if machines is not None:
        offer(machines, event, data)
