"""Vectors of other libraries, as far as the program uses them: none is imported here."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

LIBRARIES: Final = {
    "glm": ("pyglm.glm", re.compile(r"[diu]?vec[1-4]|d?quat")),
    "pygame": ("pygame", re.compile(r"Vector[23]|Color")),
    "panda3d": ("panda3d.core", re.compile(r"L(Vector|Point|VecBase)[234][dfi]|LQuaternion[df]")),
}
"""What the module of a class begins with -> where it is found, and the classes made of numbers."""

ARRAYS: Final = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
"""The types of NumPy whose values JSON knows."""


def encoded_number(value: Any) -> Mapping[str, Any] | None:
    """A number of NumPy as JSON has it; None if `value` is none."""
    if not _is_of_numpy(value) or type(value) is not value.dtype.type:
        return None
    return {"$numpy": [value.dtype.name, None, [_to_json(value.item())]]}


def encoded_vector(value: Any) -> Mapping[str, Any] | None:
    """A vector or an array as JSON has it; None if `value` is none."""
    if _is_of_numpy(value) and type(value).__name__ == "ndarray":
        numbers = [*map(_to_json, value.reshape(-1).tolist())]
        return {"$numpy": [value.dtype.name, list(value.shape), numbers]}
    library = type(value).__module__.partition(".")[0]
    if library not in LIBRARIES or not LIBRARIES[library][1].fullmatch(type(value).__name__):
        return None
    return {"$vector": [f"{library}.{type(value).__name__}", *map(_to_json, value)]}


def decoded_vector(name: str, *numbers: Any) -> Any:
    """The vector that was encoded so. LookupError if the program does not use the library."""
    library, _, kind = name.partition(".")
    module, kinds = LIBRARIES[library]
    if not kinds.fullmatch(kind):
        raise LookupError(f"{name} is no vector")
    return getattr(_loaded(module), kind)(*map(_from_json, numbers))


def decoded_array(kind: str, shape: list[int] | None, numbers: Any) -> Any:
    """The array that was encoded so; without a shape a number of NumPy."""
    if not ARRAYS.fullmatch(kind):
        raise LookupError(f"{kind} is no type for an array")
    array = _loaded("numpy").array([*map(_from_json, numbers)], dtype=kind)
    return array[0] if shape is None else array.reshape(shape)


def _is_of_numpy(value: Any) -> bool:
    if type(value).__module__.partition(".")[0] != "numpy":
        return False
    return ARRAYS.fullmatch(getattr(getattr(value, "dtype", None), "name", "")) is not None


def _to_json(number: float) -> float | str:
    """A number, or the name of one that JSON does not know, like `nan`."""
    return number if isfinite(number) else str(number)


def _from_json(number: float | str) -> float:
    return float(number) if isinstance(number, str) else number


def _loaded(module: str) -> Any:
    if module not in sys.modules:
        raise LookupError(f"{module} is not in use: import it before the snapshot is restored")
    return sys.modules[module]
