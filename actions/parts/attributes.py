"""Values of attributes and keys, colours among them: read, write, restore."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from numbers import Real
from typing import Any, Final, TypeAlias

from attrs import field

from actions.definition import define_action
from actions.parts.positions import KEPT_BY_TRANSFORMS, advice_for
from actions.parts.validators import is_flag, is_name_in, is_writable
from fsmkit import FsmAction
from fsmkit.space import components, is_registered, like


class Empty(Enum):
    """Marks a missing attribute or key. An Enum, so that copies of a machine share it."""

    NOTHING = "nothing"


NOTHING: Final = Empty.NOTHING


@define_action
class WriteAttribute(FsmAction):
    """Write `name` of `target`: an attribute, or a key of a mapping.

    With `restore_on_exit` the value found on enter is written back when the state is exited. A
    subclass overrides `write`.
    """

    target: Any = field(validator=is_writable)
    name: Any = field(validator=is_name_in("target"))
    restore_on_exit: bool = field(default=False, kw_only=True, validator=is_flag)
    before: Any = field(default=NOTHING, init=False)
    """The value found on enter, if it is to be restored."""

    def write(self) -> None:
        """Write the value, or start to; call `finish()` when done."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.before = peek(self.target, self.name) if self.restore_on_exit else NOTHING
        self.write()

    def on_exit(self) -> None:
        if self.restore_on_exit:
            before, self.before = self.before, NOTHING
            restore(self.target, self.name, before)


def is_mapping(target: object) -> bool:
    """Return True if `target` has keys instead of attributes.

    >>> is_mapping({}), is_mapping(())
    (True, False)
    """
    kind = type(target)
    known = _ARE_MAPPINGS.get(kind)
    if known is None:
        if len(_ARE_MAPPINGS) >= MOST_KNOWN:  # a hot reload makes its classes anew each time
            _ARE_MAPPINGS.clear()
        known = _ARE_MAPPINGS[kind] = isinstance(target, Mapping)
    return known


_ARE_MAPPINGS: Final[dict[type, bool]] = {dict: True}
"""What is known of classes: asking an ABC takes 250 ns each time."""

MOST_KNOWN: Final = 250
"""Classes to remember: each keeps its module alive."""


def read(target: Any, name: Any) -> Any:
    """Return the value of an attribute or key; raise AttributeError or KeyError if it is missing.

    >>> read({"gold": 3}, "gold")
    3
    """
    if _ARE_MAPPINGS.get(type(target), True) and is_mapping(target):
        try:
            return target[name]
        except KeyError:
            raise KeyError(
                f"{target!r} has no key {name!r}. Add it, or check the spelling."
            ) from None
    try:
        return getattr(target, name)
    except AttributeError as error:
        advice = advice_for(target) if name in KEPT_BY_TRANSFORMS else ""
        raise AttributeError(
            f"{target!r} has no attribute {name!r}."
            f"{advice or ' Set it first, or check the spelling.'}"
        ) from error


def write(target: Any, name: Any, value: Any) -> None:
    """Set an attribute, or the value of a key.

    The alpha of a colour is written to the `alpha` of a target that keeps it beside its colour.
    """
    if name == "color" and takes_alpha_apart(target, value):
        *numbers, alpha = written(value)
        _write(target, name, like(peek(target, name), tuple(numbers)))
        _write(target, "alpha", alpha)
    elif _ARE_MAPPINGS.get(type(target), True) and is_mapping(target):
        target[name] = value  # a read-only one raises
    else:
        setattr(target, name, value)


def with_own_alpha(target: Any, color: Any) -> Any:
    """Return `color` with the alpha of the target's colour, unless it has its own."""
    now = peek(target, "color")
    return with_alpha(color, written(now)[3]) if lacks_alpha(color, now) else color


def has_alpha_beside(target: Any) -> bool:
    """Return True if the target has an `alpha` attribute, as sprites of engines do."""
    return isinstance(peek(target, "alpha"), Real)


