"""Values kept as an attribute of an object or under a key of a mapping: read, write, restore."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from numbers import Real
from typing import Any, Final

from attrs import define, field

from actions.parts.colors import lacks_alpha, with_alpha, written
from actions.parts.raw_things import KEPT_BY_TRANSFORMS, advice_for
from actions.parts.validators import is_flag, is_name_in, is_writable
from fsmkit import FsmAction
from fsmkit.space import like


class Empty(Enum):
    """The mark of a missing attribute or key. An Enum, so that copies of a machine share it."""

    NOTHING = "nothing"


NOTHING: Final = Empty.NOTHING


@define(eq=False, repr=False, slots=False)
class WriteAttribute(FsmAction):
    """Write `name` of `target`: an attribute, or a key of a mapping.

    With `restore_on_exit` the value found on enter is written back when the state is exited. A
    subclass overrides `write`.
    """

    target: Any = field(validator=is_writable)
    name: Any = field(validator=is_name_in("target"))
    restore_on_exit: bool = field(default=False, kw_only=True, validator=is_flag)
    before: Any = field(default=NOTHING, init=False)
    """The value found on enter, if it is to be written back."""

    def write(self) -> None:
        """Write the value, or begin to; call `finish()` when done."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.before = peek(self.target, self.name) if self.restore_on_exit else NOTHING
        self.write()

    def on_exit(self) -> None:
        before, self.before = self.before, NOTHING
        if self.restore_on_exit:
            restore(self.target, self.name, before)


def read(target: Any, name: Any) -> Any:
    """Return the value of an attribute or key; raise AttributeError or KeyError if it is missing.

    >>> read({"gold": 3}, "gold")
    3
    """
    if isinstance(target, Mapping):
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

    The alpha of a colour goes where the target has it, if that is not in its colour.
    """
    if name == "color" and takes_alpha_apart(target, value):
        *numbers, alpha = written(value)
        _write(target, name, like(peek(target, name), tuple(numbers)))
        _write(target, "alpha", alpha)
    else:
        _write(target, name, value)


def with_own_alpha(target: Any, color: Any) -> Any:
    """Return `color` with the alpha that the colour of the target has, unless it has its own."""
    now = peek(target, "color")
    return with_alpha(color, written(now)[3]) if lacks_alpha(color, now) else color


def has_alpha_beside(target: Any) -> bool:
    """Return True if the target has its alpha by that name, as the things of engines have."""
    return isinstance(peek(target, "alpha"), Real)


def takes_alpha_apart(target: Any, color: Any) -> bool:
    """Return True if `color` has alpha, and the target has it beside a colour of three numbers."""
    return lacks_alpha(peek(target, "color"), color) and has_alpha_beside(target)


def color_to_restore(before: Any, target: Any, color: Any) -> Any:
    """Return `before`, with the alpha of the target if writing `color` changes that as well."""
    return with_alpha(before, peek(target, "alpha")) if takes_alpha_apart(target, color) else before


def _write(target: Any, name: Any, value: Any) -> None:
    if isinstance(target, Mapping):
        target[name] = value  # type: ignore[index]  # a read-only one raises
    else:
        setattr(target, name, value)


def peek(target: Any, name: Any) -> Any:
    """Return the value of an attribute or key; NOTHING if it is missing."""
    if isinstance(target, Mapping):
        return target.get(name, NOTHING)
    return getattr(target, name, NOTHING)


def restore(target: Any, name: Any, before: Any) -> None:
    """Write back what `peek` returned; if that was NOTHING, remove the key from the mapping."""
    if before is not NOTHING:
        write(target, name, before)
    else:
        target.pop(name, None)
