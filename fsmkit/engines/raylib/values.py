"""raylib's Vector2, Vector3, Vector4, Rectangle and Color as positions and colours of actions.

They are structs of C: one cannot iterate over them, compare or copy them, and to Python all structs
are of one type. Imported for what it registers: all of fsmkit.space knows them then, and machines
that remember one can be copied, pickled and saved.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, Final

from pyray import Camera2D, Vector2, ffi

from fsmkit.space import register_vector

KINDS: Final[dict[Any, str]] = {
    ffi.typeof(name): name for name in ("Vector2", "Vector3", "Vector4", "Color", "Rectangle")
}
"""The structs that consist of numbers, each with its name."""

STRUCTS: Final = (type(Vector2()), type(Camera2D().target))
"""The types of all structs: of one on its own, and of one that is a part of another."""

COLOR: Final = ffi.typeof("Color")


def numbers_of(struct: Any) -> tuple[float, ...]:
    """Return the numbers of a vector or a colour; TypeError for another struct of C."""
    kind = ffi.typeof(struct)
    if kind not in KINDS:
        raise TypeError(f"{struct!r} is no vector and no colour of raylib.")
    return tuple(float(getattr(struct, name)) for name, _ in kind.fields)


def made_like(struct: Any, numbers: tuple[float, ...]) -> Any:
    """Return a new vector or colour of that kind; a colour's numbers become 0 to 255, rounded."""
    kind = ffi.typeof(struct)
    if kind is COLOR:
        numbers = tuple(min(max(round(number), 0), 255) for number in numbers)
    return ffi.new(f"{KINDS[kind]} *", numbers)[0]


def made_of(name: str, numbers: tuple[float, ...]) -> Any:
    """Return a struct by its name."""
    values = [int(number) for number in numbers] if name == "Color" else list(numbers)
    return ffi.new(f"{name} *", values)[0]


def taken_apart(struct: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return how `copy` and `pickle` make a struct again; TypeError for others, as without this."""
    try:
        return made_of, (KINDS[ffi.typeof(struct)], numbers_of(struct))
    except (KeyError, TypeError):
        raise TypeError(f"cannot pickle {type(struct).__name__!r} object") from None


for of_struct in STRUCTS:
    register_vector(of_struct, numbers_of, made_like)
    copyreg.pickle(of_struct, taken_apart)
