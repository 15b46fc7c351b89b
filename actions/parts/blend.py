"""Blends: timed actions that bring one value from one end to the other."""

from __future__ import annotations

from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts import attributes
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransform
from actions.parts.parameters import Param, adapt_parameters, is_computed, value_of
from actions.parts.positions import advice_for
from actions.parts.timed_action import TimedAction
from actions.parts.validators import is_writable
from fsmkit.space import lerp, same


class HasEnds(TimedAction):
    """A timed action between two ends, which a subclass declares among its own parameters.

    `start=None` means: from the current value.
    """

    start: Param[Any] | None
    end: Param[Any]


@define_action
class Blend(HasEnds):
    """Bring one value from `start` to `end`.

    A subclass overrides `read` and `write`, which know where the value is stored, and may override
    `between`. It arrives at exactly the end. Between equal ends it finishes on enter, at its end.
    """

    between = staticmethod(lerp)
    """Return a new value between `start` and `end`, by a share of the way."""

    origin: Any = field(default=None, init=False)
    destination: Any = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        adapt_parameters(self, "start", "end")
        self._check_constant_ends()

    @property
    def finishes(self) -> Finishes | None:
        is_constant = self.start is not None and not any(map(is_computed, (self.start, self.end)))
        return "at once" if is_constant and same(self.start, self.end) else super().finishes

    def _check_constant_ends(self) -> None:
        """Raise TypeError or ValueError for constant ends that have no values between them."""
        known = {"start": self.start, "end": self.end}
        if self.start is None:
            del known["start"]
        known = {name: end for name, end in known.items() if not is_computed(end)}
        ends = [(name, end, end) for name, end in known.items()]
        if len(known) > 1:
            ends.append(("start and end", self.start, self.end))
        for names, start, end in ends:
            try:
                self.between(start, end, 0.5)
            except (TypeError, ValueError, OverflowError) as error:
                raise self._nothing_between(names, start, end, error) from None

    def _nothing_between(self, names: str, start: Any, end: Any, error: Exception) -> Exception:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        what = f"{type(self).__name__}: {names}"
        reason = f"must be something that has values between. {error}"
        return kind(f"{what} {reason}{advice_for(end) or advice_for(start)}")

    @property
    def writes(self) -> tuple[object, str] | None:
        """The object and the attribute that it writes; read by checks."""
        return None

    def read(self) -> Any:
        """Return the current value."""
        raise NotImplementedError

    def write(self, value: Any) -> None:
        """Make `value` the current value."""
        raise NotImplementedError

    def matched(self, start: Any, end: Any) -> tuple[Any, Any]:
        """Return the ends of a visit in matching form; a subclass may complete them."""
        return start, end

    def begin(self) -> None:
        start, end = self.start, self.end
        if start is None:
            start = self.read()
        elif callable(start):
            start = value_of(start, self)
        start, end = self.matched(start, value_of(end, self) if callable(end) else end)
        try:
            given = (self.start, self.end)  # if constant, they were checked at once
            if given[0] is None or start is not given[0] or end is not given[1]:
                self.between(start, end, 0.5)  # raises now rather than midway
            # Copies, as a vector may change in place.
            if type(start) is type(end) is tuple and self.between is lerp:
                start, end = (*start,), (*end,)
            else:
                start, end = self.between(start, end, 0.0), self.between(start, end, 1.0)
            self.origin, self.destination = start, end
        except (TypeError, ValueError, OverflowError) as error:
            raise self._nothing_between("start and end", start, end, error) from None
        if same(start, end):
            self.length = 0.0

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        self.between(self.origin, self.destination, 0.5)

    def apply(self, progress: float) -> None:
        self.write(self.between(self.origin, self.destination, progress))


class HasAttribute(Blend):
    """A blend with the name of what it writes, which a subclass declares as a parameter."""

    attribute: Any


@define_action
class AttributeBlend(HasAttribute):
    """A blend of an attribute of `target`, or of one of its keys if it is a mapping."""

    target: Any = field(validator=is_writable)

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.target, self.attribute

    def begin(self) -> None:
        self.read()  # raises now if there is nothing to write to
        super().begin()

    def read(self) -> Any:
        return attributes.read(self.target, self.attribute)

    def write(self, value: Any) -> None:
        attributes.write(self.target, self.attribute, value)


@define_action
class TransformBlend(OnTransform, Blend):
    """A blend of the one attribute of `transform` that it uses."""

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.transform, self.uses[0]

    def read(self) -> Any:
        return getattr(self.transform, getattr(self.space, self.uses[0]))

    def write(self, value: Any) -> None:
        setattr(self.transform, getattr(self.space, self.uses[0]), value)
