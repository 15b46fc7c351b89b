"""SendRandomEvent: send one of several events at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from attrs import field

from actions.definition import define_action
from actions.parts.timed_action import AfterDelay
from actions.parts.validators import is_flag, is_generator_of, is_weights


@define_action
class SendRandomEvent(AfterDelay):
    """Send one of the events in `weights`, after `delay` seconds in the state, then finish.

    `weights` maps an event to its weight: an event with twice the weight comes twice as often.
    `rng` is a `random.Random`; one with a seed makes the choice repeatable. The delay is in seconds
    of `time`; if the state is exited first, nothing is sent.

    With `no_repeat` an event is never sent twice in a row, not even in successive visits, unless it
    is the only one with a weight above 0.

    Raises ValueError unless the weights are finite, not negative and at least one above 0, and for
    an invalid delay.

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

    weights: Mapping[str, float] = field(validator=is_weights)
    rng: Random = field(kw_only=True, validator=is_generator_of("choices"))
    no_repeat: bool = field(default=False, kw_only=True, validator=is_flag)
    last: str | None = field(default=None, init=False)
    """The event that was sent last."""

    @property
    def sends(self) -> Sequence[str]:
        return tuple(event for event, weight in self.weights.items() if weight)

    def act(self, unused: float) -> None:
        weights = self._weights_of_others() if self.no_repeat else self.weights
        (self.last,) = self.rng.choices(tuple(weights), tuple(weights.values()))
        self.fsm.send_in_time(self.last, None, unused)

    def _weights_of_others(self) -> Mapping[str, float]:
        """The weights of all events but the last one sent; all weights if those are all 0."""
        others = {event: weight for event, weight in self.weights.items() if event != self.last}
        return others if any(others.values()) else self.weights
