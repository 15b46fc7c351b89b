"""Cooldown: limit how often an event passes."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes, to_go
from actions.parts.parameters import Param, Seconds, is_parameter, value_of
from actions.parts.validators import is_event_name
from fsmkit import FsmAction
from fsmkit.timing import TIME_TOLERANCE, checked_seconds


@define_action
class Cooldown(FsmAction):
    """Let `event` pass, then swallow it until `duration` seconds have passed.

    An event that passes goes on to the actions after it in the list and to the transitions; a
    swallowed one is consumed. The cooldown runs on `fsm.time`, so it goes on while the machine is
    in other states, where the event always passes. With nothing to wait for, it finishes on enter,
    and keeps guarding.

    `duration` may be a function; it is called whenever the event passes. Raises ValueError for an
    invalid duration.

    >>> from fsmkit import FINISHED, Fsm
    >>> fsm = Fsm("Gun")
    >>> aim, shoot = fsm.add_state("Aim"), fsm.add_state("Shoot")
    >>> cooldown = aim.add_action(Cooldown("FIRE", 0.5))
    >>> _ = aim.add_transition("FIRE", shoot)
    >>> _ = shoot.add_transition("DONE", aim)
    >>> fsm.start()
    >>> for _ in range(4):
    ...     _ = fsm.send_event("FIRE")
    ...     print(fsm.current_state.name, cooldown.remaining)
    ...     if fsm.current_state is shoot:
    ...         _ = fsm.send_event("DONE")
    ...     fsm.update(0.25)
    Shoot 0.5
    Aim 0.25
    Shoot 0.5
    Aim 0.25
    """

    event: str = field(validator=is_event_name)
    duration: Param[float] = field(validator=is_parameter)
    ready_at: Seconds = field(default=0.0, init=False)
    """The `fsm.time` from which the event passes again; kept between visits."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.duration):
            self._checked(self.duration)

    @property
    def takes(self) -> Sequence[str]:
        return (self.event,)

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def _would_take_(self, event: str) -> bool | str | None:
        is_swallowed = event == self.event and not self.is_ready
        return to_go(self.remaining) if is_swallowed else False

    def on_enter(self) -> None:
        self.finish()

    def on_event(self, event: str, data: object) -> bool:  # noqa: ARG002  # whatever its data
        if event != self.event:
            return False
        if not self.is_ready:
            return True
        self.ready_at = self.fsm.time + self._checked(value_of(self.duration, self))
        return False

    @property
    def is_ready(self) -> bool:
        """True if the event would pass now."""
        return self.remaining == 0.0

    @property
    def remaining(self) -> float:
        """The seconds until the event passes again."""
        seconds = self.ready_at - self.fsm.time
        return seconds if seconds > TIME_TOLERANCE else 0.0

    def _checked(self, duration: float) -> float:
        event = str.__repr__(self.event)
        return checked_seconds(duration, f"The duration of Cooldown({event}, ...)")
