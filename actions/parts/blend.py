"""Blend: the base of actions that bring a value from one end to the other."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import adapt_parameters
from actions.parts.parameters import Param, is_computed, value_of
from actions.parts.raw_things import advice_for
from actions.parts.timed_action import TimedAction
from fsmkit.space import lerp, same


class HasEnds(TimedAction):
    """A timed action between two ends, which a subclass declares among its own parameters.

    `start=None` means: from the current value.
    """

    start: Param[Any] | None
    end: Param[Any]


@define(eq=False, repr=False, slots=False)
class Blend(HasEnds):
    """Bring one value from `start` to `end`.

    A subclass overrides `read` and `write`, which know where the value is kept, and may override
    `between`. It arrives at exactly the end. Between equal ends it finishes on enter, at its end.
    """

    origin: Any = field(default=None, init=False)
    destination: Any = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        adapt_parameters(self, "start", "end")
        self._check_ends()

    @property
    def finishes(self) -> Finishes | None:
        is_constant = self.start is not None and not any(map(is_computed, (self.start, self.end)))
        return "at once" if is_constant and same(self.start, self.end) else super().finishes

    def _check_ends(self) -> None:
        """Raise TypeError or ValueError for ends that are known and cannot be gone between."""
        known = {"start": self.start, "end": self.end}
        if self.start is None:
            del known["start"]
        known = {name: end for name, end in known.items() if not is_computed(end)}
        for name, end in known.items():
            self._check_way(name, end, end)
        if len(known) > 1:
            self._check_way("start and end", self.start, self.end)

    def _check_way(self, names: str, start: Any, end: Any) -> None:
        try:
            self.between(start, end, 0.5)
        except (TypeError, ValueError, OverflowError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            what = f"{type(self).__name__}: {names}"
            advice = advice_for(end) or advice_for(start)
            reason = f"must be something that has values between. {error}"
            raise kind(f"{what} {reason}{advice}") from None

    @property
    def writes(self) -> tuple[object, str] | None:
        """The thing and the attribute that it writes; read by checks."""
        return None

    def read(self) -> Any:
        """Return the current value."""
        raise NotImplementedError

    def write(self, value: Any) -> None:
        """Make `value` the current value."""
        raise NotImplementedError

    def between(self, start: Any, end: Any, share: float) -> Any:
        """Return a new value, `share` of the way from `start` to `end`."""
        return lerp(start, end, share)

    def matched(self, start: Any, end: Any) -> tuple[Any, Any]:
        """Return the ends of a visit as they go together; a subclass may complete them."""
        return start, end

    def begin(self) -> None:
        now = self.read()
        start = now if self.start is None else value_of(self.start, self)
        start, end = self.matched(start, value_of(self.end, self))
        self._check_way("start and end", start, end)  # now rather than midway
        # Copies, as a vector may change in place.
        self.origin = self.between(start, end, 0.0)
        self.destination = self.between(start, end, 1.0)
        if same(self.origin, self.destination):
            self.length = 0.0

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        self.between(self.origin, self.destination, 0.5)

    def apply(self, progress: float) -> None:
        self.write(self.between(self.origin, self.destination, progress))
