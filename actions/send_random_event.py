"""SendRandomEvent: send one of several events at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from random import Random

from attrs import define, field

from actions.parts.after_delay import AfterDelay


@define(eq=False, repr=False, slots=False)
class SendRandomEvent(AfterDelay):
    """Send one of the events in `weights`, after `delay` seconds in the state, then finish.

    `weights` maps an event to its weight: one with twice the weight comes twice as often. `rng` is
    a `random.Random`; one with a seed makes the choice repeatable. The delay is in seconds of
    `time`; if the state is exited first, nothing is sent. Raises ValueError unless the weights are
    finite, none negative and at least one above 0, and for an invalid delay.

    >>> from random import Random
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Idle")
    >>> idle, yawn, look = (fsm.add_state(name) for name in ("Idle", "Yawn", "Look"))
    >>> _ = idle.add_action(SendRandomEvent({"YAWN": 1, "LOOK": 3}, rng=Random(1)))
    >>> _ = idle.add_transition("YAWN", yawn)
    >>> _ = idle.add_transition("LOOK", look)
    >>> fsm.start()
    >>> fsm.current_state.name
    'Yawn'
    """

    weights: Mapping[str, float]
    rng: Random = field(kw_only=True)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        for event, weight in self.weights.items():
            if not 0.0 <= weight < inf:
                raise ValueError(
                    f"SendRandomEvent: the weight of {event!r} must be a finite number >= 0, "
                    f"got {weight!r}."
                )
        if not any(self.weights.values()):
            raise ValueError(
                "SendRandomEvent: at least one event must have a weight above 0, "
                f"got {dict(self.weights)!r}."
            )

    @property
    def sends(self) -> Sequence[str]:
        return tuple(event for event, weight in self.weights.items() if weight)

    def act(self) -> None:
        (event,) = self.rng.choices(tuple(self.weights), tuple(self.weights.values()))
        self.fsm.send_event(event)
