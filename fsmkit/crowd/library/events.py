"""Crowd actions that wait and send events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

from attrs import define, field

from fsmkit import FINISHED
from fsmkit.crowd.action import Behaviour, Value
from fsmkit.crowd.action_functions import Number
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.library.generated import choose
from fsmkit.crowd.library.validators import (
    checked_weights,
    fractional,
    is_duration,
    is_event,
    is_event_or_none,
    is_predicate,
)
from fsmkit.timing import TIME_TOLERANCE


def begin_wait(_agent: Any, _world: Any, own: Any) -> Any:
    own.elapsed = 0.0
    if own.duration <= 0.0:
        return own.finish_event
    return None


def wait(_agent: Any, world: Any, own: Any) -> Any:
    own.elapsed += world.dt
    if own.elapsed >= own.duration - TIME_TOLERANCE:
        return own.finish_event
    return None


@define(eq=False, repr=False, slots=False)
class TimedWait(Behaviour):
    """Wait `duration` seconds, then send `finish_event`.

    Raises CrowdError for an invalid duration.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm
    >>> @define
    ... class Guest:
    ...     patience: float = 2.0
    >>> machine = CrowdFsm("Guest", Guest)
    >>> waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    >>> _ = waits.add_action(TimedWait("patience"))
    >>> _ = waits.add_transition(FINISHED, leaves)
    >>> crowd = Crowd(machine, 3, start="Waits", engine="python")
    >>> crowd["patience"][:] = 1.0, 2.0, 3.0
    >>> crowd.update(2.0)
    >>> crowd.count()
    {'Waits': 1, 'Leaves': 2}
    """

    duration: Value = field(validator=is_duration)
    finish_event: str | None = field(default=FINISHED, validator=is_event_or_none)

    def __attrs_post_init__(self) -> None:
        self.set_functions(
            begin_wait,
            wait,
            parameters={"duration": fractional(self.duration)},
            memory={"elapsed": 0.0},
            events={"finish_event": self.finish_event or FINISHED},
        )


@define(eq=False, repr=False, slots=False)
class SendEventWhen(Behaviour):
    """Send `event` in the first update in which `predicate(agent, world)` is true.

    Raises CrowdError for an invalid predicate.

    >>> def is_near(npc, world):
    ...     return abs(npc.x - world.player) < 5.0
    >>> SendEventWhen(is_near, "SAW_PLAYER").sends
    ('SAW_PLAYER',)
    """

    predicate: Callable[[Any, Any], Any] = field(validator=is_predicate)
    event: str = field(validator=is_event)

    def __attrs_post_init__(self) -> None:
        predicate = self.predicate

        def check(agent: Any, world: Any, own: Any) -> Any:
            if predicate(agent, world):
                return own.event
            return None

        self.set_functions(on_update=check, events={"event": self.event})


@define(eq=False, repr=False, slots=False)
class SendRandomEvent(Behaviour):
    """Send one of the events of `weights` on enter, with probabilities proportional to the weights.

    Its parameters, for `Crowd.sweep`, are shares: `below_0` is that of the first event (with a
    weight above 0), `below_1` that of the first two, and so on; the last event gets the rest.
    Raises CrowdError unless the weights are finite, none negative and at least one above 0.

    >>> SendRandomEvent({"LEFT": 1.0, "RIGHT": 3.0}).sends
    ('LEFT', 'RIGHT')
    """

    weights: Mapping[str, float]

    def __attrs_post_init__(self) -> None:
        weights = {
            event: weight
            for event, weight in checked_weights(self, self.weights).items()
            if weight > 0.0
        }
        shares = accumulate(weight / sum(weights.values()) for weight in weights.values())
        self.set_functions(
            choose(list(weights)),
            parameters={f"below_{n}": share for n, share in enumerate(list(shares)[:-1])},
        )

    def check_parameter(self, name: str, value: Number, what: str) -> None:  # noqa: ARG002
        """Raise CrowdError unless `value` is a share, as all of its parameters are."""
        if not 0.0 <= value <= 1.0:
            raise CrowdError(f"{what} must be shares, from 0 to 1, got {value!r}.")