def takes_alpha_apart(target: Any, color: Any) -> bool:
    """Return True if `color` has alpha that the target keeps beside its colour."""
    if type(color) is tuple and len(color) != 4:
        return False
    return lacks_alpha(peek(target, "color"), color) and has_alpha_beside(target)


def color_to_restore(before: Any, target: Any, color: Any) -> Any:
    """Return `before`, with the alpha of the target if writing `color` changes that too."""
    return with_alpha(before, peek(target, "alpha")) if takes_alpha_apart(target, color) else before


def _write(target: Any, name: Any, value: Any) -> None:
    if is_mapping(target):
        target[name] = value  # a read-only one raises
    else:
        setattr(target, name, value)


def peek(target: Any, name: Any) -> Any:
    """Return the value of an attribute or key; NOTHING if it is missing."""
    if is_mapping(target):
        return target.get(name, NOTHING)
    return getattr(target, name, NOTHING)


def restore(target: Any, name: Any, before: Any) -> None:
    """Write back the result of `peek`; if that was NOTHING, remove the key from the mapping."""
    if before is not NOTHING:
        write(target, name, before)
    else:
        target.pop(name, None)


# Colours

Color: TypeAlias = Any
"""A tuple of numbers, or the like: `(255, 0, 0)`, `(1.0, 0.0, 0.0, 0.5)`, a `pygame.Color`."""

NO_NAMES: Final = (
    "Write its numbers, as (255, 0, 0), or your engine's colour of that name, as "
    "pygame.Color('red') or arcade.color.RED."
)
"""Advice for `"red"`: only an engine knows its numbers and their range."""


def channels(color: Color) -> tuple[float, ...]:
    """Return the numbers of a colour; TypeError for anything else, such as a name.

    >>> channels((255, 0, 0))
    (255.0, 0.0, 0.0)
    """
    advice = ""
    if isinstance(color, str):
        advice = f" {NO_NAMES}"
    else:
        with suppress(TypeError):
            return components(color)
    raise TypeError(f"A colour must be a tuple or vector of numbers, got {color!r}.{advice}")


def plain_numbers(color: tuple[Any, ...]) -> type | None:
    """Return the one class of all numbers of a colour, `int` or `float`; None for others.

    >>> plain_numbers((255, 0, 0)), plain_numbers((1.0, 0, 0))
    (<class 'int'>, None)
    """
    kind = type(color[0]) if color else None
    if kind is not int and kind is not float:
        return None
    for number in color:
        if type(number) is not kind:
            return None
    return kind


def written(color: Color) -> tuple[float, ...]:
    """Return the numbers of a colour as they were written: integers stay integers."""
    return channels(color) if is_registered(color) else tuple(color)


def has_alpha(color: Color) -> bool:
    return _count(color) == 4


def lacks_alpha(color: Color, other: Color) -> bool:
    """Return True if `color` consists of three numbers and `other` of four."""
    return _count(color) == 3 and _count(other) == 4


def with_alpha(color: Color, alpha: float) -> Color:
    """Return `color` with `alpha`, unless it has one already.

    >>> with_alpha([1, 2, 3], 255), with_alpha((1, 2, 3, 0), 255)
    ([1, 2, 3, 255], (1, 2, 3, 0))
    """
    if _count(color) != 3:
        return color
    return [*color, alpha] if isinstance(color, list) else (*color, alpha)


def advice_for_colors(start: Color, end: Color) -> str:
    """Return advice for two colours without values between them; empty if there is none."""
    if isinstance(start, str) or isinstance(end, str):
        return f" {NO_NAMES}"
    if lacks_alpha(start, end) or lacks_alpha(end, start):
        return " For colours with alpha use SetColorByDuration, which blends it too."
    return ""


def _count(color: Any) -> int:
    """The number of components of a colour; 0 for anything else."""
    if type(color) is tuple and plain_numbers(color):
        return len(color)
    try:
        return len(channels(color))
    except TypeError:
        return 0
